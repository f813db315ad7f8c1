"""The contract of a task: what a tree costs.

A task is made with its data. It checks them at once, so that a task that exists can be solved. `Task.lower`
gives it as a *form* (`streed.tasks.forms`), plain data for the solver; `Task.report` turns costs back into
natural units, and `Task.components` is the same task as the six components of the paper, for the reference
solver and for tasks that the engine does not know. A task never calls a solver.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.errors import NotNative
from streed.leaves import ClassErrors, CostTable, LeafFunction, LeafModel
from streed.tasks.forms import Form, Lowered, OneValue, Prices, SixComponents, Tally
from streed.tolerance import TOLERANCE

if TYPE_CHECKING:
    from streed.reference import Components
    from streed.tasks.limited_task import LimitedTask

__all__ = [
    "ClassErrors",
    "CostTable",
    "LeafFunction",
    "LeafModel",
    "Lowered",
    "Prices",
    "Tally",
    "Task",
    "form_of",
    "is_multiple",
    "labels_of",
    "measure_of",
    "priced",
]


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

    form: ClassVar[type] = OneValue
    """The kind of form that `lower` gives; only tasks of one value can be part of a combination."""

    estimator: ClassVar[str] = "OptimalTreeClassifier"
    """The estimator that makes and solves such tasks."""

    binary: ClassVar[bool] = False
    """Whether the task takes two classes only."""

    smoothing: float = 0.0
    """The weight with which what leaves say beside labels is drawn to the nodes above, as curves are."""

    measure: str = ""
    """What the value of a tree is called in summaries, as in "errors"; empty: the name."""

    value_name: ClassVar[str] = ""
    """What the value of a leaf is called in views, as in "cost"; empty: leaves show class shares."""

    @property
    @abstractmethod
    def n_rows(self) -> int:
        """Number of rows of the data the task was made with, rows of weight zero included."""

    @abstractmethod
    def lower(self) -> Form:
        """Give the form of the task: a `Lowered`, or another one of `streed.tasks.forms`.

        A task that the engine cannot take raises `streed.NotNative` with the reason, and is solved by its
        components.
        """

    @abstractmethod
    def report(self, cost: float) -> float:
        """Turn a cost in engine units into natural units. Monotone: falling if `maximize`, else rising."""

    @abstractmethod
    def components(self, X: ArrayLike, *, min_samples_leaf: int = 1) -> Components[Any, Any]:
        """Give the task on binary features `X` as the six components of the paper, in natural units."""

    def figures(self, predicted: NDArray[np.int64]) -> Mapping[str, Any]:
        """Give figures about predictions for `Result.statistics`, beside the value.

        Parameters
        ----------
        predicted : int64 array
            The prediction of each row that counts, as a position among the labels.

        Returns
        -------
        mapping
            Names and figures; most tasks have none.
        """
        return {}

    def share_of_gain(self, gain: float, n_rows: float, unexplained: Callable[[], float]) -> float:
        """Return the price of a node that must save a gain in log-likelihood, as `cost_complexity` has it.

        Parameters
        ----------
        gain : float
            The gain.
        n_rows : float
            Number of rows.
        unexplained : callable
            Returns the share of the spread of numbers that is noise, or of labels the share of errors.

        Returns
        -------
        float
            ``gain / n_rows`` where a row costs up to one unit. A task for which no such price was found to
            work raises ValueError.
        """
        return gain / n_rows

    def at_most(self, limit: float) -> LimitedTask:
        """Give the task as a constraint: the value of the whole tree is at most `limit`.

        Parameters
        ----------
        limit : float
            The largest value that is allowed, in natural units.

        Returns
        -------
        streed.tasks.LimitedTask
            For `streed.combine`, together with the task that is the objective.
        """
        from streed.tasks.limited_task import LimitedTask

        return LimitedTask(self).at_most(limit)

    def at_least(self, limit: float) -> LimitedTask:
        """Give the task as a constraint: the value of the whole tree is at least `limit`.

        Parameters
        ----------
        limit : float
            The least value that is allowed, in natural units.

        Returns
        -------
        streed.tasks.LimitedTask
            For `streed.combine`, together with the task that is the objective.
        """
        from streed.tasks.limited_task import LimitedTask

        return LimitedTask(self).at_least(limit)


def worth_of_an_error(share: float) -> float:
    """Return what an error less gains in log-likelihood, where a share of the rows is wrong; 1 at least.

    A row of which its leaf is right with probability 1 - e has the log-likelihood ln(1 - e), and ln(e) as an
    error. Where more than 27 % are wrong an error less would be worth less than 1, and a node would have to
    save more rows: that predicts worse (accuracy .8491 with this limit, .8473 and .8470 with 2/3 and 1/2, on
    40 sets that were not used to judge the price, 2 splits).

    Examples
    --------
    >>> round(worth_of_an_error(0.05), 2), worth_of_an_error(0.4)
    (2.94, 1.0)
    """
    share = min(max(share, LEAST_ERRORS), 0.5)
    return max(1.0, math.log((1 - share) / share))


LEAST_ERRORS = 1e-6
"""A share of errors is taken as at least this."""


def measure_of(task: Task) -> str:
    """Return what the value of a tree is called.

    Examples
    --------
    >>> import streed
    >>> from streed.tasks.base import measure_of
    >>> measure_of(streed.tasks.Accuracy([0, 1]))
    'errors'
    >>> measure_of(streed.tasks.Accuracy([0, 1], cost_complexity=0.1))
    'errors and price of nodes'
    """
    return task.measure or task.name


def errors_of(sample_weight: object, class_weight: object) -> str:
    """Return what misclassified rows are called: errors, or their weight if there are weights."""
    return "errors" if sample_weight is None and class_weight is None else "misclassified weight"


def priced(measure: str, price: float) -> str:
    """Say that a value includes the price of branching nodes, if they have one."""
    return f"{measure}{PRICED}" if price else measure


PRICED = " and price of nodes"


def unpriced(measure: str) -> str:
    """Return the name of a value without the price of branching nodes."""
    return measure.removesuffix(PRICED)


def form_of(task: Task) -> Form:
    """Return the form of a task; one that has none for the engine is given by its six components.

    Examples
    --------
    >>> import streed
    >>> from streed.tasks.base import form_of
    >>> type(form_of(streed.tasks.F1Score([0, 1]))).__name__
    'Sums'
    """
    try:
        return task.lower()
    except NotNative as why:
        return SixComponents(str(why), why.relaxed)


def labels_of(task: Task) -> Any:
    """Return the labels that leaves may have; None if they are computed, or if only the components know them.

    Examples
    --------
    >>> import streed
    >>> from streed.tasks.base import labels_of
    >>> labels_of(streed.tasks.Accuracy(["no", "yes"])).tolist()
    ['no', 'yes']
    """
    form = form_of(task)
    if isinstance(form, SixComponents):
        return getattr(task, "classes", None)
    return None if isinstance(form, OneValue) and form.leaf_label is not None else form.classes


def is_multiple(task: Task) -> bool:
    """Whether values of a task are costs times a number, plus another one: limits are limits on costs.

    Examples
    --------
    >>> import streed
    >>> from streed.tasks.base import is_multiple
    >>> is_multiple(streed.tasks.BalancedAccuracy([0, 1]))
    True
    """
    zero, one, two = (task.report(cost) for cost in (0.0, 1.0, 2.0))
    return one != zero and abs((two - one) - (one - zero)) <= TOLERANCE * abs(one - zero)
