"""The one tolerance: how far two numbers may lie apart and still count as equal.

The engine adds whole numbers exactly. All other values are sums of rounded doubles, which depend on the order
of the additions. Two such values are equal if they differ by at most `TOLERANCE` times their size, where a
size below 1 counts as 1. Values that the engine adds in narrow lanes and Python adds again in double
precision may differ more: they are compared with `RECOUNT`.
"""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np
from numpy.typing import NDArray

TOLERANCE = 1e-9
"""Values that differ by at most this share of their size (at least of 1) are equal up to rounding."""

RECOUNT = 100 * TOLERANCE
"""Tolerance for engine sums against Python sums, as a share of their size (at least of 1)."""

LAST_DIGITS = TOLERANCE / 1000
"""Tolerance for two results of single operations, which differ in their last digits only."""


def slack(value: float) -> float:
    """Return by how much another number may miss a value and still be equal to it up to rounding.

    Examples
    --------
    >>> slack(0.5), slack(-4.0), slack(float("inf"))
    (1e-09, 4e-09, 0.0)
    """
    return 0.0 if math.isinf(value) else TOLERANCE * max(1.0, abs(value))


def slacks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `slack` for each of several finite numbers."""
    found: NDArray[np.float64] = TOLERANCE * np.maximum(1.0, np.abs(values))
    return found


def same(v: Any, w: Any, tolerance: float = TOLERANCE) -> bool:
    """Whether two values are equal up to rounding: numbers relative to their size, tuples element by element.

    Examples
    --------
    >>> same((0.1 + 0.2, "a"), (0.3, "a")), same(1, 2)
    (True, False)
    """
    if isinstance(v, tuple | list) and isinstance(w, tuple | list):
        return len(v) == len(w) and all(same(a, b, tolerance) for a, b in zip(v, w, strict=True))
    if isinstance(v, numbers.Real) and isinstance(w, numbers.Real):
        return v == w or math.isclose(float(v), float(w), rel_tol=tolerance, abs_tol=tolerance)
    return bool(v == w)
