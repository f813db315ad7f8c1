"""The methods of the cost-sensitive study on one random split, for all three levels of costs.

Trees of the heuristics do not depend on the level, only their labels do, and TMDP's states do not either. So
one run makes what the levels share once, then a tree per level; the time of a level is the sum of both. The
option ``algorithm`` names the method: "streed", "MetaCost", "TMDP" or a criterion of `baselines.c45`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock import time_once
from benchmarks.cost_data import LEVELS
from benchmarks.peers import Options
from benchmarks.peers.costs_streed import prices as feature_costs
from experiments.baselines import c45, metacost
from experiments.baselines.grid import Grid
from experiments.baselines.priced_tree import Node, Prices, measure_tree, standard_cost
from experiments.baselines.tmdp import Process
from experiments.cost_data import split_rows
from experiments.tuning import choose_nodes

DISTRIBUTION = "streed"
Matrix = NDArray[np.float64]
Finish = Callable[[Matrix], Node]


@dataclass(frozen=True)
class Training:
    """Training rows as a method sees them: a table of columns with prices, and their classes."""

    table: NDArray[np.int64]
    y: NDArray[np.int64]
    n_classes: int
    prices: Prices
    options: Options

    @property
    def grid(self) -> Grid:
        """The rows for counting."""
        return Grid(self.table, self.y, self.n_classes)

    @property
    def rng(self) -> np.random.Generator:
        """Random numbers of this split."""
        return np.random.default_rng([self.options["seed"], self.options["split"], 1])


def run(X: NDArray[np.uint8], y: NDArray[np.int32], options: Options) -> dict[str, Any]:
    """Train on one split, measure on the held-out rows."""
    algorithm, matrices = str(options["algorithm"]), options["matrices"]
    by_value = algorithm == "TMDP"
    table = options["values"] if by_value else X.astype(np.int64)
    labels, prices = y.astype(np.int64), prices_of(options, by_value)
    train, test = split_rows(len(y), int(options["split"]), int(options["seed"]))
    training = Training(table[train], labels[train], matrices.shape[1], prices, options)
    start = START.get(algorithm, start_heuristic)
    limit, finish = float(options["time_limit"]), list[Finish]()
    shared = time_once(lambda: finish.append(start(training)), limit)
    figures: dict[str, float] = {}
    for level, matrix in zip(LEVELS, matrices, strict=True):
        trees: list[Node] = []
        own = time_once(lambda matrix=matrix, trees=trees: trees.append(finish[0](matrix)), limit)  # type: ignore[misc]
        found = measure_tree(trees[0], table[test], labels[test], matrix, prices)
        figures |= {
            f"{level} cost": found.cost / standard_cost(labels[test], matrix, prices),
            f"{level} seconds": sum(seconds_of(pair) for pair in (shared, own)),
            f"{level} depth": found.depth,
            f"{level} leaves": found.leaves,
            f"{level} question length": found.question_length,
        }
    seconds = sum(figures[f"{level} seconds"] for level in LEVELS)
    return {"seconds": seconds, "cpu_seconds": seconds, "proven": True, "figures": figures}


def seconds_of(pair: tuple[float, float]) -> float:
    """Wall time of a short call, else processor time, as in `experiments.runs.clock_seconds`."""
    wall, processor = pair
    return wall if wall < 0.1 else min(wall, processor)


def prices_of(options: Options, by_value: bool) -> Prices:
    """Prices per binary column, or per attribute."""
    first = np.unique(options["attribute"], return_index=True)[1] if by_value else slice(None)
    return Prices(
        options["attribute"][first].astype(np.int64),
        options["group"][first].astype(np.int64),
        options["full"][first],
        options["discounted"][first],
    )


def start_heuristic(training: Training) -> Finish:
    """Grow the tree of a criterion; only labels depend on the costs."""
    tree = c45.fit(training.grid, str(training.options["algorithm"]), training.prices.full)
    return lambda matrix: c45.labelled(tree, matrix)


def start_metacost(training: Training) -> Finish:
    """Grow the trees on bootstrap samples; new labels depend on the costs."""
    grid, price = training.grid, training.prices.full
    shares = metacost.class_shares(grid, price, training.rng)
    return lambda matrix: metacost.fit(grid, shares, matrix, price)


def start_tmdp(training: Training) -> Finish:
    """Collect the states; their values depend on the costs."""
    return Process(training.grid, training.prices).solve


def start_streed(training: Training) -> Finish:
    """Prepare the prices; the rest depends on the costs."""
    streed = import_module("streed")
    costs = feature_costs(streed, training.options)
    X, labels = training.table.astype(bool), np.arange(training.n_classes)
    depth = int(training.options["max_depth"])

    def finish(matrix: Matrix) -> Node:
        def fit(rows: NDArray[np.int64], nodes: int) -> Any:
            task = streed.tasks.CostMatrix(training.y[rows], matrix, labels, feature_costs=costs)
            result = streed.solve(task, X[rows], max_depth=depth, max_nodes=nodes)
            return result.tree

        def cost(tree: Any, rows: NDArray[np.int64]) -> float:
            node = as_node(tree)
            return measure_tree(node, training.table[rows], training.y[rows], matrix, training.prices).cost

        n, most = len(training.y), 2**depth - 1
        nodes = choose_nodes(fit, cost, n, most, training.rng)
        return as_node(fit(np.arange(n), nodes))

    return finish


def as_node(tree: Any, number: int = 0) -> Node:
    """Turn streed's flat tree into nodes with two branches; a branching node's own label is never needed."""
    if tree.feature[number] < 0:
        return Node(int(tree.classes[tree.label[number]]))
    left, right = (as_node(tree, int(side[number])) for side in (tree.left, tree.right))
    return Node(0, int(tree.feature[number]), {0: left, 1: right})


START: dict[str, Callable[[Training], Finish]] = {
    "streed": start_streed,
    "MetaCost": start_metacost,
    "TMDP": start_tmdp,
}
