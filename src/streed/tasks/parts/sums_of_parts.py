"""Combinations with metrics, parities and limited policies: one objective, and limits on sums of any part.

A part without a limit is the objective, with whatever limits it has of its own (a fair tree those on rates,
a policy its capacities). A part with a limit gives a line: its costs, a ratio multiplied out, and its own
limits too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from streed.errors import TaskError
from streed.limits.counts import ratio_lines
from streed.limits.limit import Limit, Quantity
from streed.limits.line import Line, TreeShape
from streed.limits.rows import LimitRows
from streed.metrics import Ratio
from streed.tasks.base import Task, is_multiple
from streed.tasks.forms import CountsMetric, OneValue, Sums
from streed.tasks.limited_task import LimitedTask

if TYPE_CHECKING:
    from streed.tasks.combined import Combined


class Part(Quantity):
    """The value of a part of a combination, as a quantity with a limit."""

    name: ClassVar[str] = "part"
    share: ClassVar[bool] = False

    def __init__(self, words: str, lines: list[Line], value: Callable[..., Any]) -> None:
        self.words, self._lines, self._value = words, lines, value

    def arguments(self) -> str:
        """Give the name of the part."""
        return self.words

    def lines(self, rows: LimitRows, limit: Limit) -> list[Line]:
        """Give the sums that were made with the limit."""
        return self._lines

    def value(self, rows: LimitRows, predicted: NDArray[np.int64], shape: TreeShape) -> Any:
        """Value of the part."""
        return self._value(predicted, shape)

    def __repr__(self) -> str:
        return self.words


class Rows:
    """The rows that count in at least one part."""

    def __init__(self, n_rows: int, parts: Sequence[NDArray[np.int64] | None]) -> None:
        every = any(rows is None for rows in parts)
        self.n_rows = n_rows
        found = np.unique(np.concatenate([rows for rows in parts if rows is not None])) if not every else None
        self.kept = None if found is None or found.size == n_rows else found

    def spread(self, table: NDArray[np.float64], own: NDArray[np.int64] | None) -> NDArray[np.float64]:
        """Return a table of a part on all rows that count; rows that it leaves out add nothing."""
        full = np.zeros((self.n_rows, table.shape[1]))
        full[slice(None) if own is None else own] = table
        return full if self.kept is None else full[self.kept]

    def of(self, predicted: NDArray[np.int64], own: NDArray[np.int64] | None) -> NDArray[np.int64]:
        """Return the predictions of the rows of a part."""
        if self.kept is None:
            return predicted if own is None else predicted[own]
        full = np.zeros(self.n_rows, np.int64)
        full[self.kept] = predicted
        return full if own is None else full[own]


def sums_of(task: Combined, forms: Sequence[Any]) -> Sums:
    """Give a combination as one objective with limits on sums."""
    if len(task.objectives) > 1:
        names = ", ".join(task.tasks[i].name for i in task.objectives)
        raise TaskError(
            f"{names}: a front of several objectives takes sums; streed.trade_off makes the trade-off of a "
            "metric, or of a task with limits of its own"
        )
    place = task.objectives[0]
    rows = Rows(task.n_rows, [rows_of(form) for form in forms])
    limits: list[Limit] = []
    for i, form in enumerate(forms):
        if i in task.limits:
            limits += _limits_of_part(task.limits[i], form, rows)
        limits += _own_limits(form, rows)
    objective = forms[place]
    if isinstance(objective, Sums):
        objective = objective.objective
    if isinstance(objective, OneValue) and not (objective.leaf.affine and objective.combination == "sum"):
        raise TaskError(f"{task.tasks[place].name} beside a metric or a parity: it is not a sum over rows")
    if isinstance(objective, CountsMetric) and not _same(objective.value.rows, rows.kept):
        raise TaskError(f"{objective.metric.name} leaves out rows that other parts count")
    n = task.n_rows if rows.kept is None else rows.kept.size
    data = LimitRows(list(objective.classes.tolist()), None, np.ones(n, np.int64), rows.kept, _no_groups)
    lines = tuple(tuple(limit.quantity.lines(data, limit)) for limit in limits)
    nodes = [form.max_nodes for form in forms if isinstance(form, Sums) and form.max_nodes is not None]
    return Sums(_bare(task.tasks[place]), objective, tuple(limits), lines, data, min(nodes, default=None))


def _no_groups(by: Any) -> Any:
    raise TaskError("parts of a combination have groups of their own")


def _bare(task: Task) -> Task:
    """Return the task behind limits of its own that are lines by now."""
    inner = getattr(task, "task", None)
    return inner if isinstance(inner, Task) else task


def _same(one: NDArray[np.int64] | None, other: NDArray[np.int64] | None) -> bool:
    return one is other if one is None or other is None else np.array_equal(one, other)


def rows_of(form: Any) -> NDArray[np.int64] | None:
    """Return the rows that count in a part; None: all."""
    rows: NDArray[np.int64] | None = form.rows
    return rows


def _limits_of_part(part: LimitedTask, form: Any, rows: Rows) -> list[Limit]:
    """Return the limit of a limited part as sums over the rows."""
    task = part.task
    low, high = part.widened()
    if isinstance(form, Sums) and isinstance(form.objective, CountsMetric):
        return [_ratio_limit(part, form.objective, rows)]
    value = form if isinstance(form, OneValue) else getattr(form, "value", None)
    if not isinstance(value, OneValue) or not value.leaf.affine or value.combination != "sum":
        raise TaskError(f"{task.name} beside a metric or a parity has no limit: it is no sum over rows")
    if not is_multiple(part):
        raise TaskError(
            f"{task.name} cannot be limited beside a metric or a parity: it is no multiple of sums"
        )
    offset, slope = part.report(0.0), part.report(1.0) - part.report(0.0)
    ends = sorted(((low - offset) / slope, (high - offset) / slope))
    costs = value.leaf.label_costs(value.classes.size)
    line = Line(rows.spread(costs, value.rows), ends[0], ends[1], value.branch_cost, value.prices)

    def worth(predicted: NDArray[np.int64], shape: TreeShape) -> float:
        total = float(line.costs[np.arange(predicted.size), predicted].sum())
        return float(part.report(total + line.node * shape.n_nodes))

    return [_limit(part, Part(task.name, [line], worth))]


def _limit(part: LimitedTask, quantity: Part) -> Limit:
    ends = (part.lower_limit, part.upper_limit)
    low, high = (end if math.isfinite(end) else None for end in ends)
    return Limit(quantity, low, high)


def _ratio_limit(part: LimitedTask, form: CountsMetric, rows: Rows) -> Limit:
    """Return a limit on a ratio, multiplied out."""
    task: Any = part.task
    if not isinstance(form.metric, Ratio) or form.positive < 0:
        raise TaskError(f"{task.name} cannot be limited: it is no ratio of two sums; it can be the objective")
    limit = _limit(part, Part(task.name, [], task.score))
    lines = [
        line._replace(costs=rows.spread(line.costs, form.value.rows))
        for line in ratio_lines(limit, form.metric, form.codes == form.positive, form.units, form.positive)
    ]
    own = form.value.rows
    return _limit(part, Part(task.name, lines, lambda predicted, shape: task.score(rows.of(predicted, own))))


def _own_limits(form: Any, rows: Rows) -> list[Limit]:
    """Return the limits that a part has of its own."""
    if not isinstance(form, Sums):
        return []
    found = []
    for limit, lines in zip(form.limits, form.lines, strict=True):
        spread = [line._replace(costs=rows.spread(line.costs, form.rows)) for line in lines]

        def worth(predicted: NDArray[np.int64], shape: TreeShape, quantity: Quantity = limit.quantity) -> Any:
            return quantity.value(form.limited, rows.of(predicted, form.rows), shape)

        part = Part(repr(limit.quantity), spread, worth)
        found.append(Limit(part, limit.low, limit.high, limit.strict))
    return found
