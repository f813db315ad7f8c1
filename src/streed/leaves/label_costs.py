"""Label costs: every row has a cost under each label, and a leaf costs their sum under its own label."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class CostTable(NamedTuple):
    """A leaf costs the sum, over its rows, of the entry of its label.

    Attributes
    ----------
    costs : float64 array of shape (n, n_labels)
        What each row costs under each label, in engine units; any finite numbers.
    """

    costs: NDArray[np.float64]

    @property
    def affine(self) -> bool:
        """Whether a leaf costs a sum over its rows: yes."""
        return True

    @property
    def is_function(self) -> bool:
        """Whether a function of the task computes costs: no."""
        return False

    @property
    def squares(self) -> None:
        """Statistics of squared errors: there are none."""
        return None

    @property
    def rounding(self) -> float:
        """How much a recount may differ beside its relative tolerance: nothing."""
        return 0.0

    def search(
        self, engine: Any, name: str, features: NDArray[np.uint8], n_labels: int
    ) -> Callable[..., dict[str, Any]]:
        """Return the search for the tree with the least sum of the rows' costs."""
        return functools.partial(engine.solve_costs, features, self.costs)

    def native_rows(self) -> tuple[Any, Any]:
        """Return the costs of the rows."""
        return None, self.costs

    def node_costs(self, name: str, leaf: Any, tree: Any, largest: bool) -> None:
        """Return None: the engine recounts label costs."""

    def leaf_sums(self, leaf: Any, tree: Any) -> None:
        """Return None: the label of a leaf is the one whose costs it has."""

    def label_costs(self, n_labels: int) -> NDArray[np.float64]:
        """Cost of each row under each label."""
        return self.costs

    def row_range(self) -> tuple[float, float]:
        """Return the least and the most that one more row adds to the cost of a leaf."""
        if not self.costs.size:
            return -math.inf, math.inf
        return float(self.costs.min()), float(self.costs.max())

    def saving(self) -> float:
        """Return by how much the best single label exceeds the best label of every row."""
        if not self.costs.size:
            return 0.0
        return float((self.costs - self.costs.min(axis=1, keepdims=True)).sum(axis=0).min())

    def guarded(self, name: str) -> None:
        """Return None: there is no Python function."""
