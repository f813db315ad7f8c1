"""Gini impurity: the squared error of the class shares that a leaf predicts."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.tasks.base import LeafFunction
from streed.tasks.impurity.class_counts import ClassCounts
from streed.tasks.parts.squares import MOST_STATISTICS, squared_errors


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

    def __init__(
        self,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        class_weight: Any = None,
        cost_complexity: float = 0.0,
    ) -> None:
        super().__init__(y, sample_weight, class_weight, cost_complexity)
        self.unit = 2.0 if self._classes.size <= 2 else 1.0

    def leaf(self) -> LeafFunction:
        """Return what leaves cost, for the engine.

        Gini impurity is the squared error of the classes as targets of 0 and 1, one target for each class. Of
        two classes one target is enough: it has half of the error.
        """
        w = self._weights
        targeted = [1] if self._classes.size <= 2 else np.arange(self._classes.size)
        targets = (self._codes[:, None] == targeted).astype(np.float64)
        statistics = np.column_stack([w, w[:, None] * targets, w * targets.sum(axis=1)])
        return LeafFunction(
            np.ascontiguousarray(statistics),
            squared_errors,
            1,
            least_row=np.zeros(w.size),
            worst_row=self.worst(w, float(w.sum())) / self.unit * (1 + 1e-9),
            native="squares" if statistics.shape[1] <= MOST_STATISTICS else None,
        )

    def worst(self, weight: NDArray[np.float64], total: float) -> NDArray[np.float64]:
        """Return the most: a row of weight w adds 2 w n / (n + w) to n rows of another class."""
        return np.asarray(2 * weight * (total - weight) / total)

    def loss(self, rows: NDArray[np.intp]) -> float:
        """Return the impurity of a leaf: a row of class k is wrong with probability 1 - p_k."""
        counts = self._counts(rows)
        return float(counts @ (1 - counts / counts.sum()))
