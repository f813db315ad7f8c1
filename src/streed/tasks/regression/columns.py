"""The columns of linear leaves, checked, centred and scaled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.options import Option
from streed.tasks.parts.targets import power_of_two

RIDGE = Option("ridge", "a finite number >= 0", "Penalty on the squares of the coefficients of a leaf.",
               default=1.0, integer=False, low=0, high=1.7e308)  # fmt: skip


class Columns(NamedTuple):
    """Columns that were centred at their middle and divided by a power of two."""

    names: tuple[str, ...]
    scaled: NDArray[np.float64]
    middle: NDArray[np.float64]
    scale: NDArray[np.float64]
    penalty: NDArray[np.float64]
    """Of each scaled column: a coefficient b of the column itself costs b^2 = (b * scale)^2 / scale^2."""


def check_columns(
    columns: ArrayLike,
    names: Sequence[str] | None,
    n_rows: int,
    kept: NDArray[np.intp] | slice,
    ridge: float,
    most: int,
) -> Columns:
    """Check columns for linear leaves: finite numbers, one row for each target, a name for each.

    `kept` are the rows that count, `ridge` is the penalty on the coefficients of the columns as given, and
    `most` is how many columns the leaves can be linear in.
    """
    found = getattr(columns, "columns", None)
    try:
        table = np.asarray(columns, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"columns must be numbers: {error}") from error
    if table.ndim != 2 or table.shape[0] != n_rows or table.shape[1] == 0:
        raise ValueError(f"columns must have shape ({n_rows}, n_columns), one or more, got {table.shape}")
    if table.shape[1] > most:
        raise ValueError(
            f"these leaves can be linear in at most {most} columns, got {table.shape[1]}; choose some "
            "(leaf_columns of the estimator)"
        )
    if not np.isfinite(table).all():
        place = tuple(np.argwhere(~np.isfinite(table))[0].tolist())
        raise ValueError(f"columns must not contain NaN or infinity, got {table[place]} at {place}")
    if names is None:
        names = [f"z{j}" for j in range(table.shape[1])] if found is None else [str(name) for name in found]
    if len(names) != table.shape[1] or len(set(names)) != len(names):
        raise ValueError(f"{table.shape[1]} distinct names of columns are needed, got {list(names)!r}")
    table = table[kept]
    low, high = table.min(axis=0), table.max(axis=0)
    middle = low / 2 + high / 2
    scale = np.array([power_of_two(float(size)) for size in high / 2 - low / 2])
    return Columns(tuple(names), (table - middle) / scale, middle, scale, ridge / scale**2)
