"""Rows routed by the columns that a tree tests, against all features of the binarizer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from streed import Binarizer, OptimalTreeClassifier, OptimalTreeRegressor, Tree

TYPES = ["f8", "f4", "f2", ">f8", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", ">i4", "g"]


def random_tree(rng: np.random.Generator, n_features: int, depth: int) -> Tree:
    """A tree with random tests, some of them more than once."""
    feature: list[int] = []
    left: list[int] = []
    right: list[int] = []
    label: list[int] = []

    def add(level: int) -> int:
        node = len(feature)
        leaf = level == depth or n_features == 0 or rng.random() < 0.2
        feature.append(-1 if leaf else int(rng.integers(n_features)))
        left.append(-1)
        right.append(-1)
        label.append(0 if leaf else -1)
        if not leaf:
            left[node], right[node] = add(level + 1), add(level + 1)
        return node

    add(0)
    counts = np.zeros(len(feature), int)
    return Tree(feature, left, right, label, n_samples=counts, classes=["a"], n_features=n_features)


def check(binarizer: Binarizer, table: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    features = binarizer.transform(table)
    for depth in (0, 1, 4):
        tree = random_tree(rng, features.shape[1], depth)
        assert np.array_equal(binarizer.route_table(table, tree), tree.apply(features))


@settings(max_examples=150)
@given(st.sampled_from(TYPES), st.integers(0, 2**32 - 1), st.booleans(), st.sampled_from("CFS"))
def test_arrays_of_numbers(dtype: str, seed: int, extreme: bool, order: str) -> None:
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind.kind == "f":
        table = rng.normal(size=(30, 3)).round(1).astype(kind)
        table[rng.random(table.shape) < 0.1] = np.nan
    else:
        limits = np.iinfo(kind)
        low, high = (limits.min, limits.max) if extreme else (max(limits.min, -5), 5)
        table = rng.integers(low, high, (30, 3), endpoint=True, dtype=kind.newbyteorder("=")).astype(kind)
    table = np.repeat(table, 2, axis=1)[:, ::2] if order == "S" else np.asarray(table, order=order)  # type: ignore[call-overload]
    binarizer = Binarizer(missing="side").fit(table)
    check(binarizer, table, seed)
    if kind.kind in "iu" and not extreme:  # the model meets other types than those it was fitted with
        check(binarizer, table.astype(np.float64), seed)
        check(binarizer, table.astype(np.int64), seed)
    if kind.kind == "f":
        check(binarizer, np.nan_to_num(table).round().astype(np.int64), seed)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["side", "indicator"]), st.booleans())
def test_frames(seed: int, missing: Any, polars: bool) -> None:
    rng = np.random.default_rng(seed)
    n = 40
    gaps = rng.random(n) < 0.2
    frame = pd.DataFrame(
        {
            "number": np.where(gaps, np.nan, rng.normal(size=n)),
            "count": rng.integers(0, 9, n),
            "flag": rng.random(n) < 0.5,
            "colour": rng.choice(["red", "green", "blue"], n),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 99, n), "D"),
            "bit": rng.integers(0, 2, n),
        }
    )
    table = pl.from_pandas(frame) if polars else frame
    check(Binarizer(missing=missing).fit(table), table, seed)


def test_integers_that_no_double_holds() -> None:
    table = np.array([[2**53], [2**53 + 1], [2**63 - 1], [-(2**63)]])
    binarizer = Binarizer(n_thresholds=None).fit(table)
    for seed in range(5):
        check(binarizer, table, seed)
        check(binarizer, np.array([[2**64 - 1], [2**63], [2**53 + 1], [0]], np.uint64), seed)


def test_a_cut_below_all_integers() -> None:
    binarizer = Binarizer(thresholds={0: [-1e300, 0.0, 1e300]}).fit(np.array([[-1.5], [2.0]]))
    for dtype in ("i8", "i4", "u8", "u1"):
        for seed in range(5):
            check(binarizer, np.array([[np.iinfo(dtype).min], [np.iinfo(dtype).max], [1]], dtype), seed)


def test_columns_that_no_test_looks_at_may_not_be_infinite() -> None:
    rng = np.random.default_rng(0)
    X: NDArray[np.float64] = rng.normal(size=(60, 3))
    model = OptimalTreeClassifier(max_depth=1).fit(X, X[:, 1] > 0)
    assert set(model.tree_.feature[model.tree_.feature >= 0]) != set()
    X[5, 2] = np.inf
    with pytest.raises(ValueError, match="contains infinity: inf in column 'x2', row 5"):
        model.predict(X)


def test_trees_that_test_no_column_of_a_foreign_frame() -> None:
    frame = pl.DataFrame({"kind": ["a"] * 4, "day": ["2024-03-05"] * 4})
    for model in (OptimalTreeClassifier(max_depth=1), OptimalTreeRegressor("absolute_error", max_depth=1)):
        assert model.fit(frame, [0, 1, 1, 1]).predict(frame).tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize("n_rows", [1, 8, 9])
def test_short_frames_of_many_columns_are_checked_as_long_ones(n_rows: int) -> None:
    """Columns that no test looks at may be looked at value by value, and are refused alike."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({f"x{j}": rng.normal(size=60) for j in range(12)})
    frame["whole"], frame["flag"] = rng.integers(0, 9, 60), rng.random(60) < 0.5
    model = OptimalTreeClassifier(max_depth=1).fit(frame, frame["x0"] > 0)
    some = frame[:n_rows]
    assert model.predict(some).tolist() == (some["x0"] > 0).tolist()
    assert model.predict(some.assign(x5=np.nan)).tolist() == (some["x0"] > 0).tolist()
    for value in (np.inf, -np.inf):
        with pytest.raises(ValueError, match="infinity"):
            model.predict(some.assign(x5=value))
    with pytest.raises(TypeError, match="'x5' held numbers"):
        model.predict(some.assign(x5="text"))
