"""What regression and survival share: a leaf costs the least loss of its rows over what it may predict.

A subclass has the statistics of its rows and ``leaf_costs`` for the engine, ``loss`` for the reference solver
(from the rows themselves, without any sums), and ``describe``, which gives the leaves of a tree their
predictions.

One tolerance holds for all of them: the engine rounds the cost of every leaf to a multiple of 2^-36 (about
1.5e-11) of what the costliest leaf at the root costs, and adds up exactly from there on. So the tree that is
called optimal is at most that much per leaf worse than the best one. Functions that the engine knows by name
also have their targets rounded, to 2^-44 of the sum of their sizes or less.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.options import OPTIONS
from streed.table.labels import check_sample_weight
from streed.tasks.base import CostTable, LeafFunction, Lowered, Task, priced, unpriced
from streed.tasks.parts.price_rule import node_price
from streed.tasks.parts.targets import rows_of_leaves

if TYPE_CHECKING:
    from streed.reference import Components
    from streed.tree.tree import Tree


class LeafLoss(Task):
    """Least total loss of the rows of all leaves, plus a price per branching node.

    Rows of weight zero are left out at once. `_rows` are the others, None if all are; `_weights` are theirs.
    """

    estimator: ClassVar[str] = "OptimalTreeRegressor"

    def _keep(
        self, n_rows: int, sample_weight: ArrayLike | None, cost_complexity: float
    ) -> NDArray[np.intp] | slice:
        """Check weights and price; return the rows that count."""
        weights = check_sample_weight(sample_weight, n_rows)
        complexity = OPTIONS["cost_complexity"].check(cost_complexity)
        assert complexity is not None
        self._n_rows = n_rows
        self._complexity = float(complexity)
        self._rows = None if weights is None or weights.all() else np.flatnonzero(weights)
        kept = slice(None) if self._rows is None else self._rows
        self._weights = np.ones(n_rows) if weights is None else weights[kept]
        self.measure = priced(type(self).measure, self._complexity)
        return kept

    @property
    def n_rows(self) -> int:
        """Number of rows of the data the task was made with, rows of weight zero included."""
        return self._n_rows

    unit: float = 1.0
    """One unit of the engine, in natural units."""

    @abstractmethod
    def leaf(self) -> LeafFunction | CostTable:
        """Return what leaves cost, for the engine."""

    @abstractmethod
    def loss(self, rows: NDArray[np.intp]) -> float:
        """Return what a leaf with some of the rows costs, in natural units, from the rows themselves."""

    def losses(self, leaf: NDArray[np.int64], n_nodes: int) -> NDArray[np.float64]:
        """Return the loss of every node that is the leaf of some rows, 0 for the others, in natural units."""
        costs = np.zeros(n_nodes)
        for node, rows in rows_of_leaves(leaf, n_nodes):
            costs[node] = self.loss(rows)
        return costs

    def engine_losses(self, leaf: NDArray[np.int64], n_nodes: int) -> NDArray[np.float64]:
        """Return the same in the unit of the engine."""
        return self.losses(leaf, n_nodes) / self.unit

    @abstractmethod
    def describe(self, tree: Tree, leaf: NDArray[np.int64]) -> None:
        """Give the leaves of a tree their predictions, and all nodes what views show of their rows."""

    @property
    def branch_cost(self) -> float:
        """Price of a branching node, in natural units: a share of what one leaf for all rows costs."""
        if not self._complexity:
            return 0.0
        return node_price(self._complexity, self.loss(np.arange(self._weights.size)))

    def share_of_gain(self, gain: float, n_rows: float, unexplained: Callable[[], float]) -> float:
        """Refuse to choose a price, unless a subclass knows one that works."""
        raise ValueError(
            f"no price per branching node can be chosen from the data for the {unpriced(self.measure)}: give "
            "cost_complexity as a number, and max_depth where there is none"
        )

    def lower(self) -> Lowered:
        """Give the task in the form that the engine takes."""
        return self._lowered(self.leaf())

    def _lowered(self, leaf: LeafFunction | CostTable) -> Lowered:
        """Give the form with a leaf model."""
        n_labels = leaf.costs.shape[1] if isinstance(leaf, CostTable) else leaf.n_labels
        if isinstance(leaf, LeafFunction):
            leaf = replace(leaf, losses=self.engine_losses)
        return Lowered(
            leaf,
            np.arange(n_labels),
            self.branch_cost / self.unit,
            self.unit,
            rows=self._rows,
            describe=self.describe,
        )

    def report(self, cost: float) -> float:
        """Turn engine units into natural units."""
        return cost * self.unit

    def components(self, X: ArrayLike, *, min_samples_leaf: int = 1) -> Components[Any, float]:
        """Give the task on binary features as the six components of the paper, in natural units.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The binary features.
        min_samples_leaf : int, default=1
            Least number of rows of a leaf; it becomes the constraint c.

        Returns
        -------
        streed.reference.Components
            States are tuples of row numbers, features are column numbers; there is one label, since a leaf
            predicts what its rows say.
        """
        from streed.reference import Components

        table = np.asarray(X, dtype=bool)
        has = (table if self._rows is None else table[self._rows]).tolist()
        least = max(1, min_samples_leaf)
        branch = self.branch_cost

        def transition(rows: tuple[int, ...], feature: int, side: bool) -> tuple[int, ...]:
            return tuple(i for i in rows if has[i][feature] == side)

        return Components(
            cost_leaf=lambda rows, label: self.loss(np.array(rows, np.intp)) if rows else 0.0,
            cost_branch=lambda rows, feature: branch,
            transition=transition,
            better=lambda v, w: v < w,
            combine=lambda v, w: v + w,
            feasible=lambda v, rows: len(rows) >= least,
            initial_state=tuple(range(len(has))),
            labels=(0,),
            features=range(table.shape[1]),
            name=self.name,
        )
