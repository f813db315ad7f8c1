"""Children of nodes with three levels left: records and fused kernels against the slow ways."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streed import _core
from tests.properties import naive
from tests.properties.engine import run, same_tree
from tests.properties.naive import Problem
from tests.properties.problems import EXAMPLES, SEEDS, problems

LEVELS = _core.simd_levels()
SLOW = {"child_records": False, "fused_children": False}

LABEL_WEIGHTS = [(1.0, 1.0), (1.0, 1.0), (2.0, 1.0), (7.0, 31.0), (100.0, 137.0), (1e5, 3.0), (1.0, 2e6)]
"""Counted as copies, by label in 32 bits, and beyond (the weight of a node must stay below 2^29)."""


@st.composite
def two_labels(draw: st.DrawFn) -> Problem:
    """Return rows with a weight per label, deep enough for records, with lanes that fall idle further down.

    Features that are constant in part of the rows are idle in some nodes and not in others.
    """
    rng = np.random.default_rng(draw(SEEDS))
    n_rows = draw(st.sampled_from([20, 65, 130, 300, 700]))
    n_features = draw(st.sampled_from([3, 9, 17, 31, 33, 40]))
    X = (rng.random((n_rows, n_features)) < draw(st.sampled_from([0.5, 0.2, 0.05]))).astype(np.uint8)
    half = X[:, 0] == 1
    for j in range(1, n_features, 3):
        X[half, j] = draw(st.sampled_from([0, 1]))
    y = (X[:, 0] ^ X[:, n_features // 2] ^ (rng.random(n_rows) < 0.3)).astype(np.int32)
    depth = draw(st.sampled_from([3, 4])) if n_features > 9 else draw(st.integers(3, 5))
    branch_cost = draw(st.sampled_from([0.0, 0.0, 0.75]))
    weights = np.array(draw(st.sampled_from(LABEL_WEIGHTS)))
    branch_cost *= float(weights.min())
    return Problem(X, y, weights[y], 2, depth, 2**depth - 1, 1, branch_cost)


@settings(max_examples=EXAMPLES)
@given(two_labels(), st.sampled_from(LEVELS))
def test_fused_kernels_find_the_same_tree(problem: Problem, level: str) -> None:
    expected = run(problem, switches=SLOW, simd=level)
    for switches in ({}, {"fused_children": False}, {"child_records": False}):
        found = run(problem, switches=switches, simd=level)
        assert found["objective"] == expected["objective"]
        assert same_tree(found, expected)


@settings(max_examples=EXAMPLES)
@given(two_labels(), st.integers(1, 3), st.sampled_from([1, 20_000, 100_000, 400_000]))
def test_records_that_are_given_back(problem: Problem, n_threads: int, memory_limit: int) -> None:
    expected = run(problem, switches=SLOW)
    found = run(problem, n_threads=n_threads, memory_limit=memory_limit)
    assert found["objective"] == expected["objective"]
    assert same_tree(found, expected)


@settings(max_examples=EXAMPLES)
@given(problems(max_features=7, max_depth=5), st.integers(1, 3), st.sampled_from([0, 1, 50_000]))
def test_records_of_any_leaf_model(problem: Problem, n_threads: int, memory_limit: int) -> None:
    """Weights, labels, leaf sizes and node budgets: records where they apply, the path table elsewhere."""
    deep = replace(problem, max_depth=max(4, problem.max_depth), max_nodes=2 ** max(4, problem.max_depth) - 1)
    expected = naive.optimum(deep)
    found = run(deep, n_threads=n_threads, memory_limit=memory_limit)
    assert abs(found["objective"] - expected) <= deep.tolerance()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("n_rows", [127, 128, 129, 254, 255, 1100])
@pytest.mark.parametrize("weights", [(1.0, 1.0), (137.0, 100.0)])
def test_bounds_of_the_lane_types(level: str, n_rows: int, weights: tuple[float, float]) -> None:
    """Nodes at the limits of 8-bit sums, of what is counted before bytes are flushed, and of whole chunks."""
    rng = np.random.default_rng(n_rows)
    X = (rng.random((n_rows, 45)) < 0.9).astype(np.uint8)
    X[:, 44] = 1
    X[0, 44] = 0
    for y in (np.zeros(n_rows), X[:, 3] & X[:, 7] & X[:, 11], rng.integers(0, 2, n_rows)):
        labels = y.astype(np.int32)
        problem = Problem(X, labels, np.array(weights)[labels], 2, 4, 15, 1, 0.0)
        expected = run(problem, switches=SLOW, simd=level)
        found = run(problem, simd=level)
        assert found["objective"] == expected["objective"]
        assert same_tree(found, expected)


@pytest.mark.parametrize("n_features", [95, 110])
def test_paths_are_hashed_where_there_are_many_features(n_features: int) -> None:
    """Depth 6 has nodes behind three tests: from 102 features on slot arrays would be too large."""
    rng = np.random.default_rng(3)
    X = (rng.random((24, n_features)) < 0.5).astype(np.uint8)
    problem = Problem(X, rng.integers(0, 2, 24).astype(np.int32), np.ones(24), 2, 6, 63, 1, 0.5)
    expected = run(problem, switches=SLOW)
    for options in ({}, {"n_threads": 2}, {"memory_limit": 2_000_000}):
        found = run(problem, **options)
        assert found["objective"] == expected["objective"]
        assert same_tree(found, expected)


def test_fewer_tables_are_counted() -> None:
    """Records keep bounds as well as values; features in pairs that are nearly the same make them tight."""
    rng = np.random.default_rng(1)
    X = (rng.random((400, 16)) < 0.5).astype(np.uint8)
    for j in range(0, 15, 3):
        X[:, j + 1] = X[:, j] ^ (rng.random(400) < 0.1)
    y = (rng.random(400) < 0.1 + 0.4 * X[:, 0] + 0.3 * X[:, 3]).astype(np.int32)
    problem = Problem(X, y, np.ones(400), 2, 5, 31, 1, 0.0)
    fast, slow = run(problem)["statistics"], run(problem, switches=SLOW)["statistics"]
    assert fast["tables_counted"] < 0.95 * slow["tables_counted"]
    assert fast["depth_two_solves"] > fast["tables_counted"] > fast["nodes"] > 0
