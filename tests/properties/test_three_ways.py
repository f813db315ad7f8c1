"""The same task as label costs, as a NumPy function and compiled with Numba: one optimum."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import streed
from streed import reference
from streed.tasks import Accuracy, LabelCosts, StatisticsTask, Task
from tests.properties.problems import EXAMPLES, SEEDS

needs_numba = pytest.mark.skipif(find_spec("numba") is None, reason="Numba is not installed")
LABELS: list[list[Any]] = [["no", "yes", "maybe"], [-1, 7, 3], [(1, 2), None, "x"], [0.5, True, b"b"]]


class Counted(StatisticsTask):
    """Errors from the numbers of rows of each class."""

    name = "counted"

    def __init__(self, codes: Any, labels: list[Any], branch_cost: float) -> None:
        super().__init__(
            np.eye(len(labels))[codes], labels, branch_cost=branch_cost, least_row=0.0, worst_row=1.0
        )

    def leaf_costs(self, sums: Any) -> Any:
        return sums.sum(axis=0) - sums


class Compiled(Counted):
    name = "compiled"

    @staticmethod
    @streed.native
    def leaf_costs(sums: Any) -> Any:
        return sums.sum(axis=0) - sums


class Correct(StatisticsTask):
    """The same as a reward: rows that are right."""

    name = "correct"
    maximize = True

    def __init__(self, codes: Any, labels: list[Any], branch_cost: float) -> None:
        super().__init__(np.eye(len(labels))[codes], labels, branch_cost=branch_cost)

    def leaf_costs(self, sums: Any) -> Any:
        return sums


class CompiledCorrect(Correct):
    name = "compiled_correct"

    @staticmethod
    @streed.native
    def leaf_costs(sums: Any) -> Any:
        return sums.copy()


def label_costs(codes: Any, labels: list[Any], branch_cost: float) -> Task:
    costs = 1.0 - np.eye(len(labels))[codes]
    return LabelCosts(costs, in_an_array(labels), cost_complexity=branch_cost / len(codes))


def in_an_array(labels: list[Any]) -> Any:
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


MINIMISED = [label_costs, Counted, Compiled]
MAXIMISED = [Correct, CompiledCorrect]


@needs_numba
@settings(max_examples=EXAMPLES)
@given(
    SEEDS,
    st.integers(1, 40),
    st.integers(1, 6),
    st.integers(2, 3),
    st.sampled_from(LABELS),
    st.sampled_from([0.0, 0.5, 1.0, 2.0]),
    st.integers(1, 4),
    st.integers(0, 3),
    st.none() | st.integers(0, 5),
    st.integers(1, 2),
)
def test_one_optimum(
    seed: int,
    rows: int,
    features: int,
    n_labels: int,
    labels: list[Any],
    branch_cost: float,
    least: int,
    depth: int,
    nodes: int | None,
    n_jobs: int,
) -> None:
    rng = np.random.default_rng(seed)
    X = rng.random((rows, features)) < rng.uniform(0.2, 0.8)
    codes = rng.integers(n_labels, size=rows)
    labels = labels[:n_labels]
    least = min(least, rows)
    limits: dict[str, Any] = {"max_depth": depth, "max_nodes": nodes, "min_samples_leaf": least}
    built_in = Accuracy(codes, cost_complexity=branch_cost / rows)
    expected = streed.solve(built_in, X, **limits).objective
    whole = built_in.components(X, min_samples_leaf=least)
    if features <= 4 and rows <= 20:
        most = 2**depth - 1 if nodes is None else nodes
        assert reference.solve(whole, depth, most)[0].value == pytest.approx(expected)

    def check(task: Task, value: float) -> None:
        result = streed.solve(task, X, **limits, n_jobs=n_jobs)
        assert result.objective == pytest.approx(value)
        assert result.optimal
        predicted = result.tree.predict(X)
        wrong = sum(
            p is not labels[c] and p != labels[c] for p, c in zip(predicted.tolist(), codes, strict=True)
        )
        assert wrong + branch_cost * result.tree.n_nodes == pytest.approx(expected)

    for make in MINIMISED:
        check(make(codes, labels, branch_cost), expected)
    for make in MAXIMISED:
        check(make(codes, labels, branch_cost), rows - expected)


@streed.native
def squared_error(sums: Any) -> Any:
    return sums[2] - sums[1] ** 2 / sums[0]


def mean(sums: Any) -> float:
    return float(sums[1] / sums[0])


@needs_numba
@settings(max_examples=EXAMPLES // 2)
@given(SEEDS, st.integers(2, 40), st.integers(1, 3), st.integers(1, 2))
def test_labels_from_statistics(seed: int, rows: int, depth: int, n_jobs: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.random((rows, 5)) < 0.5, np.round(rng.normal(size=rows), 2)
    results = []
    for function in (squared_error, lambda sums: squared_error(sums)):  # compiled, and not
        task = StatisticsTask(np.column_stack([np.ones(rows), y, y**2]), least_row=0.0)
        task.leaf_costs, task.leaf_label = function, mean  # type: ignore[method-assign]
        results.append(streed.solve(task, X, max_depth=depth, n_jobs=n_jobs))
    compiled, plain = results
    assert compiled.objective == pytest.approx(plain.objective, abs=1e-7)
    misses = y - compiled.tree.predict(X)
    assert compiled.objective == pytest.approx(float(misses @ misses), abs=1e-7)
