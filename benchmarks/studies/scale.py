"""Default fits over rows, columns, classes and depth: time and memory beside scikit-learn's greedy tree."""

from __future__ import annotations

import argparse
import json
import statistics
from typing import Any

from benchmarks.report import Document, Table, format_seconds, say, say_alarms, say_machine
from benchmarks.studies.common import add_output
from benchmarks.studies.startup import probe

SHAPES = [
    {"rows": 10_000, "columns": 20, "classes": 2, "depth": 3},
    {"rows": 10_000, "columns": 20, "classes": 2, "depth": 4},
    {"rows": 10_000, "columns": 20, "classes": 6, "depth": 3},
    {"rows": 10_000, "columns": 20, "classes": 0, "depth": 3},
    {"rows": 100_000, "columns": 20, "classes": 2, "depth": 3},
    {"rows": 5_000, "columns": 300, "classes": 2, "depth": 3},
]
LARGE = [
    {"rows": 300_000, "columns": 20, "classes": 2, "depth": 3},
    {"rows": 1_000_000, "columns": 20, "classes": 2, "depth": 3},
    {"rows": 1_000_000, "columns": 20, "classes": 0, "depth": 3},
]
PACKAGES = ("streed", "scikit-learn")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this study."""
    parser.add_argument("--repeats", type=int, default=3, metavar="N", help="fresh processes per figure")
    parser.add_argument("--quick", action="store_true", help="tables of up to 100,000 rows only")
    add_output(parser)


def run(options: argparse.Namespace) -> int:
    """Run the study; the exit code is 1 when a fit fails or is worse than the greedy tree."""
    document = Document("scale", options)
    columns = [("rows", 8), ("columns", 7), ("classes", 7), ("depth", 5), ("package", 12), ("seconds", 8)]
    columns += [("predict", 8), ("MB", 6), ("value", 12), ("gap", 6)]
    table = Table(columns)
    alarms: list[str] = []
    summary: dict[str, Any] = {}
    for shape in SHAPES if options.quick else [*SHAPES, *LARGE]:
        answers = measure(shape, options.repeats)
        label = "{rows} x {columns}, {classes} classes, depth {depth}".format(**shape)
        for package, runs in answers.items():
            failed = [run["error"] for run in runs if "error" in run]
            if failed:
                alarms.append(f"{label}: {package}: {failed[0]}")
                continue
            known = {
                name: statistics.median(run[name] for run in runs)
                for name in ("seconds", "predict", "megabytes")
            }
            document.content["versions"][package] = runs[0]["version"]
            gap = f"{100 * runs[0]['gap']:.0f} %" if "gap" in runs[0] else "-"
            table.add(
                [str(shape[name]) for name in ("rows", "columns", "classes", "depth")]
                + [package, format_seconds(known["seconds"]), format_seconds(known["predict"])]
                + [f"{known['megabytes']:.0f}", f"{runs[0]['value']:.7g}", gap]
            )
            summary[f"{label}: {package}"] = known | {"value": runs[0]["value"], "gap": runs[0].get("gap")}
        own, greedy = (answers[package][0].get("value") for package in PACKAGES)
        if own is not None and greedy is not None and own > greedy * (1 + 1e-9):
            alarms.append(f"{label}: {own:g} is worse than the greedy tree's {greedy:g}")
    document.save(summary=summary | {"alarms": alarms})
    say("seconds of the processor, medians; MB above the data")
    say_machine(document.content)
    say_alarms(alarms)
    return 1 if alarms else 0


def measure(shape: dict[str, int], repeats: int) -> dict[str, list[dict[str, Any]]]:
    """Run both packages in turns, each in a fresh process."""
    answers: dict[str, list[dict[str, Any]]] = {package: [] for package in PACKAGES}
    for _ in range(repeats):
        for package in PACKAGES:
            answers[package].append(
                probe(["benchmarks.probes.scale", json.dumps(shape | {"package": package})])
            )
    return answers
