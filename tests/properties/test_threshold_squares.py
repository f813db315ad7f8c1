"""Squared errors over all thresholds: the search equals brute force, whatever the columns and limits are."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streed import _core
from tests.properties.test_thresholds import UNLIMITED, columns
from tests.properties.thresholds_twin import check_tree, least_cost

TOLERANCE = 1e-9
"""Of the loss of one leaf: ticks are 2^-36 of it, and there are at most sixteen leaves."""


@dataclass(frozen=True)
class SquaresProblem:
    """What the engine is asked. Ranks have a row per column, -1 is missing."""

    ranks: np.ndarray
    targets: np.ndarray
    weights: np.ndarray
    max_depth: int
    max_nodes: int
    min_samples_leaf: int = 1
    branch_cost: float = 0.0

    def loss(self, rows: np.ndarray) -> float:
        """The squared error of a leaf about its mean."""
        own, w = self.targets[rows], self.weights[rows]
        return float((w * (own - (w @ own) / w.sum()) ** 2).sum())

    def tolerance(self) -> float:
        rounding = (1e-14 * float(np.abs(self.targets).max())) ** 2 * float(self.weights.sum())  # of the twin
        return TOLERANCE * (self.loss(np.arange(self.targets.size)) + self.branch_cost) + rounding

    def statistics(self) -> np.ndarray:
        w = self.weights
        away = self.targets - (self.targets.min() / 2 + self.targets.max() / 2)
        z = away - w @ away / w.sum()
        return np.ascontiguousarray(np.column_stack([w, w * z, w * z * z]))


def optimum(problem: SquaresProblem) -> float:
    """The least cost of a tree, from the rows themselves."""
    return least_cost(problem, problem.loss)


def run(problem: SquaresProblem, **options: Any) -> dict[str, Any]:
    """Solve to the end, and hold the tree against its objective and all limits."""
    limits: dict[str, Any] = {"time_limit": math.inf, "memory_limit": 0, "n_threads": 1}
    result = _core.solve_threshold_numbers(
        problem.ranks,
        "squares",
        problem.statistics(),
        1,
        max_depth=problem.max_depth,
        max_nodes=problem.max_nodes,
        min_samples_leaf=problem.min_samples_leaf,
        branch_cost=problem.branch_cost,
        **{**limits, **options},
    )
    check_tree(problem, result, lambda rows, _: problem.loss(rows))
    return result


@st.composite
def problems(draw: st.DrawFn, most_rows: int = 11) -> SquaresProblem:
    n_rows = draw(st.integers(1, most_rows))
    ranks = draw(columns(n_rows))
    target = draw(
        st.sampled_from(
            [
                st.integers(-3, 3).map(float),
                st.floats(-1, 1, allow_subnormal=False),
                st.sampled_from([1e6, 1e6 + 1, 1e6 + 3]),
                st.sampled_from([0.0, 1e-7, -3e-7]),
                st.sampled_from([0.0, 1.0, 1e5]),
            ]
        )
    )
    weight = draw(st.sampled_from([st.just(1.0), st.integers(1, 9).map(float), st.floats(0.01, 50.0)]))
    targets = np.array(draw(st.lists(target, min_size=n_rows, max_size=n_rows)))
    weights = np.array(draw(st.lists(weight, min_size=n_rows, max_size=n_rows)))
    depth = draw(st.integers(0, 4))
    nodes = draw(st.sampled_from([UNLIMITED, UNLIMITED, 0, 1, 2, 3, 4, 5]))
    leaf = draw(st.sampled_from([1, 1, 2, 3]))
    problem = SquaresProblem(ranks, targets, weights, depth, nodes, leaf)
    share = draw(st.sampled_from([0.0, 0.0, 0.01, 0.1, 0.4]))
    return replace(problem, branch_cost=share * problem.loss(np.arange(n_rows)))


@given(problem=problems())
@settings(max_examples=600)
def test_it_equals_brute_force(problem: SquaresProblem) -> None:
    result = run(problem)
    assert result["optimal"]
    assert abs(result["objective"] - optimum(problem)) <= problem.tolerance()


@given(problem=problems(), data=st.data())
def test_no_switch_changes_the_optimum(problem: SquaresProblem, data: st.DataObject) -> None:
    best = run(problem)["objective"]
    switch = data.draw(st.sampled_from(["cache", "lookahead_order", "drop_features", "narrow_lanes"]))
    level = data.draw(st.sampled_from(_core.simd_levels()))
    other = run(problem, switches={switch: False}, simd=level)
    assert abs(other["objective"] - best) <= problem.tolerance()


def random_problem(seed: int, n_rows: int, n_columns: int, depth: int) -> SquaresProblem:
    draw = np.random.default_rng(seed)
    ranks = draw.integers(0, draw.integers(3, 2 * n_rows, n_columns)[:, None], (n_columns, n_rows))
    signal = (ranks[0] > ranks[0].mean()) * 2.0 + (ranks[1] > ranks[1].mean()) * 1.0
    targets = signal + draw.normal(size=n_rows)
    return SquaresProblem(ranks.astype(np.int32), targets, np.ones(n_rows), depth, UNLIMITED)


@pytest.mark.parametrize("seed", range(8))
def test_instruction_sets_and_threads_find_the_same_tree(seed: int) -> None:
    problem = random_problem(seed, 90, 4, 2 + seed % 3)
    problem = replace(problem, min_samples_leaf=1 + 4 * (seed % 2))
    first = run(problem)
    for level in _core.simd_levels():
        for n_threads in (1, 3):
            other = run(problem, simd=level, n_threads=n_threads)
            for name in ("feature", "left", "right", "column", "rank"):
                assert np.array_equal(first[name], other[name])


@pytest.mark.parametrize("seed", range(4))
def test_it_equals_the_search_over_all_cuts_as_binary_features(seed: int) -> None:
    problem = random_problem(seed, 60, 3, 3)
    bits = []
    for column in problem.ranks:
        bits += [column <= cut for cut in np.unique(column)[:-1]]
    statistics = problem.statistics()
    binary = _core.solve_function(
        np.ascontiguousarray(np.column_stack(bits), np.uint8),
        statistics,
        "squares",
        1,
        max_depth=3,
        max_nodes=UNLIMITED,
        min_samples_leaf=1,
        branch_cost=0.0,
        time_limit=math.inf,
        memory_limit=0,
        n_threads=1,
    )
    assert abs(run(problem)["objective"] - binary["objective"]) <= problem.tolerance()


def test_many_rows() -> None:
    """More than 32,767 rows: entries of orders have 64 bits at the root and 32 below."""
    draw = np.random.default_rng(1)
    n_rows = 40_000
    ranks = np.vstack([draw.permutation(n_rows), draw.integers(0, 50, n_rows)]).astype(np.int32)
    targets = np.where(ranks[0] < 30_000, np.where(ranks[1] < 20, 1.0, 3.0), -2.0)
    problem = SquaresProblem(ranks, targets, np.ones(n_rows), 2, UNLIMITED)
    assert run(problem)["objective"] <= problem.tolerance()


@pytest.mark.parametrize(
    ("statistics", "message"),
    [
        (np.ones((3, 3)), "shape"),
        (np.ones((2, 2)), "shape"),
        (np.array([[1.0, 0, 0], [0.0, 0, 0]]), "positive"),
        (np.array([[1.0, np.nan, 0], [1.0, 0, 0]]), "finite"),
    ],
)
def test_bad_statistics_are_refused(statistics: np.ndarray, message: str) -> None:
    options: dict[str, Any] = {"max_depth": 1, "max_nodes": 1, "min_samples_leaf": 1, "branch_cost": 0.0}
    with pytest.raises(ValueError, match=message):
        _core.solve_threshold_numbers(
            np.zeros((1, 2), np.int32),
            "squares",
            statistics,
            1,
            **options,
            time_limit=1.0,
            memory_limit=0,
            n_threads=1,
        )


def test_row_models_are_known_by_name() -> None:
    rng = np.random.default_rng(0)
    ranks, costs = rng.integers(6, size=(3, 50)).astype(np.int32), rng.random((50, 3))
    options: dict[str, Any] = {"max_depth": 2, "max_nodes": 3, "min_samples_leaf": 1, "branch_cost": 0.0}
    options |= {"time_limit": math.inf, "memory_limit": 0, "n_threads": 1}
    named = _core.solve_threshold_numbers(ranks, "costs", costs, 3, **options)
    given_costs = _core.solve_thresholds(ranks, None, None, costs, 3, **options)
    assert named["objective"] == given_costs["objective"]
    assert (named["column"] == given_costs["column"]).all()
    with pytest.raises(ValueError, match="must be one of 'costs', 'squares', got 'cubes'"):
        _core.solve_threshold_numbers(ranks, "cubes", costs, 3, **options)


@given(problem=problems(), work=st.floats(1.0, 3e5))
@settings(max_examples=300)
def test_an_anytime_search_has_true_bounds_and_real_trees(problem: SquaresProblem, work: float) -> None:
    best, slack = optimum(problem), problem.tolerance()
    cut_off = run(problem, first_attempt=1.0, work_limit=work)
    assert cut_off["lower_bound"] <= best + slack
    assert best <= cut_off["objective"] + slack
    ended = run(problem, first_attempt=1.0)
    assert ended["optimal"]
    assert abs(ended["objective"] - best) <= slack
