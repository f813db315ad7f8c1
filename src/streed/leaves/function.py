"""Leaf functions: a leaf costs what a Python function computes from the sums of its rows' statistics."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from streed.errors import NotNative
from streed.leaves.guarded import CheckedFunction, GuardedFunction, guarded_call
from streed.tolerance import LAST_DIGITS

if TYPE_CHECKING:
    from streed.tree.tree import Tree


@dataclass(frozen=True, slots=True, eq=False)
class LeafFunction:
    """A leaf costs what a function makes of the sums of its rows' statistics.

    Attributes
    ----------
    statistics : float64 array of shape (n, s)
        The statistics of each row; those of a leaf are their sums.
    function : callable
        ``function(sums)`` with `sums` of shape (s, b), one column for each of b leaves: the costs under each
        label as an array of shape (n_labels, b), or (b,) for one label.
    n_labels : int
        Number of labels.
    least_row : float64 array of shape (n,) or None
        Adding a row to a leaf adds at least this to its cost; None if that is not known.
    worst_row : float64 array of shape (n,) or None
        Adding a row to a leaf adds at most this to its cost; None if that is not known.
    native : str or None
        The name of the same loss in the engine (``core/leaves/native/losses.hpp``), with statistics in the
        order that it wants; None: the function is called.
    parameter : float
        A number that the native loss takes beside the sums, such as a smoothing; 0 if it takes none.
    is_loss : bool
        Whether it is known that no leaf costs less than nothing, as of all losses with a native name.
    losses : callable or None
        ``losses(leaf, n_nodes)``: what every node costs that is the leaf of some rows, from the rows
        themselves; sums of statistics lose digits where leaves cost little. What users see is counted by it.
    """

    statistics: NDArray[np.float64]
    function: Callable[[NDArray[np.float64]], Any]
    n_labels: int
    least_row: NDArray[np.float64] | None = None
    worst_row: NDArray[np.float64] | None = None
    native: str | None = None
    parameter: float = 0.0
    is_loss: bool = False
    losses: Callable[[NDArray[np.int64], int], NDArray[np.float64]] | None = None

    affine: ClassVar[bool] = False
    is_function: ClassVar[bool] = True

    def search(
        self, engine: Any, name: str, features: NDArray[np.uint8], n_labels: int
    ) -> Callable[..., dict[str, Any]]:
        """Return the search for the tree of least cost; the function's faults become a `TaskError`."""
        bounds = {"least_row": self.least_row, "worst_row": self.worst_row}
        if self.native is not None:
            return functools.partial(
                engine.solve_function,
                features,
                self.statistics,
                self.native,
                self.n_labels,
                parameter=self.parameter,
                **bounds,
            )
        function = self.guarded(name)
        return functools.partial(
            guarded_call,
            engine,
            [function],
            engine.solve_function,
            features,
            self.statistics,
            function.given,
            self.n_labels,
            **bounds,
        )

    @property
    def squares(self) -> NDArray[np.float64] | None:
        """The statistics, if they are those of squared errors of one target; else None."""
        return self.statistics if self.native == "squares" and self.statistics.shape[1] == 3 else None

    @property
    def rounding(self) -> float:
        """How much sums of statistics may lose against the loss of rows."""
        return 0.0 if self.losses is None else LAST_DIGITS * float(np.abs(self.statistics).sum())

    def native_rows(self) -> tuple[Any, Any]:
        """Return nothing: the engine does not recount leaf functions."""
        return None, None

    def node_costs(
        self, name: str, leaf: NDArray[np.int64], tree: Tree, largest: bool
    ) -> NDArray[np.float64]:
        """Cost of every node of a tree; the function is called again for its leaves."""
        if self.losses is None:
            costs = leaf_costs(name, self, leaf, tree)
        else:
            costs = self.losses(leaf, tree.node_count).tolist()
        join = max if largest else operator.add
        for node, left, right in reversed(tree.branches()):
            costs[node] = join(costs[left], costs[right])
        return np.array(costs)

    def leaf_sums(self, leaf: NDArray[np.int64], tree: Tree) -> NDArray[np.float64]:
        """Add up the statistics of the rows in each leaf, shape (statistics, leaves)."""
        leaves = np.flatnonzero(tree.feature < 0)
        columns = [np.bincount(leaf, column, tree.node_count)[leaves] for column in self.statistics.T]
        return np.ascontiguousarray(columns)

    def label_costs(self, n_labels: int) -> NDArray[np.float64]:
        """Refuse: a leaf function is not a sum over rows."""
        raise NotNative("a leaf function is not a sum over rows")

    def row_range(self) -> tuple[float, float]:
        """Return the bounds that the task declares: least and most that one more row adds to a leaf."""
        least = -math.inf if self.least_row is None else float(self.least_row.min())
        return least, math.inf if self.worst_row is None else float(self.worst_row.max())

    def saving(self) -> float:
        """Return what a tree can save at most over a single leaf.

        Of a loss whose cost no row lowers that is what the leaf costs; what any other function makes of other
        sums is not known.
        """
        if not (self.is_loss or self.native) or self.least_row is None or self.least_row.min(initial=0.0) < 0:
            return math.inf
        return float(np.min(self.function(self.statistics.sum(axis=0)[:, None])))

    def guarded(self, name: str) -> GuardedFunction:
        """Return the function, tried out and compiled where that is wanted."""
        return GuardedFunction(name, self)


def leaf_costs(name: str, model: LeafFunction, leaf: NDArray[np.int64], tree: Tree) -> list[float]:
    """Costs of the leaves of a tree under their labels, from the rows that end in each; 0 at other nodes."""
    leaves = np.flatnonzero(tree.feature < 0)
    table = CheckedFunction(name, model).costs(model.leaf_sums(leaf, tree))
    table = table.reshape(model.n_labels, leaves.size)
    costs = [0.0] * tree.node_count
    for k, node in enumerate(leaves.tolist()):
        costs[node] = float(table[tree.label[node], k])
    return costs
