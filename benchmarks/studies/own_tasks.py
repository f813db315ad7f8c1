"""A user's accuracy task in three ways against the built-in one, and against pystreed's built-in one."""

from __future__ import annotations

import argparse
import sys

from benchmarks.compare import Row, Settings, compare
from benchmarks.data import Problem, read_classification
from benchmarks.report import Document, Table, format_seconds, say, say_alarms, say_machine, show_seconds
from benchmarks.runner import Contestant
from benchmarks.studies.common import add_common, add_peers, memory_bytes

BUILT_IN = "built-in"
WAYS = {"label costs": 1.1, "NumPy": 60.0, "Numba": 5.0}
"""The ways to write the task, and how many times as long as the built-in one each may take."""
PEER = "pystreed"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this study."""
    add_common(parser, depths=[4], repeats=11)
    add_peers(parser, [PEER])


def run(options: argparse.Namespace) -> int:
    """Run the study; the exit code is 1 when an answer of streed is in doubt."""
    settings = Settings(
        repeats=options.repeats,
        time_limit=options.time_limit,
        memory=memory_bytes(options),
        options={"n_jobs": 1, "simd": options.simd, "entry": "solve"},
    )
    document = Document("own_tasks", options)
    contestants = [Contestant(BUILT_IN, "streed", sys.executable)] + [own(way) for way in WAYS]
    rows: list[Row] = []
    figures: dict[str, float | None] = {}
    for name in options.sets or ["german-credit"]:
        for depth in options.depths:
            problem = Problem(name, "accuracy", depth, read_classification(options.data, name))
            (row,) = compare([problem], contestants, settings, BUILT_IN)
            rows.append(row)
            figures |= say_ways(row)
            document.add_row(row, BUILT_IN)
    if options.peers and not options.without_streed:
        problem = Problem("pendigits", "accuracy", 3, read_classification(options.data, "pendigits"))
        pair = [own("NumPy"), Contestant(PEER, PEER, options.peer_python)]
        (row,) = compare([problem], pair, settings, "NumPy")
        rows.append(row)
        figures |= say_peer(row)
        document.add_row(row, "NumPy")
    alarms = [alarm for row in rows for alarm in row.alarms + failures(row)]
    document.save(summary={"ratios": figures, "alarms": alarms})
    say()
    say_machine(document.content)
    say_alarms(alarms)
    return 1 if alarms else 0


def own(way: str) -> Contestant:
    """Make the contestant for one way to write the task."""
    return Contestant(way, "streed", sys.executable, {"way": way})


def failures(row: Row) -> list[str]:
    """Find the ways that broke, or that have another optimum; Numba may be missing."""
    found = []
    for way in WAYS:
        one = row.measured.get(way)
        if one is not None and one.status == "failed":
            found.append(f"{row.problem.label}: {way} failed: {one.last.message}")
        elif row.verdicts.get(way, "agree") != "agree":
            found.append(f"{row.problem.label}: {way}: {row.verdicts[way]}")
    return found


def say_ways(row: Row) -> dict[str, float | None]:
    """Print the ratios to the built-in task beside what is asked for."""
    say(f"{row.problem.label}: built-in {show_seconds(row.measured[BUILT_IN])} s, median of whole solves")
    table = Table([("accuracy as", 14), ("s", 9), ("ratio", 8), ("asked", 8)])
    ratios = {}
    for way, most in WAYS.items():
        ratios[f"{row.problem.label} {way}"] = ratio = row.ratio(way, BUILT_IN)
        shown = "-" if ratio is None else f"{ratio:.2f}x"
        table.add([way, show_seconds(row.measured.get(way)), shown, f"<= {most:g}x"])
        if (measured := row.measured.get(way)) is not None and measured.status == "missing":
            say(f"    {measured.last.message}")
    return ratios


def say_peer(row: Row) -> dict[str, float | None]:
    """Print the time of a NumPy task beside the peer's built-in one."""
    ratio = row.ratio(PEER, "NumPy")
    ours, peer = row.measured["NumPy"], row.measured.get(PEER)
    say()
    say(f"{row.problem.label}: NumPy {format_seconds(ours.seconds)} s, {PEER} {show_seconds(peer)} s")
    if ratio is None:
        say(f"    not both have a time: {ours.last.message} {'' if peer is None else peer.last.message}")
    else:
        say(f"    the NumPy task is {ratio:.1f}x as fast as {PEER}'s built-in one (asked: faster)")
    return {f"{row.problem.label} {PEER} / NumPy": ratio}
