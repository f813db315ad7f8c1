"""Trees with the best F1 score: streed against pystreed on the sets of classification/.

At depth 3 also the whole front of false positives and negatives, of which the best F1 score is one point.
"""

from __future__ import annotations

import argparse
import sys

from benchmarks.cached import CachedRuns
from benchmarks.compare import Row, Settings, compare
from benchmarks.report import Table, geometric_mean, say, say_alarms, show_ratio, show_seconds
from benchmarks.runner import Contestant
from benchmarks.studies.common import (
    add_common,
    add_peers,
    add_threads,
    classification_problems,
    memory_bytes,
)
from benchmarks.studies.side_by_side import Study, run_study

PEERS = ["pystreed"]
FRONT = "front"
FRONT_DEPTH = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this study."""
    add_common(parser, depths=[3, 4])
    add_peers(parser, PEERS)
    add_threads(parser)


def run(options: argparse.Namespace) -> int:
    """Run the study; the exit code is 1 when an answer of streed is in doubt."""
    study = Study("f1", PEERS, value="F1", digits=4, smaller_is_better=False)
    code = run_study(study, classification_problems(options, "f1"), options)
    if FRONT_DEPTH in options.depths and not options.without_streed:
        code = max(code, run_fronts(options))
    return code


def run_fronts(options: argparse.Namespace) -> int:
    """Time whole fronts against the peers' search for the best F1 score."""
    settings = Settings(
        repeats=options.repeats,
        time_limit=options.time_limit,
        memory=memory_bytes(options),
        options={"n_jobs": options.n_jobs, "simd": options.simd, "entry": options.entry},
        cached=CachedRuns(options.cached_peers) if options.cached_peers else None,
    )
    contestants = [Contestant(FRONT, "streed", sys.executable, {"entry": FRONT})]
    contestants += [Contestant(name, name, options.peer_python) for name in options.peers]
    problems = [one for one in classification_problems(options, "f1") if one.max_depth == FRONT_DEPTH]
    say()
    say(f"all nondominated (fp, fn) at depth {FRONT_DEPTH}, against the peers' search for the best F1:")
    heads = [("set", 18), ("points", 6), ("front s", 9)]
    table = Table(heads + [head for name in options.peers for head in ((f"{name} s", 10), ("ratio", 8))])
    rows: list[Row] = []
    for row in compare(problems, contestants, settings, FRONT):
        rows.append(row)
        points = row.measured[FRONT].last.statistics.get("front", float("nan"))
        line = [row.problem.name, f"{points:.0f}", show_seconds(row.measured[FRONT])]
        for name in options.peers:
            line += [show_seconds(row.measured.get(name)), show_ratio(row, name, FRONT)]
        table.add(line)
        say_alarms(row.alarms)
    for name in options.peers:
        ratios = [ratio for row in rows if (ratio := row.ratio(name, FRONT)) is not None]
        if ratios:
            mean = geometric_mean(ratios)
            say(f"{name} against the whole front: geometric mean {mean:.1f}x over {len(ratios)} sets")
    return 1 if any(row.alarms for row in rows) else 0
