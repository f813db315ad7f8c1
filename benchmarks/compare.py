"""Runs several contestants on the same problems in turn, and compares times and answers.

The runs of one problem are interleaved (first, second, first, second, ...), so that a machine that
becomes slower meanwhile is slower for all.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cached import CachedRuns
from benchmarks.data import Problem
from benchmarks.runner import Contestant, Outcome, run_once
from benchmarks.scores import SCORES

SLOW_SECONDS = 20.0
TIMED = ("done", "time limit")


@dataclass(frozen=True)
class Settings:
    """How a comparison is run: repeats, limits, options for all contestants, cached runs."""

    repeats: int = 3
    time_limit: float = 300.0
    memory: int = 0
    options: dict[str, Any] = field(default_factory=dict)
    cached: CachedRuns | None = None


@dataclass
class Measured:
    """The runs of one contestant on one problem, as one figure each."""

    status: str
    seconds: float
    value: float | None
    proven: bool
    peak_memory: int
    outcomes: list[Outcome]

    @property
    def last(self) -> Outcome:
        """The last run, for figures that do not differ between runs."""
        return self.outcomes[-1]

    @property
    def cached(self) -> bool:
        """Whether the figures come from an earlier session."""
        return self.last.cached

    @property
    def timed(self) -> bool:
        """Whether there is a time to compare: the run ended with a proof or at the limit."""
        return self.status in TIMED


@dataclass
class Row:
    """One problem with what every contestant made of it."""

    problem: Problem
    measured: dict[str, Measured]
    verdicts: dict[str, str]
    alarms: list[str]

    def ratio(self, label: str, base: str) -> float | None:
        """How many times slower `label` is than `base`, None where one of them has no time."""
        first, second = self.measured.get(label), self.measured.get(base)
        if first is None or second is None or not (first.timed and second.timed):
            return None
        return first.seconds / second.seconds

    def to_dict(self, base: str) -> dict[str, Any]:
        """Plain data for the JSON file."""
        rows, features = self.problem.shape
        return {
            "set": self.problem.name,
            "task": self.problem.task,
            "max_depth": self.problem.max_depth,
            "settings": self.problem.settings,
            "rows": rows,
            "features": features,
            "fingerprint": self.problem.fingerprint(),
            "measured": {
                label: {
                    "status": one.status,
                    "seconds": None if one.seconds != one.seconds else one.seconds,
                    "value": one.value,
                    "proven": one.proven,
                    "peak_memory": one.peak_memory,
                    "ratio": self.ratio(label, base),
                    "cached": one.cached,
                    "runs": [outcome.to_dict() for outcome in one.outcomes],
                }
                for label, one in self.measured.items()
            },
            "verdicts": self.verdicts,
            "alarms": self.alarms,
        }


def compare(
    problems: Sequence[Problem], contestants: Sequence[Contestant], settings: Settings, base: str = "streed"
) -> Iterator[Row]:
    """Run all contestants on all problems, small problems first, and yield a row after each.

    A contestant that is not installed is left out after its first run.
    """
    present = list(contestants)
    for problem in sorted(problems, key=lambda one: one.effort):
        outcomes = interleave(problem, present, settings)
        measured = {label: combine(runs) for label, runs in outcomes.items()}
        missing = [label for label, one in measured.items() if one.status == "missing"]
        present = [one for one in present if one.label not in missing]
        yield Row(problem, measured, *judge(problem, measured, base))


def interleave(
    problem: Problem, contestants: Sequence[Contestant], settings: Settings
) -> dict[str, list[Outcome]]:
    """Run the contestants in turn, `repeats` times; slow, failed and cached ones only once."""
    outcomes: dict[str, list[Outcome]] = {}
    options = (
        {"task": problem.task, "max_depth": problem.max_depth, "time_limit": settings.time_limit}
        | problem.settings
        | settings.options
    )
    with tempfile.TemporaryDirectory(prefix="benchmarks-") as name:
        folder = Path(name)
        arrays = folder / "arrays.npz"
        named: dict[str, Any] = dict(problem.arrays)
        np.savez(arrays, **named)
        finished: set[str] = set()
        for _ in range(settings.repeats):
            for contestant in contestants:
                label = contestant.label
                if label in finished:
                    continue
                if settings.cached and (found := settings.cached.find(problem, label, settings.time_limit)):
                    outcomes[label] = found
                    finished.add(label)
                    continue
                outcome = run_once(contestant, arrays, options, memory=settings.memory, folder=folder)
                outcomes.setdefault(label, []).append(outcome)
                if outcome.status != "done" or outcome.seconds > SLOW_SECONDS:
                    finished.add(label)
    return outcomes


def combine(outcomes: list[Outcome]) -> Measured:
    """Median time, greatest memory, and the status of the worst run."""
    bad = [one for one in outcomes if one.status != "done"]
    worst = bad[0] if bad else outcomes[0]
    seconds = worst.seconds if bad else statistics.median(one.seconds for one in outcomes)
    return Measured(
        status=worst.status,
        seconds=seconds,
        value=worst.value,
        proven=all(one.proven for one in outcomes),
        peak_memory=max(one.peak_memory for one in outcomes),
        outcomes=outcomes,
    )


def judge(problem: Problem, measured: Mapping[str, Measured], base: str) -> tuple[dict[str, str], list[str]]:
    """Compare the re-scored values with those of `base`; returns a verdict per peer and the alarms.

    A peer's value is a bound, not the truth: peers are known to be wrong now and then. But a tree that is
    better than what `base` calls the optimum proves `base` wrong, and that is an alarm.
    """
    verdicts: dict[str, str] = {}
    alarms: list[str] = []
    ours = measured.get(base)
    if ours is None:
        return verdicts, alarms
    score = SCORES[problem.task]
    alarms += contradictions(problem, ours, base)
    for label, peer in measured.items():
        if label == base or peer.value is None or ours.value is None:
            continue
        if score.better(peer.value, ours.value):
            verdicts[label] = "WORSE THAN PEER" if ours.proven else "peer better, not proven here"
            if ours.proven:
                alarms.append(
                    f"{problem.label}: {label} found {peer.value:g}, better than the {ours.value:g} "
                    f"that {base} calls optimal"
                )
        elif score.better(ours.value, peer.value, score.peer_tolerance):
            verdicts[label] = "peer wrong" if peer.proven else "better than peer's last tree"
        else:
            verdicts[label] = "agree"
    return verdicts, alarms


def contradictions(problem: Problem, ours: Measured, base: str) -> list[str]:
    """Find where the runs of `base` fail, differ, or claim what its predictions do not give."""
    alarms = []
    for run in ours.outcomes:
        if run.status in ("failed", "missing"):
            alarms.append(f"{problem.label}: {base} {run.status}: {run.message}")
        if run.status == "time limit" and run.value is None:
            alarms.append(f"{problem.label}: {base} did not end at its time limit by itself")
        if run.value != ours.value:
            alarms.append(f"{problem.label}: {base} gives {run.value} and {ours.value} in two runs")
        if run.objective is not None and run.value is not None and differ(run.objective, run.value):
            alarms.append(
                f"{problem.label}: {base} claims {run.objective:g}, its own predictions give {run.value:g}"
            )
    return alarms


def differ(first: float, second: float) -> bool:
    """Tell whether two values differ by more than rounding."""
    return abs(first - second) > 1e-9 * max(1.0, abs(first), abs(second))
