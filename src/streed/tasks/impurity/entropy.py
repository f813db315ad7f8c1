"""Entropy: the bits that the classes of a leaf take, given its shares."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from streed.tasks.impurity.class_counts import ClassCounts


def times_log2(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return x log2 x, which is 0 at 0."""
    return np.asarray(x * np.log2(np.where(x > 0, x, 1.0)))


class Entropy(ClassCounts):
    """Minimise the entropy of the classes within the leaves, in bits.

    A leaf with weights n_k of its classes and n in all costs ``-sum(n_k * log2(n_k / n))``. The reported
    value is the sum over the leaves, plus ``cost_complexity`` times the total weight times the number of
    branching nodes. Parameters are those of `Gini`. `LogLoss` is the same in natural units, with smoothed
    shares.

    Examples
    --------
    >>> import streed
    >>> result = streed.solve(streed.tasks.Entropy([0, 0, 0, 1, 1, 0, 0]), [[0]] * 3 + [[1]] * 4, max_depth=1)
    >>> result.objective
    4.0
    """

    name: ClassVar[str] = "entropy"
    summary: ClassVar[str] = "entropy of the classes within the leaves, in bits (minimised)"
    measure = "entropy in bits"
    unit = float(1 / np.log(2))  # the engine has natural logarithms

    def share_of_gain(self, gain: float, n_rows: float, unexplained: Callable[[], float]) -> float:
        """Return the price of a node that must save a gain: entropy is counted in bits."""
        return gain / math.log(2) / n_rows

    @staticmethod
    def cost_of_counts(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the entropies of leaves from the weights of their classes."""
        return np.asarray(np.maximum(times_log2(counts.sum(axis=0)) - times_log2(counts).sum(axis=0), 0.0))

    def worst(self, weight: NDArray[np.float64], total: float) -> NDArray[np.float64]:
        """Return the most; a row adds h(n) - h(n_k), h(m) = (m + w) log(m + w) - m log m rising in m."""
        return times_log2(np.full_like(weight, total)) - times_log2(total - weight) - times_log2(weight)

    def loss(self, rows: NDArray[np.intp]) -> float:
        """Return the entropy of a leaf: a row of class k costs -log2 of its share."""
        counts = self._counts(rows)
        shares = counts[counts > 0] / counts.sum()
        return float(counts[counts > 0] @ -np.log2(shares))
