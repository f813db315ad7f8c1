"""From binary features back to a table: for each row and column a value that has these features."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.binarize.features import ColumnFeatures
from streed.table.columns import Kind


def invert_column(column: ColumnFeatures, features: NDArray[np.uint8]) -> list[Any]:
    """Return a value for each row; None where it is missing or of an unknown category."""
    has_missing = bool(column.conditions) and column.conditions[0].value is None
    of_values = [j for j, condition in enumerate(column.conditions) if not condition.knows_missing]
    holds = features[:, of_values] != 0
    none = holds.shape[1]
    first = (
        np.where(holds.any(axis=1), holds.argmax(axis=1), none) if none else np.zeros(len(features), np.intp)
    )
    if has_missing:
        first = np.where(features[:, 0] != 0, none + 1, first)
    values = [*column.values, None]
    return [values[position] for position in first.tolist()]


def as_table(names: list[str], kinds: Sequence[Kind], columns: list[list[Any]], library: str | None) -> Any:
    """Put columns together, as a frame of the library that was fitted or as an array."""
    if library in ("pandas", "polars"):
        return sys.modules[library].DataFrame(dict(zip(names, columns, strict=True)))
    if set(kinds) == {Kind.BOOLEAN} and not any(None in column for column in columns):
        return np.array(columns, dtype=np.bool_).T
    if set(kinds) <= {Kind.BOOLEAN, Kind.NUMBER}:
        return np.array(columns, dtype=np.float64).T
    table = np.empty((len(columns[0]), len(columns)), dtype=object)
    for j, column in enumerate(columns):
        table[:, j] = column
    return table
