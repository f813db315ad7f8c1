"""What is done the short way in small fits, against the long and obvious way."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import streed
from streed import Binarizer, FeatureCosts
from streed.binarize.booleans import REMEMBERED, boolean_columns, zero_one_bits
from streed.options import OPTIONS
from streed.table.labels import encode
from streed.table.units import in_units, largest_unit, multiples_of
from streed.tasks.base import ClassErrors, Lowered
from streed.tasks.parts.price_list import price_list

STEPS = st.sampled_from([1.0, 0.1, 0.01, 0.25, 1 / 3, 1 / 7, 5.0, 1e-6, math.pi, 2.0**-30])
VALUES = st.tuples(
    STEPS, st.lists(st.integers(-(10**6), 10**6), max_size=30), st.lists(st.floats(-9, 9), max_size=1)
).map(lambda drawn: [drawn[0] * k for k in drawn[1]] + drawn[2])


LARGEST_TOTAL = 2.0**48


def slow_largest_unit(values: NDArray[np.float64], total: float) -> float:
    """Look at all values for every unit."""
    distinct = np.unique(np.abs(values))
    distinct = distinct[distinct > 0]
    if distinct.size == 0 or total >= LARGEST_TOTAL * distinct[-1]:
        return 1.0
    decimals = [10.0**-places for places in range(10)]
    for unit in decimals + [float(distinct[0]) / parts for parts in range(1, 13)]:
        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            whole = np.rint(distinct / unit)
            if whole[-1] < LARGEST_TOTAL and (np.abs(distinct / unit - whole) <= 4e-16 * whole).all():
                unit *= math.gcd(*map(int, whole.tolist()))
                return unit if total / unit < LARGEST_TOTAL else 1.0
    return 1.0


@given(VALUES, st.sampled_from([0.0, 100.0, 1e9, 1e15]))
def test_units_are_those_of_all_values_at_once(values: list[float], total: float) -> None:
    unit = largest_unit(values, total)
    assert unit == slow_largest_unit(np.array(values), total)
    if unit != 1.0:
        assert np.array_equal(multiples_of(np.array(values), unit), in_units(np.array(values), unit))


def test_units_of_very_many_values() -> None:
    values = [0.01 * k for k in range(5, 5000, 5)]
    assert largest_unit(np.array(values), 100.0) == largest_unit(values, 100.0)
    assert largest_unit(values, 100.0) == slow_largest_unit(np.array(values), 100.0) == pytest.approx(0.05)


INTEGERS = st.sampled_from([np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64])


@given(INTEGERS, st.integers(0, 300), st.lists(st.integers(0, 255), min_size=1, max_size=400), st.booleans())
def test_labels_that_are_counted_as_labels_that_are_sorted(
    kind: Any, spread: int, drawn: list[int], upper: bool
) -> None:
    limits = np.iinfo(kind)
    offsets = [min(k, spread, int(limits.max) - int(limits.min)) for k in drawn]
    start = int(limits.max) - max(offsets) if upper else int(limits.min)
    y = np.array([start + k for k in offsets], kind)
    classes, codes = encode(y)
    expected = np.unique(y)
    assert classes.dtype == y.dtype
    assert codes.dtype == np.int32
    assert np.array_equal(classes, expected)
    assert np.array_equal(codes, np.searchsorted(expected, y))


@given(
    st.integers(1, 4).flatmap(
        lambda k: st.tuples(
            st.lists(st.lists(st.integers(0, 9), min_size=k, max_size=k), min_size=k, max_size=k),
            st.lists(st.integers(0, k - 1), min_size=1, max_size=30),
            st.one_of(
                st.none(), st.just("balanced"), st.fixed_dictionaries({0: st.sampled_from([0, 2, 1.5])})
            ),
        )
    ),
    st.sampled_from([0.0, 0.1]),
    st.booleans(),
)
def test_costs_per_class_are_those_per_row(drawn: Any, complexity: float, equal: bool) -> None:
    costs, codes, weights = drawn
    k = len(costs)
    matrix = 0.5 * np.array(costs, float) if not equal else 2.5 * (1 - np.eye(k))
    options: dict[str, Any] = {"class_weight": weights, "cost_complexity": complexity, "labels": range(k)}
    by_class = streed.tasks.CostMatrix(codes, matrix, **options)
    by_row = streed.tasks.CostMatrix(codes, matrix, sample_weight=np.ones(len(codes)), **options)
    one, other = by_class.lower(), by_row.lower()
    assert k == 1 or type(one.leaf) is type(other.leaf)  # one class: any weight will do, its rows are right
    assert np.allclose(natural_costs(one), natural_costs(other), rtol=1e-12)
    assert one.branch_cost * one.scale == pytest.approx(other.branch_cost * other.scale)
    assert one.tally is not None
    assert other.tally is not None
    assert one.tally.weights is None
    assert other.tally.weights is not None
    assert (other.tally.weights == 1).all()
    assert np.array_equal(one.tally.codes, other.tally.codes)


def natural_costs(lowered: Lowered) -> NDArray[np.float64]:
    if isinstance(lowered.leaf, ClassErrors):
        assert (lowered.leaf.weights > 0).all()
    return lowered.scale * lowered.leaf.label_costs(lowered.classes.size)


@pytest.mark.parametrize("n_columns", [1, 7, REMEMBERED + 1])
def test_boolean_arrays_are_binarised_alike(n_columns: int) -> None:
    X = np.random.default_rng(0).random((20, n_columns)) < 0.5
    slow, fast = Binarizer().fit(X), Binarizer()
    names = fast.fit_booleans(n_columns)
    assert names == tuple(slow.names())
    assert list(vars(fast)) == list(vars(slow))
    for name, value in vars(slow).items():
        if name == "feature_columns_":
            assert np.array_equal(fast.feature_columns_, value)
            assert fast.feature_columns_.dtype == value.dtype
        else:
            assert getattr(fast, name) == value
    assert np.array_equal(fast.transform(X), slow.transform(X))


def test_nobody_changes_the_features_of_another() -> None:
    X, y = np.eye(4, dtype=bool), [0, 1, 1, 0]
    model = streed.OptimalTreeClassifier().fit(X, y)
    model.binarizer_.conditions_.clear()
    model.binarizer_.feature_columns_[:] = 9
    model.binarizer_._columns.clear()
    model.binarizer_.dropped_columns_["x0"] = "it is gone"
    again = streed.OptimalTreeClassifier().fit(X, y)
    assert again.binarizer_.feature_columns_.tolist() == [0, 1, 2, 3]
    assert len(again.binarizer_.conditions_) == len(again.binarizer_._columns) == 4
    assert again.binarizer_.dropped_columns_ == {}
    assert boolean_columns(4).names == ("x0", "x1", "x2", "x3")


def test_prices_are_remembered_and_nothing_else_changes() -> None:
    costs = FeatureCosts({"a": 0.5, "b": 0.25}, {"b": 0.1}, {"a": "g", "b": "g"})
    fresh = copy.deepcopy(costs)
    names, columns = ["a", "b", "c"], np.array([0, 0, 1, 2, 2])
    made = costs.for_features(names, columns)
    assert costs.for_features(names, columns) is made
    assert costs.for_features(names, columns[1:]) is not made
    listed = price_list(made, None)
    assert price_list(made, None) is listed
    for unit in (1.0, 0.05, 0.01, 0.05):
        expected, found = fresh.prices(columns, names, unit), listed.in_units(unit)
        for name in ("attribute", "group", "full", "discounted"):
            assert np.array_equal(getattr(found, name), getattr(expected, name))
    assert set(listed.distinct) == {0.5, 0.25, 0.1, 0.0}
    assert listed.total == pytest.approx(1.25)
    assert costs == fresh
    assert repr(costs) == repr(fresh)
    assert pickle.dumps(costs) == pickle.dumps(fresh)
    again = pickle.loads(pickle.dumps(costs))
    assert again == costs
    assert again.total(names) == costs.total(names)


def test_tests_without_any_feature_cost_nothing() -> None:
    costs, names = FeatureCosts([1.0, 2.0, 3.0]), ["a", "b", "c"]
    some, none = costs.for_features(names, [2, 2, 0]), costs.for_features(names, [])
    assert price_list(some, None).in_units(1.0).full.tolist() == [3.0, 3.0, 1.0]
    assert price_list(none, None).total == 0.0


@pytest.mark.parametrize("name", list(OPTIONS))
def test_plain_numbers_and_others_are_checked_alike(name: str) -> None:
    option = OPTIONS[name]
    for value in (-3, -1, 0, 1, 2, 20, 21, 10**6):
        assert outcome(option, value) == outcome(option, np.int64(value))
        assert outcome(option, float(value)) == outcome(option, np.float64(value))
    assert outcome(option, True)[0] is TypeError


def outcome(option: Any, value: Any) -> Any:
    try:
        found = option.check(value)
    except (TypeError, ValueError) as error:
        return type(error), None
    return type(found), found


@pytest.mark.parametrize("combination", ["sum", "max"])
def test_trees_of_the_engine_would_pass_the_checks(combination: str) -> None:
    rng = np.random.default_rng(1)
    X, costs = rng.random((60, 4)) < 0.5, rng.normal(size=(60, 3))
    for depth in range(4):
        task = streed.tasks.LabelCosts(costs, combination=combination)
        tree = streed.solve(task, X, max_depth=depth).tree
        assert streed.Tree(**tree.__getstate__()) == tree
        leaf = tree.apply(X)
        own = np.bincount(leaf, costs[np.arange(60), tree.label[leaf]], tree.node_count)
        worth = own if combination == "max" else own / np.maximum(tree.n_samples, 1)
        assert np.allclose(tree.values[tree.feature < 0], worth[tree.feature < 0])
        assert tree.n_samples[0] == 60


@pytest.mark.parametrize("weights", [None, np.full(40, 1.5)])
def test_arrays_in_any_order_of_memory(weights: Any) -> None:
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 2, (40, 4)), rng.integers(0, 3, 40)
    matrix = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 1.0], [1.0, 5.0, 0.0]])
    trees = [
        streed.CostSensitiveTreeClassifier(misclassification_costs=costs)
        .fit(table.astype(kind), y, sample_weight=weights)
        .tree_
        for costs in (matrix, np.asfortranarray(matrix))
        for table in (X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2])
        for kind in (bool, int)
    ]
    assert all(np.array_equal(tree.feature, trees[0].feature) for tree in trees)
    assert all(np.array_equal(tree.values, trees[0].values) for tree in trees)


WHOLE = st.sampled_from([np.uint8, np.int8, np.int16, np.int64, np.uint64, np.dtype(">i4")])


@given(
    st.lists(st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=1, max_size=9),
    WHOLE,
    st.sampled_from([0, 2, 127, -1]),
    st.booleans(),
)
def test_arrays_of_zeros_and_ones(rows: list[list[int]], dtype: Any, other: int, fortran: bool) -> None:
    """The short way through an integer array, also with a number that is neither, against the long one."""
    if np.dtype(dtype).kind == "u" and other < 0:
        other = 256 - 1
    array = np.array(rows, dtype, order="F" if fortran else "C")
    if other:
        array[-1, -1] = other
    with_ones = (array == 1).sum(axis=0)
    plain = bool(((array == 0) | (array == 1)).all()) and bool(
        ((with_ones > 0) & (with_ones < len(rows))).all()
    )
    bits = zero_one_bits(array)
    assert (bits is not None) == plain
    if bits is None:
        return
    assert bits.dtype == np.uint8
    assert bits.flags.c_contiguous
    assert np.array_equal(bits, array)
    short, long = Binarizer(), Binarizer().fit(array)
    assert short.fit_zero_one(array.shape[1]) == tuple(long.get_feature_names_out())
    assert short.conditions_ == long.conditions_
    assert short.dropped_columns_ == long.dropped_columns_
    assert np.array_equal(short.feature_columns_, long.feature_columns_)
    assert np.array_equal(short.transform(array), long.transform(array))


def test_integer_arrays_are_fitted_as_before() -> None:
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (40, 5))
    y = rng.integers(0, 2, 40)
    weighted = streed.OptimalTreeClassifier(max_depth=2).fit(X, y, sample_weight=np.ones(40))  # the long way
    for table in (X, X.astype(np.uint8), X.astype(np.int8)):
        model = streed.OptimalTreeClassifier(max_depth=2).fit(table, y)
        assert np.array_equal(model.predict(table), weighted.predict(X))
        assert list(model.binarizer_.get_feature_names_out()) == list(
            weighted.binarizer_.get_feature_names_out()
        )
        assert model.n_features_in_ == 5
