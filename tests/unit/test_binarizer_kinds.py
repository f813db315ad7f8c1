"""Strategies of the binarizer, dates, orders, rare and unknown categories, empty columns, the inverse."""

from __future__ import annotations

import datetime as dt
import importlib
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import streed.table.frames
from streed import Binarizer, Condition
from streed.binarize.cuts import find_gaps, lower_median, representatives, tree_cuts
from streed.table import frames
from streed.table.columns import read_columns
from streed.table.dates import NoDateError, date_text, parse_dates

DAYS = ["2024-01-31", "2024-02-01", "2024-02-29", "2024-01-31"]
SIZES = ["small", "medium", "large", "huge"]


def names(binarizer: Binarizer) -> list[str]:
    return [str(name) for name in binarizer.get_feature_names_out()]


def test_uniform_cuts_have_equal_distances() -> None:
    X = np.array([0.0, 1, 2, 3, 9, 10])[:, None]
    assert (
        names(Binarizer(strategy="uniform", n_thresholds=4).fit(X)) == ["x0 <= 2", "x0 <= 4", "x0 <= 8"][:2]
    )
    assert names(Binarizer(strategy="uniform", n_thresholds=1).fit(X)) == ["x0 <= 5"]


@given(
    st.lists(st.integers(-50, 50), min_size=2, max_size=40),
    st.integers(1, 9),
)
def test_uniform_cuts_separate_what_the_edges_separate(values: list[int], n: int) -> None:
    assume(len(set(values)) > 2)
    numbers = np.array(values, dtype=float)
    binarizer = Binarizer(strategy="uniform", n_thresholds=n).fit(numbers[:, None])
    edges = np.linspace(numbers.min(), numbers.max(), n + 2)[1:-1]
    exact = all(min(abs(numbers - edge)) > 1e-9 for edge in edges)
    assume(exact)
    expected = {tuple(numbers <= edge) for edge in edges}
    assert {tuple(column) for column in binarizer.transform(numbers[:, None]).T} == expected


def test_all_cuts_are_exact_whatever_the_number_of_thresholds() -> None:
    X = np.random.default_rng(0).normal(size=(300, 2))
    binarizer = Binarizer(strategy="all", n_thresholds=3).fit(X)
    assert len(binarizer.conditions_) == 2 * 299
    assert np.array_equal(binarizer.inverse_transform(binarizer.transform(X)), X)


@pytest.mark.parametrize("target", ["labels", "numbers"])
@pytest.mark.parametrize("weighted", [False, True])
def test_tree_cuts_are_those_of_a_greedy_tree(target: str, weighted: bool) -> None:
    rng = np.random.default_rng(3)
    x = rng.integers(0, 60, 400) / 4
    y: Any = (
        np.select([x < 3, x < 8], ["a", "b"], "c") if target == "labels" else np.sin(x) + rng.random(400) / 9
    )
    y[rng.random(400) < 0.1] = "b" if target == "labels" else 0.5
    weights = rng.integers(1, 5, 400).astype(float) if weighted else None
    tree = (DecisionTreeClassifier if target == "labels" else DecisionTreeRegressor)(max_leaf_nodes=5)
    tree.fit(x[:, None], y, sample_weight=weights)
    expected = sorted(tree.tree_.threshold[tree.tree_.feature >= 0])
    binarizer = Binarizer(strategy="tree", n_thresholds=4).fit(x[:, None], y, sample_weight=weights)
    assert [condition.value for condition in binarizer.conditions_] == pytest.approx(expected)


def test_tree_cuts_of_very_many_values() -> None:
    x = np.random.default_rng(0).normal(size=5000)
    chosen = tree_cuts(find_gaps(x, None), 1, x, None, (x > 0.3).astype(int))[1]
    assert chosen == pytest.approx([0.3], abs=0.01)


def test_tree_cuts_leave_out_rows_that_are_missing_or_weigh_nothing() -> None:
    X = np.array([[1.0], [2.0], [3.0], [np.nan], [2.5]])
    binarizer = Binarizer(strategy="tree", n_thresholds=1, missing="indicator")
    binarizer.fit(X, ["a", "a", "b", "a", "a"], sample_weight=[1, 1, 1, 1, 0])
    assert names(binarizer) == ["x0 is missing", "x0 <= 2.5"]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (None, "requires y to be passed"),
        ([[0, 1], [1, 0]], "multilabel-indicator target"),
        ([0], "inconsistent numbers of samples"),
    ],
)
def test_tree_cuts_refuse_other_targets(y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Binarizer(strategy="tree").fit([[1.0], [2.0]], y)


def test_given_cuts() -> None:
    frame = pd.DataFrame({"age": [20, 40, 60], "bit": [0, 1, 1], "day": DAYS[:3], "n": [1, 2, 3]})
    cuts: dict[Any, Any] = {"age": [65, 30, 30], 1: np.array([0.5]), "day": [dt.date(2024, 2, 1)], "n": []}
    binarizer = Binarizer(thresholds=cuts).fit(frame)
    assert names(binarizer) == ["age <= 30", "age <= 65", "bit <= 0.5", "day <= 2024-02-01"]
    assert binarizer.transform(frame).astype(int).tolist() == [[1, 1, 1, 1], [0, 1, 0, 1], [0, 1, 0, 0]]
    assert binarizer.dropped_columns_ == {"n": "no cuts are given"}
    assert names(Binarizer(thresholds={"day": ["2024-02-10 12:00"]}).fit(frame[["day"]])) == [
        "day <= 2024-02-10 12:00:00"
    ]
    with pytest.raises(ValueError, match="thresholds of column 'day' must be dates: '1 May' is not a date"):
        Binarizer(thresholds={"day": ["1 May"]}).fit(frame)
    with pytest.raises(ValueError, match="thresholds of column 'day' must be dates, got"):
        Binarizer(thresholds={"day": [2024]}).fit(frame)
    with pytest.raises(TypeError, match="cuts for column 'c', which holds categories"):
        Binarizer(thresholds={"c": [1]}).fit(pd.DataFrame({"c": ["a", "b"]}))


DATE_FRAMES = [
    pd.DataFrame({"day": DAYS}),
    pd.DataFrame({"day": pd.to_datetime(DAYS)}),
    pd.DataFrame({"day": pd.to_datetime(DAYS).tz_localize("UTC")}),
    pd.DataFrame({"day": [dt.date.fromisoformat(day) for day in DAYS]}),
    pd.DataFrame({"day": DAYS}, dtype="category"),
    pl.DataFrame({"day": DAYS}),
    pl.DataFrame({"day": DAYS}).with_columns(pl.col("day").str.to_date()),
    pl.DataFrame({"day": DAYS}).with_columns(pl.col("day").str.to_datetime("%Y-%m-%d", time_zone="UTC")),
    np.array([[day] for day in DAYS]),
    np.array([[day] for day in DAYS], dtype="datetime64[D]"),
]


@pytest.mark.parametrize("frame", DATE_FRAMES)
def test_dates_in_all_forms(frame: Any) -> None:
    binarizer = Binarizer().fit(frame)
    assert [c.value for c in binarizer.conditions_] == ["2024-01-31", "2024-02-15"]
    assert binarizer.transform(frame).astype(int).tolist() == [[1, 1], [0, 1], [0, 0], [1, 1]]
    if hasattr(frame, "columns"):
        for other in DATE_FRAMES[:8]:
            assert np.array_equal(binarizer.transform(other), binarizer.transform(frame))
    back = binarizer.inverse_transform(binarizer.transform(frame))
    assert np.array_equal(binarizer.transform(back), binarizer.transform(frame))


def test_times_of_day() -> None:
    times = pd.DataFrame({"t": ["2024-05-01 10:00", "2024-05-01 12:30:01", "2024-05-03 00:00:00"]})
    assert names(Binarizer().fit(times)) == ["t <= 2024-05-01 11:15:00", "t <= 2024-05-02 00:00:00"]
    zoned = pd.DataFrame({"t": ["2024-05-01T00:30+02:00", "2024-05-01T00:30Z", "2024-05-01T03:00:00+02:00"]})
    assert Binarizer().fit(zoned).transform(zoned).sum(axis=1).tolist() == [2, 1, 0]
    close = pd.DataFrame({"t": pd.to_datetime(["2024-05-01 10:00:00.25", "2024-05-01 10:00:00.75"])})
    assert names(Binarizer().fit(close)) == ["t <= 2024-05-01 10:00:00.250000"]


def test_dates_with_holes() -> None:
    frame = pd.DataFrame({"day": ["2024-01-31", None, "2024-02-02"]})
    with pytest.raises(ValueError, match="missing values, the first in column 'day', row 1"):
        Binarizer().fit(frame)
    binarizer = Binarizer(missing="indicator").fit(frame)
    assert names(binarizer) == ["day is missing", "day <= 2024-02-01"]
    assert binarizer.inverse_transform(binarizer.transform(frame))["day"].isna().tolist() == [
        False,
        True,
        False,
    ]
    assert binarizer.transform(pd.DataFrame({"day": [None]})).tolist() == [[True, False]]


def test_a_column_of_dates_stays_one() -> None:
    binarizer = Binarizer().fit(pd.DataFrame({"day": DAYS}))
    with pytest.raises(ValueError, match="'day' held dates when fitted, but in row 1 'soon' is not a date"):
        binarizer.transform(pd.DataFrame({"day": ["2024-01-01", "soon"]}))
    with pytest.raises(TypeError, match="'day' held dates when fitted, now it holds numbers"):
        binarizer.transform(pd.DataFrame({"day": [2024]}))
    words = Binarizer().fit(pd.DataFrame({"day": [*DAYS, "unknown"]}))
    assert names(words)[0] == "day = 2024-01-31"
    assert words.transform(pd.DataFrame({"day": ["2024-01-31"]})).tolist() == [[True, False, False, False]]
    with pytest.raises(TypeError, match="'day' held categories when fitted, now it holds dates"):
        words.transform(pd.DataFrame({"day": [dt.date(2024, 1, 31)]}))


@pytest.mark.parametrize(
    "text",
    [
        "2024-02-30",
        "2024-13-01",
        "05/03/2024",
        "2024",
        "20240101",
        "2024-01-01T25:00",
        "",
        "٢٠٢٤-01-01",
        "2024-01-01 10:00+99:99",
    ],
)
def test_what_is_no_date(text: str) -> None:
    with pytest.raises(NoDateError, match="is not a date written as YYYY-MM-DD"):
        parse_dates([text])
    assert str(Binarizer().fit([["2024-01-01"], [text], [text]]).conditions_[0]).startswith("x0 = ")


def test_zones_for_all_dates_or_none() -> None:
    with pytest.raises(NoDateError):
        parse_dates(["2024-01-01 10:00Z", "2024-01-01 10:00"])


@given(st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)))
def test_dates_and_back(moment: dt.datetime) -> None:
    assert date_text(parse_dates([str(moment)])[0], whole_days=False) == str(moment)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"size": pd.Categorical(["large", "small", "medium", None], SIZES, ordered=True)}),
        pl.DataFrame({"size": ["large", "small", "medium", None]}, schema={"size": pl.Enum(SIZES)}),
    ],
)
def test_ordered_categories(frame: Any) -> None:
    binarizer = Binarizer(missing="indicator").fit(frame)
    assert names(binarizer) == ["size is missing", "size <= small", "size <= medium"]
    assert binarizer.conditions_[2] == Condition("size", "in", ("small", "medium"), ordered=True)
    features = binarizer.transform(frame)
    assert features.astype(int).tolist() == [[0, 0, 0], [0, 1, 1], [0, 0, 1], [1, 0, 0]]
    back = binarizer.inverse_transform(features)["size"]
    assert [None if value not in SIZES else value for value in back] == ["large", "small", "medium", None]
    plain = pd.DataFrame({"size": ["huge", "medium", "small", "giant"]})
    assert binarizer.transform(plain).astype(int).tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 1], [0, 0, 0]]


def test_an_unused_category_of_an_order_has_its_place() -> None:
    frame = pd.DataFrame({"size": pd.Categorical(["small", "huge"], SIZES, ordered=True)})
    strict = Binarizer(unknown="error").fit(frame)
    assert names(strict) == ["size <= small"]
    assert not strict.transform(pd.DataFrame({"size": ["medium"]})).any()
    with pytest.raises(ValueError, match="column 'size' holds 'giant', which it did not when fitted"):
        strict.transform(pd.DataFrame({"size": ["giant"]}))


def test_long_orders_are_cut_like_numbers() -> None:
    levels = [f"L{i:02}" for i in range(40)]
    frame = pd.DataFrame({"level": pd.Categorical(levels, levels, ordered=True)})
    binarizer = Binarizer(n_thresholds=3).fit(frame)
    assert names(binarizer) == ["level <= L09", "level <= L19", "level <= L29"]
    tree = Binarizer(n_thresholds=1, strategy="tree").fit(frame, [0] * 7 + [1] * 33)
    assert names(tree) == ["level <= L06"]


def test_rare_categories_by_frequency() -> None:
    frame = pd.DataFrame({"c": ["a"] * 6 + ["b"] * 3 + ["c"] * 2 + ["d"]})
    assert names(Binarizer(min_frequency=3).fit(frame)) == ["c = a", "c = b", "c in {c, d}"]
    assert names(Binarizer(min_frequency=0.2).fit(frame)) == ["c = a", "c = b", "c in {c, d}"]
    assert names(Binarizer(min_frequency=2).fit(frame)) == ["c = a", "c = b", "c = c", "c = d"]
    assert names(Binarizer(min_frequency=4).fit(frame)) == ["c = a"]
    assert names(Binarizer(min_frequency=3, max_categories=2).fit(frame)) == ["c = a"]
    assert Binarizer(min_frequency=7).fit(frame).dropped_columns_ == {"c": "all its categories are rare"}
    weights = [1] * 11 + [5]
    assert names(Binarizer(min_frequency=3).fit(frame, sample_weight=weights))[:3] == [
        "c = a",
        "c = b",
        "c = c",
    ]


def test_unknown_categories_can_be_refused() -> None:
    frame = pd.DataFrame({"c": ["a", "b", "c", None]})
    binarizer = Binarizer(unknown="error", missing="indicator", max_categories=2).fit(frame)
    assert binarizer.transform(frame).sum(axis=1).tolist() == [1, 1, 1, 1]
    with pytest.raises(ValueError, match="column 'c' holds 'z', which it did not when fitted"):
        binarizer.transform(pd.DataFrame({"c": ["a", "z"]}))


def test_columns_that_say_nothing_are_reported() -> None:
    frame = pd.DataFrame(
        {"a": [1, 1, 1], "b": [True] * 3, "c": ["x"] * 3, "d": [np.nan] * 3, "e": [0, 0, 0], "f": [1, 2, 3],
         "g": pd.Categorical(["u"] * 3, ["u", "v"], ordered=True), "h": ["2024-01-01"] * 3, "i": [1, None, 1]}
    )  # fmt: skip
    binarizer = Binarizer(missing="indicator").fit(frame)
    assert names(binarizer) == ["f <= 1.5", "f <= 2.5", "i is missing"]
    assert binarizer.feature_columns_.tolist() == [5, 5, 8]
    assert list(binarizer.dropped_columns_) == ["a", "b", "c", "d", "e", "g", "h"]
    assert set(binarizer.dropped_columns_.values()) == {"it has only one value", "it is always missing"}
    assert binarizer.columns_of_features_ is binarizer.feature_columns_
    back = binarizer.inverse_transform(binarizer.transform(frame))
    assert (
        back[["a", "b", "c", "e", "f", "g", "h"]]
        .astype(str)
        .equals(frame[["a", "b", "c", "e", "f", "g", "h"]].astype(str))
    )


@given(
    st.lists(
        st.tuples(st.integers(-9, 9), st.sampled_from("abcdefgh"), st.booleans(), st.sampled_from(SIZES)),
        min_size=1,
        max_size=30,
    ),
    st.integers(1, 6),
    st.integers(2, 6),
)
def test_the_inverse_has_the_same_features(rows: list[Any], n: int, most: int) -> None:
    frame = pd.DataFrame(rows, columns=["number", "letter", "flag", "size"])
    frame["size"] = pd.Categorical(frame["size"], SIZES, ordered=True)
    for strategy in ("quantile", "uniform", "all"):
        binarizer = Binarizer(n_thresholds=n, max_categories=most, strategy=strategy).fit(frame)
        features = binarizer.transform(frame)
        back = binarizer.inverse_transform(features)
        assert list(back.columns) == list(frame.columns)
        assert np.array_equal(binarizer.transform(back), features)
    if most >= frame["letter"].nunique():
        assert back.astype(str).equals(frame.astype(str))


def test_inverses_keep_their_library() -> None:
    data = {"n": [1, 2, 3], "c": ["a", "b", "a"]}
    assert isinstance(Binarizer().fit(pl.DataFrame(data)).inverse_transform(np.eye(3)), pl.DataFrame)
    booleans = np.array([[True, False], [False, False]])
    assert np.array_equal(Binarizer().fit(booleans).inverse_transform(booleans), booleans)
    numbers = Binarizer(missing="indicator").fit([[1.0], [np.nan]])
    assert np.isnan(numbers.inverse_transform([[1]])).all()
    with pytest.raises(ValueError, match="X must have 3 features, got 2"):
        Binarizer().fit(pd.DataFrame(data)).inverse_transform([[0, 1]])


def test_numbers_as_categories_and_back() -> None:
    codes = Binarizer().fit(pd.DataFrame({"zip": pd.Categorical([10, 20, 30])}))
    assert codes.transform(pd.DataFrame({"zip": [20.0, 99.0]})).tolist() == [
        [False, True, False],
        [False] * 3,
    ]
    numbers = Binarizer().fit(pd.DataFrame({"n": [1, 2, 3]}))
    assert numbers.transform(pd.DataFrame({"n": pd.Categorical([1, 3])})).tolist() == [
        [True, True],
        [False] * 2,
    ]


def test_booleans_stay_booleans() -> None:
    binarizer = Binarizer().fit(pd.DataFrame({"b": [True, False]}))
    assert binarizer.transform(pd.DataFrame({"b": [1.0, 0.0]})).tolist() == [[True], [False]]
    with pytest.raises(ValueError, match="column 'b' held Booleans when fitted, now it holds 2 in row 1"):
        binarizer.transform(pd.DataFrame({"b": [1, 2]}))


@pytest.mark.parametrize("mixture", [["a", 1], [dt.date(2024, 1, 1), "a"], [dt.date(2024, 1, 1), 5]])
def test_mixed_columns_are_refused(mixture: list[Any]) -> None:
    with pytest.raises(TypeError, match=r"column 'x0' mixes \w+ and \w+, the first \w+ is .* in row \d"):
        Binarizer().fit(np.array([[value] for value in mixture], dtype=object))


def test_polars_needs_no_narwhals(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = pl.DataFrame(
        {"n": [1, None, 3], "c": ["a", None, "b"], "s": ["small", "huge", None], "d": [None, *DAYS[:2]],
         "b": [True, None, False]},
        schema_overrides={"s": pl.Enum(SIZES)},
    )  # fmt: skip
    expected = Binarizer(missing="indicator").fit(frame)
    features = expected.transform(frame)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "narwhals", None)
        assert streed.table.frames.narwhals() is None
        assert isinstance(streed.table.frames.wrap(frame)[0], pl.DataFrame)
        binarizer = streed.Binarizer(missing="indicator")
        binarizer.fit_transform_table(frame)
        assert binarizer.conditions_ == expected.conditions_
        assert np.array_equal(binarizer.transform_table(frame), features)


def test_arrow_tables() -> None:
    arrow = pytest.importorskip("pyarrow", reason="Arrow tables are read through narwhals")
    pytest.importorskip("narwhals", reason="Arrow tables are read through narwhals")
    table = arrow.table({"n": [1, 2, None], "c": ["a", None, "b"], "d": [dt.date(2024, 1, 1), None, None]})
    binarizer = Binarizer(missing="indicator").fit(table)
    of_c = ["c is missing", "c = a", "c = b"]
    assert names(binarizer) == ["n is missing", "n <= 1.5", *of_c, "d is missing"]
    features = binarizer.transform(table).astype(int).tolist()
    assert features == [[0, 1, 0, 1, 0, 0], [0, 0, 1, 0, 0, 1], [1, 0, 0, 0, 1, 1]]
    assert binarizer.transform(table.select(["d", "n", "c"])).astype(int).tolist() == features


def test_foreign_tables_ask_for_narwhals(monkeypatch: pytest.MonkeyPatch) -> None:
    class Foreign:
        shape = (2, 1)

        def __dataframe__(self) -> None: ...

    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(TypeError, match="reading a Foreign needs the package narwhals"):
        importlib.import_module("streed.table.frames").adopt(Foreign())


@given(values=st.lists(st.floats(allow_nan=False) | st.integers(0, 3).map(float), min_size=1, max_size=12))
def test_the_median_of_a_column_without_cuts_is_that_of_its_gaps(values: list[float]) -> None:
    column = np.array(values)
    assert [lower_median(column)] == representatives(find_gaps(column, None), [])


@pytest.mark.parametrize("n", [0, 1, 7, 300])
@pytest.mark.parametrize("arrow", [False, True])
def test_few_rows_of_texts_are_read_as_many_are(monkeypatch: Any, n: int, arrow: bool) -> None:
    texts = [["b", "a", None, "b", "z"][k * k % 5] for k in range(n)]
    strings = pl.Series(texts, dtype=pl.String)
    kinds = {"text": strings, "category": strings.cast(pl.Categorical)}
    frame: Any = pl.DataFrame(kinds | {"ordered": strings.cast(pl.Enum(["z", "b", "a", "q"]))})
    frame = frames.adopt(frame.select("text", "category").to_arrow()) if arrow else frame
    found = []
    for few in (10**6, -1):
        monkeypatch.setattr(frames, "FEW", few)
        columns = list(read_columns(frame, list(frame.columns)))
        found.append([(c.name, c.kind, c.categories, c.values.tolist(), c.values.dtype) for c in columns])
    assert found[0] == found[1]
