"""Absolute error and its generalisation to quantiles: a leaf predicts a median or another quantile.

A median is no function of sums of the targets. But the best prediction is always one of the targets that
occur, and for each of those the loss is a sum over the rows: with one label per distinct target this is a
table of label costs, which the engine solves exactly. The time of a search grows with the number of distinct
targets, so targets should be rounded to what matters.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.errors import NotNative
from streed.options import Option
from streed.tasks.base import CostTable
from streed.tasks.forms import Relaxed
from streed.tasks.parts.leaf_loss import LeafLoss
from streed.tasks.parts.targets import check_targets, label_leaves, power_of_two
from streed.tree.numbers import numbers_at_nodes

if TYPE_CHECKING:
    from streed.reference import Components
    from streed.tree.tree import Tree

QUANTILE = Option(
    "quantile", "a number between 0 and 1, both excluded", "The quantile that a leaf predicts.",
    default=0.5, integer=False, low=0, high=1 - 2**-53, above=True,
)  # fmt: skip

MOST_CELLS = 2**26
"""Rows times distinct targets of the table of costs: half a gigabyte of doubles."""


class Quantile(LeafLoss):
    """Minimise the sum of pinball losses, where each leaf predicts a quantile of its rows.

    A prediction q costs a row with target y the amount ``quantile * (y - q)`` if it is too low and
    ``(1 - quantile) * (q - y)`` if it is too high. The reported value is the sum over the rows, plus
    ``cost_complexity`` times what one leaf for all rows costs times the number of branching nodes.

    Parameters
    ----------
    y : array-like of shape (n,)
        The targets.
    quantile : float, default=0.5
        Which quantile, between 0 and 1.
    sample_weight : array-like of shape (n,), optional
        Weight of each row, not negative. Rows of weight zero are left out altogether.
    cost_complexity : float, default=0.0
        Price of a branching node, as a share of what one leaf for all rows costs.

    Examples
    --------
    >>> import streed
    >>> task = streed.tasks.Quantile([1, 2, 3, 10, 20, 30], 0.75)
    >>> result = streed.solve(task, [[0], [0], [0], [1], [1], [1]], max_depth=1)
    >>> result.objective, result.tree.predict([[0], [1]]).tolist()
    (8.25, [3.0, 30.0])
    """

    name: ClassVar[str] = "quantile"
    summary: ClassVar[str] = "sum of pinball losses, leaves predict quantiles (minimised)"
    measure = "pinball loss"
    value_name: ClassVar[str] = "pinball loss"

    def __init__(
        self,
        y: ArrayLike,
        quantile: float = 0.5,
        sample_weight: ArrayLike | None = None,
        cost_complexity: float = 0.0,
    ) -> None:
        share = QUANTILE.check(quantile)
        assert share is not None
        self._prepare(y, float(share), 1 - float(share), sample_weight, cost_complexity)

    def _prepare(
        self,
        y: ArrayLike,
        below: float,
        above: float,
        sample_weight: ArrayLike | None,
        cost_complexity: float,
    ) -> None:
        """`below` is the price of a prediction that is one too low, `above` of one that is too high."""
        targets = check_targets(y)
        kept = self._keep(targets.size, sample_weight, cost_complexity)
        self._targets = targets[kept]
        self._below, self._above = below, above
        self._values, self._codes = np.unique(self._targets, return_inverse=True)
        self.unit = power_of_two(float(self._values[-1] / 2 - self._values[0] / 2))
        self._places = self._values / self.unit - self._values[0] / self.unit

    def leaf(self) -> CostTable:
        """Return what leaves cost, for the engine: each distinct target is a label."""
        if self._codes.size * self._values.size > MOST_CELLS:
            raise NotNative(
                f"{self._codes.size} rows with {self._values.size} distinct targets are too many for a "
                "table of costs; round the targets, so that fewer are distinct",
                self.relaxed,
            )
        return self._table(np.arange(self._values.size))

    def relaxed(self, n_labels: int) -> Relaxed:
        """Return a problem with few labels, quantiles of the targets, where no tree costs more than here."""
        order = np.sort(self._codes)
        few = np.unique(order[np.linspace(0, order.size - 1, n_labels).astype(np.intp)])
        value = self._lowered(self._table(few))
        return Relaxed(value, self.engine_losses, self._places[self._codes, None], self._weights)

    def _table(self, labels: NDArray[np.intp]) -> CostTable:
        """Return costs under some of the distinct targets, the least and greatest included, as labels.

        A leaf costs no less for any prediction than its rows under one of these labels. Between neighbours
        a < b the loss of a row is convex. That of a row with a target outside is a line, so the sum of such
        rows is least at a or b. A row with its target y inside is below the line through its ends by at most
        ``(below + above) * (y - a) * (b - y) / (b - a)``, which is taken off its costs under a and b.
        """
        places, rows = self._places[labels], np.arange(self._codes.size)
        own = self._places[self._codes]
        losses = self._losses(places[None, :] - own[:, None])
        if labels.size < self._values.size:
            after = np.clip(np.searchsorted(labels, self._codes), 1, labels.size - 1)
            low, high = places[after - 1], places[after]
            sag = (self._below + self._above) * (own - low) * (high - own) / (high - low)
            losses[rows, after - 1] -= sag
            losses[rows, after] -= sag
        return CostTable(np.ascontiguousarray(self._weights[:, None] * losses) + 0.0)

    def _losses(self, high: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what predictions cost that are too high by so much, or too low if it is negative."""
        return np.where(high > 0, self._above * high, -self._below * high)

    def _best(self, rows: NDArray[np.intp]) -> int:
        """Return the least of the best predictions for some rows, as a position among distinct targets."""
        order = rows[np.argsort(self._codes[rows], kind="stable")]
        reached = np.cumsum(self._weights[order])
        wanted = self._below / (self._below + self._above) * reached[-1]
        return int(self._codes[order[np.searchsorted(reached, wanted * (1 - 1e-12))]])

    def loss(self, rows: NDArray[np.intp]) -> float:
        """Return the loss of a leaf that predicts the quantile of its rows."""
        high = self._places[self._best(rows)] - self._places[self._codes[rows]]
        return self.unit * float(self._weights[rows] @ self._losses(high))

    def components(self, X: ArrayLike, *, min_samples_leaf: int = 1) -> Components[Any, float]:
        """Give the task as the six components of the paper; labels are the distinct targets, by position."""

        def cost_leaf(rows: tuple[int, ...], label: int) -> float:
            own = np.array(rows, np.intp)
            losses = self._losses(self._places[label] - self._places[self._codes[own]])
            return self.unit * float(self._weights[own] @ losses)

        found = super().components(X, min_samples_leaf=min_samples_leaf)
        return replace(found, cost_leaf=cost_leaf, labels=range(self._values.size))

    def describe(self, tree: Tree, leaf: NDArray[np.int64]) -> None:
        """Leaves predict quantiles; views show the spread and the distribution of the targets."""
        tree.details = numbers_at_nodes(tree, leaf, self._targets, self._weights, self.smoothing)
        labels = np.zeros(tree.node_count)
        for node in np.flatnonzero(tree.feature < 0).tolist():
            labels[node] = self._values[self._best(np.flatnonzero(leaf == node))]
        label_leaves(tree, labels)


class AbsoluteError(Quantile):
    """Minimise the sum of absolute errors, where each leaf predicts a median of its rows.

    The reported value is the sum of absolute errors, plus ``cost_complexity`` times what one leaf for all
    rows costs times the number of branching nodes.

    Parameters
    ----------
    y : array-like of shape (n,)
        The targets.
    sample_weight : array-like of shape (n,), optional
        Weight of each row, not negative. Rows of weight zero are left out altogether.
    cost_complexity : float, default=0.0
        Price of a branching node, as a share of what one leaf for all rows costs.

    Examples
    --------
    >>> import streed
    >>> task = streed.tasks.AbsoluteError([1, 2, 9, 10, 20, 50])
    >>> result = streed.solve(task, [[0], [0], [0], [1], [1], [1]], max_depth=1)
    >>> result.objective, result.tree.predict([[0], [1]]).tolist()
    (48.0, [2.0, 20.0])
    """

    name: ClassVar[str] = "absolute_error"
    summary: ClassVar[str] = "sum of absolute errors, leaves predict medians (minimised)"
    measure = "absolute error"
    value_name: ClassVar[str] = "absolute error"

    def __init__(
        self, y: ArrayLike, sample_weight: ArrayLike | None = None, cost_complexity: float = 0.0
    ) -> None:
        self._prepare(y, 1.0, 1.0, sample_weight, cost_complexity)
