"""Leaf models: what a leaf costs under each label, from the rows in it.

A task hands a leaf model over in its form (`streed.tasks.forms`), and the solver asks the model for all that
depends on the kind of leaf. No other package looks at the type of a leaf model.

To add a loss, a function of sums of statistics:

1. Write a task in ``streed/tasks`` whose ``lower()`` returns ``Lowered(LeafFunction(...), labels)``, and add
   it to the registry of tasks. Nothing else is needed: the engine calls its function.
2. To have it evaluated by the engine itself, add the same function to ``core/leaves`` by the recipe in
   ``core/leaves/leaf_models.hpp`` (one file, one registration), and name it in
   ``LeafFunction(..., native=...)``.

To add a leaf model of another form:

1. Write a file in this folder, named after the model, with one class of plain arrays (a `NamedTuple`) that
   has the members of `LeafModel`. `class_errors.py` is the one to copy.
2. Add it to the engine by the second recipe in ``core/leaves/leaf_models.hpp``, and call its binding in
   `search`.
3. Add the class to `LEAF_MODELS` below.

Compare the engine with the reference solver on random data, as ``tests/properties/test_leaf_models.py`` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from streed.leaves.class_errors import ClassErrors
from streed.leaves.function import LeafFunction
from streed.leaves.label_costs import CostTable

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from streed.leaves.guarded import GuardedFunction
    from streed.tree.tree import Tree

__all__ = ["LEAF_MODELS", "ClassErrors", "CostTable", "LeafFunction", "LeafModel"]

LEAF_MODELS: tuple[type, ...] = (ClassErrors, CostTable, LeafFunction)
"""All leaf models."""


class LeafModel(Protocol):
    """What the solver asks of a leaf model."""

    @property
    def affine(self) -> bool:
        """Whether a leaf costs a sum over its rows of a cost per label, all in `label_costs`."""

    @property
    def is_function(self) -> bool:
        """Whether a function of the task computes costs; `streed.check_separable` then tries it out."""

    @property
    def squares(self) -> NDArray[np.float64] | None:
        """Weight, weighted target and weighted square of each row, if leaves cost squared errors about means.

        None for any other cost, and for several targets.
        """

    @property
    def rounding(self) -> float:
        """How much the cost of a tree may differ when it is counted anew, beside the relative tolerance."""

    def search(
        self, engine: Any, name: str, features: NDArray[np.uint8], n_labels: int
    ) -> Callable[..., dict[str, Any]]:
        """Return a search of the engine, which takes the options; `name` is what errors call the task."""

    def native_rows(self) -> tuple[Any, Any]:
        """Return what the engine recounts a tree with: (classes, weights) or None, and costs or None."""

    def node_costs(
        self, name: str, leaf: NDArray[np.int64], tree: Tree, largest: bool
    ) -> NDArray[np.float64] | None:
        """Cost of every node of a tree, counted in Python; None where the engine recounts it.

        `leaf` is the leaf of each row. A branching node costs the sum of its children, or the larger one of
        them (`largest`).
        """

    def leaf_sums(self, leaf: NDArray[np.int64], tree: Tree) -> NDArray[np.float64] | None:
        """Add up the statistics in each leaf, shape (statistics, leaves), for ``leaf_label``.

        None if labels of leaves are never computed from statistics.
        """

    def label_costs(self, n_labels: int) -> NDArray[np.float64]:
        """Cost of each row under each label, shape (n, n_labels), of an affine model."""

    def row_range(self) -> tuple[float, float]:
        """Return the least and the most that one more row adds to the cost of a leaf."""

    def saving(self) -> float:
        """Return the most that any tree can save against the best single leaf; infinite if not known."""

    def guarded(self, name: str) -> GuardedFunction | None:
        """Return the Python function of the model, ready for a search; None if it has none."""
