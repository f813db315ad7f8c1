"""Squared error, for one target or several: a leaf predicts the mean of its rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.tasks.base import LeafFunction
from streed.tasks.parts.leaf_loss import LeafLoss
from streed.tasks.parts.squares import MOST_STATISTICS, squared_errors, weighted_sum
from streed.tasks.parts.targets import check_targets, label_leaves, power_of_two, unit_of_squares
from streed.tree.numbers import numbers_at_nodes

if TYPE_CHECKING:
    from streed.tree.tree import Tree


class SquaredError(LeafLoss):
    """Minimise the sum of squared errors, where each leaf predicts the mean of its rows.

    The reported value is the sum of squared errors (over all targets), plus ``cost_complexity`` times the sum
    of squares about the mean of all rows times the number of branching nodes.

    Parameters
    ----------
    y : array-like of shape (n,) or (n, n_outputs)
        The targets.
    sample_weight : array-like of shape (n,), optional
        Weight of each row, not negative. Rows of weight zero are left out altogether.
    cost_complexity : float, default=0.0
        Price of a branching node, as a share of what one leaf for all rows costs.

    Notes
    -----
    Targets are centred and scaled by a power of two before they are squared, so that neither targets of 1e9
    that differ by little nor targets of 1e-7 lose digits.

    Examples
    --------
    >>> import streed
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> result = streed.solve(streed.tasks.SquaredError([1, 2, 10, 12]), X, max_depth=1)
    >>> result.objective, result.tree.predict(X).tolist()
    (2.5, [1.5, 1.5, 11.0, 11.0])
    """

    name: ClassVar[str] = "squared_error"
    summary: ClassVar[str] = "sum of squared errors, leaves predict means (minimised)"
    measure = "squared error"

    def __init__(
        self, y: ArrayLike, sample_weight: ArrayLike | None = None, cost_complexity: float = 0.0
    ) -> None:
        targets = check_targets(y, outputs=True)
        kept = self._keep(targets.shape[0], sample_weight, cost_complexity)
        self._targets = targets[kept]
        table = self._targets.reshape(len(self._targets), -1)
        # Halves are subtracted, so that targets of either end of the range of doubles do not overflow.
        middle = table.min(axis=0) / 2 + table.max(axis=0) / 2
        away = table - middle
        self._scale = power_of_two(float(np.abs(away).max()))
        away /= self._scale
        centre = weighted_sum(self._weights, away) / self._weights.sum()
        self._centred = away - centre
        self.unit = unit_of_squares(self._scale, float(self._weights.sum()))

    def leaf(self) -> LeafFunction:
        """Return what leaves cost, for the engine."""
        z, w = self._centred, self._weights
        statistics = np.column_stack([w, w[:, None] * z, w * (z**2).sum(axis=1)])
        far = np.maximum((z - z.min(axis=0)) ** 2, (z - z.max(axis=0)) ** 2).sum(axis=1)
        return LeafFunction(
            np.ascontiguousarray(statistics),
            squared_errors,
            1,
            least_row=np.zeros(w.size),
            worst_row=w * far * (1 + 1e-9),
            native="squares" if statistics.shape[1] <= MOST_STATISTICS else None,
        )

    def loss(self, rows: NDArray[np.intp]) -> float:
        """Return the squared error of a leaf about its own mean."""
        own, w = self._centred[rows], self._weights[rows]
        return self.unit * float((w @ (own - w @ own / w.sum()) ** 2).sum())

    def losses(self, leaf: NDArray[np.int64], n_nodes: int) -> NDArray[np.float64]:
        """Return the squared error of every leaf, all leaves at once."""
        w = self._weights
        weight = np.maximum(np.bincount(leaf, w, n_nodes), np.finfo(np.float64).tiny)
        costs = np.zeros(n_nodes)
        for z in self._centred.T:
            mean = np.bincount(leaf, w * z, n_nodes) / weight
            costs += np.bincount(leaf, w * (z - mean[leaf]) ** 2, n_nodes)
        return self.unit * costs

    def share_of_gain(self, gain: float, n_rows: float, unexplained: Callable[[], float]) -> float:
        """Return the price of a node: twice the gain times the variance of the noise, as a share of all.

        A squared error divided by twice the variance of the noise is a log-likelihood.
        """
        return 2 * gain * unexplained() / n_rows

    def describe(self, tree: Tree, leaf: NDArray[np.int64]) -> None:
        """Leaves predict means; views show the spread and the distribution of the targets."""
        tree.details = numbers_at_nodes(tree, leaf, self._targets, self._weights, self.smoothing)
        label_leaves(tree, tree.details.mean)
