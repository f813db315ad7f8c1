"""Peak memory on german-credit at depth five and on a million rows."""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

from benchmarks.compare import Settings, compare
from benchmarks.data import Arrays, Problem, read_classification, structured_rows
from benchmarks.report import Document, Table, format_seconds, say, say_alarms, say_machine, show_seconds
from benchmarks.runner import Contestant
from benchmarks.studies.common import add_common, memory_bytes

BASE = "streed"
FEATURES = 30
DEPTH = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this study."""
    add_common(parser, depths=[5], repeats=1)
    parser.set_defaults(sets=["german-credit"])
    parser.add_argument("--rows", type=int, default=1_000_000, metavar="N", help="rows of the large problem")
    parser.add_argument("--n-jobs", type=int, default=1, metavar="N", help="threads of streed")


def run(options: argparse.Namespace) -> int:
    """Run the study; the exit code is 1 when an answer of streed is in doubt."""
    settings = Settings(
        repeats=options.repeats,
        time_limit=options.time_limit,
        memory=memory_bytes(options),
        options={"n_jobs": options.n_jobs, "simd": options.simd, "entry": options.entry},
    )
    problems = [
        Problem(name, "accuracy", depth, read_classification(options.data, name))
        for name in options.sets
        for depth in options.depths
    ]
    large = Problem(f"{options.rows} random rows", "accuracy", DEPTH, structured_rows(options.rows, FEATURES))
    document = Document("memory", options)
    table = Table(
        [("set", 20), ("depth", 5), ("seconds", 9), ("peak MB", 8), ("MB before the fit", 8), ("errors", 7)]
    )
    alarms: list[str] = []
    summary: dict[str, float | None] = {}
    for row in compare([*problems, large], [Contestant(BASE, BASE, sys.executable)], settings, BASE):
        one = row.measured[BASE]
        table.add(
            [
                row.problem.name,
                str(row.problem.max_depth),
                show_seconds(one),
                f"{one.peak_memory / 1e6:.0f}",
                f"{one.last.memory_before / 1e6:.0f}",
                "-" if one.value is None else f"{one.value:.0f}",
            ]
        )
        summary[f"{row.problem.label} peak MB"] = one.peak_memory / 1e6
        alarms += row.alarms
        if one.status == "missing":
            alarms.append(f"{BASE} is missing: {one.last.message}")
            break
        document.add_row(row, BASE)
    packing = packing_seconds(large.arrays)
    summary["packing the large table"] = packing
    document.save(summary=summary | {"alarms": alarms})
    say(
        f"for comparison: NumPy needs {format_seconds(packing)} s to read the "
        f"{options.rows} x {FEATURES} table once and pack it into bit columns"
    )
    say_machine(document.content)
    say_alarms(alarms)
    return 1 if alarms else 0


def packing_seconds(arrays: Arrays) -> float:
    """Least time of three to transpose a table and pack it into bits: the cost of reading the rows."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        np.packbits(np.ascontiguousarray(arrays["X"].T), axis=1)
        times.append(time.perf_counter() - start)
    return min(times)
