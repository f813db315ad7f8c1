"""Costs of errors and tests, and costs per row: streed against PyStreeD on the sets of cost-sensitive/."""

from __future__ import annotations

import argparse

from benchmarks.cost_data import LEVELS, read_cost_sensitive, read_instance_costs
from benchmarks.data import Problem, set_names
from benchmarks.studies.by_group import PEER, run_study
from benchmarks.studies.common import add_common, add_peers

WANTED = {"costs": 30.0, "maxsat": 20.0}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this study."""
    add_common(parser, depths=[4])
    add_peers(parser, [PEER])
    parser.add_argument("--levels", nargs="+", choices=LEVELS, default=LEVELS, help="levels of costs")


def run(options: argparse.Namespace) -> int:
    """Run the study; the exit code is 1 when an answer of streed is in doubt."""
    return run_study("costs", options, problems(options), WANTED)


def problems(options: argparse.Namespace) -> list[Problem]:
    """Make the problems of the chosen sets, levels and depths."""
    every = [name for name in set_names(options.data, "cost-sensitive") if not name.endswith("-costs")]
    names = options.sets or [*every, "maxsat"]
    found = []
    for name in names:
        if name == "maxsat":
            arrays = read_instance_costs(options.data)
            found += [Problem("maxsat", "instance_costs", depth, arrays) for depth in options.depths]
            continue
        for level in options.levels:
            arrays = read_cost_sensitive(options.data, name, level)
            found += [
                Problem(f"costs {name} {level}", "cost_sensitive", depth, arrays) for depth in options.depths
            ]
    return found
