"""Trees and bounds over time: what a search over all thresholds has found and proven after each limit."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

import streed
from benchmarks.data import default_folder, read_continuous, set_names
from benchmarks.report import Document, Table, say, say_alarms, say_machine
from benchmarks.studies.common import add_output

LIMITS = [0.1, 0.5, 2.0, 10.0]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this study."""
    parser.add_argument(
        "--data", type=Path, default=default_folder(), metavar="DIR", help="folder of the data sets"
    )
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="only these data sets")
    parser.add_argument("--depths", nargs="+", type=int, default=[4], metavar="N", help="greatest depths")
    add_output(parser)
    parser.add_argument("--quick", action="store_true", help="limits of up to half a second only")


def run(options: argparse.Namespace) -> int:
    """Run the study; the exit code is 1 when a tree is worse than scikit-learn's after half a second."""
    document = Document("anytime", options)
    limits = [limit for limit in LIMITS if limit <= (0.5 if options.quick else max(LIMITS))]
    table = Table(
        [("set", 12), ("depth", 5), ("greedy", 7), *((f"after {limit:g} s", 18) for limit in limits)]
    )
    alarms: list[str] = []
    summary: dict[str, Any] = {}
    for name in options.sets or set_names(options.data, "continuous"):
        arrays = read_continuous(options.data, name, own=False)
        for depth in options.depths:
            greedy = greedy_errors(arrays["X"], arrays["y"], depth)
            cells = []
            for limit in limits:
                found = fit(arrays["X"], arrays["y"], depth, limit)
                cells.append(f"{found['errors']:.0f} >= {found['bound']:.0f}")
                summary[f"{name}, depth {depth}, {limit:g} s"] = found
                if limit >= 0.5 and found["errors"] > greedy:
                    alarms.append(
                        f"{name} {depth}: {found['errors']:.0f} errors after {limit:g} s, greedy {greedy}"
                    )
            table.add([name, str(depth), str(greedy), *cells])
    document.save(summary=summary | {"alarms": alarms})
    say("errors of the tree, and the proven bound; seconds include the reading of the table")
    say_machine(document.content)
    say_alarms(alarms)
    return 1 if alarms else 0


def fit(X: NDArray[Any], y: NDArray[Any], depth: int, limit: float) -> dict[str, Any]:
    """Fit with a time limit and keep what is known at its end."""
    model = streed.OptimalTreeClassifier(max_depth=depth, time_limit=limit)
    with np.testing.suppress_warnings() as quiet:
        quiet.filter(streed.NotProvenWarning)
        result = model.fit(X, y).result_
    return {
        "errors": result.objective,
        "bound": max(result.lower_bound, 0.0),
        "seconds": result.seconds,
        "status": result.status,
    }


def greedy_errors(X: NDArray[Any], y: NDArray[Any], depth: int) -> int:
    """Return the errors of the better of scikit-learn's trees by gini and by entropy."""
    trees = [
        DecisionTreeClassifier(max_depth=depth, criterion=name, random_state=0).fit(X, y)
        for name in ("gini", "entropy")
    ]
    return min(int((tree.predict(X) != y).sum()) for tree in trees)
