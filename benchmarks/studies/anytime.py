"""Trees and bounds over time: what a fit has found and proven after each limit, beside other packages.

Three kinds of problems: all thresholds of continuous columns (``raw``), binary features (``bits``), and
binary features with a price per node and no depth (``priced``). Beside streed: the better one of
scikit-learn's trees by gini and by entropy, pruned at the same price where nodes have one, and pytrees-rs by
limited discrepancy.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

import streed
from benchmarks.data import default_folder, read_classification, read_continuous, set_names
from benchmarks.plots import draw_progress
from benchmarks.report import Document, Table, say, say_alarms, say_machine
from benchmarks.runner import Contestant, run_once
from benchmarks.studies.common import add_output, add_peers

LIMITS = [0.1, 0.5, 2.0, 10.0]
DEPTHS = {"raw": [4, 5], "bits": [6, 8]}
PRICES = [0.01, 0.005]
PEER = "pytrees-rs"
ALARM_FROM = 0.5
"""Seconds after which no tree may be worse than scikit-learn's."""


@dataclass(frozen=True)
class Problem:
    """A table, and the trees that are looked for: of some depth, or with a price per node."""

    kind: str
    name: str
    depth: int | None
    price: float
    X: NDArray[Any]
    y: NDArray[Any]

    @property
    def title(self) -> str:
        """What tables call it."""
        return f"{self.name}, " + (f"price {self.price:g}" if self.depth is None else f"depth {self.depth}")

    @property
    def cost_of_node(self) -> float:
        """What a branching node costs in errors."""
        return self.price * len(self.y)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this study."""
    parser.add_argument(
        "--data", type=Path, default=default_folder(), metavar="DIR", help="folder of the data sets"
    )
    kinds = [*DEPTHS, "priced"]
    parser.add_argument("--kinds", nargs="+", choices=kinds, default=["raw"], help="kinds of problems")
    parser.add_argument("--sets", nargs="+", metavar="NAME", help="only these data sets")
    parser.add_argument("--depths", nargs="+", type=int, metavar="N", help="greatest depths")
    parser.add_argument(
        "--prices", nargs="+", type=float, default=PRICES, metavar="C", help="prices of nodes"
    )
    parser.add_argument("--n-jobs", type=int, default=1, metavar="N", help="threads of streed")
    parser.add_argument("--plots", type=Path, metavar="DIR", help="draw tree and bound over time (SVG)")
    add_peers(parser, [PEER])
    add_output(parser)
    parser.add_argument("--quick", action="store_true", help="limits of up to half a second only")


def run(options: argparse.Namespace) -> int:
    """Run the study; the exit code is 1 when a tree is worse than scikit-learn's after half a second."""
    document = Document("anytime", options)
    limits = [limit for limit in LIMITS if limit <= (0.5 if options.quick else max(LIMITS))]
    table = Table(
        [("problem", 28), ("greedy", 8), *((f"after {limit:g} s", 26) for limit in limits)],
    )
    document.content["versions"] = {"streed": streed.__version__}
    alarms: list[str] = []
    summary: dict[str, Any] = {}
    for problem in problems(options):
        greedy = greedy_cost(problem)
        found = {limit: fit(problem, limit, options.n_jobs) for limit in limits}
        peers = {limit: peer_cost(problem, limit, options) for limit in limits}
        table.add([problem.title, f"{greedy:g}", *(cell(found[limit], peers[limit]) for limit in limits)])
        alarms += [
            f"{problem.title}: {found[limit]['cost']:g} after {limit:g} s, greedy {greedy:g}"
            for limit in limits
            if limit >= ALARM_FROM and found[limit]["cost"] > greedy + 1e-9
        ]
        summary[problem.title] = {"greedy": greedy, "streed": found, PEER: peers}
        if options.plots is not None:
            draw_progress(options.plots, problem.title, found, peers, greedy)
        document.save(summary=summary | {"alarms": alarms})
    say("errors (and prices of nodes) of the tree >= the proven bound, and in brackets pytrees-rs")
    say_machine(document.content)
    say_alarms(alarms)
    return 1 if alarms else 0


def problems(options: argparse.Namespace) -> Iterator[Problem]:
    """Read the chosen sets one after the other."""
    for kind in options.kinds:
        folder = "continuous" if kind == "raw" else "classification"
        known = set_names(options.data, folder)
        for name in [each for each in options.sets or known if each in known]:
            read = read_classification(options.data, name) if kind != "raw" else None
            arrays = read or read_continuous(options.data, name, own=False)
            if kind == "priced":
                yield from (Problem(kind, name, None, c, arrays["X"], arrays["y"]) for c in options.prices)
                continue
            for depth in options.depths or DEPTHS[kind]:
                yield Problem(kind, name, depth, 0.0, arrays["X"], arrays["y"])


def fit(problem: Problem, limit: float, n_jobs: int) -> dict[str, Any]:
    """Fit with a time limit and keep what is known at its end."""
    X = problem.X if problem.kind == "raw" else problem.X.astype(bool)
    model = streed.OptimalTreeClassifier(
        max_depth=problem.depth, cost_complexity=problem.price, time_limit=limit, n_jobs=n_jobs
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", streed.NotProvenWarning)
        result = model.fit(X, problem.y).result_
    return {
        "cost": result.objective,
        "bound": max(result.lower_bound, 0.0),
        "seconds": result.seconds,
        "status": result.status,
    }


def greedy_cost(problem: Problem) -> float:
    """Return what the better one of scikit-learn's trees by gini and by entropy costs, pruned for a price."""
    criteria = ("gini", "entropy")
    if problem.depth is None:
        return min(cost for name in criteria for cost in pruned_costs(problem, name))
    return min(
        errors(problem, DecisionTreeClassifier(max_depth=problem.depth, criterion=name, random_state=0))
        for name in criteria
    )


def errors(problem: Problem, tree: DecisionTreeClassifier) -> float:
    """Return the errors of a tree of scikit-learn on the rows that it is fitted to."""
    return float((tree.fit(problem.X, problem.y).predict(problem.X) != problem.y).sum())


def pruned_costs(problem: Problem, criterion: str) -> Iterator[float]:
    """Yield what the trees on the pruning path of a whole tree cost."""
    whole = DecisionTreeClassifier(criterion=criterion, random_state=0)
    for alpha in whole.cost_complexity_pruning_path(problem.X, problem.y).ccp_alphas:
        tree = DecisionTreeClassifier(criterion=criterion, random_state=0, ccp_alpha=max(0.0, float(alpha)))
        yield errors(problem, tree) + problem.cost_of_node * (tree.get_n_leaves() - 1)


def peer_cost(problem: Problem, limit: float, options: argparse.Namespace) -> float | None:
    """Return the errors of the peer's tree; None where it is left out, knows no such trees, or has failed."""
    if PEER not in options.peers or problem.depth is None:
        return None
    peer = Contestant(PEER, PEER, options.peer_python, {"anytime": True})
    task = "continuous" if problem.kind == "raw" else "accuracy"
    given = {"task": task, "max_depth": problem.depth, "time_limit": limit, "n_jobs": 1}
    with TemporaryDirectory() as folder:
        arrays = Path(folder) / "arrays.npz"
        np.savez(arrays, X=problem.X, y=problem.y)
        return run_once(peer, arrays, given, memory=0, folder=Path(folder)).value


def cell(found: dict[str, Any], peer: float | None) -> str:
    """Give tree, bound and the peer's tree in one text."""
    return f"{found['cost']:g} >= {found['bound']:g}" + (f" ({peer:g})" if peer is not None else "")
