"""Fronts of the native engine against the reference solver and a twin that looks at every vector."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streed import _core, reference
from streed.solver.fronts.points import supported_points
from tests.properties.vectors import (
    VectorProblem,
    nondominated,
    problems,
    solve_front,
    switches_off,
    tree_values,
)


def as_set(values: np.ndarray) -> set[tuple[float, ...]]:
    return {tuple(v) for v in values}


def check(problem: VectorProblem, answer: dict[str, Any], expected: set[tuple[float, ...]]) -> None:
    assert answer["complete"]
    assert answer["status"] == "optimal"
    assert as_set(answer["values"]) == expected
    assert len(answer["values"]) == len(expected) == len(answer["trees"])
    assert [tuple(v) for v in answer["values"]] == sorted(expected)
    for value, tree in zip(answer["values"], answer["trees"], strict=True):
        assert tree_values(problem, tree) == tuple(value)


def check_supports(answer: dict[str, Any], reachable: set[tuple[float, ...]]) -> None:
    for *weights, bound in answer["supports"]:
        assert min(np.array(sorted(reachable)) @ np.array(weights)) >= bound - 1e-9 * abs(bound)


@given(problems(labels=3))
@settings(max_examples=50)
def test_twin_agrees_with_the_reference_solver(problem: VectorProblem) -> None:
    small = VectorProblem(
        problem.X[:8], problem.costs[:8], problem.branch_cost, min(problem.max_depth, 2), problem.max_nodes
    )
    solutions = reference.solve(small.components(), small.max_depth, small.max_nodes)
    assert {s.value for s in solutions} == small.reachable(nondominated)
    assert nondominated(small.reachable()) == small.reachable(nondominated)


@given(problems(), st.sampled_from(switches_off()), st.sampled_from(_core.simd_levels()))
def test_front(problem: VectorProblem, switches: dict[str, bool], simd: str) -> None:
    answer = solve_front(problem, switches=switches, simd=simd)
    expected = problem.reachable(nondominated)
    check(problem, answer, expected)
    check_supports(answer, expected)
    smaller = replace(problem, max_depth=max(0, problem.max_depth - 1), memo={})
    every = sorted(expected | smaller.reachable(nondominated))
    supported = supported_points(np.array(every), answer["supports"], problem.costs.shape[2])
    assert {value for value, flag in zip(every, supported, strict=True) if flag} <= expected


@given(problems((2, 2)))
def test_deep_fronts_by_regions(problem: VectorProblem) -> None:
    deep = VectorProblem(
        problem.X[:, :3].copy(), problem.costs, problem.branch_cost, 5, 31, problem.min_samples_leaf
    )
    answer = solve_front(deep)
    assert answer["statistics"]["scalar_searches"] > 0
    expected = deep.reachable(nondominated)
    check(deep, answer, expected)
    check_supports(answer, expected)


@given(problems(), st.lists(st.floats(-0.5, 1.5), min_size=3, max_size=3))
def test_upper_limits(problem: VectorProblem, at: list[float]) -> None:
    expected = problem.reachable(nondominated)
    table = np.array(sorted(expected))
    low, high = table.min(axis=0), table.max(axis=0)
    upper = np.floor(4 * (low + np.array(at[: table.shape[1]]) * (high - low))) / 4
    wanted = {v for v in expected if all(a <= b for a, b in zip(v, upper, strict=True))}
    check(problem, solve_front(problem, upper=upper), wanted)


@given(
    problems(),
    st.lists(st.sampled_from([0.0, 1.0, 2.0, 0.5, 7.0]), min_size=3, max_size=3),
    st.integers(-2, 10),
)
def test_budget(problem: VectorProblem, weights: list[float], tenths: int) -> None:
    expected = problem.reachable(nondominated)
    w = np.array(weights[: problem.costs.shape[2]])
    costs = sorted(float(np.array(v) @ w) for v in expected)
    budget = costs[0] + tenths / 10 * (costs[-1] - costs[0])
    if 0 < tenths < 5:
        budget = costs[len(costs) // 2]
    answer = solve_front(problem, weights=w, budget=budget)
    check(problem, answer, {v for v in expected if float(np.array(v) @ w) <= budget})
    check_supports(answer, expected)


@given(problems(labels=2), st.integers(2, 3))
@settings(max_examples=30)
def test_threads_do_not_change_the_front(problem: VectorProblem, n_threads: int) -> None:
    one, more = solve_front(problem), solve_front(problem, n_threads=n_threads)
    assert np.array_equal(one["values"], more["values"])


@given(problems(labels=2))
@settings(max_examples=30)
def test_little_memory_does_not_change_the_front(problem: VectorProblem) -> None:
    assert np.array_equal(solve_front(problem)["values"], solve_front(problem, memory_limit=1)["values"])


@pytest.mark.parametrize("labels", [2, 3])
def test_a_time_limit_leaves_a_part_of_the_front(labels: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(3000, 60)).astype(np.uint8)
    y = rng.integers(labels, size=3000)
    costs = np.zeros((3000, labels, 2))
    costs[:, :, 0] = (y[:, None] != np.arange(labels)) & (y == 0)[:, None]
    costs[:, :, 1] = (y[:, None] != np.arange(labels)) & (y != 0)[:, None]
    problem = VectorProblem(X, costs, np.zeros(2), 5, 31)
    answer = solve_front(problem, time_limit=0.3)
    assert answer["status"] == "time_limit"
    assert not answer["complete"]
    assert answer["seconds"] < 5
    assert as_set(answer["values"]) == nondominated(as_set(answer["values"]))
    for value, tree in zip(answer["values"], answer["trees"], strict=True):
        assert tree_values(problem, tree) == tuple(value)


@pytest.mark.parametrize(("max_depth", "max_nodes"), [(3, 7), (4, 15), (4, 9)])
@pytest.mark.parametrize("costs", ["mistakes", "weights", "signs"])
def test_splits_in_tables_and_splits_in_lists_give_the_same_front(
    max_depth: int, max_nodes: int, costs: str
) -> None:
    rng = np.random.default_rng(max_nodes)
    n, n_features = 90, 9
    X = (rng.random((n, n_features)) < rng.uniform(0.2, 0.8, n_features)).astype(np.uint8)
    y = rng.integers(2, size=n)
    two = np.zeros((n, 2, 2))
    two[y == 0, 1, 0] = two[y == 1, 0, 1] = 1
    if costs == "weights":
        two *= rng.integers(1, 4, size=(n, 1, 1))
    if costs == "signs":
        two[:, 1] += rng.integers(-2, 3, size=(n, 2))
    more = np.concatenate([two, np.zeros((n, 2, 1))], axis=2)  # a third component goes the general way
    problem = VectorProblem(X, two, np.zeros(2), max_depth, max_nodes)
    general = solve_front(VectorProblem(X, more, np.zeros(3), max_depth, max_nodes))
    check(problem, solve_front(problem), as_set(general["values"][:, :2]))


def test_a_memory_limit_leaves_a_part_of_the_front() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(200, 30)).astype(np.uint8)
    problem = VectorProblem(X, rng.integers(1000, size=(200, 2, 6)).astype(float), np.zeros(6), 3, 7)
    limit = 3_000_000
    answer = solve_front(problem, memory_limit=limit)
    assert (answer["status"], answer["complete"]) == ("memory_limit", False)
    assert limit / 2 < answer["statistics"]["peak_memory"] <= 1.1 * limit
    values = answer["values"]
    assert len(values) > 100
    assert all((values <= value).all(axis=1).sum() == 1 for value in values)
    for value, tree in list(zip(values, answer["trees"], strict=True))[::50]:
        assert tree_values(problem, tree) == tuple(value)


def test_poll_ends_the_search_and_sees_progress() -> None:
    rng = np.random.default_rng(1)
    X = rng.integers(2, size=(2000, 60)).astype(np.uint8)
    costs = rng.integers(3, size=(2000, 2, 2)).astype(float)
    calls: list[dict[str, float]] = []

    def poll(state: dict[str, float]) -> bool:
        calls.append(state)
        return len(calls) > 1

    answer = solve_front(VectorProblem(X, costs, np.zeros(2), 5, 31), poll=poll)
    assert answer["status"] == "interrupted"
    assert len(calls) == 2
    assert calls[0]["elapsed"] <= calls[1]["elapsed"]


def test_an_error_in_poll_is_raised() -> None:
    def poll(state: dict[str, float]) -> bool:
        raise RuntimeError("stop here")

    X = np.random.default_rng(1).integers(2, size=(2000, 60)).astype(np.uint8)
    with pytest.raises(RuntimeError, match="stop here"):
        solve_front(VectorProblem(X, np.ones((2000, 2, 2)), np.zeros(2), 4, 15), poll=poll)
