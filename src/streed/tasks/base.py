"""The contract of a task: what a tree costs, and how the engine is told.

A task is made with its data. It checks them at once, so that a task that exists can be solved. `Task.lower`
turns it into the plain numbers that the engine takes (`Lowered`), `Task.report` turns the engine's value back
into natural units, and `Task.components` is the same task as the six components of the paper, for the
reference solver and for tasks that the engine does not know.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from streed.options import Limits
    from streed.reference import Components
    from streed.tasks.threshold import Threshold
    from streed.tree.result import Result
    from streed.tree.tree import Tree


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


class CostTable(NamedTuple):
    """A leaf costs the sum, over its rows, of the entry of its label.

    Attributes
    ----------
    costs : float64 array of shape (n, n_labels)
        What each row costs under each label, in engine units; any finite numbers.
    """

    costs: NDArray[np.float64]


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
    native : {"squares", "log_ratio"} or None
        The function by the name under which the engine has it (``core/leaves``), with statistics in the order that
        it wants; None: it is called.
    """

    statistics: NDArray[np.float64]
    function: Callable[[NDArray[np.float64]], Any]
    n_labels: int
    least_row: NDArray[np.float64] | None = None
    worst_row: NDArray[np.float64] | None = None
    native: str | None = None


LeafModel: TypeAlias = ClassErrors | CostTable | LeafFunction


@dataclass(frozen=True, slots=True, eq=False)
class Prices:
    """What a branching costs each row that reaches it, given what was tested on the way there.

    A feature is free if its attribute was tested before on the path, has its `discounted` price if another
    attribute of its group was, else its `full` price.

    Attributes
    ----------
    attribute : int32 array of shape (n_features,)
        The attribute of each binary feature.
    group : int32 array of shape (n_features,)
        The group of that attribute, -1 for none.
    full, discounted : float64 arrays of shape (n_features,)
        Prices per row in engine units, not negative, the same for all features of an attribute.
    """

    attribute: NDArray[np.int32]
    group: NDArray[np.int32]
    full: NDArray[np.float64]
    discounted: NDArray[np.float64]


class Tally(NamedTuple):
    """What is counted at every node of the tree beside its cost: the weight of the rows of each class."""

    codes: NDArray[np.int32]
    weights: NDArray[np.float64] | None
    """None: one each."""


class Lowered(NamedTuple):
    """A task in the form that the engine takes: costs of leaves and branching nodes, to be minimised.

    Attributes
    ----------
    leaf : ClassErrors, CostTable or LeafFunction
        What a leaf costs.
    classes : array of shape (n_labels,)
        The labels that a leaf may have, as the user gave them.
    branch_cost : float
        Cost of a branching node, in engine units.
    scale : float
        One engine unit in the unit of the row weights.
    prices : Prices or None
        What a branching costs per row.
    leaf_label : callable or None
        ``leaf_label(sums)``: what a leaf predicts, where a function of statistics says it; else its class.
    tally : Tally or None
        Classes of the rows, where a task has classes; they become `Tree.class_weights`.
    rows : int64 array or None
        The rows that are left after those of weight zero were dropped; None when all are.
    describe : callable or None
        ``describe(tree, leaf)`` with the leaf of each row that is left: gives leaves their predictions and
        nodes what views show of their rows, where the task knows more than labels.
    leaf_loss : callable or None
        ``leaf_loss(rows)``: what a leaf costs, in engine units, from those of the rows that are left; sums of
        statistics lose digits where leaves cost little. What users see is counted by it.
    combination : {"sum", "max"}
        What a tree costs: the sum of its leaves and branching nodes, or the most of any leaf. With "max"
        there are no costs of branching.
    """

    leaf: LeafModel
    classes: NDArray[Any]
    branch_cost: float = 0.0
    scale: float = 1.0
    prices: Prices | None = None
    leaf_label: Callable[[NDArray[np.float64]], Any] | None = None
    tally: Tally | None = None
    rows: NDArray[np.int64] | None = None
    combination: str = "sum"
    describe: Callable[[Tree, NDArray[np.int64]], None] | None = None
    leaf_loss: Callable[[NDArray[np.intp]], float] | None = None


class Task(ABC):
    """Base class of all tasks: says what a tree costs on given data."""

    name: ClassVar[str]
    """The name in the registry, as in ``OptimalTreeClassifier(objective=name)``."""

    summary: ClassVar[str]
    """One line that says what is optimised."""

    maximize: ClassVar[bool] = False
    """Whether the reported value is the better the larger it is."""

    worsening: ClassVar[bool | None] = None
    """Whether no leaf and no branching node lowers the value; None: seen from `lower` where it can be."""

    estimator: ClassVar[str] = "OptimalTreeClassifier"
    """The estimator that makes and solves such tasks."""

    binary: ClassVar[bool] = False
    """Whether the task takes two classes only."""

    measure: str = ""
    """What the value of a tree is called in summaries, as in "misclassified weight"; empty: the name."""

    value_name: ClassVar[str] = ""
    """What the value of a leaf is called in views, as in "cost"; empty: leaves show class shares."""

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
    def components(self, X: ArrayLike, *, min_samples_leaf: int = 1) -> Components[Any, Any]:
        """Give the task on binary features `X` as the six components of the paper, in natural units."""

    def at_most(self, limit: float) -> Threshold:
        """Give the task as a constraint: the value of the whole tree is at most `limit`.

        Parameters
        ----------
        limit : float
            The largest value that is allowed, in natural units.

        Returns
        -------
        streed.tasks.Threshold
            For `streed.combine`, together with the task that is the objective.
        """
        from streed.tasks.threshold import Threshold

        return Threshold(self).at_most(limit)

    def at_least(self, limit: float) -> Threshold:
        """Give the task as a constraint: the value of the whole tree is at least `limit`.

        Parameters
        ----------
        limit : float
            The least value that is allowed, in natural units.

        Returns
        -------
        streed.tasks.Threshold
            For `streed.combine`, together with the task that is the objective.
        """
        from streed.tasks.threshold import Threshold

        return Threshold(self).at_least(limit)

    def solve_with(
        self, features: NDArray[np.uint8], limits: Limits, progress: object, names: Sequence[str] | None
    ) -> Result | None:
        """Solve the task in a way of its own, e.g. by several searches; None: by one search, as usual.

        Features and limits are checked already, and the limits hold for all searches together.
        """
        return None


def measure_of(task: Task) -> str:
    """Return what the value of a tree is called.

    Examples
    --------
    >>> import streed
    >>> from streed.tasks.base import measure_of
    >>> measure_of(streed.tasks.Accuracy([0, 1]))
    'misclassified weight'
    >>> measure_of(streed.tasks.Accuracy([0, 1], cost_complexity=0.1))
    'misclassified weight and price of nodes'
    """
    return task.measure or task.name


def priced(measure: str, price: float) -> str:
    """Say that a value includes the price of branching nodes, if they have one."""
    return f"{measure} and price of nodes" if price else measure


def solves_itself(task: Task) -> bool:
    """Whether a task has a `solve_with` of its own, so that its value is not what one search minimises."""
    own = getattr(type(task), "solve_with", None)
    return own is not None and own is not getattr(Task, "solve_with", None)
