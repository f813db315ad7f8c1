"""Tweedie and gamma deviance, for claims: a leaf predicts the mean of its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.options import Option
from streed.tasks.base import LeafFunction
from streed.tasks.parts.leaf_loss import LeafLoss
from streed.tasks.parts.targets import check_targets, label_leaves
from streed.tree.numbers import numbers_at_nodes

if TYPE_CHECKING:
    from streed.tree.tree import Tree

POWER = Option(
    "power", "a number above 1 and below 2", "Power of the variance in the mean.",
    default=1.5, integer=False, low=1, high=2, above=True,
)  # fmt: skip


class Tweedie(LeafLoss):
    """Minimise the Tweedie deviance, where each leaf predicts the mean of its rows.

    With mean m and a power p between 1 and 2, a row with target y costs
    ``2 (y^(2-p) / ((1-p) (2-p)) - y m^(1-p) / (1-p) + m^(2-p) / (2-p))``: the deviance of sums of gamma
    distributed amounts, such as all claims of a year, many of which are 0. The reported value is the sum over
    the rows, plus ``cost_complexity`` times the deviance of all rows in one leaf times the number of
    branching nodes.

    Parameters
    ----------
    y : array-like of shape (n,)
        The targets, not negative, and not all of them zero.
    sample_weight : array-like of shape (n,), optional
        Weight of each row (its exposure, if y are rates), not negative. Rows of weight zero are left out.
    power : float, default=1.5
        The power p of the variance in the mean: close to 1 as counts, close to 2 as amounts.
    cost_complexity : float, default=0.0
        Price of a branching node, as a share of what one leaf for all rows costs.

    Examples
    --------
    >>> import streed
    >>> result = streed.solve(streed.tasks.Tweedie([0, 0, 2, 4]), [[0], [0], [1], [1]], max_depth=1)
    >>> round(result.objective, 4), result.tree.predict([[0], [1]]).tolist()
    (0.3991, [0.0, 3.0])
    """

    name: ClassVar[str] = "tweedie"
    summary: ClassVar[str] = "Tweedie deviance, leaves predict means (minimised)"
    measure = "Tweedie deviance"
    value_name: ClassVar[str] = "deviance"

    def __init__(
        self,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        power: float = 1.5,
        cost_complexity: float = 0.0,
    ) -> None:
        found = POWER.check(power)
        if found is None or found >= 2:
            raise ValueError(f"power must be {POWER.expected}, got {power!r}")
        self.power = float(found)
        self._take(check_targets(y), sample_weight, cost_complexity)

    def _take(self, targets: NDArray[np.float64], weights: ArrayLike | None, complexity: float) -> None:
        self._refuse(targets)
        self._targets = targets[self._keep(targets.size, weights, complexity)]
        if not self._targets.any():
            raise ValueError(f"the {self.name} loss needs a y above zero in a row that has a weight")
        scale = float(self._targets.max())  # equal targets become 1, where all parts below are exactly 0
        self._scaled = self._targets / scale
        self.unit = 2 * scale ** (2 - self.power)  # the engine has half the deviance

    def _refuse(self, targets: NDArray[np.float64]) -> None:
        if (targets < 0).any():
            row = int(np.flatnonzero(targets < 0)[0])
            raise ValueError(
                f"y must not be negative for the {self.name} loss, got {targets[row]} in row {row}"
            )

    def _own(self, z: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return half the deviance of rows from a mean of 1."""
        p = self.power
        return np.asarray((z ** (2 - p) - 1 - (2 - p) * (z - 1)) / ((1 - p) * (2 - p)))

    def leaf(self) -> LeafFunction:
        """Return what leaves cost, for the engine."""
        z, w = self._scaled, self._weights
        statistics = np.column_stack([w * z, w, w * self._own(z)])
        return LeafFunction(statistics, self.leaf_costs, 1, least_row=np.zeros(w.size), is_loss=True)

    def leaf_costs(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return half the deviances from sums of targets, weights and half the deviances from 1."""
        total, n, own = sums
        p = self.power
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(total > 0, total / n, 1.0)
        costs = own - total * (mean ** (1 - p) - 1) / (1 - p) + n * (mean ** (2 - p) - 1) / (2 - p)
        return np.where(total > 0, np.maximum(costs, 0.0), 0.0)

    def loss(self, rows: NDArray[np.intp]) -> float:
        """Return the deviance of a leaf from the mean of its rows."""
        z, w, p = self._scaled[rows], self._weights[rows], self.power
        mean = float((w * z).sum() / w.sum())
        if mean == 0:
            return 0.0
        parts = self._own(z) - z * (mean ** (1 - p) - 1) / (1 - p) + (mean ** (2 - p) - 1) / (2 - p)
        return self.unit * max(0.0, float(w @ parts))

    def describe(self, tree: Tree, leaf: NDArray[np.int64]) -> None:
        """Leaves predict means; views show the spread and the distribution of the targets."""
        tree.details = numbers_at_nodes(tree, leaf, self._targets, self._weights, self.smoothing)
        label_leaves(tree, tree.details.mean)


class Gamma(Tweedie):
    """Minimise the gamma deviance, where each leaf predicts the mean of its rows.

    A row with target y costs ``2 (log(m / y) + y / m - 1)`` in a leaf with mean m: relative errors count, as
    for the severities of claims. The reported value is the sum over the rows, plus ``cost_complexity`` times
    the deviance of all rows in one leaf times the number of branching nodes.

    Parameters
    ----------
    y : array-like of shape (n,)
        The targets, above zero.
    sample_weight : array-like of shape (n,), optional
        Weight of each row (its number of claims, if y are means of several), not negative. Rows of weight
        zero are left out.
    cost_complexity : float, default=0.0
        Price of a branching node, as a share of what one leaf for all rows costs.

    Examples
    --------
    >>> import streed
    >>> result = streed.solve(streed.tasks.Gamma([1, 1, 2, 4]), [[0], [0], [1], [1]], max_depth=1)
    >>> round(result.objective, 4), result.tree.predict([[0], [1]]).tolist()
    (0.2356, [1.0, 3.0])
    """

    name: ClassVar[str] = "gamma"
    summary: ClassVar[str] = "gamma deviance, leaves predict means (minimised)"
    measure = "gamma deviance"

    def __init__(
        self, y: ArrayLike, sample_weight: ArrayLike | None = None, cost_complexity: float = 0.0
    ) -> None:
        self.power = 2.0
        self._take(check_targets(y), sample_weight, cost_complexity)

    def _refuse(self, targets: NDArray[np.float64]) -> None:
        if (targets <= 0).any():
            row = int(np.flatnonzero(targets <= 0)[0])
            raise ValueError(f"y must be above zero for the gamma loss, got {targets[row]} in row {row}")

    def _own(self, z: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(z - 1 - np.log(z))

    def leaf_costs(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return half the deviances from sums of targets, weights and half the deviances from 1."""
        total, n, own = sums
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = np.where(total > 0, total / n, 1.0)
        return np.asarray(np.maximum(own - (total - n) + n * np.log(mean), 0.0))

    def loss(self, rows: NDArray[np.intp]) -> float:
        """Return the deviance of a leaf from the mean of its rows."""
        z, w = self._scaled[rows], self._weights[rows]
        mean = float((w * z).sum() / w.sum())
        return self.unit * max(0.0, float(w @ (np.log(mean / z) + z / mean - 1)))
