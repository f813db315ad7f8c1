"""Several threads against one, where one thread needs more than a second."""

from __future__ import annotations

import argparse
import sys

from benchmarks.compare import Row, Settings, compare
from benchmarks.report import (
    Document,
    Table,
    format_seconds,
    geometric_mean,
    say,
    say_alarms,
    say_machine,
    show_seconds,
)
from benchmarks.runner import Contestant
from benchmarks.studies.common import add_common, classification_problems, memory_bytes

COUNTED_SECONDS = 1.0
ONE = "1 thread"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this study."""
    add_common(parser, depths=[4, 5], limit=100)
    parser.add_argument("--n-jobs", type=int, default=2, metavar="N", help="threads to compare with one")


def run(options: argparse.Namespace) -> int:
    """Run the study; the exit code is 1 when the number of threads changes the answer."""
    many = f"{options.n_jobs} threads"
    shared = {"simd": options.simd, "entry": options.entry}
    one_thread = Contestant(ONE, "streed", sys.executable, {"n_jobs": 1})
    many_threads = Contestant(many, "streed", sys.executable, {"n_jobs": options.n_jobs})
    limits = {"time_limit": options.time_limit, "memory": memory_bytes(options), "options": shared}
    document = Document("threads", options)
    say(f"looking for problems on which one thread needs {COUNTED_SECONDS:g} to {options.time_limit:g} s ...")
    long_enough = []
    for row in compare(classification_problems(options), [one_thread], Settings(repeats=1, **limits), ONE):
        first = row.measured[ONE]
        if first.status in ("failed", "missing"):
            say_alarms([f"{row.problem.label}: {first.status}: {first.last.message}"])
            return 1
        if first.status == "done" and first.seconds > COUNTED_SECONDS:
            long_enough.append(row.problem)
    table = Table(
        [("set", 18), ("depth", 5), (f"{ONE} s", 10), (f"{many} s", 10), ("faster", 8), ("tree", 10)]
    )
    rows, alarms = [], []
    settings = Settings(repeats=options.repeats, **limits)
    for row in compare(long_enough, [one_thread, many_threads], settings, ONE):
        rows.append(row)
        speedup = gain(row, many)
        same = row.measured[ONE].last.tree == row.measured[many].last.tree
        table.add(
            [
                row.problem.name,
                str(row.problem.max_depth),
                show_seconds(row.measured[ONE]),
                show_seconds(row.measured[many]),
                f"{speedup:.2f}x" if speedup else "-",
                "same" if same else "DIFFERENT",
            ]
        )
        found = list(row.alarms)
        if not same:
            found.append(f"{row.problem.label}: {many} give another tree than one")
        say_alarms(found)
        alarms += found
        document.add_row(row, ONE)
    speedups = [value for row in rows if (value := gain(row, many))]
    mean = geometric_mean(speedups) if speedups else None
    document.save(summary={"geometric_mean": mean, "least": min(speedups, default=None), "alarms": alarms})
    say()
    say_machine(document.content)
    if mean is not None:
        total = sum(row.measured[ONE].seconds for row in rows)
        say(
            f"{many}: geometric mean {mean:.2f}x, least {min(speedups):.2f}x over {len(speedups)} problems "
            f"({format_seconds(total)} s with one thread)"
        )
    else:
        say("no problem needs that long with one thread")
    say_alarms(alarms)
    return 1 if alarms else 0


def gain(row: Row, many: str) -> float | None:
    """How many times faster many threads are than one."""
    ratio = row.ratio(many, ONE)
    return 1 / ratio if ratio else None
