"""The product of several tasks (paper, "Combining multiple optimization tasks"): a front, or limits.

Every operation works on tuples with one place per part. Parts with a limit (`Task.at_most`, `Task.at_least`)
are constraints, all others objectives. With several objectives the answer is the front of all trees that are
not dominated; with one objective and limits it is the best tree within them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.errors import NotNative, TaskError
from streed.tasks.base import ClassErrors, CostTable, Lowered, Task, solves_itself
from streed.tasks.impurity.class_counts import ClassCounts
from streed.tasks.parts.product import product, with_kept_rows
from streed.tasks.threshold import Threshold

if TYPE_CHECKING:
    from streed.options import Limits
    from streed.reference import Components
    from streed.tree.result import Result


@dataclass(frozen=True, slots=True, eq=False)
class VectorLowered:
    """A combination of label costs in the form that the engine takes.

    Attributes
    ----------
    costs : float64 array of shape (n, n_labels, n_parts)
        What each row costs in each part under each label, in the engine units of the part; minimised.
    branch_cost : float64 array of shape (n_parts,)
        What a branching node costs in each part.
    lower, upper : float64 arrays of shape (n_parts,)
        Limits in engine units; infinite for objectives.
    rows : int64 array or None
        The rows that are left after those of weight zero in every part were dropped; None when all are.
    parts : tuple of Lowered
        The parts, each as it goes to the engine alone.
    """

    costs: NDArray[np.float64]
    branch_cost: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    rows: NDArray[np.int64] | None
    parts: tuple[Lowered, ...]


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

    def __init__(self, parts: tuple[Task, ...]) -> None:
        for part in parts:
            if not isinstance(part, Task):
                raise TypeError(f"combine takes streed.tasks.Task objects, got {part!r}")
        self.parts = parts
        self.objectives = tuple(i for i, part in enumerate(parts) if not isinstance(part, Threshold))
        if not self.objectives:
            raise ValueError("all parts have limits: one without must be there as the objective")
        for task in self.tasks:
            if solves_itself(task):
                raise TaskError(
                    f"{task.name} cannot be part of a combination: its value is not put together from those "
                    "of subtrees; combine what it is made of, such as the errors of each class"
                )
        sizes = [part.n_rows for part in parts]
        if len(set(sizes)) > 1:
            raise ValueError(f"the parts must have the same rows, got {sizes} rows")
        _same_labels(self.tasks)

    @property
    def tasks(self) -> tuple[Task, ...]:
        """The tasks behind the parts, without their limits."""
        return tuple(part.task if isinstance(part, Threshold) else part for part in self.parts)

    @property
    def limits(self) -> dict[int, Threshold]:
        """The constraints, by their place among the parts."""
        return {i: part for i, part in enumerate(self.parts) if isinstance(part, Threshold)}

    @property
    def n_rows(self) -> int:
        """Number of rows of the data the parts were made with."""
        return self.parts[0].n_rows

    @property
    def classes(self) -> Any:
        """The labels that all parts share, None if no part knows them."""
        known = (_classes(task) for task in self.tasks)
        return next((classes for classes in known if classes is not None), None)

    def lower(self) -> Lowered:
        """Say that there is no native form with one value."""
        raise NotNative("a combination has a value per part")

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
        rows = [_rows(task) for task in self.tasks]
        if all(_same_rows(rows[0], other) for other in rows):
            return None
        every = np.arange(self.n_rows)
        return np.unique(np.concatenate([every if part is None else part for part in rows]))

    def lower_vector(self) -> VectorLowered:
        """Give the combination in the form that the engine takes.

        Returns
        -------
        VectorLowered
            Label costs of all parts.

        Raises
        ------
        NotNative
            If a part is not a sum of label costs over the same rows; the message says which and why.
        """
        lowered = tuple(_label_costs(task) for task in self.tasks)
        bounds = [self.engine_limits(i) for i in range(len(self.parts))]
        kept = self.kept_rows()
        kept = lowered[0].rows if kept is None else kept
        tables = [label_table(low, self.n_rows, kept) for low in lowered]
        return VectorLowered(
            costs=np.ascontiguousarray(np.stack(tables, axis=2)),
            rows=kept,
            branch_cost=np.array([low.branch_cost for low in lowered]),
            lower=np.array([low for low, _ in bounds]),
            upper=np.array([high for _, high in bounds]),
            parts=lowered,
        )

    def engine_limits(self, place: int) -> tuple[float, float]:
        """Limits of a part in engine units, widened by the tolerance."""
        part = self.parts[place]
        if not isinstance(part, Threshold):
            return -np.inf, np.inf
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
        from streed.solver.general.guard import same

        def covers(v: tuple[Any, ...], w: tuple[Any, ...]) -> bool:
            pairs = ((v[i], w[i], beats) for i, beats in zip(self.objectives, better, strict=True))
            return all(same(a, b) or beats(a, b) for a, b, beats in pairs)

        kept: list[int] = []
        for new, value in enumerate(values):
            if any(covers(values[old], value) for old in kept):
                continue
            kept = [old for old in kept if not covers(value, values[old])] + [new]
        return kept

    def solve_with(
        self,
        features: NDArray[np.uint8],
        limits: Limits,
        progress: object,
        names: Sequence[str] | None,
    ) -> Result:
        """Solve the combination: natively where the engine knows all parts, else by the general search."""
        from streed.solver.fronts.combination import solve_combined

        return solve_combined(self, features, limits, progress, names)


def _classes(task: Task) -> Any:
    found = getattr(task, "classes", None)
    if found is None:
        try:
            found = task.lower().classes
        except NotNative:
            return None
    return found


def _same_labels(tasks: Sequence[Task]) -> None:
    for task in tasks:
        if isinstance(task, ClassCounts):
            raise ValueError(
                f"{task.name} cannot be part of a combination: its leaves predict shares of classes, "
                "and the other parts need one label"
            )
    known = [(task, _classes(task)) for task in tasks]
    seen = [(task, np.asarray(classes)) for task, classes in known if classes is not None]
    for task, classes in seen[1:]:
        if classes.tolist() != seen[0][1].tolist():
            raise ValueError(
                f"the parts must have the same labels: {seen[0][0].name} has {seen[0][1].tolist()!r}, "
                f"{task.name} has {classes.tolist()!r}"
            )


def _label_costs(task: Task) -> Lowered:
    """Give the lowered form of a part if it is a sum of label costs, else say what stands against it."""
    lowered = task.lower()
    if not isinstance(lowered.leaf, ClassErrors | CostTable):
        raise NotNative(f"{task.name} is not a sum over rows")
    if lowered.prices is not None:
        raise NotNative(f"{task.name} has prices of tests")
    if lowered.combination != "sum":
        raise NotNative(f"{task.name} is not a sum over leaves")
    zero, one, two = (task.report(cost) for cost in (0.0, 1.0, 2.0))
    if one == zero or abs((two - one) - (one - zero)) > 1e-9 * abs(one - zero):
        raise NotNative(f"the value of {task.name} is not a multiple of its costs")
    return lowered


def label_table(lowered: Lowered, n_rows: int, kept: NDArray[np.int64] | None) -> NDArray[np.float64]:
    """Costs of the kept rows under each label; a row that the part leaves out costs nothing."""
    leaf = lowered.leaf
    if isinstance(leaf, CostTable):
        costs = leaf.costs
    else:
        assert isinstance(leaf, ClassErrors)
        wrong = leaf.codes[:, None] != np.arange(lowered.classes.size)
        costs = np.where(wrong, leaf.weights[:, None], 0.0)
    if _same_rows(lowered.rows, kept):
        return costs
    table = np.zeros((n_rows, costs.shape[1]))
    table[slice(None) if lowered.rows is None else lowered.rows] = costs
    return table if kept is None else table[kept]


def _rows(task: Task) -> NDArray[np.int64] | None:
    try:
        return task.lower().rows
    except NotNative:
        return None


def _same_rows(a: NDArray[np.int64] | None, b: NDArray[np.int64] | None) -> bool:
    return (a is None and b is None) or (a is not None and b is not None and np.array_equal(a, b))
