"""The choice of the number of nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from experiments.tuning import REPEATS, choose_nodes, path_of_trees


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
