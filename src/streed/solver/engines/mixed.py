"""Several values that are maxima over leaves or functions of statistics, too (``core/front/mixed``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.errors import TaskError
from streed.leaves.guarded import GuardedFunction, guarded_call
from streed.options import Limits
from streed.solver.engines import by_depth, needs_depth
from streed.tasks.base import Task
from streed.tasks.forms import OneValue, SixComponents, Vector


def refusal(form: Vector, limits: Limits) -> str:
    """Take parts that are label costs or leaf functions, put together by sums or maxima."""
    for task, part, limit in zip(form.task.tasks, form.parts, form.limits, strict=True):
        why = _not_taken(task, part, limit, limits)
        if why:
            return why
    return needs_depth(limits)


def _not_taken(
    task: Task, part: OneValue | SixComponents, limit: tuple[float, float] | None, limits: Limits
) -> str:
    """Say why the engine does not know a part; empty if it does."""
    if isinstance(part, SixComponents):
        return part.why
    wrong = by_depth.refusal(part, limits)
    if wrong:
        raise TaskError(f"{task.name}: {wrong}")
    if part.prices is not None:
        return f"{task.name} has prices of tests"
    if not (part.leaf.affine or part.leaf.is_function):
        return f"{task.name} is neither a sum over rows nor a function of statistics in Python"
    if part.leaf.is_function and part.rows is not None:
        return f"{task.name} leaves out rows"
    return f"the value of {task.name} is not a multiple of its costs" if limit is None else ""


def search(
    rows: NDArray[np.uint8],
    parts: list[tuple[Any, ...]],
    n_labels: int,
    functions: Sequence[GuardedFunction | None],
    options: dict[str, Any],
) -> dict[str, Any]:
    """Search all nondominated trees; `functions` are the leaf functions that the engine calls."""
    answer: dict[str, Any] = guarded_call(_core, functions, _core.mixed, rows, parts, n_labels, **options)
    return answer
