"""Columns of numbers in bins of one byte, for tables of many rows.

>>> bins = bin_values(np.array([3.0, 1.0, np.nan, 1.0]), None)
>>> bins.codes.tolist(), bins.edges.tolist(), bins.missing, bins.exact
([1, 0, 255, 0], [1.0, 3.0], True, True)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed._core import bin_column


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """The bins of one column: values up to ``edges[k]`` and above the edge before are in bin k."""

    codes: NDArray[np.uint8]
    edges: NDArray[np.float64]
    """Values of the column in rising order, at most 253."""
    missing: bool
    """Whether some values are missing, which are in bin 255."""
    exact: bool
    """Whether no two values of a bin differ."""

    @property
    def n_values(self) -> int:
        """Number of bins that have rows, without that of missing values."""
        return int(np.count_nonzero(np.bincount(self.codes, minlength=256)[:255]))


def bin_values(values: NDArray[Any], missing: NDArray[np.bool_] | None) -> Bins:
    """Put a column of numbers into bins; NaN, and what `missing` says, is missing."""
    numbers = np.ascontiguousarray(values, np.float64)
    if missing is not None and missing.any():
        numbers = np.where(missing, np.nan, numbers)
    return Bins(*bin_column(numbers))
