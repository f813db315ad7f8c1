"""The anytime search over thresholds: its bounds are true, its trees are real, its end is the optimum."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streed import _core
from tests.properties.test_thresholds import UNLIMITED, problems, random_problem, same_tree
from tests.properties.thresholds_twin import ThresholdProblem, check, optimum, run

HURRIED = 1.0
"""Work of a first attempt that never proves anything: what comes after it is tested."""


@given(problem=problems())
@settings(max_examples=300)
def test_without_a_limit_it_ends_at_the_optimum(problem: ThresholdProblem) -> None:
    result = run(problem, first_attempt=HURRIED)
    assert result["optimal"]
    assert abs(result["objective"] - optimum(problem)) <= problem.tolerance()


@given(problem=problems(), work=st.floats(1.0, 3e4), threads=st.sampled_from([1, 1, 2]))
@settings(max_examples=400)
def test_wherever_it_is_cut_off_bound_and_tree_hold(
    problem: ThresholdProblem, work: float, threads: int
) -> None:
    result = run(problem, first_attempt=HURRIED, work_limit=work, n_threads=threads)
    best, slack = optimum(problem), problem.tolerance()
    assert result["lower_bound"] <= best + slack
    assert best <= result["objective"] + slack
    assert result["optimal"] == (result["status"] == "optimal")
    check(problem, result)


@pytest.mark.parametrize("seed", range(24))
def test_larger_problems_cut_off_anywhere(seed: int) -> None:
    """Enough rows for several grids, and for thresholds between the quantiles and the windows."""
    rng = np.random.default_rng(seed)
    depth = int(rng.choice([2, 3, 3, 4]))
    n_rows = int(rng.choice([60, 200, 400])) if depth < 4 else 60
    problem = random_problem(rng, n_rows, depth)
    ranks = np.array([rng.permutation(n_rows) for _ in range(3)], dtype=np.int32)
    problem = replace(problem, ranks=np.concatenate([problem.ranks, ranks[: 4 - depth]]))
    changes: list[dict[str, Any]] = [
        {},
        {"branch_cost": 1.5},
        {"min_samples_leaf": 5},
        {"max_nodes": depth + 1},
    ]
    problem = replace(problem, **changes[seed % 4])
    if seed % 5 == 4:
        costs = rng.integers(0, 9, problem.table().shape).astype(np.float64)
        problem = replace(problem, costs=costs, labels=None, weights=None)
    best = run(problem)["objective"]
    last = -1.0
    for work in (1e3, 1e4, 1e5, 3e5, 1e6, 1e7):
        result = run(problem, first_attempt=HURRIED, work_limit=work)
        check(problem, result)
        assert result["lower_bound"] <= best + problem.tolerance()
        assert best <= result["objective"] + problem.tolerance()
        last = result["objective"]
    assert run(problem, first_attempt=HURRIED)["objective"] == pytest.approx(best, abs=problem.tolerance())
    assert last <= 1.2 * best + 2  # the tree is a good one: an empty improvement would not be


@pytest.mark.parametrize("seed", [11, 14, 68, 75, 87])
def test_the_bound_of_two_nodes_holds_for_both_of_their_shapes(seed: int) -> None:
    """The second node lies below either side of the root: the bound is that of the side that costs less."""
    rng = np.random.default_rng(seed)
    ranks = rng.permuted(np.tile(np.arange(40, dtype=np.int32), (3, 1)), axis=1)
    labels = (ranks[0] * 4 // 40 + ranks[1] * 2 // 40 + (rng.random(40) < 0.1)).astype(np.int32) % 3
    weights = rng.integers(1, 100, 40).astype(np.float64)
    problem = ThresholdProblem(ranks, labels, weights, None, 3, 2, 2)
    best = run(problem)["objective"]
    for work in (3e3, 1e4, 2e4, 4e4):
        assert run(problem, first_attempt=HURRIED, work_limit=work)["lower_bound"] <= best


@pytest.mark.parametrize("seed", [26, 32, 38])
@pytest.mark.parametrize("first_attempt", [100.0, 200.0, 300.0])
def test_a_tree_of_two_levels_grows(seed: int, first_attempt: float) -> None:
    """The last tests of the tree that an attempt leaves are open: trees found below take their place."""
    rng = np.random.default_rng(seed)
    ranks = rng.permutation(40).astype(np.int32)[None]
    labels = ((ranks[0] * 5 // 40 + (rng.random(40) < 0.2)) % 2).astype(np.int32)
    problem = ThresholdProblem(ranks, labels, np.ones(40), None, 2, 4, UNLIMITED)
    assert run(problem, first_attempt=first_attempt)["objective"] == run(problem)["objective"]


@pytest.mark.parametrize("seed", range(6))
def test_the_tree_is_the_same_with_any_number_of_threads(seed: int) -> None:
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, 300, 3)
    problem = replace(problem, ranks=rng.integers(-1, 60, (4, 300)).astype(np.int32))
    for options in ({}, {"work_limit": 4e5}):
        alone = run(problem, first_attempt=2e4, **options)
        other = run(problem, first_attempt=2e4, n_threads=3, **options)
        assert same_tree(alone, other)
        assert alone["lower_bound"] == other["lower_bound"]


@pytest.mark.parametrize("level", _core.simd_levels())
def test_instruction_sets_take_the_same_steps(level: str) -> None:
    problem = random_problem(np.random.default_rng(2), 400, 3)
    here = run(problem, first_attempt=HURRIED, work_limit=1e6, simd=level)
    usual = run(problem, first_attempt=HURRIED, work_limit=1e6, simd="baseline")
    assert here["objective"] <= usual["objective"] * 1.2 + 1


def test_a_caller_can_end_it_at_any_moment() -> None:
    rng = np.random.default_rng(0)
    problem = random_problem(rng, 3000, 4)
    problem = replace(problem, ranks=np.array([rng.permutation(3000) for _ in range(6)], dtype=np.int32))
    for moment in (1, 2, 4):
        seen: list[dict[str, float]] = []

        def poll(state: dict[str, float], seen: list[dict[str, float]] = seen, moment: int = moment) -> bool:
            seen.append(state)
            return len(seen) == moment

        result = run(problem, first_attempt=HURRIED, poll=poll)
        assert result["status"] == "interrupted"
        check(problem, result)
