"""Mistakes of each class of several, and the mean F1 score that follows from them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def mean_f1(sizes: NDArray[Any], fp: NDArray[Any], fn: NDArray[Any]) -> Any:
    """Mean over the classes, on the last axis, of 2 tp / (2 tp + fp + fn).

    Examples
    --------
    >>> float(mean_f1(np.array([2.0, 2.0]), np.array([1.0, 0.0]), np.array([0.0, 1.0])))
    0.7333333333333334
    """
    below = np.asarray(2 * sizes + fp - fn, dtype=np.float64)
    return np.mean(np.divide(2 * (sizes - fn), below, out=np.zeros_like(below), where=below > 0), axis=-1)


def mistake_costs(codes: NDArray[np.int32], units: NDArray[np.int64], n_classes: int) -> NDArray[np.float64]:
    """costs[row, label] = (fp of class 0, fn of class 0, fp of class 1, ...)."""
    costs = np.zeros((codes.size, n_classes, 2 * n_classes))
    for label in range(n_classes):
        wrong = np.flatnonzero(codes != label)
        costs[wrong, label, 2 * label] = units[wrong]
        costs[wrong, label, 2 * codes[wrong] + 1] = units[wrong]
    return costs
