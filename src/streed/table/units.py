"""Units: costs, prices and weights as whole multiples of one number.

The engine is exact and fastest on whole numbers. Three kinds of numbers want a unit, and each has its finder:

- costs and prices of any size and sign (`largest_unit`, with `in_units` and back with `from_units`);
- weights of rows, whose sums must not depend on their order (`whole_units`, `balanced_units`);
- weights for arithmetic that has to be exact, which are rounded to a grid if need be (`integer_units`).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.tolerance import LAST_DIGITS, TOLERANCE

LARGEST_TOTAL = 2**31
"""Weights are turned into whole numbers only if their sum stays below this."""

MOST_PLACES = 6
"""Weights with more decimals than this are not written by hand."""

MOST_DISTINCT = 65536
"""More values than this have no unit that is worth looking for."""


def largest_unit(values: list[float] | NDArray[np.float64], total: float) -> float:
    """Find the largest unit of which all values are whole multiples (to rounding); 1.0 if none is found.

    Units are sought among the decimals (0.01 for 7.27 and 5.17), then among the parts of the least value, for
    weights such as thirds. Very many distinct values, or a `total` of 2^48 units and more, are left as they
    are.

    Examples
    --------
    >>> largest_unit([7.27, -5.17, 0.0, 3.0], 100.0)
    0.01
    >>> largest_unit([4.0, 6.0], 100.0)
    2.0
    """
    distinct: list[float] = values if isinstance(values, list) else np.unique(np.abs(values)).tolist()
    return _core.largest_unit(distinct, total) if len(distinct) <= MOST_DISTINCT else 1.0


def in_units(values: NDArray[np.float64], unit: float) -> NDArray[np.float64]:
    """Write values in units; whole multiples become whole numbers."""
    if unit == 1.0:
        return values
    units = values / unit
    whole = np.rint(units)
    return np.where(np.abs(units - whole) <= TOLERANCE * np.abs(whole), whole, units)


def multiples_of(values: NDArray[np.float64], unit: float) -> NDArray[np.float64]:
    """Write values in their `largest_unit`: they are whole multiples of it, unless it is 1."""
    return values if unit == 1.0 else np.rint(values / unit)


def from_units(units: float, unit: float) -> float:
    """Turn a number of units back, dividing where the unit is a whole part of one: 12 hundredths are 0.12."""
    parts = round(1 / unit) if 1e-300 < unit < 1 else 0
    return units / parts if parts and abs(parts * unit - 1) < LAST_DIGITS else units * unit


def whole_units(weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Write weights as whole multiples of one unit, where they are (to rounding); else leave them alone.

    The unit is sought among the least weight and its halves, thirds, ... up to twelfths, then among the
    decimals, which covers what people write by hand (0.1 and 0.3, 1 and 2.5, 1 and 1.37). Sums of whole
    numbers are exact and do not depend on their order.

    Examples
    --------
    >>> units, scale = whole_units(np.array([0.2, 0.3]))
    >>> units.tolist(), scale
    ([2.0, 3.0], 0.1)
    >>> units, scale = whole_units(np.array([1.0, 1.37]))
    >>> units.tolist(), scale
    ([100.0, 137.0], 0.01)
    """
    distinct = np.unique(weights)
    if distinct.size > 4096:
        return weights, 1.0
    for parts in range(1, 13):
        unit = float(distinct[0]) / parts
        with np.errstate(over="ignore"):  # far too many of them
            multiples = np.rint(distinct / unit) if unit > 0 else distinct
        close = np.abs(distinct - multiples * unit) <= 4e-16 * distinct
        if close.all() and float(weights.sum()) / unit < LARGEST_TOTAL:
            return multiples[np.searchsorted(distinct, weights)], unit
    total = float(weights.sum())
    for places in range(1, MOST_PLACES + 1):
        parts = 10**places
        if total * parts >= LARGEST_TOTAL:
            break
        multiples = np.rint(distinct * parts)
        if bool((multiples / parts == distinct).all()):
            return multiples[np.searchsorted(distinct, weights)], 1 / parts
    return weights, 1.0


def balanced_units(
    codes: NDArray[np.int32], weights: NDArray[np.float64], n_classes: int
) -> tuple[NDArray[np.float64], float]:
    """Give every class that has rows the same weight, without changing the total.

    A row of weight w in a class of weight W_k gets w * W / (K * W_k), with W the total weight and K the
    number of classes that have rows. If all w are whole and L is the least common multiple of the W_k, then L
    / W_k is whole too: the row gets w * L / W_k units of W / (K * L) each. (L / W_k is the product of the
    other class weights over the greatest common divisor of these products.)
    """
    sizes = np.bincount(codes, weights=weights, minlength=n_classes)
    present = [float(size) for size in sizes if size > 0]
    total = float(weights.sum())
    if total < LARGEST_TOTAL and bool((weights == np.rint(weights)).all()):
        common = math.lcm(*map(int, present))
        if len(present) * common < LARGEST_TOTAL:
            factors = np.array([common // int(size) if size > 0 else 0 for size in sizes], dtype=np.float64)
            return weights * factors[codes], total / (len(present) * common)
    factors = np.divide(total / len(present), sizes, out=np.zeros_like(sizes), where=sizes > 0)
    return weights * factors[codes], 1.0


def integer_units(weights: NDArray[np.float64] | None, n: int, bits: int) -> tuple[NDArray[np.int64], float]:
    """Write weights as whole numbers whose sum is at most 2^bits, and say what one unit weighs.

    Weights that are whole multiples of one unit are kept exactly, if their sum allows it. Others are rounded
    to a grid of 2^-bits of their total; none becomes zero.

    Examples
    --------
    >>> units, scale = integer_units(np.array([0.2, 0.3]), 2, 20)
    >>> units.tolist(), scale
    ([2, 3], 0.1)
    >>> units, scale = integer_units(np.array([0.5, np.pi]), 2, 20)
    >>> int(units.sum()) <= 2**20, round(float(units[1] * scale), 4)
    (True, 3.1416)
    """
    if weights is None:
        return np.ones(n, np.int64), 1.0
    units, scale = whole_units(weights)
    if bool((units == np.rint(units)).all()) and float(units.sum()) <= 2.0**bits:
        return units.astype(np.int64), scale
    scale = float(weights.sum()) / (2.0**bits - n)
    return np.maximum(1, np.rint(weights / scale)).astype(np.int64), scale
