"""Runs one package on one problem in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.clock import kill_after

LOADING_SECONDS = 120.0
TIMES = ("seconds", "first_seconds", "cpu_seconds")
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


@dataclass(frozen=True)
class Contestant:
    """A package as it takes part: under which label, in which interpreter, with which options."""

    label: str
    package: str
    python: str
    options: dict[str, Any] = field(default_factory=dict)


@dataclass
class Outcome:
    """What one run gave.

    ``status`` is "done" (the optimum, says the package), "unproven" (a tree, without that claim), "time
    limit", "failed" or "missing" (not installed). ``value`` is the re-scored value, ``objective`` the one
    that the package claims.
    """

    status: str
    seconds: float = float("nan")
    first_seconds: float = float("nan")
    cpu_seconds: float = float("nan")
    peak_memory: int = 0
    memory_before: int = 0
    value: float | None = None
    objective: float | None = None
    lower_bound: float | None = None
    proven: bool = False
    statistics: dict[str, float] = field(default_factory=dict)
    tree: str = ""
    simd: str = ""
    version: str = ""
    python: str = ""
    message: str = ""
    cached: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Plain data for the JSON file; times that do not exist become None."""
        record = asdict(self)
        for name in TIMES:
            record[name] = None if record[name] != record[name] else record[name]
        return record

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> Outcome:
        """Read what `to_dict` wrote."""
        known = {name: value for name, value in record.items() if name in cls.__dataclass_fields__}
        for name in TIMES:
            if known.get(name) is None:
                known[name] = float("nan")
        return cls(**known)


def child_environment() -> dict[str, str]:
    """Environment of a child: one thread for every library, and this package on the path."""
    root = str(Path(__file__).resolve().parents[1])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
    return os.environ | dict.fromkeys(THREAD_VARIABLES, "1") | {"PYTHONPATH": path}


def run_once(
    contestant: Contestant, arrays: Path, options: dict[str, Any], *, memory: int, folder: Path
) -> Outcome:
    """Run one contestant once and return its result; never raises for what the child does.

    Parameters
    ----------
    contestant : Contestant
        Who runs.
    arrays : Path
        The ``.npz`` file with the problem's arrays.
    options : dict
        Options of the problem and the study; the contestant's own go before them.
    memory : int
        Limit of the child's address space in bytes, 0 for none.
    folder : Path
        Where the files of the run are written.

    Returns
    -------
    Outcome
        The outcome, also of a run that was killed or crashed.
    """
    options = options | contestant.options
    job_file, answer_file, errors_file = folder / "job.json", folder / "answer.json", folder / "errors.txt"
    answer_file.unlink(missing_ok=True)
    job = {
        "package": contestant.package,
        "arrays": str(arrays),
        "options": options,
        "memory": memory,
        "answer": str(answer_file),
    }
    job_file.write_text(json.dumps(job))
    limit = float(options["time_limit"])
    with errors_file.open("wb") as errors:
        code, peak = wait_for(
            [contestant.python, "-m", "benchmarks.child", str(job_file)],
            errors.fileno(),
            kill_after(limit) + LOADING_SECONDS,
        )
    if code in (-signal.SIGALRM, -signal.SIGKILL) and not answer_file.is_file():
        reason = "killed at the time limit" if code == -signal.SIGALRM else "killed, out of time or memory"
        status = "time limit" if code == -signal.SIGALRM else "failed"
        return Outcome(status, seconds=limit, peak_memory=peak, message=reason)
    if not answer_file.is_file():
        return Outcome("failed", peak_memory=peak, message=describe_crash(code, errors_file))
    answer = json.loads(answer_file.read_text())
    outcome = Outcome.from_dict({"peak_memory": peak} | answer)
    if outcome.status == "done" and not outcome.proven:
        outcome.status = "time limit" if outcome.seconds >= 0.99 * limit else "unproven"
    if outcome.status == "time limit":
        outcome.seconds = limit
    return outcome


def wait_for(command: list[str], errors: int, backstop: float) -> tuple[int, int]:
    """Run a command to its end, at most `backstop` seconds; returns exit code and peak memory in bytes."""
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        env=child_environment(),
    )
    timer = threading.Timer(backstop, process.kill)
    timer.daemon = True
    timer.start()
    try:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    except BaseException:
        process.kill()
        process.wait()
        raise
    finally:
        timer.cancel()
    return process.returncode, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def describe_crash(code: int, errors_file: Path) -> str:
    """Say how a process ended that left no answer, with the last line that it wrote to standard error."""
    how = f"exit code {code}" if code >= 0 else f"ended by signal {signal.Signals(-code).name}"
    lines = errors_file.read_text(errors="replace").strip().splitlines()
    return f"{how}: {lines[-1].strip()}" if lines else how
