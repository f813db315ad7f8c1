"""Cost matrices from the prices of tests and how frequent classes are: the paper's three levels.

An error on a row of class k costs C_k = C_def / (f_k K): all classes cost the same in total if all of their
rows are wrong, and a rare class is dear. C_def is a sixth, a third or all of what every test costs once
(appendix "Cost-sensitive classification"): with low costs tests hardly pay, with high costs most of them do.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.spelling import did_you_mean
from streed.table.labels import encode

LEVELS: Mapping[str, Fraction] = {"low": Fraction(1, 6), "middle": Fraction(1, 3), "high": Fraction(1)}
"""C_def as a share of what all tests cost."""


def costs_of_level(
    level: str, y: ArrayLike, all_tests: float, weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return the matrix of one level, [true, predicted], from what all tests cost once.

    Examples
    --------
    >>> costs_of_level("high", ["ill", "well", "well", "well"], 6.0).tolist()
    [[0.0, 12.0], [4.0, 0.0]]
    >>> costs_of_level("medium", [0, 1], 6.0)
    Traceback (most recent call last):
    ValueError: misclassification_costs must be a matrix, 'low', 'middle' or 'high', got 'medium'
    """
    if level not in LEVELS:
        meant = did_you_mean(level, LEVELS)
        raise ValueError(
            f"misclassification_costs must be a matrix, 'low', 'middle' or 'high', got {level!r}{meant}"
        )
    if not all_tests > 0:
        raise ValueError(
            f"misclassification_costs={level!r} is a share of what all tests cost: feature_costs are needed"
        )
    classes, codes = encode(y)
    shares = np.bincount(codes, weights, classes.size)
    shares = shares / shares.sum()
    default = float(LEVELS[level]) * all_tests
    per_class = default / (np.where(shares > 0, shares, 1.0) * classes.size)
    return np.where(np.eye(classes.size, dtype=bool), 0.0, per_class[:, None])
