"""Squared errors about the means of leaves, from sums: of targets, or of classes as targets of 0 and 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST_STATISTICS = 60
"""Statistics that the engine's own function of squares takes: those of 58 targets."""


def squared_errors(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sums of squares about the means, from weights, sums and squares of the targets.

    Examples
    --------
    >>> squared_errors(np.array([[2.0], [4.0], [10.0]]))
    array([2.])
    """
    costs: NDArray[np.float64] = np.maximum(sums[-1] - (sums[1:-1] ** 2).sum(axis=0) / sums[0], 0.0)
    return costs
