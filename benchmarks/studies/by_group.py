"""Two packages on one kind of problem: what the studies of costs and policies share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
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
from benchmarks.studies.side_by_side import say_failures, show_verdict

BASE = "streed"
PEER = "pystreed"


def run_study(
    name: str, options: argparse.Namespace, problems: Sequence[Problem], wanted: Mapping[str, float]
) -> int:
    """Run streed and the peer on all problems and print ratios, agreement and means per group.

    A problem belongs to the group that its name begins with; `wanted` has the mean ratio asked of each.
    """
    unknown = [peer for peer in options.peers if peer != PEER]
    if unknown:
        raise SystemExit(f"unknown peer {', '.join(unknown)}; there is {PEER}")
    cached = CachedRuns(options.cached_peers) if options.cached_peers else None
    contestants = [] if options.without_streed else [Contestant(BASE, BASE, sys.executable)]
    contestants += [Contestant(peer, peer, options.peer_python) for peer in options.peers]
    settings = Settings(
        repeats=options.repeats,
        time_limit=options.time_limit,
        memory=memory_bytes(options),
        options={"n_jobs": 1, "simd": options.simd, "entry": options.entry},
        cached=cached,
    )
    if cached:
        say(f"DEVELOPMENT RUN: times marked * come from {cached.path} and were not measured side by side.")
    document = Document(name, options)
    labels = [one.label for one in contestants]
    table = Table(columns(labels))
    rows: list[Row] = []
    for row in compare(problems, contestants, settings, BASE):
        rows.append(row)
        table.add(cells(row, labels))
        say_alarms(row.alarms)
        say_failures(row)
        document.add_row(row, BASE)
    summary = {group: summarise(group, rows) for group in wanted}
    document.save(summary=summary)
    say()
    say_machine(document.content)
    for group, least in wanted.items():
        say_group(group, summary[group], least)
    alarms = [alarm for row in rows for alarm in row.alarms]
    say_alarms(alarms)
    return 1 if alarms else 0


def columns(labels: Sequence[str]) -> list[tuple[str, int]]:
    """Columns of the table: per contestant time, ratio and memory, then the value and who agrees."""
    heads = [("problem", 34), ("depth", 5), ("rows", 5), ("cols", 4)]
    for label in labels:
        heads += [(f"{label} s", 9), *([("ratio", 8)] if label != BASE and BASE in labels else []), ("MB", 5)]
    return [*heads, ("value", 12), ("optima", 14)]


def cells(row: Row, labels: Sequence[str]) -> list[str]:
    """One line of the table, as `columns` has it."""
    rows, features = row.problem.shape
    line = [row.problem.name, str(row.problem.max_depth), str(rows), str(features)]
    for label in labels:
        line.append(show_seconds(row.measured.get(label)))
        if label != BASE and BASE in labels:
            line.append(show_ratio(row, label, BASE))
        line.append(show_megabytes(row.measured.get(label)))
    ours = row.measured.get(BASE)
    value = "-" if ours is None or ours.value is None else f"{ours.value:.9g}" + ("" if ours.proven else "?")
    return [*line, value, show_verdict(row)]


def summarise(group: str, rows: Sequence[Row]) -> dict[str, Any]:
    """Mean ratio, time-outs, slower problems and verdicts of one group."""
    own = [row for row in rows if row.problem.name.startswith(group)]
    pairs = [(row, ratio) for row in own if (ratio := row.ratio(PEER, BASE)) is not None]
    ratios = [ratio for _, ratio in pairs]
    return {
        "problems": len(own),
        "compared": len(pairs),
        "geometric_mean": geometric_mean(ratios) if ratios else None,
        "least": min(ratios, default=None),
        "greatest": max(ratios, default=None),
        "timed_out": sum(row.measured[PEER].status == "time limit" for row, _ in pairs),
        "slower": [row.problem.label for row, ratio in pairs if ratio < 1],
        "verdicts": {
            verdict: sum(row.verdicts.get(PEER) == verdict for row in own)
            for verdict in sorted({row.verdicts[PEER] for row in own if PEER in row.verdicts})
        },
        "unproven": [
            row.problem.label for row in own if BASE in row.measured and not row.measured[BASE].proven
        ],
    }


def say_group(group: str, summary: dict[str, Any], least: float) -> None:
    """Print the figures of one group."""
    say(f"{group or 'all'}: {summary['problems']} problems")
    if summary["geometric_mean"] is not None:
        say(
            f"    geometric mean {summary['geometric_mean']:.1f}x over {summary['compared']} problems ("
            f"at least {least:g}x is asked for), from {summary['least']:.1f}x to {summary['greatest']:.1f}x"
        )
    if summary["timed_out"]:
        say(f"    {summary['timed_out']} of them not finished by {PEER}, counted with the time limit")
    if summary["slower"]:
        say(f"    streed slower on {', '.join(summary['slower'])}")
    if summary["verdicts"]:
        say(
            f"    optima: {', '.join(f'{count} {verdict}' for verdict, count in summary['verdicts'].items())}"
        )
    if summary["unproven"]:
        say(f"    streed did not finish {', '.join(summary['unproven'])}")
