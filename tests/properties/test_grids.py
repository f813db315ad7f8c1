"""Real costs whose total is next to a power of two: on every grid of the engine they are rounded, or whole.

The engine puts real numbers on a power-of-two grid, fine enough for their total, on which all sums are exact.
A grid of exactly 1 says that nothing needs rounding, so real numbers must never get it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import streed
from streed import _core
from streed.tasks import Accuracy, LabelCosts, StatisticsTask
from tests.properties.problems import EXAMPLES, SEEDS
from tests.properties.vectors import VectorProblem, nondominated, solve_constrained, solve_front, tree_values

EDGES = st.sampled_from([48, 47, 46, 45, 49, 50, 30, 29, 28, 27, 36, 35, 24])
"""The total is at least half and at most all of two to this power; 48, 46 and 29 are grids of the engine."""


@st.composite
def scaled(draw: st.DrawFn, components: int = 1, labels: int = 3) -> VectorProblem:
    """Random rows with real costs, each component with a total next to its power of two."""
    rng = np.random.default_rng(draw(SEEDS))
    n, k = draw(st.integers(2, 12)), draw(st.integers(2, labels))
    X = (rng.random((n, draw(st.integers(1, 3)))) < 0.5).astype(np.uint8)
    costs = rng.random((n, k, components))
    for j in range(components):
        total = costs[:, :, j].max(axis=1).sum() if components > 1 or k > 2 else costs[:, :, j].sum()
        costs[:, :, j] *= draw(st.sampled_from([0.999, 0.75, 0.5001])) * 2.0 ** draw(EDGES) / total
    depth = draw(st.integers(0, 2))
    return VectorProblem(X, costs, np.zeros(components), depth, 2**depth - 1)


def close(value: Any) -> Any:
    return pytest.approx(value, rel=1e-9)


def test_the_case_that_was_found() -> None:
    weights = [37104780160083.18, 15135056201654.617, 74374286783618.44, 46654049391500.68]
    result = streed.solve(Accuracy([0, 1, 1, 0], weights), [[0], [1], [1], [0]], max_depth=1)
    assert (result.objective, result.optimal) == (0.0, True)


@settings(max_examples=2 * EXAMPLES)
@given(scaled(labels=2), st.booleans())
def test_weights(problem: VectorProblem, priced: bool) -> None:
    rng = np.random.default_rng(len(problem.X))
    y, weights = rng.integers(2, size=len(problem.X)), problem.costs[:, 0, 0]
    wrong = np.where(y[:, None] == np.arange(2), 0.0, weights[:, None])[:, :, None]
    price = 0.01 * weights.sum() if priced else 0.0
    twin = VectorProblem(problem.X, wrong, np.array([price]), problem.max_depth, problem.max_nodes)
    task = Accuracy(y, weights, cost_complexity=0.01 if priced else 0.0)
    result = streed.solve(task, problem.X, max_depth=problem.max_depth)
    assert result.objective == close(min(twin.reachable())[0])


@settings(max_examples=2 * EXAMPLES)
@given(scaled())
def test_label_costs(problem: VectorProblem) -> None:
    result = streed.solve(LabelCosts(problem.costs[:, :, 0]), problem.X, max_depth=problem.max_depth)
    assert result.objective == close(min(problem.reachable())[0])


def largest(problem: VectorProblem, rows: tuple[int, ...], depth: int) -> float:
    """Least cost of the most expensive leaf."""
    best = float(problem.costs[list(rows), :, 0].sum(axis=0).min())
    for feature in range(problem.X.shape[1]) if depth else ():
        sides = [tuple(r for r in rows if problem.X[r, feature] == side) for side in (0, 1)]
        if all(sides):
            best = min(best, max(largest(problem, side, depth - 1) for side in sides))
    return best


@given(scaled())
def test_the_most_expensive_leaf(problem: VectorProblem) -> None:
    task = LabelCosts(problem.costs[:, :, 0], combination="max")
    result = streed.solve(task, problem.X, max_depth=problem.max_depth)
    assert result.objective == close(largest(problem, tuple(range(len(problem.X))), problem.max_depth))


class Sums(StatisticsTask):
    """Label costs as a function of their sums."""

    name = "sums"

    def leaf_costs(self, sums: Any) -> Any:
        return sums.copy()


@given(scaled())
def test_statistics(problem: VectorProblem) -> None:
    task = Sums(problem.costs[:, :, 0], list(range(problem.costs.shape[1])))
    result = streed.solve(task, problem.X, max_depth=problem.max_depth)
    assert result.objective == close(min(problem.reachable())[0])


def same_front(found: Any, expected: Any) -> bool:
    """Whether each point of either front is as good as one of the other one, but for rounding."""
    a, b = np.array(sorted(found)), np.array(sorted(expected))
    covered: Any = (a[:, None, :] <= b[None, :, :] * (1 + 1e-12)).all(axis=2)
    reached: Any = (b[None, :, :] <= a[:, None, :] * (1 + 1e-12)).all(axis=2)
    return bool(covered.any(axis=0).all() and reached.any(axis=1).all())


@settings(max_examples=2 * EXAMPLES)
@given(scaled(2), st.booleans())
def test_fronts(problem: VectorProblem, deep: bool) -> None:
    if deep:  # regions with weights of their own
        problem = VectorProblem(problem.X, problem.costs, problem.branch_cost, 5, 31)
    found = [tuple(value) for value in solve_front(problem)["values"]]
    assert same_front(found, problem.reachable(nondominated))


@given(scaled(2), st.floats(-0.1, 1.1))
def test_limits(problem: VectorProblem, at: float) -> None:
    values = sorted(problem.reachable())
    second = sorted({v[1] for v in values})
    limit = second[min(len(second) - 1, max(0, int(at * len(second))))] + (-math.inf if at < 0 else 0.0)
    limit = second[0] / 2 if at < 0 else limit  # out of reach, or exactly on the value of a tree
    answer = solve_constrained(problem, np.array([-np.inf]), np.array([limit]))
    feasible = [v for v in values if v[1] <= limit]
    assert answer["feasible"] is bool(feasible)
    if feasible:
        assert answer["objective"] == close(min(v[0] for v in feasible))


@given(scaled(2))
def test_mixed_parts(problem: VectorProblem) -> None:
    tables = [np.ascontiguousarray(problem.costs[:, :, j]) for j in (0, 1)]
    answer = _core.mixed(
        problem.X,
        [(table, None, None, False, 0.0, True, -math.inf, math.inf) for table in tables],
        problem.costs.shape[1],
        **{name: value for name, value in problem.options().items() if name != "branch_cost"},
    )
    found = {tree_values(problem, tree) for tree in answer["trees"]}
    assert same_front(found, problem.reachable(nondominated))
