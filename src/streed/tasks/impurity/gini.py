"""Gini impurity: the squared error of the class shares that a leaf predicts."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from streed.tasks.impurity.class_counts import ClassCounts


class Gini(ClassCounts):
    """Minimise the Gini impurity of the leaves.

    A leaf with weights n_k of its classes and n in all costs ``n - sum(n_k**2) / n``: the expected number of
    errors if labels are drawn by its shares, and the Brier score of its shares as probabilities. The reported
    value is the sum over the leaves, plus ``cost_complexity`` times the total weight times the number of
    branching nodes.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of any type that can be sorted: numbers, strings, booleans.
    sample_weight : array-like of shape (n,), optional
        Weight of each row, not negative. Rows of weight zero are left out altogether.
    class_weight : dict or "balanced", optional
        Factor of each label on the weight of its rows.
    cost_complexity : float, default=0.0
        Price of a branching node as a share of the total weight.

    Examples
    --------
    >>> import streed
    >>> task = streed.tasks.Gini([0, 0, 0, 1, 1, 0])
    >>> result = streed.solve(task, [[0], [0], [0], [1], [1], [1]], max_depth=1)
    >>> round(result.objective, 4), result.tree.predict_proba([[1]]).round(2).tolist()
    (1.3333, [[0.33, 0.67]])
    """

    name: ClassVar[str] = "gini"
    summary: ClassVar[str] = "Gini impurity of the leaves (minimised)"
    measure = "Gini impurity"

    @staticmethod
    def cost_of_counts(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the impurities of leaves from the weights of their classes."""
        n = counts.sum(axis=0)
        costs: NDArray[np.float64] = np.maximum(n - (counts**2).sum(axis=0) / n, 0.0)
        return costs

    def worst(self, weight: NDArray[np.float64], total: float) -> NDArray[np.float64]:
        """Return the most: a row of weight w adds 2 w n / (n + w) to n rows of another class."""
        return np.asarray(2 * weight * (total - weight) / total)

    def loss(self, rows: NDArray[np.intp]) -> float:
        """Return the impurity of a leaf: a row of class k is wrong with probability 1 - p_k."""
        counts = self._counts(rows)
        return float(counts @ (1 - counts / counts.sum()))
