"""The features of Boolean arrays: each column is one, so that they depend on the number of columns alone."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from streed.binarize.features import ColumnFeatures
from streed.table.columns import Kind, numbered_names
from streed.tree.conditions import Condition

REMEMBERED = 1024
"""Constants are kept for arrays of at most so many columns."""


@dataclass(frozen=True, slots=True, eq=False)
class BooleanColumns:
    """What a `Binarizer` with default parameters finds in a Boolean array. Nobody may change it."""

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


def _make(n_columns: int) -> BooleanColumns:
    columns = tuple(map(as_it_is, numbered_names(n_columns)))
    conditions = tuple(column.conditions[0] for column in columns)
    return BooleanColumns(tuple(map(str, conditions)), columns, conditions, np.arange(n_columns))


_remembered = functools.lru_cache(maxsize=16)(_make)


@functools.lru_cache(maxsize=4096)
def as_it_is(name: str) -> ColumnFeatures:
    """Return the one feature of a Boolean column."""
    return ColumnFeatures(name, Kind.BOOLEAN, (Condition(name, "is", True),), (True, False))


def is_boolean(table: object) -> bool:
    """Whether a table is a Boolean array."""
    return isinstance(table, np.ndarray) and table.dtype == bool
