"""The shortest value between two neighbours: low <= cut < high, so that it separates exactly their rows.

A cut is never rounded onto the upper value, whatever the two are: neighbouring floats, denormal numbers,
infinities, whole numbers above 2^53 that floats cannot tell apart.

>>> number_between(1.0, 2.0), number_between(0.1, 0.30000000000000004), number_between(-np.inf, 3.0)
(1.5, 0.2, 0.0)
>>> whole_between(2**60, 2**60 + 9)
1152921504606846980
"""

from __future__ import annotations

import math

import numpy as np

EXACT = 2**53
"""Whole numbers below this are floats without rounding."""
SECOND = 1_000_000
"""Dates are microseconds since 1970."""
UNITS = (86_400 * SECOND, 3600 * SECOND, 60 * SECOND, SECOND)


def number_between(low: float, high: float, kind: type = np.float64) -> float:
    """Return the middle of two floats with as few digits as lie between them, or else the lower one.

    `kind` is the type of the column: a cut must also lie between the two once it is rounded to that type,
    since NumPy rounds a Python number to it before it compares.
    """
    middle = _middle(low, high)
    for digits in range(1, 18):
        cut = float(f"{middle:.{digits}g}")
        if low < cut < high and low <= _rounded(cut, kind) < high:
            return cut + 0.0  # no negative zero
    return low


def _rounded(cut: float, kind: type) -> float:
    """Return a number as a type of floats holds it."""
    if kind is np.float64:
        return cut
    with np.errstate(over="ignore"):
        return float(kind(cut))


def _middle(low: float, high: float) -> float:
    """Halfway; beside an infinity as far away as the finite neighbour is from zero."""
    if math.isinf(low) and math.isinf(high):
        return 0.0
    if math.isinf(low):
        return high - max(1.0, abs(high))
    if math.isinf(high):
        return low + max(1.0, abs(low))
    return low / 2 + high / 2


def whole_between(low: int, high: int) -> int | float:
    """Return a cut of whole numbers: a float where floats are exact, else the roundest whole number."""
    if max(abs(low), abs(high)) < EXACT:
        return number_between(float(low), float(high))
    middle = (low + high) // 2
    for digits in range(len(str(abs(middle))), -1, -1):
        unit = int(10**digits)
        cut = (2 * middle + unit) // (2 * unit) * unit
        if low <= cut < high:
            return cut
    return low


def date_between(low: float, high: float) -> float:
    """Return a date (in microseconds) near the middle: a whole day, hour, minute or second if one fits.

    Examples
    --------
    >>> date_between(0.0, 5 * 86_400e6) / 86_400e6
    2.0
    """
    middle = low / 2 + high / 2
    for unit in UNITS:
        cut = middle // unit * unit
        if low <= cut < high:
            return float(cut)
        cut += unit
        if low <= cut < high:
            return float(cut)
    return low
