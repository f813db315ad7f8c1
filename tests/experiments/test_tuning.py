"""The choice of the number of nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import streed
from experiments.tuning import REPEATS, choose_nodes, hold_outs, path_of_trees
from streed.tuning import tune


@dataclass(frozen=True)
class Stub:
    n_nodes: int


def test_path_reuses_the_largest_tree() -> None:
    asked = []

    def fit(nodes: int) -> Stub:
        asked.append(nodes)
        return Stub(min(nodes, 3))

    trees = path_of_trees(fit, 7)
    assert asked == [7, 0, 1, 2]
    assert [tree.n_nodes for tree in trees] == [0, 1, 2, 3, 3, 3, 3, 3]


def test_least_mean_cost_wins_and_ties_go_to_fewer_nodes() -> None:
    costs = {0: 5.0, 1: 2.0, 2: 2.0, 3: 4.0}
    parts = []

    def cost(tree: Stub, rows: np.ndarray) -> float:
        parts.append(len(rows))
        return costs[tree.n_nodes]

    chosen = choose_nodes(lambda rows, nodes: Stub(nodes), cost, 50, 3, np.random.default_rng(0))
    assert chosen == 1
    assert set(parts) == {10}
    assert len(parts) == 4 * REPEATS


def test_trees_are_fitted_on_the_rest() -> None:
    seen: list[int] = []

    def fit(rows: np.ndarray, nodes: int) -> Stub:
        seen.append(len(rows))
        return Stub(0)

    choose_nodes(fit, lambda tree, rows: 0.0, 20, 1, np.random.default_rng(0))
    assert seen == [16] * REPEATS


@pytest.mark.parametrize("seed", range(4))
def test_the_package_tunes_to_the_same_size(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (90, 6)).astype(bool)
    y = (X[:, 0] & X[:, 1] ^ (rng.random(90) < 0.15)).astype(int) + (X[:, 2] & (rng.random(90) < 0.3))
    matrix = np.array([[0.0, 3.0, 5.0], [4.0, 0.0, 2.0], [9.0, 6.0, 0.0]])
    prices = streed.FeatureCosts((rng.integers(1, 5, 6) / 8).tolist())

    def fit(rows: np.ndarray, nodes: int) -> streed.Tree:
        task = streed.tasks.CostMatrix(y[rows], matrix, np.arange(3), feature_costs=prices)
        return streed.solve(task, X[rows], max_depth=3, max_nodes=nodes).tree

    def cost(tree: streed.Tree, rows: np.ndarray) -> float:
        return float((matrix[y[rows], tree.predict(X[rows])] + tree.paid()[tree.apply(X[rows])]).mean())

    chosen = choose_nodes(fit, cost, 90, 7, np.random.default_rng(seed))
    tuned = tune(
        streed.CostSensitiveTreeClassifier(feature_costs=prices, max_depth=3),
        X,
        cv=hold_outs(90, np.random.default_rng(seed)),
        fit_params={"costs": matrix[y]},
    )
    assert tuned.params["max_nodes"] == chosen > 0
