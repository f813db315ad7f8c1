"""Squared error, where the mean predictions of two groups differ by no more than a limit.

With a multiplier m for the difference, a leaf does best to predict (sum y - m d / 2) / n, where d adds up
1 / N_a for the rows of one group and -1 / N_b for those of the other: what it costs is the squared error of
*shifted targets* y - m g / 2, and a constant. A tree has three sums over its leaves: S, its squared error
with means; D, the difference of the groups' mean predictions then; and Q = sum of d^2 / n. With predictions
of its own that keep the limit e it costs S + max(0, |D| - e)^2 / Q, by the multiplier 2 (|D| - e) / Q with
the sign of D.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.tasks.forms import OneValue
from streed.tasks.parts.squares import weighted_sum
from streed.tasks.parts.targets import label_leaves
from streed.tasks.regression.equal_means import EqualMeans, clean
from streed.tasks.regression.squared_error import SquaredError
from streed.tree.numbers import numbers_at_nodes

if TYPE_CHECKING:
    from streed.tree.tree import Tree


class Squares(NamedTuple):
    """What a tree adds up to: its squared error with means, the difference of the groups, and d^2 / n."""

    error: float
    difference: float
    spread: float

    def multiplier(self, limit: float) -> float:
        """Multiplier by which the tree itself keeps the limit."""
        over = abs(self.difference) - limit
        if over <= 0:
            return 0.0
        return math.copysign(2 * over / self.spread, self.difference) if self.spread > 0 else math.inf

    def cost(self, limit: float) -> float:
        """Squared error of the tree with the best predictions that keep the limit."""
        over = max(0.0, abs(self.difference) - limit)
        if over == 0.0:
            return self.error
        return self.error + over**2 / self.spread if self.spread > 0 else math.inf

    def bound(self, multiplier: float, limit: float) -> float:
        """Return what a multiplier proves of the tree's cost."""
        square = multiplier**2 * self.spread / 4
        return self.error + multiplier * self.difference - square - abs(multiplier) * limit

    @property
    def far(self) -> float:
        """Size of a multiplier beyond which the bound of the tree does not rise."""
        return 2 * abs(self.difference) / self.spread if self.spread > 0 else 0.0


class ParityOfMeans(EqualMeans, SquaredError):  # noqa: N818 (a squared error is no exception)
    """Minimise the squared error; the mean predictions of two groups differ by no more than a limit.

    Leaves do not predict the mean of their rows, but what costs least within the limit.

    Parameters
    ----------
    y : array-like of shape (n,)
        The targets.
    sensitive_features : array-like of shape (n,) or (n, k)
        The group of each row; two groups must have rows with a weight.
    max_difference : float
        The greatest difference that is allowed, in units of `y`.
    sample_weight : array-like of shape (n,), optional
        Weight of each row, not negative, in errors and means.
    cost_complexity : float, default=0.0
        Price of a branching node, as a share of what one leaf for all rows costs.

    Examples
    --------
    >>> import streed
    >>> task = streed.tasks.ParityOfMeans([1.0, 2.0, 10.0, 12.0], ["a", "a", "b", "b"], 5.0)
    >>> result = streed.solve(task, [[0], [0], [1], [1]], max_depth=1)
    >>> result.tree.predict([[0], [1]]).tolist(), result.limits[0].value
    ([3.75, 8.75], 5.0)
    """

    name: ClassVar[str] = "parity_of_means"
    summary: ClassVar[str] = "squared error (minimised), with nearly equal mean predictions of two groups"

    def __init__(
        self,
        y: ArrayLike,
        sensitive_features: ArrayLike,
        max_difference: float,
        sample_weight: ArrayLike | None = None,
        cost_complexity: float = 0.0,
    ) -> None:
        SquaredError.__init__(self, y, sample_weight, cost_complexity)
        self._given = y, sample_weight, cost_complexity
        if self._targets.ndim != 1:
            raise ValueError(f"a parity of means needs one target, got {self._targets.shape[1]}")
        self._compare(sensitive_features, max_difference)
        self._mean = float(weighted_sum(self._weights, self._targets)) / float(self._weights.sum())
        self._away = self._targets - self._mean

    def without_limit(self) -> SquaredError:
        """Return the squared error alone."""
        return SquaredError(*self._given)

    def shifted(self, multiplier: float) -> tuple[OneValue, float]:
        """Return the squared error of shifted targets, and what it is less than the bound of a tree."""
        targets = self._away - multiplier * self.shares / 2
        w = self._weights
        plain = SquaredError(targets, w)
        value = plain.lower()._replace(branch_cost=self.branch_cost / plain.unit, rows=None)
        constant = float(weighted_sum(w, self._away**2) - weighted_sum(w, targets**2))
        return value, constant

    def shown(self, multiplier: float) -> OneValue:
        """Return the value by which views show a tree: that of the shifted targets."""
        return self.shifted(multiplier)[0]

    def farthest(self, sign: float) -> float:
        """Return that any multiplier shifts targets."""
        return math.inf

    def within(self, leaf: NDArray[np.int64], n_nodes: int) -> Squares:
        """Add up a tree, from the leaf of each row; the price of its nodes is part of the error."""
        w = self._weights
        n = np.maximum(np.bincount(leaf, w, n_nodes), np.finfo(float).tiny)
        mean = np.bincount(leaf, w * self._away, n_nodes) / n
        d = clean(np.bincount(leaf, w * self.shares, n_nodes))
        error = float((w * (self._away - mean[leaf]) ** 2).sum()) + self.branch_cost * (n_nodes // 2)
        return Squares(error, float((d * mean).sum()), float((d**2 / n).sum()))

    def describe_within(self, tree: Tree, leaf: NDArray[np.int64]) -> None:
        """Give leaves their predictions; views show the spread and the distribution of the targets."""
        tree.details = numbers_at_nodes(tree, leaf, self._targets, self._weights)
        multiplier = self.within(leaf, tree.node_count).multiplier(self.max_difference)
        w = self._weights
        n = np.maximum(np.bincount(leaf, w, tree.node_count), np.finfo(float).tiny)
        own = np.bincount(leaf, w * (self._away - multiplier * self.shares / 2), tree.node_count) / n
        label_leaves(tree, own + self._mean)

    def error(self, predictions: NDArray[Any]) -> float:
        """Squared error of predictions."""
        return float(weighted_sum(self._weights, (self._targets - predictions.astype(np.float64)) ** 2))

    def gap_terms(self, multiplier: float) -> NDArray[np.float64]:
        """Return the weighted square, the weight and the weighted shifted target of each row."""
        w, z = self._weights, self._away
        return np.column_stack([w * z**2, w, w * (z - multiplier / 2 * self.shares)])

    def gain(self, n: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return z^2 / n."""
        return z**2 / n
