"""Numbers compared with a cut, exactly: also integers that no double can hold.

NumPy compares 64-bit integers with a double, and doubles with a Python integer, after it has rounded one of
them. Above 2^53 that sends a row to the wrong side, while databases and Python itself compare exactly.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

EXACT = 2**53
"""Integers up to this size are exact in doubles."""


def is_beyond(values: NDArray[Any]) -> bool:
    """Whether an array holds integers that doubles cannot tell apart."""
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or not values.size:
        return False
    return int(values.max()) > EXACT or int(values.min()) < -EXACT


def at_most(values: NDArray[Any], cut: float, out: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
    """Tell which numbers are at most a cut; NaN is not.

    Examples
    --------
    >>> at_most(np.array([2**53, 2**53 + 1]), float(2**53)).tolist()
    [True, False]
    >>> at_most(np.array([2.0**53 + 4]), 2**53 + 3).tolist()
    [False]
    """
    found: NDArray[np.bool_]
    if values.dtype.kind not in "iu":
        found = np.less_equal(values, rounded_down(cut), out=out)
        return found
    limits = np.iinfo(values.dtype)
    whole = math.floor(cut)
    if whole < limits.min:
        found = np.less(values, limits.min, out=out)
    else:
        found = np.less_equal(values, values.dtype.type(min(whole, limits.max)), out=out)
    return found


def rank_at_most(ranks: NDArray[np.int32], last: int, *, missing: bool) -> NDArray[np.bool_]:
    """Tell which ranks are at most `last`, and whether missing values, which have the rank -1, are.

    Without its sign -1 is larger than all ranks, so that one comparison does either way.

    Examples
    --------
    >>> ranks = np.array([0, 2, -1], np.int32)
    >>> rank_at_most(ranks, 1, missing=False).tolist(), rank_at_most(ranks, 1, missing=True).tolist()
    ([True, False, False], [True, False, True])
    """
    held: NDArray[np.bool_] = (ranks if missing else ranks.view(np.uint32)) <= last
    return held


def rounded_down(cut: float) -> float:
    """Return the largest double that is not above a cut."""
    limit = float(cut)
    return math.nextafter(limit, -math.inf) if limit > cut else limit
