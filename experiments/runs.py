"""Runs: what is to be done, what is kept of it, and the loop that does what is not there yet.

A finished run is one line of JSON in ``OUT/NAME/runs.jsonl``, under a key made of its parameters. A study
that was interrupted goes on where it stopped, and one that is asked for more runs only what is new. Runs of
a method that was not installed are tried again.
"""

from __future__ import annotations

import hashlib
import json
import queue
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.clock import SHORT_SECONDS
from benchmarks.data import Arrays
from experiments.progress import Progress
from experiments.settings import Settings
from experiments.workers import Workers

SLOW_SECONDS = 20.0
TIME_OUTS = 3


@dataclass(frozen=True)
class Job:
    """One run that is wanted.

    Parameters
    ----------
    method : str
        A key of `experiments.methods.METHODS`.
    problem : str
        Name of the arrays, also of their file.
    options : dict
        ``task``, ``max_depth``, ``time_limit`` and what else the method is told.
    make : callable
        Makes the arrays if their file does not exist.
    repeat : int
        0 for the first run; further ones are made only if that one succeeded within `SLOW_SECONDS`.
    series : str
        Jobs of one method on similar problems, e.g. splits of one set: after `TIME_OUTS` time-outs the
        rest of the series counts as time-outs without being run. Empty for none.
    """

    method: str
    problem: str
    options: dict[str, Any]
    make: Callable[[], Arrays] = field(compare=False, repr=False)
    repeat: int = 0
    series: str = ""

    @property
    def parameters(self) -> dict[str, Any]:
        """What tells this run from others."""
        own = {"method": self.method, "problem": self.problem, "repeat": self.repeat, "series": self.series}
        return own | self.options

    @property
    def short_method(self) -> str:
        """Name of the method in tables and on the command line."""
        return str(self.options.get("algorithm", self.method))

    @property
    def key(self) -> str:
        """Digest of the parameters."""
        text = json.dumps(self.parameters, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:20]


@dataclass
class Run:
    """What came of a job.

    ``status`` is "done" (proven, or nothing to be proven), "unproven", "time limit", "failed" or "missing".
    ``value`` is scored from the predictions for the training rows, ``seconds`` comes from `clock_seconds`.
    """

    parameters: dict[str, Any]
    status: str
    seconds: float | None = None
    wall_seconds: float | None = None
    value: float | None = None
    objective: float | None = None
    lower_bound: float | None = None
    proven: bool = False
    figures: dict[str, float] = field(default_factory=dict)
    peak_memory: int = 0
    version: str = ""
    message: str = ""

    @classmethod
    def of(cls, job: Job, answer: dict[str, Any]) -> Run:
        """Make it of a worker's answer; a run that reached its limit without a proof is a time-out."""
        limit = float(job.options["time_limit"])
        status = str(answer["status"])
        wall = answer.get("seconds")
        if status == "done" and not answer.get("proven", True):
            status = "time limit" if wall is not None and wall >= 0.99 * limit else "unproven"
        known = {name for name in cls.__dataclass_fields__ if name not in ("parameters", "status", "seconds")}
        rest = {name: value for name, value in answer.items() if name in known}
        seconds = limit if status == "time limit" else clock_seconds(wall, answer.get("cpu_seconds"))
        return cls(job.parameters, status, seconds=seconds, wall_seconds=wall, **rest)

    @property
    def method(self) -> str:
        """Name of the method."""
        return str(self.parameters["method"])

    @property
    def tried(self) -> bool:
        """Whether there is an answer or a time-out to show."""
        return self.status in ("done", "unproven", "time limit")

    @property
    def solved(self) -> bool:
        """Whether the method came to its end."""
        return self.status in ("done", "unproven")


def clock_seconds(wall: float | None, processor: float | None) -> float | None:
    """Processor time of a long call, which other processes do not disturb; wall time of a short one.

    The clock of processor time ticks only every 4 ms on some systems; `benchmarks.clock.measure` gives the
    median of nine calls for the wall time of those below a tenth of a second.
    """
    if wall is None or processor is None or wall < SHORT_SECONDS:
        return wall
    return min(wall, processor)


class Kept:
    """The finished runs of a study, in a file with one line each."""

    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        self.path = path
        self.runs: dict[str, Run] = {}
        self.lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        if fresh:
            path.unlink(missing_ok=True)
        elif path.is_file():
            self._read()

    def _read(self) -> None:
        """Read the file; a last line that was cut off when a study was killed is dropped."""
        for line in self.path.read_text().splitlines():
            try:
                record = json.loads(line)
            except json.JSONDecodeError:
                continue
            key = record.pop("key")
            self.runs[key] = Run(**record)
        lines = [json.dumps({"key": key, **asdict(run)}) for key, run in self.runs.items()]
        draft = self.path.with_suffix(".part")
        draft.write_text("".join(line + "\n" for line in lines))
        draft.replace(self.path)

    def add(self, job: Job, run: Run) -> None:
        """Keep a run, on disk at once."""
        with self.lock:
            self.runs[job.key] = run
            with self.path.open("a") as file:
                file.write(json.dumps({"key": job.key, **asdict(run)}) + "\n")

    def find(self, job: Job) -> Run | None:
        """Give the run of a job, if it is there."""
        run = self.runs.get(job.key)
        return None if run is None or run.status == "missing" else run

    def of(self, jobs: Iterable[Job]) -> list[Run]:
        """Give the runs of these jobs that exist, missing packages included."""
        return [self.runs[job.key] for job in jobs if job.key in self.runs]


def chosen(jobs: Iterable[Job], settings: Settings) -> list[Job]:
    """Choose the jobs of the methods that are asked for, with the limits that some have of their own."""
    return [
        replace(job, options=job.options | {"time_limit": settings.limits[job.short_method]})
        if job.short_method in settings.limits
        else job
        for job in jobs
        if not settings.methods or job.short_method in settings.methods
    ]


def arrays_file(folder: Path, job: Job) -> Path:
    """Write the arrays of a problem once and return their file."""
    path = folder / f"{job.problem.replace('/', '_')}.npz"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(".part.npz")
        arrays: dict[str, Any] = dict(job.make())
        np.savez(draft, **arrays)
        draft.replace(path)
    return path


def perform(jobs: Sequence[Job], kept: Kept, settings: Settings, progress: Progress) -> list[Run]:
    """Do what is not there yet, first runs before repeats, and return all runs of the jobs."""
    for repeat in sorted({job.repeat for job in jobs}):
        wanted = [job for job in jobs if job.repeat == repeat and kept.find(job) is None]
        if repeat > 0:
            wanted = [job for job in wanted if repays(job, kept)]
        Crew(wanted, kept, settings, progress).run()
    return kept.of(jobs)


def repays(job: Job, kept: Kept) -> bool:
    """Whether a repeat tells anything: the first run succeeded and was not slow."""
    first = kept.runs.get(replace(job, repeat=0).key)
    return first is not None and first.solved and (first.seconds or 0.0) < SLOW_SECONDS


def count_time_outs(kept: Kept) -> Counter[tuple[str, str]]:
    """Count the time-outs of each method and series among the runs that are there."""
    return Counter(
        (run.method, str(run.parameters["series"]))
        for run in kept.runs.values()
        if run.status == "time limit"
    )


class Crew:
    """Threads that take jobs one by one, each with worker processes of its own.

    An error in one thread (data that cannot be read, say) stops all and is raised in the calling thread.
    """

    def __init__(self, jobs: Sequence[Job], kept: Kept, settings: Settings, progress: Progress) -> None:
        self.jobs, self.kept, self.settings, self.progress = jobs, kept, settings, progress
        self.waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
        for job in jobs:
            self.waiting.put(job)
        self.time_outs = count_time_outs(kept)
        self.stop = threading.Event()
        self.making = threading.Lock()
        self.failures: list[BaseException] = []

    def run(self) -> None:
        """Do all jobs."""
        count = max(1, min(self.settings.jobs, len(self.jobs)))
        threads = [threading.Thread(target=self._guarded) for _ in range(count)]
        self.progress.start(len(self.jobs))
        try:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        finally:
            self.stop.set()
            for thread in threads:
                thread.join()
            self.progress.stop()
        if self.failures:
            raise self.failures[0]

    def _guarded(self) -> None:
        try:
            with Workers(self.settings, self.stop) as workers:
                self._work(workers)
        except BaseException as error:
            self.failures.append(error)
            self.stop.set()

    def _work(self, workers: Workers) -> None:
        while not self.stop.is_set():
            try:
                job = self.waiting.get_nowait()
            except queue.Empty:
                return
            if not job.series or self.time_outs[job.method, job.series] < TIME_OUTS:
                with self.making:
                    arrays = arrays_file(self.settings.out / "arrays", job)
                answer = workers.run(job.method, arrays, job.options)
                if self.stop.is_set():
                    return
                run = Run.of(job, answer)
                self.kept.add(job, run)
                self.time_outs[job.method, job.series] += run.status == "time limit"
            self.progress.step(job)
