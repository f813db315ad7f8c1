"""Rows of few kinds, counted with a step for each kind, against the same searches without."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streed import _core
from tests.properties.vectors import VectorProblem, solve_constrained, solve_front, tree_values

MAIN = ("objective", "lower_bound", "optimal", "feasible")


@st.composite
def cells(draw: st.DrawFn, most_rows: int = 260) -> VectorProblem:
    """Rows that are hardly ever equal, of up to eight kinds: a class, a group, and what they cost."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, f = draw(st.integers(2, most_rows)), draw(st.integers(3, 14))
    m = draw(st.integers(1, 3))
    kinds = draw(st.sampled_from([1, 2, 4, 8]))
    size = draw(st.sampled_from([2, 30, 10**4]))
    table = rng.integers(-size, size, size=(kinds, 2, m)).astype(float)
    kind = rng.integers(kinds, size=n)
    X = (rng.random((n, f)) < draw(st.sampled_from([0.5, 0.3]))).astype(np.uint8)
    X[:, 0] = (kind % 2) ^ (rng.random(n) < 0.3)
    depth = draw(st.sampled_from([1, 2, 3]))
    branch = np.full(m, draw(st.sampled_from([0.0, 0.0, 1.0, 2.0])))
    least = min(n, draw(st.sampled_from([1, 1, 3])))
    nodes = draw(st.sampled_from([2**depth - 1, 4]))
    return VectorProblem(X, np.ascontiguousarray(table[kind]), branch, depth, nodes, least)


def limits_of(problem: VectorProblem, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Limits from above on all components but the first one, between their least and largest values."""
    sums = problem.costs[:, :, 1:]
    low, high = sums.min(axis=1).sum(axis=0), sums.max(axis=1).sum(axis=0)
    return np.full(low.size, -np.inf), np.floor(low + share * (high - low)) + 7 * problem.branch_cost[1:]


@given(cells(), st.floats(0.2, 0.9), st.sampled_from(_core.simd_levels()), st.integers(1, 2))
@settings(max_examples=150)
def test_counting_kinds_changes_no_optimum(
    problem: VectorProblem, share: float, simd: str, n_threads: int
) -> None:
    lower, upper = limits_of(problem, share)
    fast = solve_constrained(problem, lower, upper, simd=simd, n_threads=n_threads)
    slow = solve_constrained(problem, lower, upper, switches={"cells": False})
    assert {k: fast.get(k) for k in MAIN} == {k: slow.get(k) for k in MAIN}
    if "feature" in fast:
        assert tree_values(problem, fast) == tuple(fast["values"])


@given(cells(most_rows=60), st.sampled_from(_core.simd_levels()))
@settings(max_examples=50)
def test_a_guide_of_counted_kinds_finds_the_same_front(problem: VectorProblem, simd: str) -> None:
    m = problem.costs.shape[2]
    weights = np.arange(1.0, m + 1)
    least, most = ((weights * problem.costs).sum(axis=2).sum(axis=0)).min(), np.inf
    region: dict[str, Any] = {"upper": np.full(m, most), "weights": weights, "budget": float(least)}
    fast = solve_front(problem, **region, simd=simd)
    slow = solve_front(problem, **region, switches={"cells": False})
    assert fast["complete"]
    assert slow["complete"]
    assert fast["values"].tolist() == slow["values"].tolist()


@pytest.mark.parametrize("simd", _core.simd_levels())
@pytest.mark.parametrize("scale", [1.0, 1e4, 1e8, math.pi])
def test_steps_of_any_size(scale: float, simd: str) -> None:
    """Steps are rounded where their sums would not fit; the optimum is exact nevertheless."""
    rng = np.random.default_rng(3)
    n = 700
    X = (rng.random((n, 30)) < 0.5).astype(np.uint8)
    y, group = rng.integers(2, size=n), rng.integers(2, size=n)
    costs = np.zeros((n, 2, 2))
    costs[np.arange(n), 1 - y, 0] = np.round(scale * np.array([3.0, 7.0])[y] * (1 + 0.37 * group))
    costs[:, 1, 1] = np.where(group == 1, np.sum(group == 0), -np.sum(group == 1))
    problem = VectorProblem(X, costs, np.zeros(2), 3, 7)
    ends = np.array([-0.05]) * n * n, np.array([0.05]) * n * n
    fast = solve_constrained(problem, *ends, simd=simd)
    slow = solve_constrained(problem, *ends, switches={"cells": False})
    assert {k: fast[k] for k in MAIN} == {k: slow[k] for k in MAIN}
    assert fast["optimal"]
