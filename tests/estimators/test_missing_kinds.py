"""Every test that `docs/data.md` promises is searched, for each kind of column, missing values included."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streed import Binarizer, OptimalTreeClassifier
from tests.estimators.hurry import choose_cuts
from tests.support import one_cut

DAYS = [np.datetime64("2024-03-05"), np.datetime64("2024-03-09"), np.datetime64("2024-04-01")]
VALUES: dict[str, list[Any]] = {
    "numbers": [0.5, 1.0, 7.0, 9.0],
    "zeros and ones": [0, 1],
    "wide integers": [2**60, 2**60 + 1, 2**60 + 2],
    "Booleans": [False, True],
    "two texts": ["a", "b"],
    "texts": ["a", "b", "c", "d"],
    "orders": ["low", "mid", "high"],
    "dates": DAYS,
    "dates as texts": [str(day) for day in DAYS],
}
"""The values of each kind, in their order."""
WITHOUT_ORDER = ("two texts", "texts")
WAYS = ["exact", "auto", "chosen", "binarizer"]
Columns = list[tuple[str, list[int]]]
"""Kinds with positions in their values; -1 is missing."""


@st.composite
def tables(draw: st.DrawFn) -> tuple[Columns, np.ndarray]:
    n = draw(st.integers(2, 12))
    columns = []
    for kind in draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=2)):
        codes = draw(st.sets(st.integers(-1, len(VALUES[kind]) - 1), min_size=1))
        columns.append((kind, draw(st.lists(st.sampled_from(sorted(codes)), min_size=n, max_size=n))))
    return columns, np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))


def frame_of(columns: Columns) -> pd.DataFrame:
    frame = {}
    for j, (kind, codes) in enumerate(columns):
        values = [None if code < 0 else VALUES[kind][code] for code in codes]
        if kind == "orders":
            column = pd.Series(pd.Categorical(values, VALUES[kind], ordered=True))
        elif kind == "dates":
            column = pd.Series(np.array(["NaT" if v is None else v for v in values], "datetime64[us]"))
        else:
            column = pd.Series(values, dtype="float64" if kind == "numbers" else object)
        frame[f"c{j}"] = column
    return pd.DataFrame(frame)


def promised(columns: Columns) -> list[np.ndarray]:
    """The rows that satisfy each test: cuts with missing values on both sides, single categories."""
    found = []
    for kind, numbers in columns:
        codes = np.array(numbers)
        missing, distinct = codes < 0, set(numbers)
        if kind in WITHOUT_ORDER:
            found += [codes == code for code in distinct]
        else:
            for code in distinct:
                found += [codes <= code, (codes <= code) & ~missing]
    return found


def least_errors(tests: list[np.ndarray], y: np.ndarray, rows: np.ndarray, depth: int) -> int:
    best = int(rows.sum() - np.bincount(y[rows], minlength=1).max(initial=0))
    if depth == 0:
        return best
    sides = ((rows & test, rows & ~test) for test in tests)
    return min(
        [best, *(sum(least_errors(tests, y, s, depth - 1) for s in two) for two in sides if two[0].any())]
    )


@settings(max_examples=250)
@given(tables(), st.integers(1, 2), st.sampled_from(WAYS), st.booleans())
def test_it_equals_brute_force_over_all_promised_tests(
    data: tuple[Columns, np.ndarray], depth: int, way: str, few: bool
) -> None:
    """With one chosen cut per column all thresholds are searched as ranks; else they are binary features."""
    columns, y = data
    frame = frame_of(columns)
    options: dict[str, Any] = {"cuts": "exact" if way == "exact" else "auto"}
    if way == "binarizer":
        options = {"binarizer": Binarizer(missing="side", strategy="all")}
    with pytest.MonkeyPatch.context() as patch:
        if way == "chosen":
            choose_cuts(patch)
        with one_cut() if few and way in ("exact", "auto") else contextlib.nullcontext():
            model = OptimalTreeClassifier(max_depth=depth, **options).fit(frame, y)
    assert model.result_.optimal
    errors = int((model.predict(frame) != y).sum())
    assert model.result_.objective == errors
    assert errors == least_errors(promised(columns), y, np.ones(y.size, bool), depth)


@pytest.mark.parametrize("missing", ["side", "indicator"])
def test_both_of_two_categories_have_a_feature_where_values_are_missing(missing: Any) -> None:
    """Rows of one category may be told from those of the other one and the missing ones, either way round."""
    frame = pd.DataFrame({"c": ["a"] * 4 + ["b"] * 4 + [None] * 4})
    binarizer = Binarizer(missing=missing).fit(frame)
    assert binarizer.get_feature_names_out().tolist() == ["c is missing", "c = a", "c = b"]
    assert binarizer.inverse_transform(binarizer.transform(frame))["c"].tolist() == frame["c"].tolist()
    for label in ("a", "b"):
        y = frame["c"] == label
        model = OptimalTreeClassifier(max_depth=1, binarizer=Binarizer(missing=missing)).fit(frame, y)
        assert model.result_.objective == 0


def test_features_are_few() -> None:
    """No feature is the complement of another one, and none is written twice."""
    for kind, values in VALUES.items():
        for some in ([], [-1]):
            columns = [(kind, [*range(len(values)), *some, 0])]
            bits = Binarizer(missing="side", strategy="all").fit_transform(frame_of(columns))
            seen = {min(bits[:, j].tobytes(), (~bits[:, j]).tobytes()) for j in range(bits.shape[1])}
            assert len(seen) == bits.shape[1], kind
