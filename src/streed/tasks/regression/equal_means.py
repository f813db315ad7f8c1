"""What losses share whose mean predictions of two groups may differ by no more than a limit.

With a multiplier m for the difference a leaf does best to predict something else than the mean of its rows,
and what it costs is the same loss of *shifted rows*. A task says how rows are shifted (`shifted`), and what a
tree costs within the limit (`within`, from the leaf of each row). Multipliers are searched and gaps closed by
`streed.solver.strategies.shifted`, which knows neither loss.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.fairness.groups import encode_groups
from streed.tasks import forms
from streed.tasks.forms import OneValue
from streed.tasks.parts.leaf_loss import LeafLoss
from streed.tasks.parts.squares import weighted_sum

if TYPE_CHECKING:
    from streed.tree.tree import Tree

NOTHING = 1e-12
"""Shares of both groups add up to one: what is left of them in a leaf by rounding is less than this."""


def clean(shares: NDArray[Any]) -> NDArray[np.float64]:
    """Make differences of shares zero that are rounding; a square of them would be divided by another one."""
    return np.where(np.abs(shares) < NOTHING, 0.0, shares)


class Within(Protocol):
    """What a tree costs with a limit on the difference of the groups."""

    @property
    def difference(self) -> float:
        """Difference of the mean predictions, where each leaf predicts the mean of its rows."""

    def cost(self, limit: float) -> float:
        """Least loss of predictions within the limit; infinite where there are none."""

    def bound(self, multiplier: float, limit: float) -> float:
        """Return what a multiplier proves of the tree's cost."""

    def multiplier(self, limit: float) -> float:
        """Multiplier by which the tree itself keeps the limit."""

    @property
    def far(self) -> float:
        """Size of a multiplier beyond which the bound of the tree does not rise."""


class EqualMeans(LeafLoss):
    """A loss of one target with a limit on the difference of the mean predictions of two groups."""

    form: ClassVar[type] = forms.Sums
    _targets: NDArray[np.float64]

    def _compare(self, sensitive_features: ArrayLike, max_difference: float) -> None:
        """Take the groups and the limit."""
        self.max_difference = float(max_difference)
        if not 0 <= self.max_difference < math.inf:
            raise ValueError(f"max_difference must be a finite number >= 0, got {max_difference!r}")
        names, codes = encode_groups(sensitive_features, self._n_rows)
        codes = codes if self._rows is None else codes[self._rows]
        present = np.unique(codes).tolist()
        if len(present) != 2:
            raise ValueError(
                f"the mean predictions of two groups are compared, got {len(present)} with rows: "
                f"{[names[one] for one in present]!r}"
            )
        self.groups = [names[one] for one in present]
        self.shares = np.zeros(codes.size)
        for sign, one in zip((1.0, -1.0), present, strict=True):
            rows = codes == one
            self.shares[rows] = sign / self._weights[rows].sum()

    def lower(self) -> forms.Sums:  # type: ignore[override]
        """Give the task to the strategy that shifts rows."""
        return forms.Sums(self, forms.MeanParity(self, self._rows, np.arange(1)))

    def report(self, cost: float) -> float:
        """Return the value as it is: searches are watched in natural units."""
        return cost

    def difference(self, predictions: NDArray[Any]) -> float:
        """Difference of the mean predictions of the two groups."""
        return abs(float(weighted_sum(self._weights * self.shares, predictions.astype(np.float64))))

    @abstractmethod
    def without_limit(self) -> LeafLoss:
        """Return the loss alone."""

    @abstractmethod
    def shifted(self, multiplier: float) -> tuple[OneValue, float]:
        """Return the loss of shifted rows, and what it is less than the bound of a tree."""

    @abstractmethod
    def within(self, leaf: NDArray[np.int64], n_nodes: int) -> Within:
        """Add up a tree, from the leaf of each row; the price of its nodes is part of the cost."""

    @abstractmethod
    def farthest(self, sign: float) -> float:
        """Size of the largest multiplier of a sign for which rows can be shifted."""

    @abstractmethod
    def gap_terms(self, multiplier: float) -> NDArray[np.float64]:
        """Return three numbers of each row: with their sums c, n and z a leaf costs c - gain(n, z)."""

    @abstractmethod
    def gain(self, n: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what is taken off the costs of leaves, from sums of `gap_terms`; n is above zero."""

    @abstractmethod
    def shown(self, multiplier: float) -> OneValue:
        """Return the value by which views show a tree."""

    @abstractmethod
    def describe_within(self, tree: Tree, leaf: NDArray[np.int64]) -> None:
        """Give leaves their predictions within the limit; views show what else is known of the targets."""

    @abstractmethod
    def error(self, predictions: NDArray[Any]) -> float:
        """Loss of predictions."""
