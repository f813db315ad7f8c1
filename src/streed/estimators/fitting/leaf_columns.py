"""The columns that linear leaves are functions of: chosen, read and checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.table.columns import Column, Kind, column_names, is_frame, read_columns

NUMERIC = (Kind.NUMBER, Kind.BOOLEAN)


def leaf_columns(table: Any, chosen: Sequence[str | int] | None) -> list[str]:
    """Return the names of the chosen columns; by default those of all columns of numbers and Booleans."""
    names = column_names(table)
    if chosen is None:
        found = [name for name in names if _column(table, name).kind in NUMERIC]
        if not found:
            raise ValueError("linear leaves need at least one column of numbers, the table has none")
        return found
    if isinstance(chosen, str | bytes) or not hasattr(chosen, "__iter__"):
        raise TypeError(f"leaf_columns must be a list of names or positions of columns, got {chosen!r}")
    picked = [_name(names, column) for column in chosen]
    if not picked or len(set(picked)) < len(picked):
        raise ValueError(f"leaf_columns must be one or more distinct columns, got {list(chosen)!r}")
    return picked


def _name(names: list[str], column: object) -> str:
    if isinstance(column, int | np.integer) and not isinstance(column, bool) and 0 <= column < len(names):
        return names[int(column)]
    if isinstance(column, str) and column in names:
        return column
    raise ValueError(f"leaf_columns must be names or positions of the {len(names)} columns, got {column!r}")


def _column(table: Any, name: str, fitted: Sequence[str] | None = None) -> Column:
    names = column_names(table) if is_frame(table) or fitted is None else list(fitted)
    place = names.index(name)
    part = table[[table.columns[place]]] if is_frame(table) else table[:, [place]]
    return next(read_columns(part, [name]))


def read_leaf_columns(
    table: Any, names: Sequence[str], fitted: Sequence[str] | None = None
) -> dict[str, NDArray[np.float64]]:
    """Return columns of numbers by name; refuse other kinds, and missing values.

    `fitted` are the names of all columns, for a table that has none.
    """
    found = {}
    for name in names:
        column = _column(table, name, fitted)
        if column.kind not in NUMERIC:
            raise TypeError(f"linear leaves need columns of numbers, but {name!r} holds {column.kind}")
        values = column.floats()
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values))[0])
            raise ValueError(
                f"linear leaves cannot use missing or infinite values: column {name!r} has {values[row]} in "
                f"row {row}; choose other leaf_columns or fill them in"
            )
        found[name] = values
    return found
