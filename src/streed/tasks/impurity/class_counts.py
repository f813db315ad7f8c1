"""What losses of class shares have in common: a leaf costs a concave function of the weights of its classes.

Their trees are made for probabilities: a leaf predicts the shares of its classes, and a split pays if it
makes these shares say more, also where the most frequent class stays the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.table.labels import class_factors, encode
from streed.table.units import balanced_units
from streed.tasks.base import LeafFunction, Lowered, Tally
from streed.tasks.parts.leaf_loss import LeafLoss

if TYPE_CHECKING:
    from streed.tree.tree import Tree


MOST_CLASSES = 59
"""Classes that the engine's own function of class shares takes."""

MOST_SMOOTHING = 1e100
"""Smoothing that it takes; beyond, sums with it may overflow."""


class ClassCounts(LeafLoss):
    """Least total loss of the class shares of all leaves, plus a price per branching node.

    A subclass has ``cost_of_counts`` (weights of classes, one column per leaf), ``worst`` (what a row of a
    given weight adds to a leaf at most) and the loss of some rows for the reference solver.
    """

    estimator = "OptimalTreeClassifier"
    smoothing: float = 0.0

    def __init__(
        self,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        class_weight: Any = None,
        cost_complexity: float = 0.0,
    ) -> None:
        classes, codes = encode(y)
        if isinstance(class_weight, str) and class_weight != "balanced":
            raise ValueError(f"class_weight must be None, 'balanced' or a dict, got {class_weight!r}")
        given = sample_weight
        if class_weight is not None and not isinstance(class_weight, str):
            own = np.ones(codes.size) if given is None else np.asarray(given, dtype=np.float64)
            if own.shape == codes.shape:
                given = own * class_factors(class_weight, classes)[codes]
        kept = self._keep(codes.size, given, cost_complexity)
        self._classes, self._codes = classes, codes[kept]
        if class_weight == "balanced":
            units, scale = balanced_units(self._codes, self._weights, classes.size)
            self._weights = units * scale

    @property
    def classes(self) -> NDArray[Any]:
        """The distinct labels, sorted."""
        return self._classes

    @property
    def branch_cost(self) -> float:
        """Price of a branching node: a share of the total weight, as for accuracy."""
        return self._complexity * float(self._weights.sum())

    def share_of_gain(self, gain: float, n_rows: float, unexplained: Callable[[], float]) -> float:
        """Return the price of a node that must save a gain: as for errors, see `Task.share_of_gain`."""
        return gain / n_rows

    def worst(self, weight: NDArray[np.float64], total: float) -> NDArray[np.float64]:
        """Return what a row of a weight adds to a leaf at most, among rows of a total weight."""
        raise NotImplementedError

    @staticmethod
    def cost_of_counts(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what leaves cost, from the weights of their classes."""
        raise NotImplementedError

    def leaf(self) -> LeafFunction:
        """Return what leaves cost, for the engine."""
        n = self._codes.size
        known = 2 <= self._classes.size <= MOST_CLASSES and self.smoothing <= MOST_SMOOTHING
        statistics = np.zeros((n, self._classes.size + known))
        statistics[np.arange(n), self._codes] = self._weights
        worst = self.worst(self._weights, float(self._weights.sum())) / self.unit
        return LeafFunction(
            statistics,
            self.leaf_costs,
            1,
            least_row=np.zeros(n),
            worst_row=worst * (1 + 1e-9),
            native="class_shares" if known else None,
            parameter=self.smoothing if known else 0.0,
        )

    def leaf_costs(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what leaves cost in units of the engine; the engine's own function takes one more sum."""
        return np.asarray(self.cost_of_counts(sums[: self._classes.size]) / self.unit)

    def lower(self) -> Lowered:
        """Give the task in the form that the engine takes."""
        return Lowered(
            replace(self.leaf(), losses=self.engine_losses),
            self._classes,
            self.branch_cost / self.unit,
            self.unit,
            tally=Tally(self._codes, self._weights),
            rows=self._rows,
            describe=self.describe,
        )

    def describe(self, tree: Tree, leaf: NDArray[np.int64]) -> None:
        """Leaves are labelled by their heaviest class and predict its share, smoothed if the loss is."""
        leaves = np.flatnonzero(tree.feature < 0)
        tree.label = tree.label.copy()  # what the engine said stays as it is
        tree.label[leaves] = tree.class_weights[leaves].argmax(axis=1)
        tree.smoothing = self.smoothing

    def _counts(self, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        return np.asarray(np.bincount(self._codes[rows], self._weights[rows], self._classes.size), np.float64)
