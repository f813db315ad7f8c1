"""Class errors: a leaf costs the weight of its rows that have another class than its label."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class ClassErrors(NamedTuple):
    """A leaf costs the weight of its rows that have another class than the leaf's label.

    Attributes
    ----------
    codes : int32 array of shape (n,)
        The class of each row, as a position in `Lowered.classes`.
    weights : float64 array of shape (n,)
        What an error on each row costs, in engine units; all of them positive. Whole numbers wherever the
        data allow it, since the engine is exact and fastest on those.
    """

    codes: NDArray[np.int32]
    weights: NDArray[np.float64]

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
        """Return the search for the tree with the least weight of misclassified rows."""
        return functools.partial(engine.solve, features, self.codes, self.weights, n_labels)

    def native_rows(self) -> tuple[Any, Any]:
        """Return the classes and weights of the rows."""
        return (self.codes, self.weights), None

    def node_costs(self, name: str, leaf: Any, tree: Any, largest: bool) -> None:
        """Return None: the engine recounts class errors."""

    def leaf_sums(self, leaf: Any, tree: Any) -> None:
        """Return None: the label of a leaf is a class."""

    def label_costs(self, n_labels: int) -> NDArray[np.float64]:
        """Cost of each row under each label: nothing under its own class, else its weight."""
        return np.where(self.codes[:, None] == np.arange(n_labels), 0.0, self.weights[:, None])

    def row_range(self) -> tuple[float, float]:
        """Return the least and the most that one more row adds to the cost of a leaf."""
        return 0.0, float(self.weights.max(initial=0.0))

    def saving(self) -> float:
        """Return the weight of all rows that do not have the most frequent class."""
        weights = np.bincount(self.codes, self.weights)
        return float(weights.sum() - weights.max(initial=0.0))

    def guarded(self, name: str) -> None:
        """Return None: there is no Python function."""
