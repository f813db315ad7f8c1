"""Weights of rows as whole numbers, for tasks whose arithmetic must be exact."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from streed.tasks.parts.labels import whole_units


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
