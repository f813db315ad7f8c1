"""Poisson deviance with nearly equal means: all trees of two levels, each by a solver of its own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize  # type: ignore[import-untyped]

import streed
from tests.properties.test_mean_parity import trees


def least_cost(y: np.ndarray, w: np.ndarray, g: np.ndarray, limit: float, leaves: np.ndarray) -> float:
    """Least deviance of the leaves' predictions within the limit, by a general solver from several starts."""
    codes = np.unique(leaves, return_inverse=True)[1]
    n, total = np.bincount(codes, w), np.bincount(codes, w * y)
    shares = np.where(g == 0, 1 / w[g == 0].sum(), -1 / w[g == 1].sum())
    d = np.bincount(codes, w * shares)
    d[np.abs(d) < 1e-12] = 0.0  # rounding: to the solver it would be a constraint of its own

    def deviance(p: np.ndarray) -> float:
        logs = np.where(y > 0, y * np.log(np.where(y > 0, y, 1) / p[codes]), 0.0)
        return 2 * float((w * (logs - y + p[codes])).sum())

    whole = total.sum() / n.sum()
    limits = [
        {"type": "ineq", "fun": lambda p: limit - d @ p},
        {"type": "ineq", "fun": lambda p: limit + d @ p},
    ]
    best = deviance(np.full(n.size, whole))
    for start in (np.full(n.size, whole), np.maximum(total / n, 0.1 * whole)):
        found = minimize(
            deviance,
            start,
            method="SLSQP",
            bounds=[(1e-9 * whole, None)] * n.size,
            constraints=limits if d.any() else [],
            options={"ftol": 1e-13, "maxiter": 500},
        )
        if abs(d @ found.x) <= limit + 1e-9:
            best = min(best, float(found.fun))
    return best


def check(seed: int) -> None:
    """Solve one random problem and compare it with all trees."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 24))
    X = rng.random((n, 3)) < rng.uniform(0.3, 0.7, 3)
    g = np.append([0, 1], rng.integers(0, 2, n - 2))
    y = rng.poisson(1 + 2 * X[:, 0] + 2 * g).astype(float)
    y[0] = max(y[0], 1.0)
    w = np.ones(n) if rng.random() < 0.5 else rng.integers(1, 4, n).astype(float)
    limit = float(rng.choice([0.0, 0.1, 0.5, 2.0]))
    price = float(rng.choice([0.0, 0.03]))
    task = streed.tasks.PoissonParity(y, g, limit, sample_weight=w, cost_complexity=price)
    result = streed.solve(task, X, max_depth=2)
    assert result.optimal
    assert task.difference(result.tree.predict(X)) <= limit + 1e-9
    assert result.objective == pytest.approx(
        task.error(result.tree.predict(X)) + task.branch_cost * result.tree.n_nodes
    )
    best = min(least_cost(y, w, g, limit, leaves) + task.branch_cost * nodes for leaves, nodes in trees(X))
    assert result.objective <= best + 1e-6 * (1 + abs(best))
    assert result.objective >= best - 1e-4 * (1 + abs(best))  # the other solver is not exact


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1))
def test_shifted_exposures_are_the_best_of_all_trees(seed: int) -> None:
    check(seed)


def test_a_leaf_without_events_predicts_what_makes_means_equal() -> None:
    """Group a has no events at all: equal means ask for predictions above zero in its leaf."""
    y, group = [0.0, 0.0, 0.0, 3.0, 5.0, 4.0], ["a", "a", "a", "b", "b", "b"]
    task = streed.tasks.PoissonParity(y, group, 1.0)
    result = streed.solve(task, [[0], [0], [0], [1], [1], [1]], max_depth=1)
    low, high = result.tree.predict([[0], [1]])
    assert result.optimal
    assert high - low == pytest.approx(1)
    assert low > 0


def test_the_estimator_takes_poisson_losses() -> None:
    from streed import limits as lim

    rng = np.random.default_rng(0)
    X = rng.random((200, 4)) < 0.5
    g = X[:, 1].astype(int)
    y = rng.poisson(1 + X[:, 0] + g)
    limits = [lim.mean_prediction(by=g) <= 0.05]
    model = streed.OptimalTreeRegressor("poisson", constraints=limits, max_depth=2).fit(X, y)
    assert model.result_.optimal
    assert model.result_.limits[0].value <= 0.05 + 1e-9
    means = [model.predict(X)[g == one].mean() for one in (0, 1)]
    assert abs(means[0] - means[1]) == pytest.approx(model.result_.limits[0].value)
    free = streed.OptimalTreeRegressor("poisson", max_depth=2).fit(X, y)
    assert model.result_.objective > free.result_.objective
    with pytest.raises(ValueError, match="squared_error' or 'poisson'"):
        streed.OptimalTreeRegressor("absolute_error", constraints=limits).fit(X, y)
