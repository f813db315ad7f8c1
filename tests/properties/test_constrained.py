"""Constrained trees of the native engine against a twin that looks at every vector."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streed import _core
from tests.properties.vectors import (
    Values,
    VectorProblem,
    problems,
    solve_constrained,
    switches_off,
    tree_values,
)


def violation(v: Values, lower: np.ndarray, upper: np.ndarray) -> Fraction:
    total = Fraction(0)
    for x, low, high in zip(v[1:], lower, upper, strict=True):
        if math.isfinite(low):
            total += max(Fraction(0), Fraction(low) - Fraction(x))
        if math.isfinite(high):
            total += max(Fraction(0), Fraction(x) - Fraction(high))
    return total


def check(problem: VectorProblem, lower: np.ndarray, upper: np.ndarray, answer: dict[str, Any]) -> None:
    """Feasibility, the optimum and the least violation, all from the set of reachable values."""
    reachable = problem.reachable()
    broken = {v: violation(v, lower, upper) for v in reachable}
    feasible = [v for v in reachable if broken[v] == 0]
    assert answer["status"] == "optimal"
    assert answer["feasible"] is bool(feasible)
    if not feasible:
        assert "feature" not in answer
        assert not answer["optimal"]
        least = violation((0.0, *answer["closest"]), lower, upper)
        assert float(least) == pytest.approx(float(min(broken.values())), rel=1e-9)
        return
    assert answer["optimal"]
    assert answer["objective"] == answer["values"][0] == answer["lower_bound"] == min(v[0] for v in feasible)
    assert tree_values(problem, answer) == tuple(answer["values"])
    assert violation(tuple(answer["values"]), lower, upper) == 0


@st.composite
def limited(
    draw: st.DrawFn, components: tuple[int, int] = (2, 3), labels: int = 2
) -> tuple[VectorProblem, np.ndarray, np.ndarray]:
    """Limits of zero, tiny, on a reachable value, loose, one-sided, or out of reach."""
    problem = draw(problems(components, labels))
    table = np.array(sorted(problem.reachable()))
    lower, upper = np.full(table.shape[1] - 1, -np.inf), np.full(table.shape[1] - 1, np.inf)
    for j in range(len(lower)):
        column = table[:, j + 1]
        kind = draw(
            st.sampled_from(["window", "zero", "at most", "at least", "exactly", "out of reach", "none"])
        )
        value = column[draw(st.integers(0, len(column) - 1))]
        width = draw(st.sampled_from([0.0, 0.25, 1.0, 3.0, 10.0, np.ptp(column)]))
        if kind == "window":
            lower[j], upper[j] = -width, width
        elif kind == "zero":
            lower[j] = upper[j] = 0
        elif kind == "at most":
            upper[j] = value - draw(st.sampled_from([0, 0, 0.25]))
        elif kind == "at least":
            lower[j] = value + draw(st.sampled_from([0, 0, 0.25]))
        elif kind == "exactly":
            lower[j], upper[j] = value, value + draw(st.sampled_from([0, width]))
        elif kind == "out of reach":
            side = draw(st.booleans())
            lower[j], upper[j] = (column.max() + 1, np.inf) if side else (-np.inf, column.min() - 0.5)
    return problem, lower, upper


@given(limited((2, 2)), st.sampled_from(switches_off()), st.sampled_from(_core.simd_levels()))
@settings(max_examples=300)
def test_one_constraint(
    case: tuple[VectorProblem, np.ndarray, np.ndarray], switches: dict[str, bool], simd: str
) -> None:
    check(*case, solve_constrained(*case, switches=switches, simd=simd))


@given(limited((3, 4)))
def test_several_constraints(case: tuple[VectorProblem, np.ndarray, np.ndarray]) -> None:
    check(*case, solve_constrained(*case))


@given(limited((2, 3), labels=3))
def test_several_labels(case: tuple[VectorProblem, np.ndarray, np.ndarray]) -> None:
    check(*case, solve_constrained(*case))


@given(limited((1, 1), labels=3))
@settings(max_examples=50)
def test_no_constraint_at_all(case: tuple[VectorProblem, np.ndarray, np.ndarray]) -> None:
    check(*case, solve_constrained(*case))


@given(limited(), st.integers(2, 3))
@settings(max_examples=30)
def test_threads(case: tuple[VectorProblem, np.ndarray, np.ndarray], n_threads: int) -> None:
    check(*case, solve_constrained(*case, n_threads=n_threads))


@given(limited(), st.data())
@settings(max_examples=150)
def test_what_was_known_before_changes_nothing(
    case: tuple[VectorProblem, np.ndarray, np.ndarray], data: st.DataObject
) -> None:
    """Trees and multipliers of a search for another objective, and trees that are too large or not known."""
    problem, lower, upper = case
    other = problem.costs.copy()
    other[:, :, 0] = other[:, ::-1, 0] * data.draw(st.sampled_from([0.0, 1.0, 3.0]))
    deeper = replace(problem, costs=other, max_depth=3, max_nodes=7, min_samples_leaf=1, memo={})
    size = data.draw(st.sampled_from([problem, deeper]))
    before = solve_constrained(replace(size, costs=other, memo={}), lower, upper)
    known = before["known"]
    if data.draw(st.booleans()):
        known = [known[k] for k in range(len(known))] + [before] * ("feature" in before)
    multipliers = data.draw(st.sampled_from([None, before["multipliers"], before["multipliers"] * -7.0]))
    check(problem, lower, upper, solve_constrained(*case, known=known, multipliers=multipliers))


@given(limited(), st.sampled_from([-2.0, -0.25, 0.0, 0.25, 1.0, 5.0]))
@settings(max_examples=150)
def test_nothing_at_the_cutoff_need_be_found(
    case: tuple[VectorProblem, np.ndarray, np.ndarray], step: float
) -> None:
    problem, lower, upper = case
    whole = solve_constrained(*case)
    cutoff = (whole["objective"] if whole["feasible"] else 0.0) + step
    answer = solve_constrained(*case, cutoff=cutoff)
    assert answer["status"] == "optimal"
    if whole["feasible"] and whole["objective"] < cutoff:
        check(problem, lower, upper, answer)
    else:
        assert answer["lower_bound"] >= cutoff
        assert answer["feasible"] is not True or whole["feasible"]
        if "feature" in answer:
            assert tree_values(problem, answer) == tuple(answer["values"])
            assert answer["objective"] >= answer["lower_bound"]


def test_known_trees_are_checked() -> None:
    problem = hard_problem()
    one = {name: np.array([-1], np.int32) for name in ("feature", "left", "right", "label")}
    for name, value, words in (
        ("feature", 40, "features of known trees"),
        ("feature", -2, "features of known trees"),
    ):
        bad = {**one, name: np.array([value], np.int32)}
        with pytest.raises(ValueError, match=words):
            solve_constrained(problem, np.zeros(1), np.zeros(1), known=[bad])
    bad = {**one, "feature": np.array([0], np.int32)}
    with pytest.raises(ValueError, match="after their parents"):
        solve_constrained(problem, np.zeros(1), np.zeros(1), known=[bad])
    with pytest.raises(ValueError, match="one entry per node"):
        solve_constrained(problem, np.zeros(1), np.zeros(1), known=[{**one, "left": np.zeros(2, np.int32)}])
    with pytest.raises(ValueError, match="cutoff"):
        solve_constrained(problem, np.zeros(1), np.zeros(1), cutoff=math.nan)
    with pytest.raises(ValueError, match="multipliers"):
        solve_constrained(problem, np.zeros(1), np.zeros(1), multipliers=np.zeros(3))


@given(limited())
@settings(max_examples=30)
def test_little_memory(case: tuple[VectorProblem, np.ndarray, np.ndarray]) -> None:
    check(*case, solve_constrained(*case, memory_limit=1))


def hard_problem() -> VectorProblem:
    rng = np.random.default_rng(0)
    n = 3000
    X = rng.integers(2, size=(n, 40)).astype(np.uint8)
    group = rng.integers(2, size=n)
    y = rng.integers(2, size=n)
    costs = np.zeros((n, 2, 2))
    costs[:, 0, 0], costs[:, 1, 0] = y == 1, y == 0
    costs[:, 1, 1] = np.where(group == 1, np.sum(group == 0), -np.sum(group == 1))
    return VectorProblem(X, costs, np.zeros(2), 5, 31)


def test_a_time_limit_leaves_a_tree_and_a_bound() -> None:
    problem = hard_problem()
    answer = solve_constrained(problem, np.zeros(1), np.zeros(1), time_limit=0.5)
    assert answer["status"] == "time_limit"
    assert answer["feasible"] is True
    assert not answer["optimal"]
    assert answer["seconds"] < 5
    assert answer["lower_bound"] <= answer["objective"]
    assert tree_values(problem, answer) == tuple(answer["values"])
    assert answer["values"][1] == 0


def test_equal_rows_are_a_bound_when_there_was_no_time_at_all() -> None:
    problem = hard_problem()
    few = VectorProblem(problem.X[:, :6].copy(), problem.costs, np.zeros(2), 5, 31)
    answer = solve_constrained(few, np.full(1, -1e5), np.full(1, 1e5), time_limit=1e-9)
    same = few.X @ (1 << np.arange(6))
    errors = [np.bincount(same, weights=problem.costs[:, label, 0], minlength=64) for label in (0, 1)]
    assert answer["status"] == "time_limit"
    assert answer["lower_bound"] == np.minimum(*errors).sum() > 0
    assert answer["lower_bound"] < answer["objective"]


def test_a_memory_limit_leaves_a_tree_and_a_bound() -> None:
    rng = np.random.default_rng(0)
    n, limit = 300, 3_000_000
    y = rng.integers(2, size=n)
    costs = np.zeros((n, 2, 4))
    costs[:, 0, 0], costs[:, 1, 0] = y == 1, y == 0
    costs[:, 1, 1:] = rng.integers(-50, 51, size=(n, 3))
    problem = VectorProblem(rng.integers(2, size=(n, 30)).astype(np.uint8), costs, np.zeros(4), 4, 15)
    most = np.full(3, 5.0)
    whole = solve_constrained(problem, -most, most)
    answer = solve_constrained(problem, -most, most, memory_limit=limit)
    assert whole["optimal"]
    assert whole["statistics"]["peak_memory"] > limit
    assert (answer["status"], answer["optimal"], answer["feasible"]) == ("memory_limit", False, True)
    assert answer["statistics"]["peak_memory"] <= 1.1 * limit
    assert 0 < answer["lower_bound"] <= whole["objective"] <= answer["objective"]
    assert tree_values(problem, answer) == tuple(answer["values"])
    assert np.abs(answer["values"][1:]).max() <= 5


def test_an_undecided_question_says_so() -> None:
    problem = hard_problem()
    even = problem.costs * 2  # no sum is one, but that is hard to know
    answer = solve_constrained(
        VectorProblem(problem.X, even, np.zeros(2), 5, 31), np.ones(1), np.ones(1), time_limit=0.2
    )
    assert answer["status"] == "time_limit"
    assert answer["feasible"] is None
    assert not answer["optimal"]
    assert "feature" not in answer


def test_an_exact_boundary_is_feasible_with_tenths() -> None:
    X = np.array([[0], [0], [0], [1]], np.uint8)
    costs = np.zeros((4, 2, 2))
    costs[:, 0, 0] = 1.0
    costs[:, 1, 1] = 0.1
    problem = VectorProblem(X, costs, np.zeros(2), 1, 1)
    answer = solve_constrained(problem, np.array([-np.inf]), np.array([0.1 + 0.1 + 0.1]))
    assert answer["objective"] == 1.0
