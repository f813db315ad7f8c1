"""Costs and prices as whole multiples of one unit: the engine is exact and fastest on whole numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from streed import _core

MOST_DISTINCT = 65536
"""More values than this have no unit that is worth looking for."""


def common_unit(values: list[float] | NDArray[np.float64], total: float) -> float:
    """Find the largest unit of which all values are whole multiples (to rounding); 1.0 if none is found.

    Units are sought among the decimals (0.01 for 7.27 and 5.17), then among the parts of the least value, for
    weights such as thirds. Very many distinct values, or a `total` of 2^48 units and more, are left as they
    are.

    Examples
    --------
    >>> common_unit([7.27, -5.17, 0.0, 3.0], 100.0)
    0.01
    >>> common_unit([4.0, 6.0], 100.0)
    2.0
    """
    distinct: list[float] = values if isinstance(values, list) else np.unique(np.abs(values)).tolist()
    return _core.common_unit(distinct, total) if len(distinct) <= MOST_DISTINCT else 1.0


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
    parts = round(1 / unit) if 1e-300 < unit < 1 else 0
    return units / parts if parts and abs(parts * unit - 1) < 1e-12 else units * unit
