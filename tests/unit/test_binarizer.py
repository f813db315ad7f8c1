"""From columns of any kind to binary features and their conditions."""

from __future__ import annotations

import datetime as dt
import pickle
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from streed import Binarizer, Condition, OptimalTreeRegressor
from streed.binarize.cuts import quantile_cuts
from streed.table.columns import read_columns

TABLE = {
    "age": [31.5, 40.0, 55.5, 40.0],
    "member": [True, False, True, True],
    "smoker": [0, 1, 1, 0],
    "colour": ["red", "blue", "green", "red"],
    "sex": ["f", "m", "f", "m"],
    "planet": ["earth"] * 4,
}
NAMES = ["age <= 35.75", "age <= 47.75", "member", "smoker = 1"]
NAMES += ["colour = blue", "colour = green", "colour = red", "sex = m"]
FEATURES = [
    [1, 1, 1, 0, 0, 0, 1, 0],
    [0, 1, 0, 1, 1, 0, 0, 1],
    [0, 0, 1, 1, 0, 1, 0, 0],
    [0, 1, 1, 0, 0, 0, 1, 1],
]


def as_objects(table: dict[str, list[Any]]) -> np.ndarray:
    return np.array(list(zip(*table.values(), strict=True)), dtype=object)


def naive(condition: Condition, value: Any) -> bool:
    """Whether a single value satisfies a condition, spelled out."""
    if condition.operator == "is":
        return value is None if condition.value is None else bool(value)
    if value is None:
        return False
    if condition.operator == "<=":
        return bool(value <= condition.value)
    return value in (condition.value if condition.operator == "in" else (condition.value,))


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, as_objects])
def test_tables_of_all_kinds(kind: Any) -> None:
    table = kind(TABLE)
    binarizer = Binarizer().fit(table)
    names = binarizer.get_feature_names_out().tolist()
    features = binarizer.transform(table)
    if kind is as_objects:
        assert names[0] == "x0 <= 35.75"
    else:
        assert names == NAMES
        assert binarizer.feature_names_in_.tolist() == list(TABLE)
    assert features.dtype == bool
    assert features.astype(int).tolist() == FEATURES
    assert binarizer.columns_of_features_.tolist() == [0, 0, 1, 2, 3, 3, 3, 4]
    assert binarizer.n_features_in_ == 6


def test_conditions_say_what_the_features_are() -> None:
    binarizer = Binarizer().fit(pd.DataFrame(TABLE))
    assert binarizer.conditions_[0] == Condition("age", "<=", 35.75)
    assert binarizer.conditions_[2] == Condition("member", "is", True)
    assert binarizer.conditions_[3] == Condition("smoker", "=", 1)
    assert binarizer.conditions_[4] == Condition("colour", "=", "blue")


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": pd.array([1, 2, 3], "Int64"), "b": pd.array([True, False, True], "boolean")}),
        pd.DataFrame({"a": np.array([1, 2, 3], np.int8), "b": [True, False, True]}, index=[7, 7, 9]),
        pd.DataFrame({"a": [1, 2, 3], "b": np.array([True, False, True], dtype=object)}),
        pd.DataFrame(
            {"a": np.array([Decimal(1), Decimal(2), Decimal(3)], dtype=object), "b": [True, False, True]}
        ),
        pl.DataFrame({"a": [1, 2, 3], "b": [True, False, True]}, schema={"a": pl.Float32, "b": pl.Boolean}),
        pl.DataFrame({"a": [1, 2, 3], "b": [True, False, True]}, schema={"a": pl.UInt8, "b": pl.Boolean}),
    ],
)
def test_types_of_frames(frame: Any) -> None:
    binarizer = Binarizer().fit(frame)
    assert binarizer.get_feature_names_out().tolist() == ["a <= 1.5", "a <= 2.5", "b"]
    assert binarizer.transform(frame).astype(int).tolist() == [[1, 1, 1], [0, 1, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"c": ["u", "v", "w"]}),
        pd.DataFrame({"c": ["u", "v", "w"]}, dtype=object),
        pd.DataFrame({"c": ["u", "v", "w"]}, dtype="string"),
        pd.DataFrame({"c": pd.Categorical(["u", "v", "w"], categories=["w", "z", "u", "v"])}),
        pl.DataFrame({"c": ["u", "v", "w"]}),
        pl.DataFrame({"c": ["u", "v", "w"]}, schema={"c": pl.Categorical}),
    ],
)
def test_categories_of_frames(frame: Any) -> None:
    binarizer = Binarizer().fit(frame)
    assert binarizer.get_feature_names_out().tolist() == ["c = u", "c = v", "c = w"]
    assert np.array_equal(binarizer.transform(frame), np.eye(3))


def test_categories_that_are_numbers() -> None:
    frame = pd.DataFrame({"grade": pd.Categorical([3, 1, 2])})
    assert Binarizer().fit(frame).get_feature_names_out().tolist() == ["grade = 1", "grade = 2", "grade = 3"]


def test_arrays_of_strings_and_lists() -> None:
    assert Binarizer().fit(np.array([["a"], ["b"], ["c"]])).get_feature_names_out().tolist() == [
        "x0 = a", "x0 = b", "x0 = c"]  # fmt: skip
    mixed = Binarizer().fit([[1, "a"], [2, "b"], [4, "b"]])
    assert mixed.get_feature_names_out().tolist() == ["x0 <= 1.5", "x0 <= 3", "x1 = b"]


def test_boolean_arrays_pass_through() -> None:
    X = np.array([[True, False], [True, True]])
    binarizer = Binarizer().fit(X)
    assert np.shares_memory(binarizer.transform(X), X)
    assert binarizer.get_feature_names_out().tolist() == ["x0", "x1"]
    assert binarizer.transform(X.astype(float)).tolist() == X.tolist()


def test_zeros_and_ones_stay_one_feature_per_column() -> None:
    X = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    binarizer = Binarizer().fit(X)
    assert binarizer.get_feature_names_out().tolist() == ["x0 = 1", "x1 = 1", "x2 = 1"]
    assert np.array_equal(binarizer.transform(X), X)
    assert binarizer.transform([[0.5, 2, 1]]).tolist() == [[False, False, True]]


def test_number_of_thresholds() -> None:
    X = np.arange(1000.0)[:, None] / 2
    assert [len(Binarizer(n_thresholds=k).fit(X).conditions_) for k in (1, 5, 2000, None)] == [1, 5, 999, 999]
    assert len(Binarizer().fit(X).conditions_) == 32
    assert len(Binarizer().fit(np.tile(X, (1, 20))).conditions_) == 20 * 12
    assert len(Binarizer().fit(np.tile(X, (1, 100))).conditions_) == 100 * 8


def test_a_heavy_value_takes_no_more_than_its_two_cuts() -> None:
    values = np.array([0.0] * 50 + list(range(1, 11)))
    cuts = quantile_cuts(values, None, 4)
    assert cuts[0] == 0.5
    assert len(cuts) == len(set(cuts))


@given(
    hnp.arrays(
        np.float64, st.integers(1, 30), elements=st.floats(allow_nan=False, allow_infinity=False, width=64)
    ),
    st.one_of(st.none(), st.integers(1, 8)),
)
def test_every_cut_lies_between_two_values(values: np.ndarray, n: int | None) -> None:
    distinct = np.unique(values)
    cuts = quantile_cuts(values, None, n)
    most = distinct.size - 1 if n is None else min(n, distinct.size - 1)
    assert len(cuts) == most if n is None or most < 2 else 1 <= len(cuts) <= most
    below = [int((distinct <= cut).sum()) for cut in cuts]
    assert below == sorted(set(below))
    assert all(0 < count < distinct.size for count in below)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), min_size=1, max_size=40), st.integers(1, 5))
def test_whole_weights_act_like_repeated_rows(rows: list[tuple[int, int]], n: int) -> None:
    values, weights = np.array(rows).T
    if not weights.any():
        return
    table = np.array([[v + 0.5, str(v)] for v in values.tolist()], dtype=object)
    weighted = Binarizer(n_thresholds=n, max_categories=3).fit(table, sample_weight=weights)
    repeated = Binarizer(n_thresholds=n, max_categories=3).fit(np.repeat(table, weights, axis=0))
    assert weighted.conditions_ == repeated.conditions_


@given(
    st.lists(
        st.tuples(st.floats(-5, 5, width=16), st.sampled_from("abcdefg"), st.booleans(), st.integers(0, 1)),
        min_size=1,
    ),
    st.integers(1, 6),
    st.integers(2, 6),
)
def test_features_are_what_the_conditions_say(rows: list[Any], n: int, most: int) -> None:
    frame = pd.DataFrame(rows, columns=["number", "letter", "flag", "bit"])
    binarizer = Binarizer(n_thresholds=n, max_categories=most).fit(frame)
    features = binarizer.transform(frame)
    expected = [
        [naive(c, row[["number", "letter", "flag", "bit"].index(c.column)]) for c in binarizer.conditions_]
        for row in rows
    ]
    assert features.tolist() == expected
    letters = [c for c in binarizer.conditions_ if c.column == "letter"]
    assert len(letters) <= most
    if len(letters) > 1:
        assert (features[:, [c.column == "letter" for c in binarizer.conditions_]].sum(axis=1) == 1).all()
    polars = pl.DataFrame({name: frame[name].tolist() for name in frame.columns})
    assert Binarizer(n_thresholds=n, max_categories=most).fit(polars).conditions_ == binarizer.conditions_
    assert np.array_equal(binarizer.transform(polars), features)


def test_many_rows_are_encoded_in_blocks() -> None:
    values = np.random.default_rng(0).normal(size=9000).astype(np.float32)
    frame = pd.DataFrame({"number": values, "word": np.where(values > 0, "up", "down")})
    binarizer = Binarizer(n_thresholds=3).fit(frame)
    features = binarizer.transform(frame)
    for j, condition in enumerate(binarizer.conditions_[:3]):
        assert np.array_equal(features[:, j], values.astype(float) <= condition.value)
    assert np.array_equal(features[:, 3], values > 0)


def test_rare_categories_share_a_feature() -> None:
    words = ["a"] * 5 + ["b"] * 4 + ["c"] * 3 + ["d", "e", "f", "g"]
    frame = pd.DataFrame({"word": words})
    binarizer = Binarizer(max_categories=3).fit(frame)
    assert binarizer.conditions_[-1] == Condition("word", "in", ("c", "d", "e", "f", "g"))
    assert binarizer.get_feature_names_out().tolist() == [
        "word = a",
        "word = b",
        "word in {c, d, e, and 2 more}",
    ]
    assert binarizer.transform(frame).sum(axis=0).tolist() == [5, 4, 7]
    assert len(Binarizer(max_categories=None).fit(frame).conditions_) == 7


def test_unknown_categories_are_zero_everywhere() -> None:
    binarizer = Binarizer().fit(pd.DataFrame({"c": ["a", "b", "c"]}))
    assert not binarizer.transform(pd.DataFrame({"c": ["z", ""]})).any()
    assert not binarizer.transform(pl.DataFrame({"c": ["z", "y"]})).any()


@pytest.mark.parametrize(
    ("frame", "column", "row"),
    [
        (pd.DataFrame({"a": [1, 2], "b": [0.5, np.nan]}), "b", 1),
        (pd.DataFrame({"a": [1, 2], "b": pd.array([None, 1], "Int64")}), "b", 0),
        (pd.DataFrame({"a": [1, 2], "b": pd.array([True, None], "boolean")}), "b", 1),
        (pd.DataFrame({"b": ["x", None]}), "b", 1),
        (pd.DataFrame({"b": ["x", np.nan]}, dtype=object), "b", 1),
        (pd.DataFrame({"b": ["x", pd.NA]}, dtype=object), "b", 1),
        (pd.DataFrame({"b": ["x", None]}, dtype="category"), "b", 1),
        (pl.DataFrame({"b": ["x", None]}), "b", 1),
        (pl.DataFrame({"b": [None, 2.5]}), "b", 0),
        (pl.DataFrame({"b": [True, None]}), "b", 1),
        (np.array([[1.0, 2.0], [1.0, np.nan]]), "x1", 1),
        (np.array([[1.0, None], [1.0, 2.0]], dtype=object), "x1", 0),
    ],
)
def test_missing_values_are_refused_by_name(frame: Any, column: str, row: int) -> None:
    with pytest.raises(
        ValueError, match=rf"contains NaN or missing values, the first in column '{column}', row {row}"
    ):
        Binarizer().fit(frame)
    binarizer = Binarizer(missing="indicator").fit(frame)
    condition = Condition(column, "is", None)
    assert str(condition) == f"{column} is missing"
    position = binarizer.conditions_.index(condition)
    features = binarizer.transform(frame)
    assert features[row, position]
    others = (binarizer.columns_of_features_ == binarizer.columns_of_features_[position]) & (
        np.arange(features.shape[1]) != position
    )
    assert not features[row, others].any()


def test_missing_values_only_after_fitting() -> None:
    whole = pd.DataFrame({"n": [1.0, 2.0, 3.0], "c": ["a", "b", "c"]})
    holes = pd.DataFrame({"n": [np.nan, 2.0, 3.0], "c": [None, "b", "c"]})
    with pytest.raises(ValueError, match="column 'n', row 0"):
        Binarizer().fit(whole).transform(holes)
    lenient = Binarizer(missing="indicator").fit(whole)
    assert lenient.transform(holes)[0].tolist() == [False] * 5
    assert lenient.transform(pd.DataFrame({"n": [1.0], "c": [None]})).tolist() == [
        [True, True, False, False, False]
    ]


@pytest.mark.parametrize("value", [np.inf, -np.inf])
@pytest.mark.parametrize("missing", ["error", "indicator"])
def test_infinity_is_refused_by_name(value: float, missing: Any) -> None:
    with pytest.raises(ValueError, match=rf"contains infinity: {value} in column 'x1', row 2"):
        Binarizer(missing=missing).fit(np.array([[0, 1], [1, 2], [2, value]]))


def test_large_numbers_are_no_infinity() -> None:
    X = np.array([[1.7e308], [1.6e308], [-1.7e308]])
    assert Binarizer().fit_transform(X).sum(axis=0).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        (
            np.array([[1, "a"], ["b", 2]], dtype=object),
            TypeError,
            "column 'x0' mixes strings and numbers, the first string is 'b' in row 1",
        ),
        (
            np.array([[{}]], dtype=object),
            TypeError,
            "column 'x0' holds a dict: each argument must be a string or a number",
        ),
        (
            pd.DataFrame({"span": [dt.timedelta(1)]}),
            TypeError,
            "column 'span' has the type timedelta64",
        ),
        (pl.DataFrame({"span": [dt.timedelta(1)]}), TypeError, "column 'span' has the type Duration"),
        (pl.LazyFrame({"a": [1]}), TypeError, "must be in memory, got a LazyFrame"),
        (pl.DataFrame({"many": [[1, 2]]}), TypeError, "column 'many' has the type List"),
        (
            pd.DataFrame([[1, 2]], columns=["a", "a"]),
            ValueError,
            "column names must be distinct, got 'a' more than once",
        ),
        (pd.DataFrame({"a": []}), ValueError, r"shape \(0, 1\), while at least 1 row and 1 column"),
        (pl.DataFrame({"a": []}), ValueError, r"shape \(0, 1\)"),
        (np.empty((0, 3)), ValueError, "0 sample"),
        (np.empty((3, 0)), ValueError, "0 feature"),
        ([1, 2, 3], ValueError, "2D array"),
        (np.zeros((2, 2), dtype=complex), ValueError, "Complex data not supported"),
    ],
)
def test_bad_tables(table: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Binarizer().fit(table)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"n_thresholds": 0},
            ValueError,
            "n_thresholds must be 'auto', an integer >= 1 or None for all cuts, got 0",
        ),
        ({"n_thresholds": 2.5}, TypeError, "n_thresholds must be"),
        ({"n_thresholds": "many"}, TypeError, "n_thresholds must be"),
        ({"max_categories": 1}, ValueError, "max_categories must be an integer >= 2 or None for all, got 1"),
        ({"missing": "drop"}, ValueError, "missing must be 'error', 'indicator' or 'side', got 'drop'"),
        ({"unknown": None}, ValueError, "unknown must be 'ignore' or 'error', got None"),
        ({"strategy": "kmeans"}, ValueError, "must be 'quantile', 'uniform', 'tree' or 'all', got 'kmeans'"),
        ({"strategy": "tree"}, ValueError, "strategy='tree' requires y to be passed"),
        ({"min_frequency": 0}, ValueError, "min_frequency must be a share above 0 and below 1, an integer"),
        ({"min_frequency": 1.5}, ValueError, "min_frequency must be"),
        ({"min_frequency": "rare"}, TypeError, "min_frequency must be"),
        ({"thresholds": [1, 2]}, TypeError, "thresholds must be a dict from column to a list of cuts"),
        ({"thresholds": {"age": [1]}}, ValueError, r"cuts for 'age', but the columns are \['x0'\]"),
        ({"thresholds": {0: ["a"]}}, ValueError, "thresholds of column 'x0' must be numbers"),
        ({"thresholds": {0: [1, np.inf]}}, ValueError, "thresholds of column 'x0' must be numbers"),
        ({"thresholds": {0: [1, "a"]}}, ValueError, "column 'x0' mixes strings and numbers"),
    ],
)
def test_bad_options(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        Binarizer(**options).fit([[1.0], [2.0]])


def test_a_column_that_changes_its_type() -> None:
    binarizer = Binarizer().fit(pd.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]}))
    with pytest.raises(TypeError, match="column 'a' held numbers when fitted, now it holds categories"):
        binarizer.transform(pd.DataFrame({"a": ["1"], "b": ["x"]}))
    with pytest.raises(TypeError, match="column 'b' held categories when fitted, now it holds numbers"):
        binarizer.transform(pd.DataFrame({"a": [1], "b": [2]}))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_columns_that_are_missing_or_out_of_order(frame: Any) -> None:
    binarizer = Binarizer().fit(frame({"a": [1, 2], "b": [3, 4]}))
    assert binarizer.transform(frame({"b": [3, 4], "a": [2, 1]})).tolist() == [[False, True], [True, False]]
    with pytest.raises(ValueError, match="seen at fit time, yet now missing:\n- b"):
        binarizer.transform(frame({"a": [1]}))
    with pytest.raises(ValueError, match="unseen at fit time:\n- c"):
        binarizer.transform(frame({"a": [1], "b": [3], "c": [0]}))


def test_names_are_distinct_even_for_close_cuts() -> None:
    X = np.array([[1.0], [1.0 + 1e-9], [1.0 + 2e-9]])
    names = Binarizer().fit(X).get_feature_names_out()
    assert len(set(names)) == 2


def test_thresholds_read_well() -> None:
    X = np.array([[0.1], [0.2], [0.3]])
    assert [c.value for c in Binarizer().fit(X).conditions_] == [0.15, 0.25]


def test_it_is_a_transformer_like_any_other() -> None:
    frame = pd.DataFrame(TABLE)
    binarizer = clone(Binarizer(n_thresholds=4)).set_output(transform="pandas").fit(frame)
    out = binarizer.transform(frame)
    assert list(out.columns) == NAMES
    assert np.array_equal(pickle.loads(pickle.dumps(binarizer)).transform(frame), out)
    assert binarizer.get_feature_names_out(list(TABLE)).tolist() == NAMES
    with pytest.raises(ValueError, match="input_features is not equal to feature_names_in_"):
        binarizer.get_feature_names_out(["a"])
    nameless = Binarizer().fit([[1.0, 0], [2.0, 1]])
    assert nameless.get_feature_names_out(["age", "bit"]).tolist() == ["age <= 1.5", "bit = 1"]
    with pytest.raises(ValueError, match="should have length equal to number of features"):
        nameless.get_feature_names_out(["age"])


WHOLE = hnp.arrays(np.int64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.integers(0, 1))


@given(WHOLE, st.data())
def test_zeros_and_ones_at_once_are_as_column_by_column(X: np.ndarray, data: st.DataObject) -> None:
    """Whole numbers are read in one go; the same numbers as floats go column by column."""
    weight = data.draw(st.none() | hnp.arrays(np.float64, len(X), elements=st.sampled_from([0.0, 1.0, 2.0])))
    if weight is not None and not weight.any():
        weight = None
    if weight is not None and data.draw(st.booleans()):
        X = np.where(weight[:, None] == 0, 7, X)  # rows of weight zero do not count
    at_once, by_column = (Binarizer().fit(x, sample_weight=weight) for x in (X, X.astype(float)))
    assert at_once.conditions_ == by_column.conditions_
    assert at_once.dropped_columns_ == by_column.dropped_columns_
    assert at_once.feature_columns_.tolist() == by_column.feature_columns_.tolist()
    other = data.draw(hnp.arrays(np.int64, X.shape, elements=st.integers(-1, 2)))
    for table in (X, other):
        expected = by_column.transform(table.astype(float))
        assert np.array_equal(at_once.transform(table), expected)
        assert np.array_equal(at_once.transform(table.astype(float)), expected)
    kept = at_once.inverse_transform(at_once.transform(X))
    assert np.array_equal(kept, by_column.inverse_transform(by_column.transform(X.astype(float))))


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_fit_and_transform_at_once_are_as_one_after_the_other(seed: int, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    frame = pd.DataFrame(
        {
            "number": rng.choice([0.5, 1.5, 7.0, np.nan], n),
            "bit": rng.integers(0, 2, n),
            "letter": rng.choice(["a", "b", "c"], n),
            "day": rng.choice(["2024-01-01", "2024-02-01"], n),
            "flag": rng.integers(0, 2, n).astype(bool),
            "size": pd.Categorical(rng.choice(["s", "m"], n), categories=["s", "m"], ordered=True),
        }
    )
    weight = rng.integers(1, 3, n).astype(float) if weighted else None
    for table in (frame, frame[["number", "bit"]].to_numpy(), frame[["bit"]].to_numpy()):
        slow = Binarizer(missing="side").fit(table, sample_weight=weight)
        fast = Binarizer(missing="side")
        features = fast.fit_transform_table(table, weight, all_orders=True)
        assert np.array_equal(features, slow.transform_table(table))
        assert fast.conditions_ == slow.conditions_
        assert fast.dropped_columns_ == slow.dropped_columns_
        owned = [list(fast.features_of_column(j)) for j in range(table.shape[1])]
        assert owned == [np.flatnonzero(slow.feature_columns_ == j).tolist() for j in range(table.shape[1])]


def test_numbers_of_an_array_are_looked_through_once() -> None:
    X = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert [column.finite for column in read_columns(X, ["a", "b"])] == [True, True]
    assert [column.finite for column in read_columns(X * np.inf, ["a", "b"])] == [False, False]
    assert [column.finite for column in read_columns(np.full((2, 1), 1e308), ["a"])] == [True]
    X[1, 1] = np.nan
    assert [column.finite for column in read_columns(X, ["a", "b"])] == [False, False]


def test_greedy_cuts_of_labels_are_those_of_a_classifier() -> None:
    """Squared errors of the labels' shares and Gini impurity choose the same cuts."""
    rng = np.random.default_rng(8)
    for n_labels in (2, 3, 7):
        values = rng.integers(30, size=300).astype(float)
        y = (values // 6 + rng.integers(2, size=300)).astype(int) % n_labels
        twin = DecisionTreeClassifier(max_leaf_nodes=5, random_state=0).fit(values[:, None], y)
        expected = np.sort(twin.tree_.threshold[twin.tree_.feature >= 0])
        found = Binarizer(strategy="tree", n_thresholds=4).fit(values[:, None], y)
        assert [condition.value for condition in found.conditions_] == expected.tolist()


def test_whole_numbers_of_a_regressor_are_no_labels() -> None:
    """Nor does scikit-learn ask whether they are: its warning would be an error here."""
    rng = np.random.default_rng(9)
    values, y = rng.normal(size=(60, 2)), rng.permutation(60)
    fitted = [
        OptimalTreeRegressor(max_depth=2, binarizer=Binarizer(strategy="tree", n_thresholds=3)).fit(values, z)
        for z in (y, y + 0.5)
    ]
    assert fitted[0].binarizer_.conditions_ == fitted[1].binarizer_.conditions_
