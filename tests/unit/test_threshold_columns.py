"""Columns as exact ranks, tests as conditions on values, and the shortest number between two neighbours."""

from __future__ import annotations

import datetime as dt
import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streed.thresholds import Test, encode_columns
from streed.thresholds.between import date_between, number_between, whole_between
from streed.thresholds.columns import MOST_TOGETHER, _rank
from tests.properties.thresholds_twin import ThresholdProblem, optimum
from tests.threshold_search import solve_thresholds

ODD = [-math.inf, -1e300, -5e-324, 0.0, 5e-324, 1e-310, 0.1, 0.1 + 2**-56, 1.0, 1.0 + 2**-52, 1e300, math.inf]


def column(values: Any, kind: str = "numbers", categories: Any = (), name: str = "x") -> Any:
    return SimpleNamespace(name=name, kind=kind, values=np.asarray(values), categories=categories)


@given(low=st.floats(allow_nan=False), high=st.floats(allow_nan=False))
def test_a_cut_lies_between_two_floats(low: float, high: float) -> None:
    low, high = min(low, high), max(low, high)
    if low < high:
        assert low <= number_between(low, high) < high
        assert low <= number_between(low, math.nextafter(low, math.inf)) <= low


@given(values=st.tuples(st.floats(width=32, allow_nan=False), st.floats(width=32, allow_nan=False)))
def test_a_cut_of_short_floats_stays_between_them_when_rounded(values: tuple[float, float]) -> None:
    low, high = min(values), max(values)
    if low < high:
        assert np.float32(low) <= np.float32(number_between(low, high, np.float32)) < np.float32(high)


def test_short_floats_beside_infinity() -> None:
    largest = float(np.finfo(np.float32).max)
    assert number_between(largest, math.inf, np.float32) == largest


@given(low=st.integers(-(2**63), 2**64 - 2), distance=st.integers(1, 2**40))
def test_a_cut_of_whole_numbers_is_exact(low: int, distance: int) -> None:
    cut = whole_between(low, low + distance)
    assert low <= cut < low + distance
    assert isinstance(cut, int) or abs(cut) < 2**53


@given(low=st.integers(0, 2**50), distance=st.integers(1, 2**45))
def test_a_cut_of_dates_lies_between_them(low: int, distance: int) -> None:
    assert low <= date_between(float(low), float(low + distance)) < low + distance


@pytest.mark.parametrize(
    ("low", "high", "cut"),
    [
        (1.0, 2.0, 1.5),
        (0.12345, 0.12355, 0.1235),
        (1e300, 1.1e300, 1.05e300),
        (-3.0, math.inf, 0.0),
        (0.0, 1.0, 0.5),
    ],
)
def test_cuts_are_short(low: float, high: float, cut: float) -> None:
    assert number_between(low, high) == cut


def satisfied(test: Test, source: Any) -> np.ndarray:
    """What the condition of a test says about the values of its column, by hand."""
    condition, out = test.condition, []
    for value in source.values.tolist():
        missing = value != value or (source.kind.endswith("categories") and value < 0)
        if condition.operator == "is" and condition.value is None:
            out.append(missing)
        elif missing:
            out.append(test.condition.missing)
        elif source.kind.endswith("categories"):
            allowed = condition.value if condition.operator == "in" else (condition.value,)
            out.append(source.categories[int(value)] in allowed)
        elif source.kind == "dates":
            out.append(
                value
                <= (dt.datetime.fromisoformat(condition.value) - dt.datetime(1970, 1, 1))
                / dt.timedelta(microseconds=1)
            )
        elif condition.operator == "<=":
            out.append(value <= condition.value)
        else:
            out.append(value == 1)
    return np.array(out)


@st.composite
def sources(draw: st.DrawFn, n: int) -> Any:
    kind = draw(
        st.sampled_from(
            ["numbers", "whole", "large", "bits", "Booleans", "dates", "categories", "ordered categories"]
        )
    )

    def many(values: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(values, min_size=n, max_size=n))

    if kind == "numbers":
        return column(np.array(many(st.sampled_from([*ODD, math.nan]) | st.floats(width=64))))
    if kind == "whole":
        return column(np.array(many(st.integers(-3, 3)), np.int64))
    if kind == "large":
        return column(np.array(many(st.integers(2**60, 2**60 + 5)), np.int64))
    if kind == "bits":
        return column(np.array(many(st.sampled_from([0.0, 1.0, math.nan]))))
    if kind == "Booleans":
        return column(np.array(many(st.booleans())), kind)
    if kind == "dates":
        days = st.integers(0, 9).map(lambda day: day * 86_400e6) | st.integers(0, 10**13).map(float)
        return column(np.array(many(days | st.just(math.nan))), kind)
    return column(np.array(many(st.integers(-1, 3)), np.int64), kind, ("a", "b", "c", "d"))


@given(data=st.data())
def test_conditions_say_of_values_what_the_search_says_of_ranks(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 10))
    table = [data.draw(sources(n)) for _ in range(data.draw(st.integers(1, 3)))]
    labels = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), np.int32)
    result = solve_thresholds(table, labels=labels, n_labels=3, max_depth=3)
    for position, test in enumerate(result.tests):
        np.testing.assert_array_equal(result.features[:, position] == 1, satisfied(test, table[test.column]))
    assert result.optimal
    assert result.objective == np.count_nonzero(result.predicted() != labels)
    ranks = np.array([one.codes for one in encode_columns(table)], np.int32).reshape(-1, n)
    assert result.objective == optimum(ThresholdProblem(ranks, labels, np.ones(n), None, 3, 3, 2**31 - 1))


def test_ranks_are_exact() -> None:
    close = np.array([0.1, 0.1 + 2**-56, 0.1 + 2**-55, 0.1])
    assert encode_columns([column(close)])[0].codes.tolist() == [0, 1, 2, 0]
    large = np.array([2**60, 2**60 + 1, 2**60], np.int64)
    assert encode_columns([column(large)])[0].codes.tolist() == [0, 1, 0]
    assert encode_columns([column(np.array([-0.0, 0.0, 2.0]))])[0].codes.tolist() == [0, 0, 1]


@given(
    table=st.integers(1, 12).flatmap(
        lambda n: st.lists(
            st.lists(st.floats() | st.sampled_from([*ODD, -0.0, math.nan, 2.0]), min_size=n, max_size=n),
            min_size=1,
            max_size=4,
        )
    ),
    kind=st.sampled_from(["numbers", "dates"]),
)
def test_columns_that_are_ranked_together_have_the_ranks_that_each_has_alone(
    table: list[list[float]], kind: str
) -> None:
    together = encode_columns([column(np.array(values), kind) for values in table])
    for values, found in zip(table, together, strict=True):
        if found.kind == "one":
            continue
        codes, distinct = _rank(np.array(values), None)
        np.testing.assert_array_equal(found.codes, codes)
        np.testing.assert_array_equal(found.distinct, distinct)


def test_large_columns_have_exact_ranks_too() -> None:
    values = np.random.default_rng(0).integers(0, 700, 2 * MOST_TOGETHER) / 7
    values[5] = math.nan
    (found,) = encode_columns([column(values)])
    small = encode_columns([column(values[:MOST_TOGETHER])])[0]
    for ranks, source in ((found, values), (small, values[:MOST_TOGETHER])):
        distinct, codes = np.unique(source[~np.isnan(source)], return_inverse=True)
        np.testing.assert_array_equal(ranks.distinct, distinct)
        np.testing.assert_array_equal(ranks.codes[~np.isnan(source)], codes)
        assert ranks.codes[5] == -1


def test_whole_numbers_that_floats_cannot_tell_apart_are_separated() -> None:
    result = solve_thresholds(
        [column(np.array([2**60, 2**60 + 1], np.int64))], labels=np.array([0, 1], np.int32), max_depth=1
    )
    assert (result.objective, result.tests[0].condition.value) == (0, 2**60)


def test_other_kinds_and_lengths_are_refused() -> None:
    with pytest.raises(
        TypeError, match="column 'x' must hold Booleans, numbers, dates or categories, got colours"
    ):
        encode_columns([column([1], "colours")])
    with pytest.raises(ValueError, match="all columns must have 2 rows"):
        solve_thresholds([column([1.0, 2.0]), column([1.0])], labels=np.array([0, 1], np.int32), max_depth=1)


def test_a_limit_of_work_ends_at_the_same_point() -> None:
    rng = np.random.default_rng(0)
    table = [column(rng.random(500)) for _ in range(5)]
    labels = rng.integers(0, 2, 500).astype(np.int32)
    runs = [solve_thresholds(table, labels=labels, max_depth=4, work_limit=1e7) for _ in range(2)]
    assert [one.status for one in runs] == ["work_limit", "work_limit"]
    assert runs[0].tests == runs[1].tests
    assert runs[0].lower_bound <= runs[0].objective == runs[1].objective


def test_missing_values_go_where_they_cost_least() -> None:
    values, labels = np.array([1.0, 2.0, 3.0, np.nan]), np.array([0, 0, 1, 1], np.int32)
    result = solve_thresholds([column(values)], labels=labels, max_depth=1)
    assert (result.objective, str(result.tests[0])) == (0, "x <= 2.5")
    result = solve_thresholds([column(values)], labels=np.array([0, 1, 1, 0], np.int32), max_depth=1)
    assert (result.objective, str(result.tests[0])) == (0, "x <= 1.5 or missing")
    result = solve_thresholds([column(values)], labels=np.array([0, 0, 0, 1], np.int32), max_depth=1)
    assert (result.objective, str(result.tests[0])) == (0, "x is missing")
