"""What a study found: tables, plots and sentences; and how values of methods are compared."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from benchmarks.scores import SCORES
from experiments.runs import Job, Run
from experiments.significance import p_value
from experiments.tables import Table

OWN = "streed"
Key = TypeVar("Key", bound=Hashable)


@dataclass
class Plot:
    """Share of instances solved within a time: per method the seconds of all instances, None if unsolved.

    A curve below 100 % ends at the limit of its method, if ``limits`` has it: what comes after is not known.
    """

    name: str
    title: str
    curves: dict[str, list[float | None]]
    limits: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, title: str, runs: Sequence[Run], methods: Sequence[str]) -> Plot:
        """Make it from the runs of some methods."""
        limits: dict[str, float] = {}
        for run in runs:
            if run.status == "time limit":
                limits[run.method] = max(limits.get(run.method, 0.0), run.seconds or 0.0)
        return cls(name, title, solved_times(runs, methods), limits)


@dataclass
class Figures:
    """Any figures: lines through points, single points with a reach to both sides, and levels.

    A point is x, y and the reach along x, 0 for none.
    """

    name: str
    title: str
    axes: tuple[str, str]
    lines: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    points: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    levels: dict[str, float] = field(default_factory=dict)


@dataclass
class Findings:
    """Everything that a study shows.

    ``alarms`` are answers of streed that are in doubt, ``summary`` is a CSV file from which the tables can be
    counted again.
    """

    tables: list[Table] = field(default_factory=list)
    plots: Sequence[Plot | Figures] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)
    alarms: list[str] = field(default_factory=list)
    summary: str = ""


def grouped(runs: Iterable[Run], key: Callable[[Run], Key]) -> dict[Key, list[Run]]:
    """Sort runs by a key, in the order of their first appearance."""
    found: dict[Key, list[Run]] = defaultdict(list)
    for run in runs:
        found[key(run)].append(run)
    return dict(found)


def instance(run: Run) -> tuple[str, ...]:
    """Name the problem that several methods have solved."""
    names = ("problem", "task", "max_depth", "teacher")
    return tuple(str(run.parameters.get(name, "")) for name in names)


def solved_times(
    runs: Sequence[Run], methods: Sequence[str], key: Callable[[Run], Any] = instance
) -> dict[str, list[float | None]]:
    """Seconds of each method on its instances, None where it failed or ran out of time."""
    curves: dict[str, list[float | None]] = {}
    for method in methods:
        own = grouped((run for run in runs if run.method == method and run.status != "missing"), key)
        if own:
            curves[method] = [
                sum(run.seconds or 0.0 for run in some) / len(some)
                if all(run.solved for run in some)
                else None
                for some in own.values()
            ]
    return curves


def compare_values(runs: Sequence[Run]) -> tuple[list[str], list[str]]:
    """Hold the values of all methods against streed's; returns sentences and alarms.

    A tree that is better than what streed calls the optimum is an alarm. Where streed is better than a
    method that claims the optimum, too, a sentence names both values, which were scored from predictions.
    """
    sentences, alarms, agreed = [], [], 0
    for name, some in grouped(runs, instance).items():
        ours = next((run for run in some if run.method == OWN and run.value is not None), None)
        if ours is None or ours.value is None:
            continue
        score = SCORES[str(ours.parameters["task"])]
        label = " ".join(part for part in name if part)
        if ours.objective is not None and abs(ours.objective - ours.value) > 1e-7 * max(1, abs(ours.value)):
            alarms.append(f"{label}: streed claims {ours.objective:g}, its predictions give {ours.value:g}")
        for run in some:
            if run is ours or run.value is None or run.parameters["repeat"]:
                continue
            if score.better(run.value, ours.value) and ours.proven:
                alarms.append(f"{label}: {run.method} has {run.value:g}, streed {ours.value:g} as optimum")
            elif run.proven and score.better(ours.value, run.value, score.peer_tolerance):
                sentences.append(
                    f"{label}: {run.method} calls {run.value:g} optimal, streed's tree has {ours.value:g} "
                    "(both scored from their predictions)"
                )
            else:
                agreed += run.proven and ours.proven
    return [f"{agreed} optima of others equal streed's.", *sentences], alarms


def made_sentence(jobs: Iterable[Job], runs: Iterable[Run]) -> str:
    """Say which share of a study was run; repeats do not count."""
    wanted = Counter(job.short_method for job in jobs if not job.repeat)
    made = Counter(
        str(run.parameters.get("algorithm", run.method))
        for run in runs
        if run.status != "missing" and not run.parameters["repeat"]
    )
    return "Runs made: " + ", ".join(f"{name} {made[name]} of {wanted[name]}" for name in wanted) + "."


def geometric_ratio(pairs: Iterable[tuple[float, float]]) -> tuple[float, int]:
    """Geometric mean of first over second, and the number of pairs."""
    logs = [math.log(max(first, 1e-9) / max(second, 1e-9)) for first, second in pairs]
    return (math.exp(sum(logs) / len(logs)) if logs else math.nan), len(logs)


def printed_sentence(
    runs: Iterable[Run], printed: Mapping[str, Mapping[str, str]], column: str, depth: int
) -> list[str]:
    """Compare streed with what the paper prints for a system, where that is a second or more.

    Another machine, so roughly; "<1" and time-outs of the paper cannot be compared at all.
    """
    pairs = []
    for run in runs:
        if run.method != OWN or run.parameters["repeat"] or run.parameters["max_depth"] != depth:
            continue
        name = str(run.parameters["problem"]).split("/")[1]
        text = printed.get(name, {}).get(f"{column}/{depth}", "-")
        if text.isdigit() and run.solved:
            pairs.append((float(text), run.seconds or 0.0))
    ratio, count = geometric_ratio(pairs)
    return [
        f"Depth {depth}: {column} as the paper prints it takes {ratio:.3g} times streed's time here "
        f"(geometric mean of {count} sets with a second or more; different machines)."
    ] * bool(pairs)


def speed_sentence(runs: Sequence[Run], method: str) -> list[str]:
    """Say how many times slower a method is than streed on what both solved."""
    times = {
        name: {run.method: run for run in some if not run.parameters["repeat"]}
        for name, some in grouped(runs, instance).items()
    }
    pairs = [
        (some[method].seconds or 0.0, some[OWN].seconds or 0.0)
        for some in times.values()
        if method in some and OWN in some and some[method].solved and some[OWN].solved
    ]
    if not pairs:
        return []
    ratio, count = geometric_ratio(pairs)
    p = p_value(*zip(*pairs, strict=True))
    return [
        f"{method} takes {ratio:.3g} times streed's time (geometric mean of the {count} instances that both "
        f"solved; Wilcoxon's signed rank test: p = {p:.1g})."
    ]
