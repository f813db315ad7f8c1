"""Regression: streed against PyStreeD, and test R2 beside scikit-learn's greedy tree."""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.data import Problem
from benchmarks.number_data import REGRESSION, read_regression
from benchmarks.report import say
from benchmarks.studies.by_group import PEER, run_study
from benchmarks.studies.common import add_common, add_peers

PRICES = (0.0, 0.001)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this study."""
    add_common(parser, depths=[4, 5])
    add_peers(parser, [PEER])
    parser.add_argument("--without-greedy", action="store_true", help="no comparison of test R2")


def run(options: argparse.Namespace) -> int:
    """Run the study; the exit code is 1 when an answer of streed is in doubt."""
    code = run_study("regression", options, problems(options), {"": 20.0})
    if not options.without_greedy and not options.without_streed:
        compare_with_greedy(options)
    return code


def problems(options: argparse.Namespace) -> list[Problem]:
    """Make the problems of the chosen sets and depths, without and with a price of nodes."""
    found = []
    for name in options.sets or REGRESSION:
        for price in PRICES:
            arrays = read_regression(options.data, name)
            given = {key: arrays[key] for key in ("X", "y", "target")} | {"price": np.array(price)}
            title = f"{name} c={price:g}" if price else name
            found += [Problem(title, "regression", depth, given) for depth in options.depths]
    return found


def compare_with_greedy(options: argparse.Namespace) -> None:
    """Print the mean test R2 of both over five folds, on the same binary features."""
    from sklearn.model_selection import KFold, cross_val_score
    from sklearn.tree import DecisionTreeRegressor

    from streed import OptimalTreeRegressor

    say("\ntest R2 over five folds (same binary features): streed, scikit-learn")
    folds = KFold(5, shuffle=True, random_state=0)
    for name in options.sets or REGRESSION:
        arrays = read_regression(options.data, name)
        X, y = arrays["X"].astype(bool), arrays["target"]
        for depth in (2, 3, 4):
            scores = [
                cross_val_score(model, X, y, cv=folds).mean()
                for model in (
                    OptimalTreeRegressor(max_depth=depth, time_limit=60),
                    DecisionTreeRegressor(max_depth=depth, random_state=0),
                )
            ]
            say(f"{name:10} depth {depth}: {scores[0]:.4f} {scores[1]:.4f}")
