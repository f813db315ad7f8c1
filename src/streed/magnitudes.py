"""Numbers as users give them: made doubles, and refused where their sums could not be exact.

Python knows integers that no double can hold, and decimals that raise when they are read. Both become
infinity or NaN here, which is then refused in the terms of the argument they came with. Numbers that are very
large or all very small would overflow, or lose their digits, in sums and products of the search.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST = 1e200
"""No weight, cost, price or statistic may be larger than this: sums of many times a factor stay finite."""

SMALLEST = 1e-200
"""If they are all smaller than this, they have to be given in another unit."""


def as_float(value: Any) -> float:
    """Turn a number into a double, infinite if it is too large for one.

    Examples
    --------
    >>> from decimal import Decimal
    >>> as_float(3), as_float(-(10**400)), as_float(Decimal("sNaN"))
    (3.0, -inf, nan)
    """
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except ValueError:
        return math.nan


def as_floats(values: Any) -> NDArray[np.float64]:
    """Turn an array-like into doubles in C order, infinite where integers are too large for them.

    Raises
    ------
    TypeError or ValueError
        If there is anything else than numbers.
    """
    try:
        return np.asarray(values, dtype=np.float64, order="C")
    except OverflowError:
        table = np.asarray(values, dtype=object)
        return np.array([as_float(value) for value in table.ravel()], np.float64).reshape(table.shape)


def check_magnitudes(name: str, values: Any, where: str = "row {}") -> None:
    """Refuse finite numbers that are too large, or all of them too small, to be added up exactly.

    Examples
    --------
    >>> check_magnitudes("sample_weight", np.array([1.0, 1e300]))
    Traceback (most recent call last):
    ValueError: sample_weight must be at most 1e+200 in size, got 1e+300 in row 1
    """
    table = np.abs(np.atleast_1d(values))
    most = float(table.max(initial=0.0))
    if most > LARGEST:
        row, *_ = (int(i) for i in np.argwhere(table > LARGEST)[0])
        value = float(np.atleast_1d(values)[table > LARGEST][0])
        place = f" in {where.format(row)}" if np.ndim(values) else ""
        raise ValueError(f"{name} must be at most {LARGEST:g} in size, got {value:g}{place}")
    if 0 < most < SMALLEST:
        raise ValueError(
            f"{name} must not all be smaller than {SMALLEST:g} in size, got at most {most:g}: "
            "give them in another unit"
        )
