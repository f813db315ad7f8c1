"""Costs and prices as whole multiples of one unit: the engine is exact and fastest on whole numbers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

LARGEST_TOTAL = 2.0**48
"""Whole units are used only if all costs of a problem together stay below so many of them."""
MOST_DISTINCT = 65536
DECIMALS = range(10)
PARTS = range(1, 13)


def common_unit(values: NDArray[np.float64], total: float) -> float:
    """Find the largest unit of which all values are whole multiples (to rounding); 1.0 if none is found.

    Units are sought among the decimals (0.01 for 7.27 and 5.17), then among the parts of the least value, for
    weights such as thirds. Very many distinct values, or a `total` of too many units, are left as they are.

    Examples
    --------
    >>> common_unit(np.array([7.27, -5.17, 0.0, 3.0]), 100.0)
    0.01
    >>> common_unit(np.array([4.0, 6.0]), 100.0)
    2.0
    """
    distinct = np.unique(np.abs(values))
    distinct = distinct[distinct > 0]
    if distinct.size == 0 or distinct.size > MOST_DISTINCT or total >= LARGEST_TOTAL * distinct[-1]:
        return 1.0
    for unit in _candidates(distinct):
        whole = np.rint(distinct / unit)
        if whole[-1] >= LARGEST_TOTAL:
            continue
        if (np.abs(distinct / unit - whole) <= 4e-16 * whole).all():
            unit *= math.gcd(*map(int, whole.tolist()))
            return unit if total / unit < LARGEST_TOTAL else 1.0
    return 1.0


def _candidates(distinct: NDArray[np.float64]) -> list[float]:
    return [10.0**-decimals for decimals in DECIMALS] + [float(distinct[0]) / parts for parts in PARTS]


def in_units(values: NDArray[np.float64], unit: float) -> NDArray[np.float64]:
    """Write values in units; whole multiples become whole numbers."""
    if unit == 1.0:
        return values
    units = values / unit
    whole = np.rint(units)
    return np.where(np.abs(units - whole) <= 1e-9 * np.abs(whole), whole, units)


def from_units(units: float, unit: float) -> float:
    """Turn a number of units back, dividing where the unit is a whole part of one: 12 hundredths are 0.12."""
    parts = round(1 / unit) if 0 < unit < 1 else 0
    return units / parts if parts and abs(parts * unit - 1) < 1e-12 else units * unit
