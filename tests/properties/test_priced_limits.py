"""A price per node with and without limits of depth and nodes: the same optimum as the reference solver."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import streed
from streed import reference
from streed.leaves import ClassErrors, CostTable
from streed.options import NO_DEPTH
from streed.solver import node_price, one_value
from streed.tasks import (
    Accuracy,
    DemographicParity,
    Gini,
    LabelCosts,
    LimitedPolicyReward,
    SquaredError,
)
from streed.tasks.forms import OneValue


@st.composite
def problems(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, float]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, width = draw(st.integers(1, 24)), draw(st.integers(1, 4))
    X = rng.integers(0, 2, (n, width)).astype(bool)
    y = (X[:, 0] ^ X[:, -1]).astype(int) ^ (rng.random(n) < 0.2)
    return X, y, draw(st.sampled_from([0.02, 1 / n, 0.5 / n, 0.1, 0.3]))


@given(problems())
def test_no_limit_of_the_depth(problem: tuple[np.ndarray, np.ndarray, float]) -> None:
    X, y, price = problem
    task = Accuracy(y, cost_complexity=price)
    free = streed.solve(task, X, max_depth=None)
    deepest = streed.solve(task, X, max_depth=X.shape[1])  # no test is worth being asked twice on a path
    assert free.optimal
    assert free.objective == pytest.approx(deepest.objective, abs=1e-9)


@given(problems(), st.integers(0, 3), st.integers(0, 7))
def test_limits_that_may_bind(problem: tuple[np.ndarray, np.ndarray, float], depth: int, nodes: int) -> None:
    X, y, price = problem
    task = Accuracy(y, cost_complexity=price)
    expected = reference.solve(task.components(X), max_depth=depth, max_nodes=nodes)
    with pytest.MonkeyPatch.context() as patch:  # tried without a depth at every depth
        patch.setattr(one_value, "DEEP", 0)
        found = streed.solve(task, X, max_depth=depth, max_nodes=nodes)
    assert found.optimal
    assert found.objective == pytest.approx(min(s.value for s in expected), abs=1e-9)
    assert found.tree.depth <= depth
    assert found.tree.n_nodes <= nodes


def test_deep_limits_are_proven_without_a_depth() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 30)).astype(bool)
    y = X[:, 0] & X[:, 1] ^ (rng.random(300) < 0.1)
    task = Accuracy(y, cost_complexity=0.02)
    deep, free = (streed.solve(task, X, max_depth=depth) for depth in (20, None))
    assert deep.optimal
    assert free.optimal
    assert deep.objective == free.objective


def test_after_the_time_the_tree_respects_its_limits() -> None:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (400, 40)).astype(bool)
    y = rng.integers(0, 2, 400)
    result = streed.solve(Accuracy(y, cost_complexity=1e-3), X, max_depth=6, max_nodes=9, time_limit=0.2)
    assert result.tree.depth <= 6
    assert result.tree.n_nodes <= 9
    assert result.lower_bound <= result.objective


def test_nodes_that_pay() -> None:
    labels = np.array([0, 1])
    errors = ClassErrors(np.array([0, 0, 0, 1, 1], np.int32), np.ones(5))
    assert node_price.nodes_that_pay(OneValue(errors, labels, branch_cost=2.0)) == 1
    assert node_price.nodes_that_pay(OneValue(errors, labels, branch_cost=2.001)) == 0
    assert node_price.nodes_that_pay(OneValue(errors, labels)) == NO_DEPTH
    costs = CostTable(np.array([[0.0, 3.0], [4.0, 1.0]]))
    assert node_price.nodes_that_pay(OneValue(costs, labels, branch_cost=1.5)) == 2


@pytest.mark.parametrize(
    ("task", "options", "message"),
    [
        (Accuracy([0, 1]), {}, "needs a price per branching node"),
        (streed.tasks.F1Score([0, 1]), {}, "one value is searched"),
        (streed.combine(Accuracy([0, 1]), LabelCosts([[0, 1], [2, 0]])), {}, "one value is searched"),
        (SquaredError(np.arange(30.0)), {"min_samples_leaf": 5}, "needs a price per branching node"),
        (
            LimitedPolicyReward(np.eye(30)[:, :2], capacity={0: 10, 1: 10}, cost_complexity=0.01),
            {},
            "no single leaf keeps the limits",
        ),
    ],
)
def test_no_depth_where_one_is_needed(task: streed.tasks.Task, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        streed.solve(task, np.eye(task.n_rows, dtype=bool)[:, :25], max_depth=None, **options)


def task_by_depth(kind: str, rng: np.random.Generator, n: int, price: float) -> streed.tasks.Task:
    """One of the tasks with a price per node that always take a search by depth; two labels, two groups."""
    y, group = (np.append([0, 1], rng.integers(0, 2, n - 2)) for _ in range(2))
    if kind == "squares":
        return SquaredError(y + rng.normal(size=n), cost_complexity=price)
    if kind == "gini":
        return Gini(y, cost_complexity=price)
    if kind == "fair":
        return DemographicParity(y, group, max_difference=0.1, cost_complexity=price)
    if kind == "capacity":
        capacity = {1: int(rng.integers(0, n + 1))}
        return LimitedPolicyReward(rng.normal(size=(n, 2)), capacity=capacity, cost_complexity=price)
    errors = Accuracy(y, cost_complexity=price)
    return streed.combine(errors, LabelCosts([[0.0, 1.0]] * n).at_most(n / 2))


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(["squares", "gini", "fair", "capacity", "combination"]),
    st.sampled_from([0.005, 0.02, 0.1]),
    st.sampled_from([1, 2, 20]),
    st.integers(1, 2),
)
def test_no_limit_of_a_search_by_depth(seed: int, kind: str, price: float, levels: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (int(rng.integers(4, 24)), 4)).astype(bool)
    task = task_by_depth(kind, rng, len(X), price)
    # no test is worth being asked twice on a path
    deepest = streed.solve(task, X, max_depth=4, min_samples_leaf=size)
    with pytest.MonkeyPatch.context() as patch:  # what deeper trees than these could cost must be known
        patch.setattr(node_price, "MOST_DEPTH", levels)
        free = streed.solve(task, X, max_depth=None, min_samples_leaf=size)
    sign = -1 if task.maximize else 1
    assert free.optimal or levels < 4
    assert free.status == ("optimal" if free.optimal else "depth_limit")
    assert sign * free.lower_bound <= sign * deepest.objective + 1e-9
    assert sign * free.objective >= sign * deepest.objective - 1e-9
    if free.optimal:
        assert free.objective == pytest.approx(deepest.objective, abs=1e-9)


def test_no_depth_with_few_nodes() -> None:
    X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert streed.solve(Accuracy([0, 1, 1, 0]), X, max_depth=None, max_nodes=3).objective == 0


def additive_task(kind: str, rng: np.random.Generator, n: int, price: float) -> streed.tasks.Task:
    """One of the tasks whose leaves cost the sum of their rows, with a price per node."""
    y = rng.integers(0, 2 if kind in ("errors", "weights") else 4, n)
    if kind in ("errors", "labels"):
        return Accuracy(y, cost_complexity=price)
    if kind == "weights":
        return Accuracy(y, sample_weight=rng.integers(1, 6, n) / 2, cost_complexity=price)
    if kind == "class weights":
        return Accuracy(y, class_weight="balanced", cost_complexity=price)
    if kind == "cost matrix":
        matrix = rng.integers(0, 7, (4, 4))
        return streed.tasks.CostMatrix(y, matrix, labels=[0, 1, 2, 3], cost_complexity=price)
    if kind == "policy":
        return streed.tasks.PolicyReward(rng.normal(size=(n, 3)), cost_complexity=price)
    return LabelCosts(rng.integers(-4, 9, (n, 3)) / 3, cost_complexity=price)


@pytest.mark.parametrize(
    "kind", ["errors", "labels", "weights", "class weights", "cost matrix", "policy", "costs per row"]
)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 24), width=st.integers(1, 4))
def test_every_additive_task(kind: str, seed: int, n: int, width: int) -> None:
    """Against the reference solver, with prices about what the root's best split saves."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n, width)).astype(bool)
    y_seed = int(rng.integers(2**32))
    free = additive_task(kind, np.random.default_rng(y_seed), n, 0.0)
    leaf, stump = (streed.solve(free, X, max_depth=depth).objective for depth in (0, 1))
    saved = abs(leaf - stump) / n
    price = max(saved * rng.choice([1 - 1e-6, 1.0, 1 + 1e-6, 0.3]), 0.01)
    task = additive_task(kind, np.random.default_rng(y_seed), n, price)
    found = streed.solve(task, X, max_depth=None)
    best = [s.value for s in reference.solve(task.components(X), max_depth=width)]
    assert found.optimal
    expected = max(best) if task.maximize else min(best)
    assert found.objective == pytest.approx(expected, abs=1e-7)


def test_a_memory_limit_leaves_the_best_tree_and_a_bound() -> None:
    rng = np.random.default_rng(2)
    X = rng.integers(0, 2, (400, 40)).astype(bool)
    y = (X[:, 0] & X[:, 1]) ^ (rng.random(400) < 0.2)
    task = Accuracy(y, cost_complexity=2e-3)
    result = streed.solve(task, X, max_depth=None, memory_limit=2_000_000, time_limit=60)
    assert result.status == "memory_limit"
    assert not result.optimal
    assert 0 < result.lower_bound < result.objective
    assert result.statistics["peak_memory"] < 4_000_000
    errors = np.sum(result.tree.predict(X) != y)
    assert result.objective == pytest.approx(errors + 2e-3 * 400 * result.tree.n_nodes)
    assert result.objective <= min(y.sum(), (~y).sum())
