"""The product of several tasks (paper, "Combining multiple optimization tasks"): a front, or limits.

Every operation works on tuples with one place per part. Parts with a limit (`Task.at_most`, `Task.at_least`)
are constraints, all others objectives. With several objectives the answer is the front of all trees that are
not dominated; with one objective and limits it is the best tree within them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.errors import TaskError
from streed.tasks.base import Task, form_of, is_multiple
from streed.tasks.constrained import same_prices
from streed.tasks.forms import (
    MeanParity,
    OneValue,
    SixComponents,
    Sums,
    Vector,
)
from streed.tasks.impurity.class_counts import ClassCounts
from streed.tasks.limited_task import LimitedTask
from streed.tasks.parts.product import product, with_kept_rows
from streed.tasks.parts.sums_of_parts import sums_of
from streed.tolerance import same

if TYPE_CHECKING:
    from streed.reference import Components


def combine(*parts: Task) -> Combined:
    """Combine tasks on the same rows into one: several objectives, or objectives with constraints.

    Parameters
    ----------
    parts : Task
        At least two. Tasks with limits, as in ``task.at_most(3)``, are constraints, the others objectives.
        All must have the same labels: a leaf has one label, whatever it costs in each part.

    Returns
    -------
    streed.tasks.Combined
        With several objectives `solve` gives a front, with one the best tree within the limits.

    Examples
    --------
    Two kinds of errors at once: the front of all trade-offs of depth one.

    >>> import streed
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]
    >>> missed = streed.tasks.Accuracy(y, class_weight={0: 0, 1: 1})
    >>> alarms = streed.tasks.Accuracy(y, class_weight={0: 1, 1: 0})
    >>> result = streed.solve(streed.combine(missed, alarms), X, max_depth=1)
    >>> [solution.values for solution in result.front]
    [(0.0, 1.0), (1.0, 0.0)]

    As few missed as possible without any alarm:

    >>> streed.solve(streed.combine(missed, alarms.at_most(0)), X, max_depth=1).objective
    1.0
    """
    flat = [inner for part in parts for inner in (part.parts if isinstance(part, Combined) else (part,))]
    if len(flat) < 2:
        raise ValueError(f"combine needs at least two tasks, got {len(flat)}")
    return Combined(tuple(flat))


class Combined(Task):
    """The product of several tasks; made by `streed.combine`.

    Parameters
    ----------
    parts : tuple of Task
        The objectives and the constraints, in any order.
    """

    name: ClassVar[str] = "combined"
    summary: ClassVar[str] = "several objectives (a front), or one within limits"
    form: ClassVar[type] = Sums

    def __init__(self, parts: tuple[Task, ...]) -> None:
        for part in parts:
            if not isinstance(part, Task):
                raise TypeError(f"combine takes streed.tasks.Task objects, got {part!r}")
        self.parts = parts
        self.objectives = tuple(i for i, part in enumerate(parts) if not isinstance(part, LimitedTask))
        if not self.objectives:
            raise ValueError("all parts have limits: one without must be there as the objective")
        self._forms = tuple(_form(task) for task in self.tasks)
        sizes = [part.n_rows for part in parts]
        if len(set(sizes)) > 1:
            raise ValueError(f"the parts must have the same rows, got {sizes} rows")
        _same_labels(self.tasks, self._forms)

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks behind the parts, without their limits."""
        return tuple(part.task if isinstance(part, LimitedTask) else part for part in self.parts)

    @property
    def limits(self) -> dict[int, LimitedTask]:
        """The constraints, by their place among the parts."""
        return {i: part for i, part in enumerate(self.parts) if isinstance(part, LimitedTask)}

    @property
    def n_rows(self) -> int:
        """Number of rows of the data the parts were made with."""
        return self.parts[0].n_rows

    @property
    def classes(self) -> Any:
        """The labels that all parts share, None if no part knows them."""
        known = (_classes(task, form) for task, form in zip(self.tasks, self._forms, strict=True))
        return next((classes for classes in known if classes is not None), None)

    def lower(self) -> Sums:
        """Give the forms of all parts, with their limits; one objective with limits where one is no sum."""
        if (
            not all(isinstance(form, OneValue | SixComponents) for form in self._forms)
            or self._pays_for_tests()
        ):
            return sums_of(self, self._forms)
        limits = [self._engine_limits(place) for place in range(len(self.parts))]
        kept = self.kept_rows()
        first = self._forms[0]
        rows = kept if kept is not None or isinstance(first, SixComponents) else first.rows
        return Sums(self, Vector(self, self._forms, limits, rows, self.classes))

    def _pays_for_tests(self) -> bool:
        """Whether one sum over rows is minimised within limits on others, and tests have prices."""
        forms = [form for form in self._forms if isinstance(form, OneValue)]
        sums = all(form.leaf.affine and form.combination == "sum" for form in forms)
        known = len(forms) == len(self.parts) and len(self.objectives) == 1
        paid = {id(form.prices): form.prices for form in forms if form.prices is not None}
        same = all(same_prices(*pair) for pair in itertools.combinations(paid.values(), 2))
        upper = all(
            (math.isinf(part.lower_limit) and is_multiple(part)) or self._forms[i].prices is None
            for i, part in self.limits.items()
        )
        return bool(paid) and known and sums and same and upper

    def report(self, cost: float) -> float:
        """Turn a cost of the first objective into its natural units."""
        return self.tasks[self.objectives[0]].report(cost)

    def components(self, X: ArrayLike, *, min_samples_leaf: int = 1) -> Components[Any, Any]:
        """Give the product task: tuples with one value per part, in natural units.

        Limits that are anti-monotonic hold at every node. The others hold in the initial state only, where
        the value is that of the whole tree; in that form they are anti-monotonic, too.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The binary features.
        min_samples_leaf : int, default=1
            Least number of rows of a leaf.

        Returns
        -------
        streed.reference.Components
            Its solutions are all nondominated tuples of values; `select` leaves those that are nondominated
            in the objectives alone.
        """
        for task, form in zip(self.tasks, self._forms, strict=True):
            if not isinstance(form, OneValue | SixComponents):
                raise TaskError(
                    f"{task.name} in a combination is solved by searches for sums: its value is not put "
                    "together from those of subtrees, so that the combination has no six components"
                )
        kept = self.kept_rows()
        least = min_samples_leaf if kept is None else 0
        parts = [task.components(X, min_samples_leaf=least) for task in self.tasks]
        for task, part in zip(self.tasks, parts, strict=True):
            for what in ("labels", "features"):
                mine, theirs = list(getattr(parts[0], what)), list(getattr(part, what))
                if mine != theirs:
                    raise TaskError(
                        f"combine: {self.tasks[0].name} has the {what} {mine!r}, {task.name} has {theirs!r}"
                    )
        whole = product(self, parts)
        return whole if kept is None else with_kept_rows(whole, X, kept, min_samples_leaf)

    def kept_rows(self) -> NDArray[np.int64] | None:
        """Return the rows that count in at least one part, None if all parts leave out the same ones.

        Parts may leave out rows of weight zero. A leaf must then have rows of any part, not of every part.
        """
        rows = [None if isinstance(form, SixComponents) else form.rows for form in self._forms]
        if all(same_rows(rows[0], other) for other in rows):
            return None
        every = np.arange(self.n_rows)
        return np.unique(np.concatenate([every if part is None else part for part in rows]))

    def _engine_limits(self, place: int) -> tuple[float, float] | None:
        """Limits of a part in engine units, widened by the tolerance; None if they are no limits on costs."""
        part = self.parts[place]
        if not isinstance(part, LimitedTask):
            return -np.inf, np.inf
        if not is_multiple(part):
            return None
        low, high = part.widened()
        offset, slope = part.report(0.0), part.report(1.0) - part.report(0.0)
        ends = ((low - offset) / slope, (high - offset) / slope)
        return min(ends), max(ends)

    def select(self, values: Sequence[tuple[Any, ...]], better: Sequence[Any]) -> list[int]:
        """Return the positions of the values whose objectives are not dominated, the first of equal ones.

        Parameters
        ----------
        values : sequence of tuple
            One value per part each, all of them within the limits.
        better : sequence of callable
            For each objective, whether one value is better than another one.

        Returns
        -------
        list of int
            Positions in `values`. Differences within rounding do not count as differences.
        """

        def covers(v: tuple[Any, ...], w: tuple[Any, ...]) -> bool:
            pairs = ((v[i], w[i], beats) for i, beats in zip(self.objectives, better, strict=True))
            return all(same(a, b) or beats(a, b) for a, b, beats in pairs)

        kept: list[int] = []
        for new, value in enumerate(values):
            if any(covers(values[old], value) for old in kept):
                continue
            kept = [old for old in kept if not covers(value, values[old])] + [new]
        return kept


def _form(task: Task) -> Any:
    """Return the form of a part, or refuse one that is no part."""
    form = form_of(task)
    objective = form.objective if isinstance(form, Sums) else form
    if isinstance(form, OneValue | Sums | SixComponents) and not isinstance(objective, MeanParity | Vector):
        return form
    raise TaskError(
        f"{task.name} cannot be part of a combination: its value is not put together from those "
        "of subtrees; combine what it is made of, such as the errors of each class"
    )


def _classes(task: Task, form: Any) -> Any:
    found = getattr(task, "classes", None)
    return form.classes if found is None and not isinstance(form, SixComponents) else found


def _same_labels(tasks: Sequence[Task], forms: Sequence[Any]) -> None:
    for task in tasks:
        if isinstance(task, ClassCounts):
            raise ValueError(
                f"{task.name} cannot be part of a combination: its leaves predict shares of classes, "
                "and the other parts need one label"
            )
    known = [(task, _classes(task, form)) for task, form in zip(tasks, forms, strict=True)]
    seen = [(task, np.asarray(classes)) for task, classes in known if classes is not None]
    for task, classes in seen[1:]:
        if classes.tolist() != seen[0][1].tolist():
            raise ValueError(
                f"the parts must have the same labels: {seen[0][0].name} has {seen[0][1].tolist()!r}, "
                f"{task.name} has {classes.tolist()!r}"
            )


def same_rows(a: NDArray[np.int64] | None, b: NDArray[np.int64] | None) -> bool:
    """Whether two parts keep the same rows; None keeps all."""
    return (a is None and b is None) or (a is not None and b is not None and np.array_equal(a, b))
