"""Prices of tests in the objective and in limits, against all trees of two levels."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import streed
from streed import InfeasibleError
from streed import limits as lim
from streed.tasks.base import Prices
from tests.properties import limits_twin as twin


def some_prices(rng: np.random.Generator, n_features: int, unit: float) -> Prices:
    """Return prices of attributes of several features, some of them in groups with discounts."""
    attribute = rng.integers(0, max(1, n_features - 1), n_features)
    groups = np.where(rng.random(n_features) < 0.5, -1, rng.integers(0, 2, n_features))
    full = rng.integers(0, 6, n_features)
    less = np.array([rng.integers(0, price + 1) for price in full])
    arrays = (attribute, groups[attribute], unit * full[attribute], unit * less[attribute])
    return Prices(*(a.astype(t) for a, t in zip(arrays, (np.int32, np.int32, float, float), strict=True)))


def check(seed: int) -> None:
    """Solve one random problem with prices and compare it with all trees."""
    rng = np.random.default_rng(seed)
    n, n_features = int(rng.integers(10, 40)), 5
    X = rng.random((n, n_features)) < rng.uniform(0.2, 0.8, n_features)
    g, y = rng.integers(0, 2, n), rng.integers(0, 2, n)
    g[:2], y[:2] = (0, 1), (0, 1)
    y[2:] = np.where(rng.random(n - 2) < 0.7, (X[:, 0] ^ (X[:, 1] & (g > 0)))[2:], y[2:])
    prices = some_prices(rng, n_features, float(rng.choice([1.0, 0.1])))
    pays = bool(rng.random() < 0.5)
    costs = rng.integers(0, 9, (n, 2)).astype(float) if rng.random() < 0.5 else None
    value: Callable[[np.ndarray, int, float], float]
    if pays or costs is not None:
        table = 1.0 - np.eye(2)[y] if costs is None else costs
        table = table * float(rng.choice([1.0, 4.0]))
        features = streed.FeatureCosts(
            dict(zip(prices.attribute.tolist(), prices.full.tolist(), strict=True)),
            dict(zip(prices.attribute.tolist(), prices.discounted.tolist(), strict=True)),
            {
                a: None if group < 0 else group
                for a, group in zip(prices.attribute, prices.group, strict=True)
            },
            prices.attribute.tolist(),
        )
        task: Any = streed.tasks.LabelCosts(table, feature_costs=features if pays else None)
        value = lambda p, m, paid: -float(table[np.arange(n), p].sum()) - paid * pays  # noqa: E731
    else:
        name = str(rng.choice(["accuracy", "f1", "mcc"]))
        task = streed.tasks.make_task(name, y)
        value = lambda p, m, paid: task.score(p) if task.maximize else -float((p != y).sum())  # noqa: E731
    kinds = ["demographic_parity", "equal_opportunity"]
    limits: list[lim.Limit] = []
    keeps: list[Callable[[np.ndarray, float], bool]] = []
    most = Fraction(int(rng.integers(0, 5)), 20)
    kind = str(rng.choice(kinds))
    limits.append(lim.parity(kind, by=g) <= float(most))
    keeps.append(lambda p, paid: twin.parity_of(kind, y, p, g, np.ones(n, int), 2) <= most)
    if not pays or rng.random() < 0.5:
        budget = Fraction(int(rng.integers(0, 60)), 10) * Fraction(repr(float(max(prices.full.max(), 1)))) / 6
        limits.append(lim.tests() <= budget)
        keeps.append(lambda p, paid: paid <= float(budget) * n + 1e-9)
    trees = list(twin.all_paying_trees(X, 2, 2, prices))
    nodes = int(rng.integers(1, 4))
    good = [value(p, m, paid) for p, m, paid in trees if m <= nodes and all(keep(p, paid) for keep in keeps)]
    whole = streed.tasks.Constrained(task, limits, y=y, pricing=lambda given: prices)
    if not good:
        with pytest.raises(InfeasibleError):
            streed.solve(whole, X, max_depth=2, max_nodes=nodes)
        return
    result = streed.solve(whole, X, max_depth=2, max_nodes=nodes)
    assert result.optimal
    found = result.objective if task.maximize else -result.objective
    assert found == pytest.approx(max(good), abs=1e-7)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_prices_with_limits_are_the_best_of_all_trees(seed: int) -> None:
    check(seed)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_combinations_that_pay_for_tests_are_the_best_of_all_trees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, n_features = int(rng.integers(10, 40)), 5
    X = rng.random((n, n_features)) < rng.uniform(0.2, 0.8, n_features)
    y = np.where(rng.random(n) < 0.7, X[:, 0] ^ X[:, 1], rng.random(n) < 0.5).astype(int)
    y[:2] = 0, 1
    full = rng.integers(0, 6, n_features).astype(float) * float(rng.choice([1.0, 0.1]))
    columns = np.arange(n_features, dtype=np.int32)
    prices = Prices(columns, np.full(n_features, -1, np.int32), full, full)
    costs = rng.integers(0, 9, (n, 2)).astype(float)
    paying = streed.tasks.LabelCosts(costs, [0, 1], feature_costs=full.tolist())
    errors = streed.tasks.Accuracy(y)
    most = float(rng.integers(0, n // 2))
    spent = float(rng.integers(0, 9 * n))
    by_errors = bool(rng.random() < 0.5)
    whole = (
        streed.combine(paying, errors.at_most(most))
        if by_errors
        else streed.combine(errors, paying.at_most(spent))
    )
    good = []
    for p, _, paid in twin.all_paying_trees(X, 2, 2, prices):
        wrong, cost = float((p != y).sum()), float(costs[np.arange(n), p].sum()) + paid
        if by_errors and wrong <= most:
            good.append(cost)
        elif not by_errors and cost <= spent + 1e-6:
            good.append(wrong)
    if not good:
        with pytest.raises(InfeasibleError):
            streed.solve(whole, X, max_depth=2)
        return
    result = streed.solve(whole, X, max_depth=2)
    assert (result.optimal, result.engine) == (True, "native")
    assert result.objective == pytest.approx(min(good), abs=1e-6)
