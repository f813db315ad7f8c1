"""Log loss of smoothed class shares: what a leaf costs that predicts probabilities, never 0 or 1."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.options import Option
from streed.tasks.impurity.class_counts import ClassCounts

SMOOTHING = Option("smoothing", "a finite number >= 0", "Weight that is added to every class of a leaf.",
                   default=1.0, integer=False, low=0, high=1.7e308)  # fmt: skip


class LogLoss(ClassCounts):
    """Minimise the log loss of the leaves' smoothed class shares, in natural units.

    A leaf with weights n_k of its K classes and n in all predicts ``p_k = (n_k + s) / (n + K s)`` with the
    smoothing s, and costs ``-sum(n_k * log(p_k))``. So a split into small pure leaves does not pay by itself,
    and no probability is 0 or 1. The reported value is the sum over the leaves, plus ``cost_complexity``
    times the total weight times the number of branching nodes; divided by the weight it is
    ``sklearn.metrics.log_loss``.

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
    smoothing : float, default=1.0
        Weight that is added to every class of a leaf (Laplace's rule for 1).

    Notes
    -----
    A row never makes a leaf cheaper: it adds h(n, Ks) - h(n_k, s) with h(m, a) = (m + w) log(m + w + a) - m
    log(m + a), which rises in m and in a, and n >= n_k, Ks >= s.

    Examples
    --------
    >>> import streed
    >>> task = streed.tasks.LogLoss([0, 0, 0, 1, 1, 1])
    >>> result = streed.solve(task, [[0], [0], [0], [1], [1], [1]], max_depth=1)
    >>> result.tree.predict_proba([[1]]).tolist()
    [[0.2, 0.8]]
    """

    name: ClassVar[str] = "log_loss"
    summary: ClassVar[str] = "log loss of smoothed class shares (minimised)"
    measure = "log loss"

    def __init__(
        self,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        class_weight: Any = None,
        cost_complexity: float = 0.0,
        smoothing: float = 1.0,
    ) -> None:
        added = SMOOTHING.check(smoothing)
        assert added is not None
        self.smoothing = float(added)
        super().__init__(y, sample_weight, class_weight, cost_complexity)

    def cost_of_counts(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:  # type: ignore[override]
        """Return the log losses of leaves from the weights of their classes."""
        shares = (counts + self.smoothing) / (counts.sum(axis=0) + counts.shape[0] * self.smoothing)
        return np.asarray(np.maximum(-(counts * np.log(np.where(counts > 0, shares, 1.0))).sum(axis=0), 0.0))

    def worst(self, weight: NDArray[np.float64], total: float) -> NDArray[np.float64]:
        """Return the most: what a row adds if all others are of another class."""
        others, s, k = total - weight, self.smoothing, self._classes.size
        all_after = total * np.log(total + k * s) - weight * np.log(weight + s)
        before = np.where(
            others + k * s > 0, others * np.log(np.where(others + k * s > 0, others + k * s, 1)), 0.0
        )
        return np.asarray(np.maximum(all_after - before, 0.0))

    def loss(self, rows: NDArray[np.intp]) -> float:
        """Return the log loss of a leaf, row by row."""
        counts = self._counts(rows)
        shares = (counts + self.smoothing) / (counts.sum() + counts.size * self.smoothing)
        return float(self._weights[rows] @ -np.log(shares[self._codes[rows]]))
