"""Tasks: labels and weights of all kinds, what the engine gets, what is reported, and the six components."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streed import TaskError, reference
from streed.table.units import whole_units
from streed.tasks import OBJECTIVES, REGISTRY, Accuracy, BalancedAccuracy, Task, make_task, resolve


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        ([2, 0, 2], [0, 2]),
        ([-1, 1, -1], [-1, 1]),
        ([10**12, -5, 3], [-5, 3, 10**12]),
        ([True, False], [False, True]),
        (["b", "a"], ["a", "b"]),
        ([0.5, 1.5], [0.5, 1.5]),
        (np.array(["x", "y"], dtype=object), ["x", "y"]),
        (np.array([(1, 2), (0, 3), None], dtype=object)[:2], [(0, 3), (1, 2)]),
        (pd.Series(["u", "v"], dtype="category"), ["u", "v"]),
        (pd.Series([1, 2], dtype="Int64"), [1, 2]),
    ],
)
def test_labels_of_any_type(y: Any, classes: list[Any]) -> None:
    low: Any = Accuracy(y).lower()
    assert low.classes.tolist() == classes
    assert low.leaf.codes.dtype == np.int32
    assert low.classes[low.leaf.codes].tolist() == list(y)
    assert (low.classes.size, low.scale, low.rows) == (len(classes), 1.0, None)
    assert (low.leaf.weights == 1).all()


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        ([], ValueError, "y is empty"),
        ([[0], [1]], ValueError, r"one-dimensional, got an array of shape \(2, 1\)"),
        ([0.0, np.nan], ValueError, "NaN or infinity, got nan in row 1"),
        ([0.0, np.inf], ValueError, "NaN or infinity, got inf in row 1"),
        (["a", None], ValueError, "missing values, got None in row 1"),
        (pd.Series([1, None], dtype="Int64"), ValueError, "got (nan|<NA>) in row 1"),
        (np.array(["a", pd.NA], dtype=object), ValueError, "missing values, got <NA> in row 1"),
        (np.array(["a", np.nan], dtype=object), ValueError, "missing values, got nan in row 1"),
        (np.array(["a", 1], dtype=object), TypeError, "one hashable, sortable type, got int, str"),
        (np.array([{}, {}], dtype=object), TypeError, "one hashable, sortable type, got dict"),
    ],
)
def test_bad_labels(y: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Accuracy(y)


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ([1, 2], ValueError, r"one number per row, shape \(3,\), got shape \(2,\)"),
        ([[1, 2, 3]], ValueError, r"got shape \(1, 3\)"),
        (1.0, ValueError, r"got shape \(\)"),
        ([1, -1, 1], ValueError, "not negative, got -1.0 in row 1"),
        ([1, np.nan, 1], ValueError, "finite .* got nan in row 1"),
        ([1, 1, np.inf], ValueError, "finite .* got inf in row 2"),
        ([0, 0, 0], ValueError, "zero for every row"),
        (["a", "b", "c"], TypeError, "array of numbers"),
    ],
)
@pytest.mark.parametrize("task", [Accuracy, BalancedAccuracy])
def test_bad_sample_weights(task: Any, weights: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        task([0, 1, 1], sample_weight=weights)


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ("auto", ValueError, "None, 'balanced' or a dict, got 'auto'"),
        ([1, 2], TypeError, "a dict from label to weight"),
        ({"c": 1, "a": 2}, ValueError, r"labels \['c'\] that are not in y, whose labels are \['a', 'b'\]"),
        ({"a": -1}, ValueError, "not negative"),
        ({"a": np.nan}, ValueError, "finite"),
        ({"a": "much"}, TypeError, "must be numbers"),
        ({"a": 0, "b": 0}, ValueError, "leaves no row"),
    ],
)
def test_bad_class_weights(weights: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Accuracy(["a", "b"], class_weight=weights)


@pytest.mark.parametrize(
    ("c", "error"),
    [(-0.1, ValueError), (np.nan, ValueError), (np.inf, ValueError), ("x", TypeError), (True, TypeError)],
)
@pytest.mark.parametrize("task", [Accuracy, BalancedAccuracy])
def test_bad_cost_complexity(task: Any, c: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="cost_complexity must be a number from 0 to 1e30"):
        task([0, 1], cost_complexity=c)


def test_rows_of_weight_zero_are_dropped() -> None:
    low: Any = Accuracy([0, 1, 2, 1], sample_weight=[1, 0, 0, 2]).lower()
    assert low.rows is not None
    assert low.rows.tolist() == [0, 3]
    assert low.leaf.codes.tolist() == [0, 1]
    assert low.classes.size == 3
    low = Accuracy(["a", "b"], class_weight={"a": 0}).lower()
    assert low.leaf.codes.tolist() == [1]


def test_weights_multiply_and_become_whole_units() -> None:
    low: Any = Accuracy(
        [0, 1, 1], sample_weight=[0.2, 0.2, 0.4], class_weight={1: 1.5}, cost_complexity=0.1
    ).lower()
    assert low.leaf.weights.tolist() == [2, 3, 6]
    assert low.scale == pytest.approx(0.1)
    assert low.branch_cost == pytest.approx(1.1)


def test_class_weights_may_name_labels_that_a_fold_lacks() -> None:
    low: Any = Accuracy([0, 1], class_weight={0: 1, 1: 2, 2: 5}).lower()
    assert low.leaf.weights.tolist() == [1, 2]


def test_balanced_weights_are_the_smallest_whole_ones() -> None:
    y = [0] * 6 + [1] * 4 + [2] * 2
    low: Any = BalancedAccuracy(y).lower()
    assert [low.leaf.weights[i] for i in (0, 6, 10)] == [2, 3, 6]
    same: Any = Accuracy(y, class_weight="balanced").lower()
    assert np.array_equal(low.leaf.weights, same.leaf.weights)
    natural = low.leaf.weights * low.scale
    assert natural.sum() == pytest.approx(12)
    assert natural[0] == pytest.approx(12 / (3 * 6))


def test_balanced_weights_of_weighted_rows() -> None:
    low: Any = BalancedAccuracy([0, 0, 1, 2], sample_weight=[1, 2, 4, 0]).lower()
    assert low.leaf.weights.tolist() == [4, 8, 12]


def test_balanced_weights_that_would_be_too_large_stay_real() -> None:
    y = np.repeat(np.arange(12), [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37])
    low: Any = BalancedAccuracy(y).lower()
    assert np.bincount(low.leaf.codes, weights=low.leaf.weights) == pytest.approx(np.full(12, y.size / 12))


def test_values_are_reported_in_natural_units() -> None:
    weighted = Accuracy([0, 1], sample_weight=[0.5, 1.5])
    assert weighted.report(3) == pytest.approx(1.5)
    balanced = BalancedAccuracy([0, 0, 1], cost_complexity=0.01)
    assert balanced.report(0) == 1
    assert balanced.report(balanced.lower().branch_cost) == pytest.approx(0.99)
    assert balanced.report(2) == pytest.approx(0.5)


@given(st.lists(st.sampled_from([0.1, 0.3, 1.0, 1.37, 2.5, 7.0, 1e-3]), min_size=1, max_size=8))
def test_whole_units_give_the_weights_back(weights: list[float]) -> None:
    units, scale = whole_units(np.array(weights))
    assert units * scale == pytest.approx(weights, rel=1e-12)


def test_many_real_weights_stay_as_they_are() -> None:
    weights = np.random.default_rng(0).random(5000) + 0.1
    units, scale = whole_units(weights)
    assert scale == 1
    assert np.array_equal(units, weights)


def test_components_of_accuracy() -> None:
    task = Accuracy(["a", "b", "b", "a"], sample_weight=[1, 1, 2, 0], cost_complexity=0.25)
    components = task.components([[0, 1], [1, 1], [1, 0], [0, 0]])
    assert reference.cost(components, 0) == 3
    assert reference.cost(components, (0, 0, 1)) == 1
    assert reference.solve(components, max_depth=0)[0].value == 1
    assert reference.solve(components, max_depth=1)[0].value == 1
    no_single_rows = task.components([[0, 1], [1, 1], [1, 0], [0, 0]], min_samples_leaf=2)
    assert reference.solve(no_single_rows, max_depth=2)[0].tree == 1


def test_components_of_balanced_accuracy() -> None:
    components = BalancedAccuracy([0, 0, 0, 1], cost_complexity=0.1).components([[0], [0], [1], [1]])
    (best,) = reference.solve(components, max_depth=1)
    assert best.value == pytest.approx(5 / 6 - 0.1)
    assert best.tree == (0, 0, 1)


def test_registry() -> None:
    for name, task in REGISTRY.items():
        assert task.name == name
        if task.estimator == "OptimalTreeClassifier":
            assert resolve(name) is task
        else:
            with pytest.raises(
                ValueError, match=f"'{name}' needs more than labels: use streed.{task.estimator}"
            ):
                resolve(name)
        assert task.summary
    for name, task in OBJECTIVES.items():
        assert resolve(name) is task is REGISTRY[name]
    assert resolve(Accuracy) is Accuracy
    assert isinstance(make_task(lambda y: Accuracy(y), [0, 1]), Task)


@pytest.mark.parametrize(
    ("objective", "error", "message"),
    [
        ("f2", ValueError, "one of 'accuracy', 'balanced_accuracy', 'f1', .* or a Task class, got 'f2'"),
        (3, TypeError, "one of 'accuracy', .* got 3"),
        (None, TypeError, "got None"),
        (dict, TypeError, "got the class dict"),
    ],
)
def test_unknown_objectives(objective: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        resolve(objective)


def test_factories_must_make_tasks() -> None:
    with pytest.raises(TaskError, match=r"made a list instead of a streed\.tasks\.Task"):
        make_task(lambda y: y, [0, 1])
