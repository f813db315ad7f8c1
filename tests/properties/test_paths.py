"""Paths against separate solves: every size, and the ends and midpoints of every interval of prices."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import streed
from streed.paths import complexity_path, size_path
from tests.properties.problems import EXAMPLES, SEEDS


def rows(seed: int, n: int, f: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(2, size=(n, f))
    y = (X[:, 0] & X[:, 1 % f]) ^ X[:, 2 % f] ^ (rng.random(n) < 0.2)
    return X, y


def priced_optimum(y: np.ndarray, X: np.ndarray, price: float, depth: int) -> float:
    task = streed.tasks.Accuracy(y, cost_complexity=price / len(y))
    return float(streed.solve(task, X, max_depth=depth).objective)


@given(seed=SEEDS, n=st.integers(2, 60), f=st.integers(1, 5), depth=st.integers(0, 3))
@settings(max_examples=max(5, EXAMPLES // 4))
def test_every_size_equals_its_own_solve(seed: int, n: int, f: int, depth: int) -> None:
    X, y = rows(seed, n, f)
    task = streed.tasks.Accuracy(y)
    path = size_path(task, X, max_depth=depth)
    assert len(path) == 2**depth
    assert path.optimal
    for k, result in enumerate(path):
        own = streed.solve(task, X, max_depth=depth, max_nodes=k)
        assert result.objective == own.objective
        assert result.tree.n_nodes <= k
    assert path.searches <= len(path)
    assert len(path.table().splitlines()) == 1 + len(path.sizes)


@given(seed=SEEDS, n=st.integers(2, 60), f=st.integers(1, 5), depth=st.integers(1, 3))
@settings(max_examples=max(5, EXAMPLES // 4))
def test_intervals_with_a_depth(seed: int, n: int, f: int, depth: int) -> None:
    X, y = rows(seed, n, f)
    path = complexity_path(streed.tasks.Accuracy(y), X, max_depth=depth)
    check_intervals(path, lambda price: priced_optimum(y, X, price, depth))


@given(seed=SEEDS, n=st.integers(2, 60), f=st.integers(1, 4))
@settings(max_examples=max(5, EXAMPLES // 4))
def test_intervals_without_a_depth(seed: int, n: int, f: int) -> None:
    X, y = rows(seed, n, f)
    path = complexity_path(streed.tasks.Accuracy(y), X, min_price=0.25)
    check_intervals(path, lambda price: priced_optimum(y, X, price, f))  # no path tests a feature twice


@given(seed=SEEDS, n=st.integers(2, 40), f=st.integers(1, 4))
@settings(max_examples=max(5, EXAMPLES // 8))
def test_costs_and_rewards_without_a_depth(seed: int, n: int, f: int) -> None:
    rng = np.random.default_rng(seed)
    X, costs = rng.integers(2, size=(n, f)), rng.integers(0, 9, size=(n, 3)).astype(float)
    path = complexity_path(streed.tasks.LabelCosts(costs), X, min_price=1.0)
    sizes = size_path(streed.tasks.LabelCosts(costs), X, max_depth=f)
    check_intervals(path, lambda price: min(r.objective + price * r.tree.n_nodes for r in sizes))
    with pytest.raises(ValueError, match="weight of all rows"):
        _ = path.cost_complexities


def check_intervals(path: Any, optimum: Any) -> None:
    assert path.optimal
    assert path[-1].high == np.inf
    assert path[-1].tree.n_nodes == 0
    for step, after in pairwise(path):
        assert step.high == after.low
        assert step.tree.n_nodes > after.tree.n_nodes
    for step in path:
        high = step.high if np.isfinite(step.high) else step.low + 3
        for price in (step.low, (step.low + high) / 2, high):
            assert step.cost(price) == pytest.approx(optimum(price), abs=1e-6)
        assert path.at((step.low + high) / 2) is step


def test_time_limit_of_a_path() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(3000, 80))
    y = (X[:, :7].sum(axis=1) % 2) ^ (rng.random(3000) < 0.2)
    path = size_path(streed.tasks.Accuracy(y), X, max_depth=5, max_nodes=12, time_limit=0.5)
    assert not path.optimal
    assert all(a.objective >= b.objective for a, b in pairwise(path))
    assert all(r.lower_bound <= r.objective for r in path)


def test_plots() -> None:
    pytest.importorskip("matplotlib").use("Agg")
    X, y = rows(1, 60, 4)
    assert size_path(streed.tasks.Accuracy(y), X, max_depth=2).plot() is not None
    path = complexity_path(streed.tasks.Accuracy(y), X, max_depth=2)
    assert path.plot() is not None
    assert "ComplexityPath" in repr(path)
    assert len(path.cost_complexities) == len(path) - 1


def test_bad_arguments() -> None:
    X, y = rows(1, 20, 3)
    with pytest.raises(ValueError, match="min_price must be above zero"):
        complexity_path(streed.tasks.Accuracy(y), X)
    with pytest.raises(ValueError, match="cost_complexity=0"):
        complexity_path(streed.tasks.Accuracy(y, cost_complexity=0.1), X, min_price=1)
    with pytest.raises(ValueError, match="need a max_depth"):
        complexity_path(streed.tasks.Accuracy(y), X, min_price=1, max_nodes=3)
    with pytest.raises(ValueError, match="max_depth"):
        size_path(streed.tasks.Accuracy(y), X, max_depth=-1)
    path = complexity_path(streed.tasks.Accuracy(y), X, min_price=1)
    with pytest.raises(ValueError, match="begins at"):
        path.at(0.5)


@pytest.mark.parametrize(
    ("task", "error", "message"),
    [
        (streed.tasks.F1Score([0, 1, 1, 0]), TypeError, "needs a task with one value, got 'f1'"),
        (streed.tasks.SquaredError([0.0, 1.0, 1.0, 0.0]), TypeError, "do not cost the sum of their rows"),
        (streed.tasks.Accuracy([0, 1, 1, 0], cost_complexity=0.1), ValueError, "with cost_complexity=0"),
        (
            streed.tasks.CostMatrix([0, 1, 1, 0], [[0, 1], [1, 0]], feature_costs=[1.0, 2.0], columns=[0, 1]),
            ValueError,
            "tests have prices; give a depth",
        ),
    ],
)
def test_tasks_without_a_path_of_any_depth(task: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        complexity_path(task, np.eye(4, 2, dtype=bool), min_price=0.1)
