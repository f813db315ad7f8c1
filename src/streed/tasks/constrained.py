"""A task under limits on other quantities of the tree (`streed.limits`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.errors import TaskError
from streed.limits.counts import Nodes
from streed.limits.limit import Limit, check_constraints
from streed.limits.line import Line
from streed.limits.prices import Tests
from streed.limits.rows import limit_rows
from streed.options import MOST_COMPONENTS
from streed.table.units import in_units
from streed.tasks.base import Task, form_of
from streed.tasks.forms import CountsMetric, OneValue, Prices, Sums

if TYPE_CHECKING:
    from streed.reference import Components


class Constrained(Task):
    """A task whose tree keeps limits on further quantities: recalls, shares, parities, means, nodes.

    Parameters
    ----------
    task : Task
        What is optimised: a sum over the rows, such as errors, costs and rewards, or a metric.
    limits : sequence of streed.limits.Limit
        The limits, as in ``streed.limits.recall("ill") >= 0.9``.
    y : array-like of shape (n,), optional
        The class of each row, where a limit counts classes.
    sample_weight : array-like of shape (n,), optional
        Weight of each row in the limits; `task` has its own.
    sensitive_features : array-like of shape (n,) or (n, k), optional
        The group of each row, for limits that do not say where groups are.
    table : array-like or frame, optional
        The table whose columns limits name.
    pricing : callable, optional
        ``pricing(given)``: the prices of tests per binary feature (`streed.tasks.Prices`, in natural units)
        for what a limit on tests was given, or for None.

    Examples
    --------
    >>> import streed
    >>> from streed import limits as lim
    >>> y = [0, 1, 1, 0]
    >>> task = streed.tasks.Constrained(streed.tasks.Accuracy(y), [lim.recall(1) >= 1], y=y)
    >>> result = streed.solve(task, [[0], [0], [1], [1]], max_depth=1)
    >>> result.objective, result.limits[0].value
    (2.0, 1.0)
    """

    name: ClassVar[str] = "constrained"
    summary: ClassVar[str] = "any of these under limits on recalls, shares, parities, means and nodes"
    form: ClassVar[type] = Sums
    explained = True
    """Whether an `InfeasibleError` says what can be reached, which takes further searches."""

    def __init__(
        self,
        task: Task,
        limits: Sequence[Limit],
        *,
        y: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        sensitive_features: Any = None,
        table: Any = None,
        pricing: Callable[[Any], Prices] | None = None,
    ) -> None:
        if not isinstance(task, Task):
            raise TypeError(f"Constrained takes a streed.tasks.Task, got {task!r}")
        self.task = task
        self.limits = check_constraints(limits)
        form = form_of(task)
        objective = form.objective if isinstance(form, Sums) and form.data is None else form
        said = not_limited(objective)
        if said:
            raise TaskError(f"{task.name} cannot be put under limits: {said}")
        assert isinstance(objective, OneValue | CountsMetric)
        self.objective = objective
        rows = (y, task.n_rows, sample_weight, sensitive_features, table)
        self.rows = limit_rows(objective.classes, *rows)
        self.rows.pricing, self.rows.test_unit = pricing, self._test_unit(objective, pricing)
        self._lines = tuple(tuple(limit.quantity.lines(self.rows, limit)) for limit in self.limits)
        check_lines(self.limits, self._lines)

    def _test_unit(self, objective: OneValue | CountsMetric, pricing: Any) -> float | None:
        """Return what prices are counted in, if the objective pays for tests as a limit does."""
        paid = objective.prices if isinstance(objective, OneValue) else None
        asked = [limit.quantity for limit in self.limits if isinstance(limit.quantity, Tests)]
        if pricing is None or not asked:
            return None
        first = pricing(asked[0].prices)
        for other in [pricing(one.prices) for one in asked[1:]]:
            if not same_prices(first, other):
                raise ValueError("all limits on tests must have the same prices")
        if paid is None:
            return None
        dear = int(np.argmax(first.full))
        unit = float(first.full[dear] / paid.full[dear]) if paid.full[dear] else 1.0
        mine = first._replace(full=in_units(first.full, unit), discounted=in_units(first.discounted, unit))
        if not same_prices(mine, paid):
            raise ValueError("a limit on tests must have the prices that the objective pays")
        return unit

    @property
    def n_rows(self) -> int:
        """Number of rows of the data the task was made with, rows of weight zero included."""
        return self.task.n_rows

    @property
    def classes(self) -> NDArray[Any]:
        """The labels that a leaf may have."""
        return self.objective.classes

    def lower(self) -> Sums:
        """Give the objective, and the limits as sums over the rows."""
        most = most_nodes(self.limits)
        lowered = (self.task, self.objective, self.limits, self._lines, self.rows, most)
        return Sums(*lowered, explained=self.explained)

    def report(self, cost: float) -> float:
        """Turn a cost of the objective into its natural units."""
        return self.task.report(cost)

    def components(self, X: ArrayLike, *, min_samples_leaf: int = 1) -> Components[Any, Any]:
        """Refuse: limits on sums of any sign have no place in the six components of one value."""
        raise TaskError(
            f"{self.name}: {self.task.name} under limits is solved by searches for sums, and has no six "
            "components of its own; streed.combine has those of its parts"
        )


def not_limited(form: Any) -> str:
    """Say why a form cannot be an objective under limits; empty if it can."""
    if isinstance(form, CountsMetric):
        return ""
    if not isinstance(form, OneValue):
        return f"its form is a {type(form).__name__}; give the objective alone, and all limits as constraints"
    if not form.leaf.affine:
        return "its leaves do not cost the sum of their rows"
    if form.combination != "sum":
        return "a tree is worth as much as its worst leaf"
    return ""


def same_prices(one: Prices, other: Prices) -> bool:
    """Whether tests of the same features cost the same, whatever numbers attributes and groups have."""

    def numbered(codes: NDArray[np.int32]) -> list[int]:
        known: dict[int, int] = {-1: -1}
        return [known.setdefault(code, len(known)) for code in codes.tolist()]

    return (
        numbered(one.attribute) == numbered(other.attribute)
        and numbered(one.group) == numbered(other.group)
        and np.allclose(one.full, other.full)
        and np.allclose(one.discounted, other.discounted)
    )


def check_lines(limits: Sequence[Limit], lines: Sequence[Sequence[Line]]) -> None:
    """Refuse more sums than the engine takes, and name the limit that has most of them."""
    count = sum(map(len, lines))
    if count < MOST_COMPONENTS:
        return
    worst = max(range(len(limits)), key=lambda k: len(lines[k]))
    raise ValueError(
        f"all limits together are {count} sums over the rows, at most {MOST_COMPONENTS - 1} are possible: "
        f"{limits[worst]!r} alone compares {len(lines[worst])} pairs of groups; join small groups"
    )


def most_nodes(limits: Sequence[Limit]) -> int | None:
    """Return the greatest number of branching nodes that limits allow; None if none speaks of it."""
    found = [limit.quantity.most(limit) for limit in limits if isinstance(limit.quantity, Nodes)]
    return min(found, default=None)
