"""Poisson deviance, for counts and rates: a leaf predicts the mean of its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.tasks.base import LeafFunction
from streed.tasks.parts.leaf_loss import LeafLoss
from streed.tasks.parts.squares import weighted_sum
from streed.tasks.parts.targets import check_targets, label_leaves, power_of_two
from streed.tree.numbers import numbers_at_nodes

if TYPE_CHECKING:
    from streed.tree.tree import Tree


def times_log(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return x log x, which is 0 at 0."""
    return np.asarray(x * np.log(np.where(x > 0, x, 1.0)))


class Poisson(LeafLoss):
    """Minimise the Poisson deviance, where each leaf predicts the mean of its rows.

    A row with target y costs ``2 (y log(y / m) - y + m)`` in a leaf with mean m; a leaf whose targets are all
    zero costs nothing and predicts 0. The reported value is the sum over the rows, plus ``cost_complexity``
    times the deviance of all rows in one leaf times the number of branching nodes.

    Parameters
    ----------
    y : array-like of shape (n,)
        The targets, not negative, and not all of them zero.
    sample_weight : array-like of shape (n,), optional
        Weight of each row (its exposure, if y are rates), not negative. Rows of weight zero are left out.
    cost_complexity : float, default=0.0
        Price of a branching node, as a share of what one leaf for all rows costs.

    Examples
    --------
    >>> import streed
    >>> result = streed.solve(streed.tasks.Poisson([0, 0, 2, 4]), [[0], [0], [1], [1]], max_depth=1)
    >>> round(result.objective, 4), result.tree.predict([[0], [1]]).tolist()
    (0.6796, [0.0, 3.0])
    """

    name: ClassVar[str] = "poisson"
    summary: ClassVar[str] = "Poisson deviance, leaves predict means (minimised)"
    measure = "Poisson deviance"
    value_name: ClassVar[str] = "deviance"

    def __init__(
        self, y: ArrayLike, sample_weight: ArrayLike | None = None, cost_complexity: float = 0.0
    ) -> None:
        targets = check_targets(y)
        if (targets < 0).any():
            row = int(np.flatnonzero(targets < 0)[0])
            raise ValueError(f"y must not be negative for the Poisson loss, got {targets[row]} in row {row}")
        kept = self._keep(targets.size, sample_weight, cost_complexity)
        self._targets = targets[kept]
        if not self._targets.any():
            raise ValueError("the Poisson loss needs a y above zero in at least one row that has a weight")
        scale = power_of_two(float(self._targets.max()))
        self._scaled = self._targets / scale
        self.unit = 2 * scale  # the engine has half the deviance

    def leaf(self) -> LeafFunction:
        """Return what leaves cost, for the engine."""
        z, w = self._scaled, self._weights
        statistics = np.column_stack([w * z, w, w * times_log(z)])
        return LeafFunction(statistics, self.leaf_costs, 1, least_row=np.zeros(w.size), native="log_ratio")

    @staticmethod
    def leaf_costs(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return half the deviances from sums of targets, weights and sums of y log y."""
        total, n, own = sums
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(total > 0, total / n, 1.0)
        costs: NDArray[np.float64] = np.maximum(own - total * np.log(mean), 0.0)
        return costs

    def loss(self, rows: NDArray[np.intp]) -> float:
        """Return the deviance of a leaf from the mean of its rows."""
        z, w = self._scaled[rows], self._weights[rows]
        mean = float(weighted_sum(w, z) / w.sum())
        if mean == 0:
            return 0.0
        return self.unit * float(weighted_sum(w, times_log(z) - z * np.log(mean) - z + mean))

    def describe(self, tree: Tree, leaf: NDArray[np.int64]) -> None:
        """Leaves predict means; views show the spread and the distribution of the targets."""
        tree.details = numbers_at_nodes(tree, leaf, self._targets, self._weights, self.smoothing)
        label_leaves(tree, tree.details.mean)
