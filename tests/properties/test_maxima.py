"""Trees that cost what their most expensive leaf does: the native engine against a slow twin."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streed import _core
from tests.properties.naive import Problem
from tests.properties.problems import EXAMPLES, SEEDS, problems
from tests.properties.test_leaf_models import (
    FUNCTIONS,
    LEVELS,
    SWITCHES,
    Rows,
    cost_tables,
    limits,
)

SMALL = problems(st.integers(1, 60), max_features=5, max_depth=4).map(lambda p: replace(p, branch_cost=0.0))
Leaf = Callable[..., float]


def least_maximum(problem: Problem, leaf: Leaf) -> float:
    """Least cost of the most expensive leaf: the paper's recursion with ⊕ = max."""
    memory: dict[Any, float] = {}

    def best(rows: Rows, depth: int, nodes: int) -> float:
        depth = min(depth, nodes)
        nodes = min(nodes, 2**depth - 1)
        key = (rows.tobytes(), depth, nodes)
        if key in memory:
            return memory[key]
        value = leaf(rows)
        for feature in range(problem.X.shape[1]) if depth else ():
            has = problem.X[rows, feature] == 1
            left, right = rows[~has], rows[has]
            if min(left.size, right.size) < problem.min_samples_leaf:
                continue
            for n in range(nodes):
                value = min(value, max(best(left, depth - 1, n), best(right, depth - 1, nodes - 1 - n)))
        memory[key] = value
        return value

    return best(np.arange(len(problem.y)), problem.max_depth, problem.max_nodes)


def check(problem: Problem, answer: dict[str, Any], leaf: Leaf) -> None:
    """The optimum, a tree that has it within the limits, and no split that it could do without."""
    expected = least_maximum(problem, leaf)
    tolerance = 1e-7 * (1 + abs(expected) + answer["magnitude"])
    assert answer["optimal"]
    assert answer["objective"] == pytest.approx(expected, abs=tolerance)
    assert answer["lower_bound"] == answer["objective"]
    feature, left, right = answer["feature"], answer["left"], answer["right"]
    assert (feature >= 0).sum() <= problem.max_nodes

    def walk(node: int, rows: Rows, depth: int) -> float:
        assert depth <= problem.max_depth
        f = int(feature[node])
        if f < 0:
            assert rows.size >= problem.min_samples_leaf
            return leaf(rows, int(answer["label"][node]))
        assert leaf(rows) > expected - tolerance, "a leaf in the place of this split would do"
        has = problem.X[rows, f] == 1
        return max(walk(int(left[node]), rows[~has], depth + 1), walk(int(right[node]), rows[has], depth + 1))

    assert walk(0, np.arange(len(problem.y)), 0) == pytest.approx(expected, abs=tolerance)


@settings(max_examples=2 * EXAMPLES)
@given(SMALL, st.data(), SWITCHES, LEVELS, st.integers(1, 2))
def test_label_costs(problem: Problem, data: st.DataObject, switches: Any, simd: str, threads: int) -> None:
    costs = data.draw(cost_tables(len(problem.y)))
    answer = _core.solve_costs(
        problem.X,
        costs,
        **limits(problem),
        n_threads=threads,
        switches=switches,
        simd=simd,
        combination="max",
    )

    def leaf(rows: Rows, label: int | None = None) -> float:
        sums = costs[rows].sum(axis=0)
        return float(sums.min() if label is None else sums[label])

    check(problem, answer, leaf)


@settings(max_examples=2 * EXAMPLES)
@given(SMALL, SWITCHES, LEVELS, st.integers(1, 2))
def test_class_errors(problem: Problem, switches: Any, simd: str, threads: int) -> None:
    answer = _core.solve(
        problem.X,
        problem.y,
        problem.w,
        problem.n_labels,
        **limits(problem),
        n_threads=threads,
        switches=switches,
        simd=simd,
        combination="max",
    )
    table = np.where(problem.y[:, None] == np.arange(problem.n_labels), 0.0, problem.w[:, None])

    def leaf(rows: Rows, label: int | None = None) -> float:
        sums = table[rows].sum(axis=0)
        return float(sums.min() if label is None else sums[label])

    check(problem, answer, leaf)


@settings(max_examples=2 * EXAMPLES)
@given(SMALL, st.sampled_from(list(FUNCTIONS)), st.data(), SWITCHES, LEVELS, st.integers(1, 2))
def test_leaf_functions(
    problem: Problem, name: str, data: st.DataObject, switches: Any, simd: str, threads: int
) -> None:
    function, n_labels = FUNCTIONS[name]
    n = len(problem.y)
    rng = np.random.default_rng(data.draw(SEEDS))
    value = rng.integers(0, 3, n) if data.draw(st.booleans()) else np.round(rng.normal(size=n), 2)
    if name == "entropy":
        value = rng.integers(0, 2, n)
    statistics = np.column_stack([np.ones(n), value, value**2]).astype(float)
    if name == "impurity":
        statistics = np.eye(4)[rng.integers(data.draw(st.sampled_from([2, 4])), size=n)]
    offset = np.zeros(n)
    if name == "shifted":
        offset = np.round(rng.normal(size=n) + data.draw(st.sampled_from([0, 3])), 1)
        statistics = np.column_stack([statistics, offset])
    squared = name in ("squared error", "shifted")
    bounds = data.draw(st.sampled_from(["none", "least", "both", "rough"])) if squared else "none"
    worst = offset + float(np.ptp(value)) ** 2 + (rng.integers(0, 3, size=n) if bounds == "rough" else 0)
    answer = _core.solve_function(
        problem.X,
        statistics,
        function,
        n_labels,
        least_row=None if bounds == "none" else offset,
        worst_row=worst if bounds in ("both", "rough") else None,
        **limits(problem),
        n_threads=threads,
        switches=switches,
        simd=simd,
        combination="max",
    )

    def leaf(rows: Rows, label: int | None = None) -> float:
        costs = np.reshape(function(statistics[rows].sum(axis=0)[:, None]), n_labels)
        return float(costs.min() if label is None else costs[label])

    check(problem, answer, leaf)


def test_branching_costs_and_prices_are_refused() -> None:
    X, costs = np.array([[0], [1]], np.uint8), np.eye(2)
    options: dict[str, Any] = {
        "max_depth": 1,
        "max_nodes": 1,
        "min_samples_leaf": 1,
        "time_limit": 1.0,
        "memory_limit": 0,
    }
    with pytest.raises(ValueError, match="branching must cost nothing"):
        _core.solve_costs(X, costs, **options, n_threads=1, branch_cost=1.0, combination="max")
    zero, one = np.zeros(1, np.int32), np.ones(1)
    with pytest.raises(ValueError, match="branching must cost nothing"):
        _core.solve_costs(
            X,
            costs,
            **options,
            n_threads=1,
            branch_cost=0.0,
            combination="max",
            prices=(zero, zero, one, one),
        )
    with pytest.raises(ValueError, match="combination must be 'sum' or 'max', got 'min'"):
        _core.solve_costs(X, costs, **options, n_threads=1, branch_cost=0.0, combination="min")
