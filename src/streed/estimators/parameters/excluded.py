"""The parameter `exclude` of estimators: columns of the table that no test may use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.errors import warn_caller
from streed.spelling import did_you_mean
from streed.table.encoded import EncodedRows


def excluded(model: Any, table: Any) -> bool:
    """Whether columns are excluded; refused where the features are made already."""
    given = getattr(model, "exclude", None)
    if given is None or (isinstance(given, Sequence) and len(given) == 0):
        return False
    if model.binarizer is not None:
        raise ValueError("exclude goes without a binarizer: give the binarizer only the columns to be tested")
    if isinstance(table, EncodedRows):
        raise ValueError("exclude goes without merged rows: leave the columns out when they are merged")
    return True


def positions(given: Any, names: Sequence[str]) -> set[int]:
    """Return the positions of columns that are given by name or number.

    Examples
    --------
    >>> positions(["sex", 0], ["age", "sex"])
    {0, 1}
    """
    if isinstance(given, str | int):
        given = [given]
    found = set()
    for column in given:
        if isinstance(column, int) and not isinstance(column, bool) and 0 <= column < len(names):
            found.add(column)
        elif column in names:
            found.add(list(names).index(column))
        else:
            meant = did_you_mean(column, names) if isinstance(column, str) else ""
            raise ValueError(
                f"exclude has {column!r}, which is none of the columns {list(names)[:12]}{meant}"
            )
    return found


def warn_of_equal_columns(columns: Sequence[tuple[str, NDArray[Any]]], left_out: set[int]) -> None:
    """Name the columns that say the same as one that is excluded."""
    codes = [np.unique(_plain(values), return_inverse=True)[1] for _, values in columns]
    for j in sorted(left_out):
        for k, (name, _) in enumerate(columns):
            if k not in left_out and _alike(codes[j], codes[k]):
                warn_caller(f"the column {name!r} says the same as {columns[j][0]!r}, which is excluded")


def _plain(values: NDArray[Any]) -> NDArray[Any]:
    return values.astype(str) if values.dtype == object else values


def _alike(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether two columns of codes differ in names only."""
    if one.max(initial=0) != other.max(initial=0) or one.max(initial=0) == 0:
        return False
    pairs = np.unique(np.column_stack([one, other]), axis=0)
    return len(pairs) == int(one.max()) + 1
