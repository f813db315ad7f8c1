"""Side by side: one study of streed against its peers, from the problems to the summary.

A study says which problems there are, which peers know its task, and how a value is shown; the rest is here.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.cached import CachedRuns
from benchmarks.compare import Row, Settings, compare
from benchmarks.data import Problem
from benchmarks.report import (
    Document,
    Table,
    geometric_mean,
    say,
    say_alarms,
    say_machine,
    show_megabytes,
    show_ratio,
    show_seconds,
)
from benchmarks.runner import Contestant
from benchmarks.studies.common import memory_bytes

BASE = "streed"
REFERENCE = "pystreed"
NOTICED_SECONDS = 0.005
COUNTERS = {"d2 solves": "depth_two_solves", "cache hits": "cache_hits", "pruned": "pruned"}


@dataclass(frozen=True)
class Study:
    """What a study is about: its name, the peers that know the task, and how values are shown.

    Ratios count where the peer needs more than `counted_seconds`; with 0 all of them do.
    """

    name: str
    peers: Sequence[str]
    value: str = "errors"
    digits: int = 0
    smaller_is_better: bool = True
    counted_seconds: float = 0.1
    several_tasks: bool = False


def run_study(study: Study, problems: Sequence[Problem], options: argparse.Namespace) -> int:
    """Run a study; the exit code is 1 when an answer of streed is in doubt."""
    unknown = [name for name in options.peers if name not in study.peers]
    if unknown:
        raise SystemExit(f"unknown peer {', '.join(unknown)}; there are {', '.join(study.peers)}")
    cached = CachedRuns(options.cached_peers) if options.cached_peers else None
    contestants = [] if options.without_streed else [Contestant(BASE, BASE, sys.executable)]
    contestants += [Contestant(name, name, options.peer_python) for name in options.peers]
    settings = Settings(
        repeats=options.repeats,
        time_limit=options.time_limit,
        memory=memory_bytes(options),
        options={"n_jobs": options.n_jobs, "simd": options.simd, "entry": options.entry},
        cached=cached,
    )
    if cached:
        say(f"DEVELOPMENT RUN: times marked * come from {cached.path} and were not measured side by side.")
    document = Document(study.name, options)
    labels = [one.label for one in contestants]
    table = Table(columns(study, labels))
    rows: list[Row] = []
    for row in compare(problems, contestants, settings, BASE):
        rows.append(row)
        table.add(cells(study, row, labels))
        say_alarms(row.alarms)
        say_failures(row)
        document.add_row(row, BASE)
    summary = summarise(study, rows, options.peers, options.time_limit)
    document.save(summary=summary)
    say()
    say_machine(document.content)
    if not options.without_streed:
        say_summary(summary, cached)
    alarms = [alarm for row in rows for alarm in row.alarms]
    say_alarms(alarms)
    return 1 if alarms else 0


def columns(study: Study, labels: Sequence[str]) -> list[tuple[str, int]]:
    """Columns of the table: per contestant time, ratio and memory, then answers and counters."""
    heads = [("set", 34 if study.several_tasks else 18), ("depth", 5), ("rows", 5), ("cols", 4)]
    for label in labels:
        heads.append((f"{label} s", 9))
        if label != BASE and BASE in labels:
            heads.append(("ratio", 8))
        heads.append(("MB", 5))
    heads += [(study.value, 6), ("optima", 14)]
    return heads + [(name, 10) for name in COUNTERS] if BASE in labels else heads


def cells(study: Study, row: Row, labels: Sequence[str]) -> list[str]:
    """One line of the table, as `columns` has it."""
    rows, features = row.problem.shape
    name = f"{row.problem.name} {row.problem.task}" if study.several_tasks else row.problem.name
    line = [name, str(row.problem.max_depth), str(rows), str(features)]
    for label in labels:
        line.append(show_seconds(row.measured.get(label)))
        if label != BASE and BASE in labels:
            line.append(show_ratio(row, label, BASE))
        line.append(show_megabytes(row.measured.get(label)))
    line += [show_value(study, row), show_verdict(row)]
    if BASE in labels:
        counters = work(row.measured[BASE].last.statistics) if BASE in row.measured else {}
        line += [f"{counters[name]:.0f}" if name in counters else "-" for name in COUNTERS]
    return line


def show_value(study: Study, row: Row) -> str:
    """Re-scored value: that of streed if it ran, else the best; ``?`` marks values without a proof."""
    ours = row.measured.get(BASE)
    if ours is not None and ours.value is not None:
        return f"{ours.value:.{study.digits}f}" + ("" if ours.proven else "?")
    sign = 1 if study.smaller_is_better else -1
    found = [(sign * one.value, not one.proven) for one in row.measured.values() if one.value is not None]
    if not found:
        return "-"
    value, unproven = min(found)
    return f"{sign * value:.{study.digits}f}" + ("?" if unproven else "")


def show_verdict(row: Row) -> str:
    """Whether the optima agree: one word if all say the same, else who differs."""
    if len(set(row.verdicts.values())) == 1:
        return next(iter(row.verdicts.values()))
    odd = [f"{label}: {verdict}" for label, verdict in row.verdicts.items() if verdict != "agree"]
    return "; ".join(odd) or "-"


def work(statistics: dict[str, float]) -> dict[str, float]:
    """Work counters of streed under the names of the table; everything that pruned is added up."""
    counts = dict(statistics)
    pruned = [value for name, value in statistics.items() if name.startswith("pruned")]
    if pruned:
        counts["pruned"] = math.fsum(pruned)
    return {head: counts[name] for head, name in COUNTERS.items() if name in counts}


def say_failures(row: Row) -> None:
    """Print why a contestant has no time."""
    for label, one in row.measured.items():
        if not one.timed and label != BASE:
            note = " (left out from here on)" if one.status == "missing" else ""
            say(f"    {label} {one.status} on {row.problem.label}: {one.last.message}{note}")


def summarise(study: Study, rows: Sequence[Row], peers: Sequence[str], limit: float) -> dict[str, Any]:
    """Compute the figures at the end: per peer the mean ratio, time-outs, slower problems, wrong optima."""
    summary: dict[str, Any] = {"time_limit": limit, "counted": study.counted_seconds, "peers": {}}
    for label in peers:
        pairs = [(row, ratio) for row in rows if (ratio := row.ratio(label, BASE)) is not None]
        counted = [
            (row, ratio) for row, ratio in pairs if row.measured[label].seconds > study.counted_seconds
        ]
        noticed = [(row, ratio) for row, ratio in pairs if row.measured[label].seconds > NOTICED_SECONDS]
        summary["peers"][label] = {
            "geometric_mean": geometric_mean([ratio for _, ratio in counted]) if counted else None,
            "problems": len(counted),
            "timed_out": sum(row.measured[label].status == "time limit" for row, _ in counted),
            "noticed": len(noticed),
            "slower": [row.problem.label for row, ratio in noticed if ratio < 1],
            "failed": [
                row.problem.label for row in rows if label in row.measured and not row.measured[label].timed
            ],
            "verdicts": {
                verdict: sum(row.verdicts.get(label) == verdict for row in rows)
                for verdict in sorted({row.verdicts[label] for row in rows if label in row.verdicts})
            },
            "splice-1 depth 4": next((r for row, r in pairs if row.problem.label == "splice-1/4"), None),
        }
    ours = [row.measured[BASE] for row in rows if BASE in row.measured]
    summary["streed_unfinished"] = sum(one.status not in ("done", "missing") for one in ours)
    summary["alarms"] = [alarm for row in rows for alarm in row.alarms]
    return summary


def say_summary(summary: dict[str, Any], cached: CachedRuns | None) -> None:
    """Print the figures of `summarise`."""
    limit = f"{summary['time_limit']:g} s"
    for label, one in summary["peers"].items():
        say(f"{label} against streed:")
        if one["geometric_mean"] is not None:
            counted = summary["counted"]
            least = f" on which {label} needs more than {counted:g} s" if counted else ""
            say(f"    geometric mean {one['geometric_mean']:.1f}x over {one['problems']} problems{least}")
            if one["timed_out"]:
                say(f"    {one['timed_out']} of them not finished by {label}, counted with {limit}")
        if one["noticed"]:
            slower = f": {', '.join(one['slower'])}" if one["slower"] else ""
            say(
                f"    streed slower on {len(one['slower'])} of {one['noticed']} problems on which "
                f"{label} needs more than {1000 * NOTICED_SECONDS:g} ms{slower}"
            )
        if label == REFERENCE and one["splice-1 depth 4"] is not None:
            say(f"    splice-1 at depth 4: {one['splice-1 depth 4']:.1f}x")
        if one["verdicts"]:
            verdicts = [f"{count} {verdict}" for verdict, count in one["verdicts"].items()]
            say(f"    optima: {', '.join(verdicts)}")
        if one["failed"]:
            say(f"    no time for {len(one['failed'])}: {', '.join(one['failed'])}")
    if summary["streed_unfinished"]:
        say(f"streed did not finish {summary['streed_unfinished']} problems")
    if cached:
        say(f"* from {cached.path}: not measured in this run, so these ratios are for development only")
