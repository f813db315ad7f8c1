"""Paired comparisons over random splits."""

from __future__ import annotations

import warnings
from importlib import import_module

import numpy as np
from numpy.typing import ArrayLike

LEVEL = 0.05


def p_value(first: ArrayLike, second: ArrayLike) -> float:
    """Two-sided p-value of Wilcoxon's signed rank test; 1 where all pairs are equal or there are too few."""
    difference = np.round(np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64), 12)
    if np.count_nonzero(difference) < 2:
        return 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about small samples and ties, in some versions of SciPy
        return float(import_module("scipy.stats").wilcoxon(difference).pvalue)


def verdict(first: ArrayLike, second: ArrayLike) -> int:
    """-1 if the first values are significantly smaller, 1 if they are larger, else 0."""
    if p_value(first, second) >= LEVEL:
        return 0
    return -1 if np.asarray(first).mean() < np.asarray(second).mean() else 1
