"""The reference solver against enumeration of every tree, and the NumPy twin against the reference solver."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streed import reference
from streed.reference import Components
from streed.testing import brute_force
from tests.properties import naive
from tests.properties.problems import EXAMPLES, problems


def values(solutions: list[reference.Solution]) -> list[Any]:
    return sorted(solution.value for solution in solutions)


@st.composite
def tiny_problems(draw: st.DrawFn) -> naive.Problem:
    """Few enough trees to look at all of them: depth 2 with three features, depth 3 with one."""
    problem = draw(problems(st.integers(1, 10), max_features=3, max_depth=2, max_labels=2))
    return replace(problem, X=problem.X[:, :3], w=np.round(problem.w))


@given(tiny_problems())
def test_single_value_equals_brute_force(problem: naive.Problem) -> None:
    task = naive.components(problem)
    found = reference.solve(task, problem.max_depth, problem.max_nodes)
    expected = brute_force(task, problem.max_depth, problem.max_nodes)
    assert len(found) == len(expected) == 1
    assert found[0].value == pytest.approx(expected[0].value, rel=1e-12, abs=1e-12)
    assert reference.cost(task, found[0].tree) == found[0].value


def pareto(v: tuple[float, ...], w: tuple[float, ...]) -> bool:
    return v != w and all(a <= b for a, b in zip(v, w, strict=True))


def two_objectives(problem: naive.Problem) -> Components[tuple[int, ...], tuple[float, float]]:
    """False positives and false negatives, the front from which the paper takes nonlinear metrics."""
    x, y = problem.X.tolist(), (problem.y % 2).tolist()
    return Components(
        cost_leaf=lambda rows, label: (
            sum(label > y[i] for i in rows),
            sum(label < y[i] for i in rows),
        ),
        cost_branch=lambda rows, feature: (0, 0),
        transition=lambda rows, feature, side: tuple(i for i in rows if x[i][feature] == side),
        better=pareto,
        combine=lambda v, w: (v[0] + w[0], v[1] + w[1]),
        feasible=lambda v, rows: len(rows) >= problem.min_samples_leaf,
        initial_state=tuple(range(len(y))),
        labels=(0, 1),
        features=range(problem.X.shape[1]),
    )


@settings(max_examples=EXAMPLES // 2)
@given(tiny_problems())
def test_front_equals_brute_force(problem: naive.Problem) -> None:
    task = two_objectives(problem)
    found = reference.solve(task, problem.max_depth, problem.max_nodes)
    assert values(found) == values(brute_force(task, problem.max_depth, problem.max_nodes))
    for solution in found:
        assert reference.cost(task, solution.tree) == solution.value


@settings(max_examples=EXAMPLES // 2)
@given(tiny_problems(), st.integers(0, 6))
def test_constraint_on_the_value_equals_brute_force(problem: naive.Problem, limit: int) -> None:
    """At most `limit` false positives, least false negatives: a constraint that can be impossible to meet."""
    task = replace(two_objectives(problem), feasible=lambda v, rows: v[0] <= limit)
    found = reference.solve(task, problem.max_depth, problem.max_nodes)
    assert values(found) == values(brute_force(task, problem.max_depth, problem.max_nodes))


@given(tiny_problems())
def test_costs_that_depend_on_the_path(problem: naive.Problem) -> None:
    """A feature costs 2 per row, and nothing when it was tested above: the state carries the path."""
    x, y = problem.X.tolist(), problem.y.tolist()
    task: Components[tuple[tuple[int, ...], frozenset[int]], float] = Components(
        cost_leaf=lambda state, label: 5 * sum(y[i] != label for i in state[0]),
        cost_branch=lambda state, feature: 0 if feature in state[1] else 2 * len(state[0]),
        transition=lambda state, feature, side: (
            tuple(i for i in state[0] if x[i][feature] == side),
            state[1] | {feature},
        ),
        better=lambda v, w: v < w,
        combine=lambda v, w: v + w,
        feasible=lambda v, state: True,
        initial_state=(tuple(range(len(y))), frozenset()),
        labels=range(problem.n_labels),
        features=range(problem.X.shape[1]),
    )
    assert values(reference.solve(task, problem.max_depth)) == values(brute_force(task, problem.max_depth))


@given(problems(st.integers(1, 12), max_features=4, max_depth=3, max_labels=3))
def test_naive_twin_equals_reference(problem: naive.Problem) -> None:
    task = naive.components(problem)
    (found,) = reference.solve(task, problem.max_depth, problem.max_nodes)
    assert abs(naive.optimum(problem) - found.value) <= problem.tolerance()
    assert (
        abs(naive.score(problem, found.tree, np.arange(len(problem.y))) - found.value) <= problem.tolerance()
    )


@pytest.mark.parametrize("nodes", [2, 3, 4])
def test_depth_three_equals_brute_force(nodes: int) -> None:
    """Parity of two bits takes three nodes; depth three allows more and other shapes."""
    bits = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.uint8)
    parity = np.array([0, 1, 1, 0], dtype=np.int32)
    task = naive.components(naive.Problem(bits, parity, np.ones(4), 2, max_depth=3, max_nodes=nodes))
    assert values(reference.solve(task, 3, nodes)) == values(brute_force(task, 3, nodes)) == [nodes < 3]


def test_nothing_feasible_gives_no_solution() -> None:
    task = naive.components(
        naive.Problem(np.ones((2, 1), np.uint8), np.zeros(2, np.int32), np.ones(2), 1, 1, 1)
    )
    impossible = replace(task, feasible=lambda v, rows: False)
    assert reference.solve(impossible, 1) == brute_force(impossible, 1) == []
