"""Label bounds: they skip work and never an optimum, for many labels and for tests with prices."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streed import _core
from tests.properties.problems import EXAMPLES, SEEDS

PLAIN = {"min_samples_leaf": 1, "branch_cost": 0.0}


@dataclass(frozen=True)
class PricedProblem:
    """Rows of many labels, weights per label or row, and perhaps prices."""

    X: np.ndarray
    y: np.ndarray
    w: np.ndarray
    n_labels: int
    options: dict[str, Any]

    def solve(self, **options: Any) -> dict[str, Any]:
        limits = {"time_limit": math.inf, "memory_limit": 0, "n_threads": 1}
        result: dict[str, Any] = _core.solve(
            self.X, self.y, self.w, self.n_labels, **self.options, **{**limits, **options}
        )
        assert result["optimal"]
        return result


def make(rng: np.random.Generator, n: int, n_features: int, n_labels: int, **options: Any) -> PricedProblem:
    """Labels are a noisy function of a few features; weights per label, per row, or ones."""
    X = (rng.random((n, n_features)) < rng.choice([0.5, 0.2, 0.8])).astype(np.uint8)
    clean = rng.integers(n_labels, size=2**4)[X[:, :4] @ (2 ** np.arange(min(4, n_features)))]
    y = np.where(rng.random(n) < rng.choice([0.1, 0.4]), rng.integers(n_labels, size=n), clean)
    kind = rng.integers(3)
    per_label = rng.integers(1, 9, n_labels).astype(float)
    w = per_label[y] if kind == 0 else rng.integers(1, 5, n).astype(float) if kind == 1 else np.ones(n)
    return PricedProblem(X, y.astype(np.int32), w, n_labels, options)


def prices(rng: np.random.Generator, n_features: int, greatest: float) -> tuple[np.ndarray, ...]:
    """Every feature a test of its own, or several features of one; some groups with discounts."""
    attribute = np.arange(n_features) if rng.random() < 0.5 else rng.integers(0, n_features, n_features)
    full = np.round(rng.random(n_features) * greatest, 2)[attribute]
    share = rng.choice([0.0, 0.5, 1.0], n_features)[attribute]
    group = rng.integers(-1, 2, n_features)[attribute]
    return attribute.astype(np.int32), group.astype(np.int32), full, np.round(full * share, 3)


@st.composite
def priced_problems(draw: st.DrawFn) -> PricedProblem:
    rng = np.random.default_rng(draw(SEEDS))
    n_features = draw(st.integers(2, 9))
    depth = draw(st.sampled_from([3, 4, 5]))
    options: dict[str, Any] = {
        "max_depth": depth,
        "max_nodes": draw(st.sampled_from([2**depth - 1, 4, 6, 9])),
        "min_samples_leaf": draw(st.sampled_from([1, 1, 3])),
        "branch_cost": draw(st.sampled_from([0.0, 1.0, 2.5])),
    }
    if draw(st.booleans()):
        options["prices"] = prices(rng, n_features, draw(st.sampled_from([0.05, 0.5, 2.0])))
    return make(rng, draw(st.integers(8, 150)), n_features, draw(st.integers(2, 14)), **options)


@settings(max_examples=6 * EXAMPLES)
@given(priced_problems(), st.sampled_from(_core.simd_levels()))
def test_label_bounds_do_not_change_the_optimum(problem: PricedProblem, level: str) -> None:
    """Against a search without any bound, and with the same tree as without this one."""
    bare = problem.solve(switches={"label_bounds": False, "similarity": False, "cache": False})
    alone = problem.solve(simd=level, switches={"similarity": False, "cache": False})
    plain = problem.solve(switches={"label_bounds": False})
    both = problem.solve(simd=level)
    threads = problem.solve(n_threads=2)
    for result in (alone, plain, both, threads):
        assert result["objective"] == pytest.approx(bare["objective"], rel=1e-12, abs=1e-9)
        assert np.array_equal(result["feature"], bare["feature"])


@pytest.mark.parametrize("priced", [False, True])
def test_label_bounds_over_many_problems(priced: bool) -> None:
    """A sweep: bounds that are a little too high are wrong on few problems only."""
    for seed in range(400):
        rng = np.random.default_rng(seed)
        n_features = int(rng.integers(3, 12))
        options: dict[str, Any] = {"max_depth": 3 + seed % 2, "max_nodes": 15, **PLAIN}
        if priced:
            options["prices"] = prices(rng, n_features, float(rng.choice([0.02, 0.1, 0.5])))
        problem = make(rng, int(rng.integers(20, 90)), n_features, int(rng.integers(2, 10)), **options)
        plain = problem.solve(switches={"label_bounds": False, "similarity": False})
        result = problem.solve()
        assert result["objective"] == pytest.approx(plain["objective"], rel=1e-12, abs=1e-9), seed
        assert np.array_equal(result["feature"], plain["feature"]), seed


def test_label_bounds_save_work() -> None:
    """Sixteen labels in four leaves: most children need not be solved."""
    rng = np.random.default_rng(5)
    problem = make(rng, 400, 12, 16, max_depth=4, max_nodes=15, **PLAIN)
    plain = problem.solve(switches={"label_bounds": False})["statistics"]["depth_two_solves"]
    assert problem.solve()["statistics"]["depth_two_solves"] < 0.5 * plain
