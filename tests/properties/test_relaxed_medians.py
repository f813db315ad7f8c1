"""Absolute errors and quantiles of many distinct targets: the relaxed problem bounds all trees, in time."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import streed
from streed import OptimalTreeRegressor, reference, tasks
from streed.solver.strategies import relaxed
from streed.tasks.regression import absolute_error
from tests.properties.problems import SEEDS


@pytest.fixture(autouse=True)
def too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every table of costs be too large, and every relaxed one be small."""
    monkeypatch.setattr(absolute_error, "MOST_CELLS", 0)
    monkeypatch.setattr(relaxed, "MOST", 4)


def drawn(seed: int) -> tuple[Any, np.ndarray]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 15))
    X = rng.integers(0, 2, (n, 3))
    y = rng.choice([1, 1e6, 1e-6]) * np.round(rng.normal(size=n) + X[:, 0], int(rng.integers(0, 3)))
    weights = rng.choice([0.0, 1.0, 2.5], n)
    weights[0] = 1.0
    more: dict[str, Any] = {"sample_weight": weights, "cost_complexity": float(rng.choice([0, 0.1]))}
    if rng.random() < 0.5:
        return tasks.AbsoluteError(y, **more), X
    return tasks.Quantile(y, float(rng.choice([0.1, 0.77])), **more), X


@given(seed=SEEDS)
def test_bound_and_tree_hold_against_the_recursion_of_the_paper(seed: int) -> None:
    """The optimum lies between bound and tree, which predicts targets, not their positions."""
    task, X = drawn(seed)
    result = streed.solve(task, X, max_depth=2)
    best = reference.solve(task.components(X), max_depth=2)[0][0]
    slack = 1e-7 * (task.loss(np.arange(task._weights.size)) + 1e-9 * task.unit)
    assert result.engine == "native"
    assert result.lower_bound - slack <= best <= result.objective + slack
    assert result.optimal == (result.status == "optimal")
    y = np.zeros(len(X))
    kept = slice(None) if task._rows is None else task._rows
    y[kept] = task._targets
    high = (result.tree.predict(X) - y)[kept]
    losses = task._weights @ np.where(high > 0, task._above * high, -task._below * high)
    assert losses + task.branch_cost * result.tree.n_nodes == pytest.approx(result.objective, abs=slack)


@pytest.mark.parametrize("n_labels", [2, 3, 5, 50])
@given(seed=SEEDS)
def test_no_leaf_costs_more_than_its_loss(n_labels: int, seed: int) -> None:
    task, _ = drawn(seed)
    costs = task.relaxed(n_labels).value.leaf.costs
    rng = np.random.default_rng(seed)
    for _ in range(5):
        rows = np.flatnonzero(rng.random(len(costs)) < 0.6)
        if rows.size:
            loss = task.loss(rows) / task.unit
            assert costs[rows].sum(axis=0).min() <= loss + 1e-9 * task._weights.sum()


def test_more_labels_leave_a_smaller_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (600, 6))
    y = X[:, 0] + rng.normal(size=600)
    gaps = []
    for most in (4, 16, 64):
        monkeypatch.setattr(relaxed, "MOST", most)
        result = streed.solve(tasks.AbsoluteError(y), X, max_depth=2)
        assert result.status == "work_limit"
        gaps.append(result.gap)
    assert gaps[0] > gaps[1] > gaps[2] > 0
    assert gaps[2] < 0.005


@pytest.mark.parametrize("loss", ["absolute_error", "quantile"])
def test_the_fit_ends_with_its_time_and_has_a_tree(loss: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second goes by with every count of a leaf: a search leaf by leaf would take thousands of them."""
    real, gone = time.perf_counter, [0.0]
    inner = tasks.Quantile.loss

    def slow(self: Any, rows: np.ndarray) -> float:
        gone[0] += 1.0
        return inner(self, rows)

    monkeypatch.setattr(time, "perf_counter", lambda: real() + gone[0])
    monkeypatch.setattr(tasks.Quantile, "loss", slow)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    y = X[:, 0] + rng.normal(size=400)
    with pytest.warns(streed.NotProvenWarning):
        model = OptimalTreeRegressor(loss, time_limit=20).fit(X, y)
    assert model.result_.status == "time_limit"
    assert model.result_.tree.n_nodes > 0
    assert model.result_.lower_bound >= 0
    assert gone[0] <= 20 + 16
