"""Fair trees: streed against pystreed on the sets of fairness/, for several notions of fairness."""

from __future__ import annotations

import argparse
from fractions import Fraction

from benchmarks.data import Problem, read_fairness, set_names
from benchmarks.scores import FAIR_TASKS
from benchmarks.studies.common import add_common, add_peers, add_threads
from benchmarks.studies.side_by_side import Study, run_study

PEERS = ["pystreed"]
KNOWN_TO_PEERS = ["demographic_parity", "equal_opportunity"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this study."""
    add_common(parser, depths=[2, 3])
    add_peers(parser, PEERS)
    add_threads(parser)
    parser.add_argument(
        "--constraints",
        nargs="+",
        choices=FAIR_TASKS,
        default=KNOWN_TO_PEERS,
        metavar="NAME",
        help=f"notions of fairness: {' '.join(FAIR_TASKS)} (default: those that peers know)",
    )
    parser.add_argument(
        "--max-difference", default="0.01", metavar="D", help="greatest difference between groups"
    )


def run(options: argparse.Namespace) -> int:
    """Run the study; the exit code is 1 when an answer of streed is in doubt."""
    names = options.sets or set_names(options.data, "fairness")
    limit = Fraction(options.max_difference)
    arrays = {name: read_fairness(options.data, name, limit) for name in names}
    problems = [
        Problem(name, task, depth, arrays[name], {"max_difference": options.max_difference})
        for depth in options.depths
        for task in options.constraints
        for name in names
    ]
    return run_study(Study("fairness", PEERS, counted_seconds=0.0, several_tasks=True), problems, options)
