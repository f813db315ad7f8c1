"""Costs and prices as whole multiples of one unit: the engine is exact and fastest on whole numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

LARGEST_TOTAL = 2.0**48
"""Whole units are used only if all costs of a problem together stay below so many of them."""
MOST_DISTINCT = 65536
FEW = 128
"""So many values are looked at one by one, as plain numbers: the first that fits no unit ends it."""
DECIMALS = [10.0**-decimals for decimals in range(10)]
PARTS = range(1, 13)


def common_unit(values: Sequence[float] | NDArray[np.float64], total: float) -> float:
    """Find the largest unit of which all values are whole multiples (to rounding); 1.0 if none is found.

    Units are sought among the decimals (0.01 for 7.27 and 5.17), then among the parts of the least value, for
    weights such as thirds. Very many distinct values, or a `total` of too many units, are left as they are.

    Examples
    --------
    >>> common_unit([7.27, -5.17, 0.0, 3.0], 100.0)
    0.01
    >>> common_unit([4.0, 6.0], 100.0)
    2.0
    """
    few = len(values) <= FEW
    distinct: Any = sorted({abs(value) for value in values if value}) if few else _distinct(values)
    if not len(distinct) or len(distinct) > MOST_DISTINCT or total >= LARGEST_TOTAL * float(distinct[-1]):
        return 1.0
    for unit in DECIMALS + [float(distinct[0]) / parts for parts in PARTS]:
        if unit > 0 and (whole := few_multiples(distinct, unit) if few else many_multiples(distinct, unit)):
            unit *= math.gcd(*whole)
            return unit if total / unit < LARGEST_TOTAL else 1.0
    return 1.0


def _distinct(values: Sequence[float] | NDArray[np.float64]) -> Any:
    sizes = np.unique(np.abs(values))
    return sizes[sizes > 0]


def few_multiples(distinct: Sequence[float], unit: float) -> list[int]:
    """Write sorted positive values as whole numbers of units; empty if they are not, or too many units."""
    whole: list[int] = []
    if distinct[-1] / unit >= LARGEST_TOTAL - 0.5:
        return whole
    for value in distinct:
        units = value / unit
        nearest = round(units)
        if abs(units - nearest) > 4e-16 * nearest:
            return []
        whole.append(nearest)
    return whole


def many_multiples(distinct: NDArray[np.float64], unit: float) -> list[int]:
    """Do what `few_multiples` does, all values at once."""
    units = distinct / unit
    whole = np.rint(units)
    if whole[-1] >= LARGEST_TOTAL or (np.abs(units - whole) > 4e-16 * whole).any():
        return []
    return list(map(int, whole.tolist()))


def in_units(values: NDArray[np.float64], unit: float) -> NDArray[np.float64]:
    """Write values in units; whole multiples become whole numbers."""
    if unit == 1.0:
        return values
    units = values / unit
    whole = np.rint(units)
    return np.where(np.abs(units - whole) <= 1e-9 * np.abs(whole), whole, units)


def multiples_of(values: NDArray[np.float64], unit: float) -> NDArray[np.float64]:
    """Write values in their `common_unit`: they are whole multiples of it, unless it is 1."""
    return values if unit == 1.0 else np.rint(values / unit)


def from_units(units: float, unit: float) -> float:
    """Turn a number of units back, dividing where the unit is a whole part of one: 12 hundredths are 0.12."""
    parts = round(1 / unit) if 0 < unit < 1 else 0
    return units / parts if parts and abs(parts * unit - 1) < 1e-12 else units * unit
