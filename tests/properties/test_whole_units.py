"""Costs and prices in units of 32 bits, exact or rounded: the same optimum and tree as in doubles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from streed import _core
from tests.properties.test_label_bounds import PricedProblem

SWITCHED_OFF = ("whole_units", "subtraction", "deepening", "cache", "similarity", "label_bounds")


def priced(seed: int, largest: float, *, whole: bool = True) -> PricedProblem:
    """Weights per label and prices, whole or real numbers; all costs together come to about `largest`."""
    rng = np.random.default_rng(seed)
    n, n_features, n_labels = int(rng.integers(20, 300)), int(rng.integers(3, 14)), int(rng.integers(2, 6))
    X = (rng.random((n, n_features)) < rng.choice([0.5, 0.2])).astype(np.uint8)
    clean = rng.integers(n_labels, size=8)[X[:, :3] @ np.array([1, 2, 4])]
    y = np.where(rng.random(n) < 0.2, rng.integers(n_labels, size=n), clean).astype(np.int32)
    unit = max(1.0, largest / n)
    ceil, floor = (np.ceil, np.floor) if whole else (np.asarray, np.asarray)
    weight = ceil(unit * rng.random(n_labels))[y]
    attribute = rng.integers(0, n_features, n_features) if seed % 2 else np.arange(n_features)
    full = floor(unit * rng.choice([0.3, 0.03]) * rng.random(n_features))[attribute]
    discounted = floor(full * rng.choice([0.0, 0.5, 1.0]))
    group = rng.integers(-1, 2, n_features)[attribute]
    prices = (attribute.astype(np.int32), group.astype(np.int32), full, discounted)
    options: dict[str, Any] = {"max_depth": 3 + seed % 2, "max_nodes": int(rng.choice([15, 15, 5]))}
    options |= {"min_samples_leaf": int(rng.choice([1, 1, 4])), "branch_cost": float(rng.choice([0, 0, 3]))}
    return PricedProblem(X, y, weight, n_labels, {**options, "prices": prices})


@pytest.mark.parametrize("largest", [1e3, 1e6, 2.0**31, 2.0**32, 2.0**34, 2.0**44])
@pytest.mark.parametrize("level", _core.simd_levels())
def test_whole_units_do_not_change_the_optimum(largest: float, level: str) -> None:
    """Sums that just fit into 32 bits, and sums that just do not."""
    for seed in range(40):
        problem = priced(seed, largest)
        result = problem.solve(simd=level)
        for name in SWITCHED_OFF:
            other = problem.solve(switches={name: False})
            assert result["objective"] == other["objective"], (seed, name)
            assert np.array_equal(result["feature"], other["feature"]), (seed, name)


@pytest.mark.parametrize("level", _core.simd_levels())
@pytest.mark.parametrize("equal", [False, True])
def test_rounded_units_do_not_change_the_optimum(level: str, equal: bool) -> None:
    """Real numbers have no unit: rounded costs say which roots to look at. Equal weights make many equal."""
    for seed in range(60):
        problem = priced(seed, 100.0, whole=False)
        if equal:
            problem.w[:] = np.pi
        result = problem.solve(simd=level)
        for name in SWITCHED_OFF:
            other = problem.solve(switches={name: False})
            assert result["objective"] == pytest.approx(other["objective"], rel=1e-12), (seed, name)
            assert np.array_equal(result["feature"], other["feature"]), (seed, name)
