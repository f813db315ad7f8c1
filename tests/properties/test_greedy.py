"""Greedy trees and restarts before deep searches: no optimum changes, and no tree is worse than CART's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

import streed
from streed import _core
from tests.properties.problems import EXAMPLES, SEEDS

LIMITS: dict[str, Any] = {"time_limit": math.inf, "memory_limit": 0, "n_threads": 1, "min_samples_leaf": 1}


@given(
    seed=SEEDS,
    n=st.integers(10, 120),
    f=st.integers(5, 8),
    depth=st.integers(5, 7),
    labels=st.integers(2, 4),
    weighted=st.booleans(),
    price=st.sampled_from([0.0, 0.5]),
    nodes=st.sampled_from([4, 9, 2**7 - 1]),
)
@settings(max_examples=max(10, EXAMPLES // 4))
def test_no_optimum_changes(
    seed: int, n: int, f: int, depth: int, labels: int, weighted: bool, price: float, nodes: int
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(2, size=(n, f), dtype=np.uint8)
    y = rng.integers(labels, size=n).astype(np.int32)
    w = rng.integers(1, 6, size=n).astype(float) if weighted else np.ones(n)
    options = LIMITS | {
        "max_depth": depth,
        "max_nodes": min(nodes, 2**depth - 1),
        "branch_cost": price,
    }
    found = _core.solve(X, y, w, labels, **options)
    plain = _core.solve(X, y, w, labels, **options, switches={"deepening": False})
    assert found["optimal"]
    assert found["objective"] == plain["objective"]
    assert np.array_equal(found["feature"], plain["feature"])
    # with so little time that a part of the trees is not grown, bounds hold all the same
    early = _core.solve(X, y, w, labels, **options | {"time_limit": 1e-3})
    assert early["lower_bound"] <= found["objective"] <= early["objective"]


@pytest.mark.parametrize("depth", [5, 6, 8])
@pytest.mark.parametrize("kind", ["labels", "weights", "numbers"])
@pytest.mark.parametrize("nodes", [None, 7, 20])
def test_early_trees_are_no_worse_than_greedy_ones(depth: int, kind: str, nodes: int | None) -> None:
    rng = np.random.default_rng(depth)
    X = rng.integers(2, size=(1500, 40))
    y = ((X[:, :6].sum(axis=1) + (X[:, 6] & X[:, 7])) % 3) ^ (rng.random(1500) < 0.2)
    w = rng.integers(1, 4, size=1500).astype(float) if kind == "weights" else np.ones(1500)
    task: Any = (
        streed.tasks.SquaredError(y) if kind == "numbers" else streed.tasks.Accuracy(y, sample_weight=w)
    )
    result = streed.solve(task, X, max_depth=depth, max_nodes=nodes, time_limit=1.0)
    leaves = None if nodes is None else nodes + 1
    if kind == "numbers":
        from sklearn.tree import DecisionTreeRegressor

        greedy = DecisionTreeRegressor(max_depth=depth, max_leaf_nodes=leaves, random_state=0).fit(X, y)
        assert result.objective <= float(((greedy.predict(X) - y) ** 2).sum()) + 1e-6
        return
    cart = DecisionTreeClassifier(max_depth=depth, max_leaf_nodes=leaves, random_state=0).fit(X, y, w)
    assert result.objective <= float(w[cart.predict(X) != y].sum())
