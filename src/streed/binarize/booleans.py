"""The features of Boolean and 0/1 arrays: each column is one, so that the number of columns says all."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from streed.binarize.features import ColumnFeatures, count_features, is_whole
from streed.table.columns import Kind, numbered_names
from streed.tree.conditions import Condition

REMEMBERED = 1024
"""Constants are kept for arrays of at most so many columns."""


@dataclass(frozen=True, slots=True, eq=False)
class BooleanColumns:
    """What a `Binarizer` with default parameters finds in a Boolean or 0/1 array. Nobody may change it."""

    names: tuple[str, ...]
    columns: tuple[ColumnFeatures, ...]
    conditions: tuple[Condition, ...]
    feature_columns: NDArray[np.intp]


def boolean_columns(n_columns: int) -> BooleanColumns:
    """Return the features of a Boolean array; a small fit takes less time than making them anew would.

    Examples
    --------
    >>> boolean_columns(2).names
    ('x0', 'x1')
    """
    return _remembered(n_columns) if n_columns <= REMEMBERED else _make(n_columns)


def zero_one_columns(n_columns: int) -> BooleanColumns:
    """Return the features of an array of zeros and ones in whole numbers, none of whose columns is constant.

    Examples
    --------
    >>> zero_one_columns(2).names
    ('x0 = 1', 'x1 = 1')
    """
    return _remembered_zero_one(n_columns) if n_columns <= REMEMBERED else _make_zero_one(n_columns)


def zero_one_bits(table: object) -> NDArray[np.uint8] | None:
    """Return an array of whole numbers as bytes if it holds zeros and ones and has no constant column.

    Three sweeps over bytes take a tenth of the time of comparing and counting every column. Numbers are
    read without their sign, so that negative ones are too large.

    Examples
    --------
    >>> zero_one_bits(np.array([[0, 1], [1, 0]])).tolist()
    [[0, 1], [1, 0]]
    >>> zero_one_bits(np.array([[0, 1], [1, 1]])) is None
    True
    """
    if not isinstance(table, np.ndarray) or not is_whole(table) or table.ndim != 2 or table.size == 0:
        return None
    native = np.ascontiguousarray(table, dtype=table.dtype.newbyteorder("="))
    unsigned = native.view(f"u{native.dtype.itemsize}")
    if unsigned.max() > 1:
        return None
    bits = unsigned.astype(np.uint8, copy=False)
    if not np.bitwise_or.reduce(bits, axis=0).all() or np.bitwise_and.reduce(bits, axis=0).any():
        return None
    return bits


def _make(n_columns: int) -> BooleanColumns:
    return _joined(tuple(map(as_it_is, numbered_names(n_columns))))


def _make_zero_one(n_columns: int) -> BooleanColumns:
    return _joined(tuple(count_features(name, 1, 2) for name in numbered_names(n_columns)))


def _joined(columns: tuple[ColumnFeatures, ...]) -> BooleanColumns:
    conditions = tuple(column.conditions[0] for column in columns)
    return BooleanColumns(tuple(map(str, conditions)), columns, conditions, np.arange(len(columns)))


_remembered = functools.lru_cache(maxsize=16)(_make)
_remembered_zero_one = functools.lru_cache(maxsize=16)(_make_zero_one)


@functools.lru_cache(maxsize=4096)
def as_it_is(name: str) -> ColumnFeatures:
    """Return the one feature of a Boolean column."""
    return ColumnFeatures(name, Kind.BOOLEAN, (Condition(name, "is", True),), (True, False))


def is_boolean(table: object) -> bool:
    """Whether a table is a Boolean array."""
    return isinstance(table, np.ndarray) and table.dtype == bool
