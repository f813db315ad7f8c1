"""The forms of a task: what `Task.lower` returns, plain data that says what is to be searched.

| form | what is wanted |
|---|---|
| `OneValue` | the tree of least cost: costs of leaves, of branching nodes and of tests |
| `Sums` | an objective made of such values, with limits on sums over the rows |
| `SixComponents` | anything separable, by the six components of the paper |

A task of one value without limits gives that value itself, which is the simplest of all sums. The objective
of `Sums` is one of

| objective | what is wanted | tasks |
|---|---|---|
| `OneValue` | the least value | accuracy, costs, rewards, fairness, policies, anything under `streed.limits` |
| `CountsMetric` | the greatest value of a metric of the confusion matrix | F1 and others |
| `MeanParity` | the least loss of numbers, with nearly equal mean predictions of two groups | regression |
| `Vector` | all nondominated values of several parts, or one of them, within limits on others | combinations |

The solver has strategies for each form and objective (`streed.solver.strategies`). All costs are in *engine units* and are
minimised; `Task.report` turns them into natural units.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from streed.leaves import LeafModel

if TYPE_CHECKING:
    from streed.limits.limit import Limit
    from streed.limits.line import Line
    from streed.limits.rows import LimitRows
    from streed.metrics import Metric
    from streed.tasks.base import Task
    from streed.tasks.combined import Combined
    from streed.tasks.regression.equal_means import EqualMeans
    from streed.tree.tree import Tree


class Prices(NamedTuple):
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


class OneValue(NamedTuple):
    """One value to be minimised: costs of leaves and branching nodes. `Lowered` is another name for it.

    Attributes
    ----------
    leaf : streed.leaves.LeafModel
        What a leaf costs: ClassErrors, CostTable or LeafFunction.
    classes : array of shape (n_labels,)
        The labels that a leaf may have, as the user gave them.
    branch_cost : float
        Cost of a branching node, in engine units.
    scale : float
        One engine unit in the unit of the row weights.
    prices : Prices or None
        What a branching costs per row.
    leaf_label : callable or None
        ``leaf_label(sums)``: what a leaf predicts, where it is computed from its statistics; else its class.
    tally : Tally or None
        Classes of the rows, where a task has classes; they become `Tree.class_weights`.
    rows : int64 array or None
        The rows that are left after those of weight zero were dropped; None when all are.
    combination : {"sum", "max"}
        What a tree costs: the sum of its leaves and branching nodes, or the most of any leaf. With "max"
        there are no costs of branching.
    describe : callable or None
        ``describe(tree, leaf)`` with the leaf of each row that is left: gives leaves their predictions and
        nodes what views show of their rows, where the task knows more than labels.
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


Lowered = OneValue
"""The name of `OneValue` in the contract for tasks of users."""


class Vector(NamedTuple):
    """Several values of one tree: objectives, and values that must stay within limits.

    Attributes
    ----------
    task : Combined
        The combination, which knows the names and natural units of its parts.
    parts : tuple of OneValue or SixComponents
        The parts, each in the form that it has alone.
    limits : list of (float, float)
        What each part must be within, in engine units; infinite for objectives. None where the value of a
        part is not a multiple of its costs.
    rows : int64 array or None
        The rows that count in at least one part; None when all do.
    classes : array or None
        The labels that all parts share; None if no part names them.
    """

    task: Combined
    parts: tuple[OneValue | SixComponents, ...]
    limits: list[tuple[float, float] | None]
    rows: NDArray[np.int64] | None
    classes: Any


class CountsMetric(NamedTuple):
    """A metric of the confusion matrix, to be maximised.

    Attributes
    ----------
    metric : streed.metrics.Metric
        The metric.
    value : OneValue
        The classes of the rows with their natural weights.
    codes : int32 array of shape (n,)
        The class of each row that has a weight.
    units : int64 array of shape (n,)
        The weights in whole units.
    scale : float
        What one unit weighs.
    positive : int
        Position of the positive class among two classes; -1 where there are more.
    """

    metric: Metric
    value: OneValue
    codes: NDArray[np.int32]
    units: NDArray[np.int64]
    scale: float
    positive: int

    @property
    def classes(self) -> NDArray[Any]:
        """The labels, sorted."""
        return self.value.classes

    @property
    def rows(self) -> NDArray[np.int64] | None:
        """The rows that count; None when all do."""
        return self.value.rows


class MeanParity(NamedTuple):
    """The least loss of numbers, with mean predictions of two groups that differ by no more than a limit.

    Attributes
    ----------
    task : EqualMeans
        The task: it shifts rows, and adds up the leaves of trees.
    rows : int64 array or None
        The rows that have a weight; None when all have.
    classes : array
        One label: a leaf predicts a number of its own.
    """

    task: EqualMeans
    rows: NDArray[np.int64] | None
    classes: NDArray[Any]


Objective: TypeAlias = OneValue | CountsMetric | MeanParity | Vector
"""What is optimised."""


class Sums(NamedTuple):
    """An objective, with limits on any sums over the rows.

    Attributes
    ----------
    task : Task
        The task in whose natural units the objective is.
    objective : OneValue, CountsMetric, MeanParity or Vector
        What is optimised; under limits a sum of label costs, or a metric.
    limits : tuple of streed.limits.Limit
        The limits as users know them.
    lines : tuple of tuples of streed.limits.line.Line
        The sums that each limit is made of, on the rows of `data`.
    data : streed.limits.rows.LimitRows or None
        The rows that count under limits.
    max_nodes : int or None
        Greatest number of branching nodes that the limits allow.
    explained : bool
        Whether it is worth searches to say what can be reached where no tree keeps the limits.
    why : callable or None
        ``why(values)``: the message where no tree keeps the limits, in the words of the task, from what the
        tree of least total violation is worth in each limit; None if that is not known.
    """

    task: Task
    objective: Objective
    limits: tuple[Limit, ...] = ()
    lines: tuple[tuple[Line, ...], ...] = ()
    data: LimitRows | None = None
    max_nodes: int | None = None
    explained: bool = True
    why: Callable[[tuple[float, ...] | None], str] | None = None

    @property
    def limited(self) -> LimitRows:
        """The rows that limits count, where there are limits."""
        assert self.data is not None
        return self.data

    @property
    def value(self) -> OneValue | None:
        """The value that is searched, or that of the mistakes a metric is made of; None: there are others."""
        objective = self.objective
        if isinstance(objective, CountsMetric):
            return objective.value
        return objective if isinstance(objective, OneValue) else None

    @property
    def rows(self) -> NDArray[np.int64] | None:
        """The rows that count; None when all do."""
        return self.objective.rows if self.data is None else self.data.kept

    @property
    def classes(self) -> NDArray[Any]:
        """The labels that a leaf may have."""
        return self.objective.classes

    @property
    def all_lines(self) -> tuple[Line, ...]:
        """The sums of all limits."""
        return tuple(line for lines in self.lines for line in lines)


class Relaxed(NamedTuple):
    """A value that costs no tree more than the task does, so that its least value bounds those of the task.

    Attributes
    ----------
    value : OneValue
        What is searched.
    losses : callable
        ``losses(leaf, n_nodes)``: what every leaf costs by the task, in engine units, 0 for other nodes and
        never below.
    numbers : float64 array of shape (rows, 1)
        Numbers that a greedy tree predicts, to be compared with the tree of the relaxed problem.
    weights : float64 array
        Weights of the rows.
    """

    value: OneValue
    losses: Callable[[NDArray[np.int64], int], NDArray[np.float64]]
    numbers: NDArray[np.float64]
    weights: NDArray[np.float64]


class SixComponents(NamedTuple):
    """Anything separable, given by the six components of the paper (`Task.components`).

    Attributes
    ----------
    why : str
        Why the engine cannot take the task.
    relaxed : callable or None
        ``relaxed(n_labels)`` makes a `Relaxed` problem with so many labels, two or more.
    """

    why: str
    relaxed: Callable[[int], Relaxed] | None = None


Form: TypeAlias = OneValue | Sums | SixComponents
"""What a task wants."""
