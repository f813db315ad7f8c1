"""Survival: streed against PyStreeD, and test concordance beside scikit-survival's greedy tree."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from benchmarks.data import Problem
from benchmarks.number_data import SURVIVAL, read_survival
from benchmarks.report import say
from benchmarks.studies.by_group import PEER, run_study
from benchmarks.studies.common import add_common, add_peers


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this study."""
    add_common(parser, depths=[4, 5])
    add_peers(parser, [PEER])
    parser.add_argument("--without-greedy", action="store_true", help="no comparison of test concordance")


def run(options: argparse.Namespace) -> int:
    """Run the study; the exit code is 1 when an answer of streed is in doubt."""
    code = run_study("survival", options, problems(options), {"": 12.0})
    if not options.without_greedy and not options.without_streed:
        compare_with_greedy(options)
    return code


def problems(options: argparse.Namespace) -> list[Problem]:
    """Make the problems of the chosen sets and depths."""
    sets = {name: read_survival(options.data, name) for name in options.sets or SURVIVAL}
    return [
        Problem(name, "survival", depth, arrays) for name, arrays in sets.items() for depth in options.depths
    ]


def compare_with_greedy(options: argparse.Namespace) -> None:
    """Print the mean test concordance over five folds; scikit-survival takes part if it is installed."""
    from sklearn.model_selection import KFold

    from streed import SurvivalTree
    from streed.survival import concordance_index, survival_target

    kinds: dict[str, Any] = {"streed": SurvivalTree}
    try:
        from sksurv.tree import SurvivalTree as Greedy

        kinds["scikit-survival"] = Greedy
    except ImportError:
        say("\nscikit-survival is not installed here")
    say(f"\ntest concordance over five folds: {', '.join(kinds)}")
    for name in options.sets or SURVIVAL:
        arrays = read_survival(options.data, name)
        X, event, time = arrays["X"], arrays["event"].astype(bool), arrays["time"]
        y = survival_target(event, time)
        for depth in (2, 3, 4):
            means = []
            for kind in kinds.values():
                found = []
                for train, test in KFold(5, shuffle=True, random_state=0).split(X):
                    table = X.astype(bool) if kind is SurvivalTree else X.astype(np.float32)
                    risk = kind(max_depth=depth).fit(table[train], y[train]).predict(table[test])
                    found.append(concordance_index(event[test], time[test], risk))
                means.append(np.mean(found))
            say(f"{name:10} depth {depth}: {' '.join(f'{mean:.4f}' for mean in means)}")
