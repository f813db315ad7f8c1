"""What rows cost in leaves, and what leaves predict: labels or means."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.tasks.forms import OneValue

Floats = NDArray[np.float64]


class RowCosts:
    """Rows have labels and weights, or costs of labels, or weights and weighted targets.

    Examples
    --------
    >>> costs = RowCosts((np.array([0, 1, 1]), np.ones(3)), None, None, 2)
    >>> costs.predict(np.array([True, True, True])), costs.of(np.array([0, 1]), 1.0).tolist()
    (1.0, [1.0, 0.0])
    """

    def __init__(self, labels: Any, costs: Any, squares: Any, n_labels: int) -> None:
        self._labels, self._costs, self._squares, self._n_labels = labels, costs, squares, n_labels
        self.n_rows = len(labels[0] if labels is not None else costs if costs is not None else squares)

    @classmethod
    def of_form(cls, form: OneValue) -> RowCosts:
        """Return those of a form that the search over bins takes."""
        if form.leaf.squares is not None:
            statistics = form.leaf.squares
            centred = statistics[:, 1] - statistics[:, 0] * (statistics[:, 1].sum() / statistics[:, 0].sum())
            return cls(None, None, np.stack([statistics[:, 0], centred], axis=1), 1)
        return cls(*form.leaf.native_rows(), None, form.classes.size)

    def predict(self, rows: NDArray[np.bool_]) -> float:
        """Return the best prediction for rows."""
        if self._labels is not None:
            codes, weights = self._labels
            return float(np.bincount(codes[rows], weights[rows], self._n_labels).argmax())
        if self._costs is not None:
            return float(self._costs[rows].sum(axis=0).argmin())
        weight, total = self._squares[rows].sum(axis=0).tolist()
        return total / weight if weight > 0 else 0.0

    def of(self, rows: NDArray[np.intp], prediction: float) -> Floats:
        """Return what rows cost with a prediction, less what they cost in any leaf."""
        found: Floats
        if self._labels is not None:
            codes, weights = self._labels
            found = np.where(codes[rows] == int(prediction), 0.0, weights[rows])
        elif self._costs is not None:
            found = self._costs[rows, int(prediction)]
        else:
            own = self._squares[rows]
            found = prediction * (prediction * own[:, 0] - 2 * own[:, 1])
        return found

    def sums(self, rows: NDArray[Any]) -> Floats:
        """Return what rows add to the sums by which greedy trees compare leaves, of shape (rows, sums)."""
        if self._labels is not None:
            codes, weights = self._labels
            found = np.zeros((codes[rows].size, self._n_labels))
            found[np.arange(len(found)), codes[rows]] = weights[rows]
            return found
        if self._costs is not None:
            own = self._costs[rows]
            return np.concatenate([own, np.ones((len(own), 1))], axis=1)
        return np.asarray(self._squares[rows, ::-1])

    def total(self, rows: NDArray[np.bool_]) -> Floats:
        """Return the sums of rows."""
        if self._labels is not None:
            codes, weights = self._labels
            return np.bincount(codes[rows], weights[rows], self._n_labels).astype(np.float64)
        own = self._squares[:, ::-1] if self._costs is None else self._costs
        added = own[rows].sum(axis=0)
        return added if self._costs is None else np.append(added, np.count_nonzero(rows))

    def impurity(self, sums: Floats) -> Floats:
        """Return the Gini impurity, or the squared error, less what is the same in any tree."""
        weight = sums.sum(axis=1) if self._labels is not None else sums[:, -1]
        values = sums if self._labels is not None else sums[:, :-1]
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(weight > 0, -(values**2).sum(axis=1) / weight, 0.0))
