"""From the values of a column to its binary features, block by block."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from streed.binarize.features import ColumnFeatures
from streed.table.columns import Column, Kind, all_finite
from streed.table.dates import NoDateError, date_part, parse_dates
from streed.table.limits import at_most

BLOCK = 4000
"""Rows that are encoded at a time: their features fit into the processor's cache. It is no power
of two: the block is transposed, and such strides fall into the same few cache lines (five times slower)."""


class Known(NamedTuple):
    """A column in the way in which it is fitted, with its values and where they are missing."""

    column: Column
    values: NDArray[Any]
    missing: NDArray[np.bool_] | None
    """None: nowhere."""
    source: int = 0
    """Number of the column in the table."""
    from_text: bool = False
    """Whether it holds dates that were texts."""
    part: str = ""
    """The part of dates that the values are."""

    def take(self, rows: Any) -> Known:
        """Return the values of some rows."""
        missing = None if self.missing is None else self.missing[rows]
        return self._replace(values=self.values[rows], missing=missing)

    def of_dates(self, part: str) -> Known:
        """Return a part of the dates that a column holds."""
        values = date_part(self.values, part)
        column = Column(self.column.name, Kind.NUMBER, values)
        return self._replace(column=column, values=values, part=part)


class Encoder:
    """Writes the features of one column."""

    def __init__(self, known: Known, fitted: ColumnFeatures) -> None:
        column, self._values, self._missing = known[:3]
        self._conditions = fitted.conditions
        self._is_category = fitted.kind.is_category
        if self._is_category:
            self._values = _first_satisfied(column, fitted)[self._values]
        elif fitted.kind is Kind.BOOLEAN:
            _refuse_other_than_zero_one(column.name, self._values, self._missing)
        self._cuts = [
            float(parse_dates([c.value])[0]) if fitted.kind is Kind.DATE and c.operator == "<=" else c.value
            for c in fitted.conditions
        ]

    def write(self, begin: int, end: int, out: NDArray[np.bool_]) -> None:
        """Write the features of the rows from `begin` to `end`, one feature per row of `out`."""
        if not self._conditions:
            return
        values = self._values[begin:end]
        if not self._is_category:
            values = np.ascontiguousarray(values, None if values.dtype.kind in "iu" else np.float64)
        n_sides = sum(condition.missing for condition in self._conditions)
        for position, condition in enumerate(self._conditions):
            if condition.missing:  # its twin for values alone was written before
                absent = False if self._missing is None else self._missing[begin:end]
                np.logical_or(out[position - n_sides], absent, out=out[position])
            elif condition.operator == "is" and condition.value is None:
                out[position] = False if self._missing is None else self._missing[begin:end]
            elif self._is_category:
                (np.less_equal if condition.ordered else np.equal)(values, position, out=out[position])
            elif condition.operator == "<=":
                at_most(values, self._cuts[position], out=out[position])
                if self._missing is not None and values.dtype.kind in "iu":  # as NaN would be
                    out[position] &= ~self._missing[begin:end]
            else:
                np.equal(values, 1.0, out=out[position])

    def cut(self, position: int) -> Any:
        """Return what the values are compared with by one of the conditions, a cut."""
        return self._cuts[position]

    def evaluate(self, position: int) -> NDArray[np.bool_]:
        """Return which rows satisfy one of the conditions."""
        n = self._values.size
        features = np.empty((len(self._conditions), n), np.bool_)
        self.write(0, n, features)
        return np.ascontiguousarray(features[position])


def encode_features(
    n_rows: int,
    known: Sequence[Known],
    fitted: Sequence[ColumnFeatures],
    kept: NDArray[np.intp] | None = None,
) -> NDArray[np.bool_]:
    """Write the features of all columns, or those that are kept, one feature per column of the result."""
    encoders = list(map(Encoder, known, fitted))
    ends = [0, *accumulate(len(column.conditions) for column in fitted)]
    features = np.empty((n_rows, ends[-1] if kept is None else kept.size), dtype=np.bool_)
    block = np.empty((ends[-1], min(n_rows, BLOCK)), dtype=np.bool_)
    for begin in range(0, n_rows, BLOCK):
        end = min(n_rows, begin + BLOCK)
        for encoder, start, stop in zip(encoders, ends, ends[1:], strict=False):
            encoder.write(begin, end, block[start:stop, : end - begin])
        rows = block[:, : end - begin]
        features[begin:end] = (rows if kept is None else rows[kept]).T
    return features


def _first_satisfied(column: Column, fitted: ColumnFeatures) -> NDArray[np.int32]:
    """Return for each category the first condition that it satisfies; the last entry is for missing values.

    Conditions on an order are nested, so a row satisfies the first one and all after it. What satisfies
    none gets a position after the last one.
    """
    none = len(fitted.conditions)
    first: dict[Any, int] = {}
    for position, condition in enumerate(fitted.conditions):
        if condition.missing:
            continue
        if condition.operator == "=":
            first[condition.value] = position
        elif condition.operator == "in":
            first.update((value, position) for value in condition.value if value not in first)
    if fitted.known is not None:
        used = [column.categories[code] for code in _used(column)]
        if unknown := [value for value in used if value not in fitted.known]:
            raise ValueError(
                f"column {column.name!r} holds {unknown[0]!r}, which it did not when fitted; "
                "Binarizer(unknown='ignore') would give it no feature"
            )
    return np.array([*(first.get(value, none) for value in column.categories), none], dtype=np.int32)


def read_fitted(column: Column, fitted: ColumnFeatures, missing: str) -> Known:
    """Read a column in the way in which it was fitted; `missing` is what is done with missing values."""
    part = fitted.part
    column = as_fitted(column, replace(fitted, kind=Kind.DATE) if part else fitted)
    known = Known(column, *values_and_missing(column, missing))
    return known.of_dates(part) if part else known


def as_fitted(column: Column, fitted: ColumnFeatures) -> Column:
    """Read a column in the way in which it was fitted, or say that it changed its type."""
    held, holds = fitted.kind, column.kind
    if held.is_category == holds.is_category and (held is Kind.DATE) == (holds is Kind.DATE):
        return column
    if _all_missing(column):
        none = np.full(column.values.size, -1 if held.is_category else np.nan)
        return Column(column.name, held, none.astype(np.intp) if held.is_category else none)
    if held is Kind.DATE and holds.is_category:
        return strict_dates(column)
    if held.is_category and holds in (Kind.NUMBER, Kind.BOOLEAN) and _are_numbers(fitted.categories):
        distinct, codes = np.unique(column.values, return_inverse=True)
        codes = np.where(np.isnan(column.values), -1, codes) if column.values.dtype.kind == "f" else codes
        codes = codes if column.missing is None else np.where(column.missing, -1, codes)
        return Column(column.name, held, codes, distinct.tolist())
    if held in (Kind.NUMBER, Kind.BOOLEAN) and holds.is_category and _are_numbers(column.categories):
        table = np.array([*column.categories, np.nan], dtype=np.float64)
        return Column(column.name, held, table[column.values])
    raise TypeError(f"column {column.name!r} held {held} when fitted, now it holds {holds}")


def _all_missing(column: Column) -> bool:
    values = column.values
    if column.kind.is_category:
        return bool((values < 0).all())
    return values.dtype.kind == "f" and bool(np.isnan(values).all())


def _are_numbers(values: Any) -> bool:
    return len(values) > 0 and all(isinstance(value, numbers.Real | np.bool_) for value in values)


def _used(column: Column) -> NDArray[np.intp]:
    """Return the positions of the categories that occur."""
    counts = np.bincount(column.values[column.values >= 0], minlength=len(column.categories))
    return np.flatnonzero(counts)


def strict_dates(column: Column) -> Column:
    """Read a column of texts as dates, or say where it holds something else."""
    used = _used(column)
    numbers = np.full(len(column.categories) + 1, np.nan)
    try:
        numbers[used] = parse_dates([column.categories[code] for code in used])
    except NoDateError as error:
        row = next(i for i, code in enumerate(column.values) if column.categories[code] == error.value)
        raise ValueError(f"column {column.name!r} held dates when fitted, but in row {row} {error}") from None
    return Column(column.name, Kind.DATE, numbers[column.values])


def _refuse_other_than_zero_one(name: str, values: NDArray[Any], missing: NDArray[np.bool_] | None) -> None:
    if values.dtype.kind == "b":
        return
    fine = (values == 0) | (values == 1)
    if missing is not None:
        fine |= missing
    if not fine.all():
        row = int(np.flatnonzero(~fine)[0])
        raise ValueError(
            f"column {name!r} held Booleans when fitted, now it holds {values[row]} in row {row}"
        )


def values_and_missing(column: Column, policy: str) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Return the values of a column and where they are missing (None: nowhere), or refuse them."""
    values = column.values
    if column.finite:
        return values, None
    if column.missing is not None:
        missing = column.missing
    elif column.kind.is_category:
        missing = values < 0
        if not missing.any():
            return values, None
    elif all_finite(values):
        return values, None
    else:
        missing = np.isnan(values)
        if np.isinf(values).any():
            row = int(np.flatnonzero(np.isinf(values))[0])
            raise ValueError(f"Input X contains infinity: {values[row]} in column {column.name!r}, row {row}")
    if policy == "error":
        row = int(np.flatnonzero(missing)[0])
        raise ValueError(
            f"Input X contains NaN or missing values, the first in column {column.name!r}, row {row}; fill "
            "them in, or use Binarizer(missing='indicator') to make them a feature"
        )
    return values, missing
