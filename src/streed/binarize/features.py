"""Which binary features a column gets: the choice of its conditions, and what they stand for inverted."""

from __future__ import annotations

import datetime as dt
import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.binarize.categories import count_categories, split_rare
from streed.binarize.cuts import (
    Chosen,
    Gaps,
    find_gaps,
    lower_median,
    place,
    representatives,
    tidy_integer,
    tidy_number,
)
from streed.table.columns import Column, Kind
from streed.table.dates import DAY, date_text, tidy_date
from streed.table.limits import is_beyond
from streed.tree.conditions import Condition


@dataclass(frozen=True, slots=True, eq=False)
class ColumnFeatures:
    """The features of one column.

    A row of the column is described by the first of its conditions that it satisfies (the one that says
    "missing" aside); `values` has a value for each of these and, last, one for rows that satisfy none.
    """

    name: str
    kind: Kind
    conditions: tuple[Condition, ...]
    values: tuple[Any, ...]
    reason: str | None = None
    """Why there are no conditions, if there are none."""
    categories: tuple[Any, ...] = ()
    """Some categories of the column, to tell numbers from strings."""
    known: frozenset[Any] | None = None
    """All categories, if others are to be refused."""
    around: tuple[tuple[Any, Any], ...] = ()
    """For each cut of numbers the last value of the fit up to the cut, and the first one above it."""
    single: bool = False
    """Whether the column held floating-point numbers of at most 32 bits."""

    def __setstate__(self, state: list[Any]) -> None:
        """Read a pickle, also one of a version that did not know the last fields."""
        for number, field in enumerate(fields(self)):
            object.__setattr__(self, field.name, state[number] if number < len(state) else field.default)

    @property
    def part(self) -> str:
        """The part of dates that the features are about; empty where they are about the values."""
        return self.conditions[0].part if self.conditions else ""


def owners_of(columns: Sequence[ColumnFeatures]) -> NDArray[np.intp]:
    """Return for each feature the place of its column in a list of columns and parts of dates."""
    return np.repeat(np.arange(len(columns)), [len(column.conditions) for column in columns])


def sources_of(columns: Sequence[ColumnFeatures]) -> list[int]:
    """Return for each of these the number of its column in the table; parts of dates follow their dates."""
    return [count - 1 for count in accumulate(int(not column.part) for column in columns)]


def columns_of_features(columns: Sequence[ColumnFeatures]) -> NDArray[np.intp]:
    """Return for each feature the number of its column in the table."""
    numbers: list[int] = []
    for source, column in zip(sources_of(columns), columns, strict=True):
        numbers += [source] * len(column.conditions)
    return np.array(numbers, np.intp)


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The rows of one column that are not missing, with their weights and labels, as the choice sees them."""

    values: NDArray[Any]
    weights: NDArray[np.float64] | None
    y: NDArray[Any] | None

    def where(self, mask: NDArray[np.bool_]) -> Rows:
        """Return some of the rows."""
        weights = None if self.weights is None else self.weights[mask]
        return Rows(self.values[mask], weights, None if self.y is None else self.y[mask])


Chooser = Callable[[Gaps, Rows], Chosen]
"""A strategy with its number of cuts."""


def boolean_features(name: str, rows: Rows) -> ColumnFeatures:
    """Take a Boolean column as it is."""
    condition = Condition(name, "is", True)
    n_has = int(np.count_nonzero(rows.values))
    return _one_feature(name, Kind.BOOLEAN, condition, n_has, rows.values.size, (True, False))


def zero_one_features(name: str, rows: Rows) -> ColumnFeatures:
    """Take a column of zeros and ones as it is."""
    return count_features(name, int((rows.values == 1).sum()), rows.values.size)


def count_features(name: str, n_ones: int, n: int) -> ColumnFeatures:
    """Take a column of zeros and `n_ones` ones as it is."""
    if 0 < n_ones < n:
        return _zero_one(name)
    return _one_feature(name, Kind.NUMBER, Condition(name, "=", 1), n_ones, n, (1, 0))


@functools.lru_cache(maxsize=4096)
def _zero_one(name: str) -> ColumnFeatures:
    return ColumnFeatures(name, Kind.NUMBER, (Condition(name, "=", 1),), (1, 0))


def is_zero_one(column: ColumnFeatures) -> bool:
    """Whether a column was taken as it is because it held zeros and ones, or one of them only."""
    if column.kind is not Kind.NUMBER or len(column.conditions) > 1:
        return False
    return column.conditions[0].operator == "=" if column.conditions else column.values[0] is not None


def all_zero_one(table: NDArray[Any]) -> bool:
    """Whether an array holds nothing else; mostly its first rows tell."""
    return all(bool(((part == 0) | (part == 1)).all()) for part in (table[:100], table))


def is_whole(table: Any) -> bool:
    """Whether a table is an array of whole numbers."""
    return isinstance(table, np.ndarray) and table.dtype.kind in "iu"


def _one_feature(
    name: str, kind: Kind, condition: Condition, n_has: int, n: int, values: tuple[Any, Any]
) -> ColumnFeatures:
    if n_has in (0, n):
        return ColumnFeatures(name, kind, (), (values[0 if n_has else 1],), "it has only one value")
    return ColumnFeatures(name, kind, (condition,), values)


def as_sorted(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers in the type in which they are sorted: doubles, unless these cannot tell them apart."""
    return np.ascontiguousarray(values, None if is_beyond(values) else np.float64)


def number_features(
    column: Column,
    rows: Rows,
    choose: Chooser,
    given: list[float] | None,
    gaps: Gaps | None = None,
    *,
    from_text: bool = False,
) -> ColumnFeatures:
    """Cut a column of numbers or dates; its gaps are found unless they are known."""
    numbers = as_sorted(rows.values)
    wide = numbers.dtype.kind in "iu"
    is_date = column.kind is Kind.DATE
    if gaps is None and given == [] and rows.weights is None and not is_date:  # as most columns of exact cuts
        values = _as_given(column, [lower_median(numbers)])
        return ColumnFeatures(column.name, column.kind, (), values, "no cuts are given")
    rows = Rows(numbers, rows.weights, rows.y)
    gaps = find_gaps(numbers, rows.weights) if gaps is None else gaps
    tidy: Any = tidy_date if is_date else tidy_integer if wide else tidy_number
    cuts = place(gaps, choose(gaps, rows), tidy) if given is None else given
    whole_days = is_date and bool((gaps.distinct % DAY == 0).all() and not any(cut % DAY for cut in cuts))
    shown: list[Any] = [date_text(cut, whole_days=whole_days) for cut in cuts] if is_date else cuts
    values = _as_given(column, representatives(gaps, cuts))
    if is_date:
        texts = [date_text(value, whole_days=whole_days) for value in values]
        kind = dt.date if whole_days else dt.datetime
        values = tuple(texts if from_text else map(kind.fromisoformat, texts))
    reason = None if cuts else "it has only one value" if given is None else "no cuts are given"
    conditions = tuple(Condition(column.name, "<=", cut) for cut in shown)
    around = () if is_date else _around(gaps.distinct, cuts)
    single = column.values.dtype.kind == "f" and column.values.dtype.itemsize <= 4
    return ColumnFeatures(column.name, column.kind, conditions, values, reason, around=around, single=single)


def _around(distinct: NDArray[Any], cuts: list[float]) -> tuple[tuple[Any, Any], ...]:
    """Return the values on both sides of each cut, infinity where there is none.

    Examples
    --------
    >>> _around(np.array([1.0, 2.0, 9.0]), [2.5, 9.0])
    ((2.0, 9.0), (9.0, inf))
    """
    ends = distinct.searchsorted(cuts, side="right").tolist() if cuts else []
    return tuple(
        (
            distinct.item(end - 1) if end else -math.inf,
            distinct.item(end) if end < distinct.size else math.inf,
        )
        for end in ends
    )


def _as_given(column: Column, values: Sequence[Any]) -> tuple[Any, ...]:
    """Return values of a column of integers as integers where they are whole."""
    if column.values.dtype.kind not in "iu":
        return tuple(values)
    return tuple(int(value) if value == int(value) else value for value in values)


def ordered_features(column: Column, rows: Rows, choose: Chooser, *, refuse: bool) -> ColumnFeatures:
    """Cut an order of categories as if their positions were numbers."""
    rows = Rows(rows.values.astype(np.float64), rows.weights, rows.y)
    gaps = find_gaps(rows.values, rows.weights)
    after = [int(gaps.distinct[gap]) for gap in choose(gaps, rows)[0]]
    order = tuple(column.categories)
    conditions = tuple(Condition(column.name, "in", order[: k + 1], ordered=True) for k in after)
    values = tuple(order[int(k)] for k in representatives(gaps, [float(k) for k in after]))
    reason = None if conditions else "it has only one value"
    known = frozenset(order) if refuse else None
    return ColumnFeatures(column.name, column.kind, conditions, values, reason, order, known)


def category_features(
    column: Column,
    rows: Rows,
    max_categories: int | None,
    min_frequency: float | None,
    *,
    refuse: bool,
    missing: bool,
) -> ColumnFeatures:
    """Give each category a feature; the rare ones share one.

    Of two categories one says it all, unless values are missing: then neither is what the other one is not.
    """
    name = column.name
    counts = count_categories(rows.values, column.categories, rows.weights)
    frequent, rare = split_rare(counts, max_categories, min_frequency)
    conditions = [Condition(name, "=", value) for value in frequent]
    values, rest = list(frequent), None
    if rare:
        conditions.append(Condition(name, "in", rare))
        values.append(max(rare, key=lambda value: counts[value]))
    if len(conditions) == 1:
        conditions, values, rest = [], [], values[0]
    elif len(conditions) == 2 and not missing:  # the second category, or the frequent one of two groups
        keep = 0 if rare else 1
        conditions, values, rest = conditions[keep : keep + 1], values[keep : keep + 1], values[1 - keep]
    reason = None if conditions else "all its categories are rare" if rare else "it has only one value"
    known = frozenset(counts) if refuse else None
    return ColumnFeatures(
        name, Kind.CATEGORY, tuple(conditions), (*values, rest), reason, tuple(counts)[:2], known
    )


def part_features(name: str, part: str, values: NDArray[np.float64]) -> ColumnFeatures:
    """Cut a part of dates between all of its values; the features of the dates say whether one is missing."""
    distinct = np.unique(values).astype(np.int64).tolist()
    conditions = tuple(Condition(name, "<=", value, part=part) for value in distinct[:-1])
    return ColumnFeatures(name, Kind.NUMBER, conditions, tuple(distinct))


def with_sides(features: ColumnFeatures) -> ColumnFeatures:
    """Put "is missing" before the others, and after them each one once more, "or missing".

    So a tree sends missing values to either side of a cut. Categories without an order need "is missing"
    only: a missing value is one more category, and each category has a feature.
    """
    return with_missing(replace(features, conditions=both_sides(features)))


def both_sides(features: ColumnFeatures) -> tuple[Condition, ...]:
    """Return conditions without missing values, and then each with them; of categories the first alone."""
    own = features.conditions if features.kind is not Kind.CATEGORY else ()
    return (*features.conditions, *(replace(condition, missing=True) for condition in own))


def with_missing(features: ColumnFeatures) -> ColumnFeatures:
    """Put the feature "is missing" before the others."""
    condition = Condition(features.name, "is", None)
    return replace(features, conditions=(condition, *features.conditions), reason=None)
