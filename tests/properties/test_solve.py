"""`streed.solve` in natural units against the naive twin and the reference solver, for every task."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import streed
from streed import reference
from streed.tasks import Accuracy, BalancedAccuracy
from tests.properties import naive
from tests.properties.naive import Problem
from tests.properties.problems import problems

SMALL = problems(st.integers(1, 12), max_features=4, max_depth=3, max_labels=3)
COSTS = st.sampled_from([0.0, 0.01, 0.1])
NAMES = np.array(["ash", "beech", "cedar", "elm", "fir", "hazel"])


def solve(task: streed.tasks.Task, problem: Problem) -> streed.Result:
    result = streed.solve(
        task,
        problem.X.astype(bool),
        max_depth=problem.max_depth,
        max_nodes=problem.max_nodes,
        min_samples_leaf=problem.min_samples_leaf,
    )
    assert result.optimal
    assert result.status == "optimal"
    assert result.gap == 0
    assert result.lower_bound == result.objective
    assert result.tree.depth <= problem.max_depth
    assert result.tree.n_nodes <= problem.max_nodes
    assert result.tree.n_samples.min() >= problem.min_samples_leaf
    return result


def close(value: float) -> Any:
    return pytest.approx(value, rel=1e-9, abs=1e-9)


@given(problems(), COSTS)
def test_accuracy_equals_naive_twin(problem: Problem, cost: float) -> None:
    y = NAMES[problem.y]
    priced = replace(problem, branch_cost=cost * float(problem.w.sum()))
    result = solve(Accuracy(y, sample_weight=problem.w, cost_complexity=cost), problem)
    assert result.objective == close(naive.optimum(priced))
    wrong = problem.w[result.tree.predict(problem.X) != y].sum()
    assert result.objective == close(wrong + priced.branch_cost * result.tree.n_nodes)


@given(SMALL, COSTS)
def test_accuracy_equals_reference(problem: Problem, cost: float) -> None:
    task = Accuracy(problem.y, sample_weight=problem.w, cost_complexity=cost)
    components = task.components(problem.X, min_samples_leaf=problem.min_samples_leaf)
    (expected,) = reference.solve(components, problem.max_depth, problem.max_nodes)
    assert solve(task, problem).objective == close(expected.value)


@given(problems(), st.lists(st.sampled_from([0.5, 1, 2, 7.3]), min_size=6, max_size=6))
def test_class_weights_multiply_the_weights_of_rows(problem: Problem, factors: list[float]) -> None:
    weighted = replace(problem, w=problem.w * np.array(factors)[problem.y], branch_cost=0.0)
    class_weight = {label: factors[label] for label in np.unique(problem.y).tolist()}
    result = solve(Accuracy(problem.y, sample_weight=problem.w, class_weight=class_weight), problem)
    assert result.objective == close(naive.optimum(weighted))


@given(problems())
def test_balanced_class_weights_are_those_of_scikit_learn(problem: Problem) -> None:
    present = np.unique(problem.y)
    factors = len(problem.y) / (len(present) * np.bincount(problem.y, minlength=problem.n_labels).clip(1))
    weighted = replace(problem, w=factors[problem.y], branch_cost=0.0)
    result = solve(Accuracy(problem.y, class_weight="balanced"), problem)
    assert result.objective == close(naive.optimum(weighted))


@given(problems(), COSTS)
def test_balanced_accuracy_equals_naive_twin(problem: Problem, cost: float) -> None:
    sizes = np.bincount(problem.y, problem.w, minlength=problem.n_labels)
    shares = problem.w / (sizes[problem.y] * np.count_nonzero(sizes))
    result = solve(BalancedAccuracy(problem.y, sample_weight=problem.w, cost_complexity=cost), problem)
    assert result.objective == close(1 - naive.optimum(replace(problem, w=shares, branch_cost=cost)))
    right = result.tree.predict(problem.X) == problem.y
    assert result.objective == close(shares[right].sum() - cost * result.tree.n_nodes)


@given(SMALL, COSTS)
def test_balanced_accuracy_equals_reference(problem: Problem, cost: float) -> None:
    task = BalancedAccuracy(problem.y, cost_complexity=cost)
    components = task.components(problem.X, min_samples_leaf=problem.min_samples_leaf)
    (expected,) = reference.solve(components, problem.max_depth, problem.max_nodes)
    assert solve(task, problem).objective == close(expected.value)


@given(problems(), st.data())
def test_rows_of_weight_zero_are_as_good_as_absent(problem: Problem, data: st.DataObject) -> None:
    """They count neither as errors nor towards the size of a leaf."""
    absent = np.array(data.draw(st.lists(st.booleans(), min_size=len(problem.y), max_size=len(problem.y))))
    kept = ~absent
    if kept.sum() < problem.min_samples_leaf:
        kept[:] = True
    with_zeros = solve(Accuracy(problem.y, sample_weight=problem.w * kept), problem)
    fewer = replace(problem, X=problem.X[kept], y=problem.y[kept], w=problem.w[kept])
    without = solve(Accuracy(fewer.y, sample_weight=fewer.w), fewer)
    # The unit of the weights may differ between the two, and with it the last digit of the sum.
    assert abs(with_zeros.objective - without.objective) <= problem.tolerance()
