"""Policies: streed against PyStreeD on the Warfarin sets and on the paper's synthetic trials."""

from __future__ import annotations

import argparse

from benchmarks.cost_data import TEACHERS, read_warfarin, synthetic_policy
from benchmarks.data import Problem
from benchmarks.studies.by_group import PEER, run_study
from benchmarks.studies.common import add_common, add_peers

WANTED = {"warfarin": 20.0, "synthetic": 20.0}
WARFARIN = ("random", "0.06", "0.11")
SIZES = ((500, 100), (500, 200), (5000, 100), (5000, 200))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this study."""
    add_common(parser, depths=[4, 5])
    add_peers(parser, [PEER])
    parser.add_argument(
        "--synthetic-depths",
        nargs="*",
        type=int,
        default=[3, 4],
        metavar="N",
        help="depths of synthetic ones",
    )


def run(options: argparse.Namespace) -> int:
    """Run the study; the exit code is 1 when an answer of streed is in doubt."""
    return run_study("policy", options, problems(options), WANTED)


def problems(options: argparse.Namespace) -> list[Problem]:
    """Make the problems of the chosen sets and depths; ``--sets`` chooses among warfarin and synthetic."""
    chosen = options.sets or list(WANTED)
    found = []
    if "warfarin" in chosen:
        for name in WARFARIN:
            for teacher in TEACHERS:
                arrays = read_warfarin(options.data, name, teacher)
                title = f"warfarin {name} {teacher}"
                found += [
                    Problem(title, "policy", depth, arrays, {"teacher": teacher}) for depth in options.depths
                ]
    if "synthetic" in chosen:
        teacher = "doubly_robust"
        for rows, features in SIZES:
            arrays = synthetic_policy(rows, features, teacher)
            title = f"synthetic {rows} x {features}"
            found += [
                Problem(title, "policy", depth, arrays, {"teacher": teacher})
                for depth in options.synthetic_depths
            ]
    return found
