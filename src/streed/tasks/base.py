"""The contract of a task: what a tree costs, and how the engine is told.

A task is made with its data. It checks them at once, so that a task that exists can be solved. `Task.lower`
turns it into the plain numbers that the engine takes (`Lowered`), `Task.report` turns the engine's value back
into natural units, and `Task.components` is the same task as the six components of the paper, for the
reference solver.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from streed.reference import Components


@dataclass(frozen=True, slots=True, eq=False)
class Lowered:
    """A task in the form that the engine takes: the weighted errors of a tree plus a cost per branching node.

    Attributes
    ----------
    labels : int32 array of shape (n,)
        The class of each row, as a position in `classes`.
    weights : float64 array of shape (n,)
        What an error on each row costs, in engine units; all of them positive. Whole numbers wherever the
        data allow it, since the engine is exact and fastest on those.
    n_labels : int
        Number of classes.
    branch_cost : float
        Cost of a branching node, in engine units.
    scale : float
        One engine unit in the unit of the row weights.
    classes : array of shape (n_labels,)
        The labels as the user gave them, sorted.
    rows : int64 array or None
        The rows that are left after those of weight zero were dropped; None when all are.
    """

    labels: NDArray[np.int32]
    weights: NDArray[np.float64]
    n_labels: int
    branch_cost: float
    scale: float
    classes: NDArray[Any]
    rows: NDArray[np.int64] | None = None


class Task(ABC):
    """Base class of all tasks: says what a tree costs on given data."""

    name: ClassVar[str]
    """The name in the registry, as in ``OptimalTreeClassifier(objective=name)``."""

    summary: ClassVar[str]
    """One line that says what is optimised."""

    maximize: ClassVar[bool] = False
    """Whether the reported value is the better the larger it is."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Number of rows of the data the task was made with, rows of weight zero included."""

    @abstractmethod
    def lower(self) -> Lowered:
        """Give the task in the form that the engine takes."""

    @abstractmethod
    def report(self, cost: float) -> float:
        """Turn a cost in engine units into natural units. Monotone: falling if `maximize`, else rising."""

    @abstractmethod
    def components(self, X: ArrayLike, *, min_samples_leaf: int = 1) -> Components[Any, float]:
        """Give the task on binary features `X` as the six components of the paper, in natural units."""
