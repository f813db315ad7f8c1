"""Combinations with parts that are not sums of label costs: maxima over leaves, functions of statistics."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.errors import InfeasibleError, NotNative, StreedError
from streed.options import Limits
from streed.solver.engine import check_lowered, once_more, run
from streed.solver.fronts import label_costs as native_fronts
from streed.solver.leaf_functions import Functions
from streed.solver.progress import Watcher
from streed.tasks.base import LeafFunction, Lowered, Task
from streed.tasks.combined import Combined, label_table
from streed.tree.result import Result, show


@dataclass(frozen=True, slots=True, eq=False)
class MixedLowered:
    """A combination of parts that the engine knows, in its form.

    Attributes
    ----------
    parts : tuple of Lowered
        The parts, each as it goes to the engine alone.
    limits : list of (float, float)
        What each part must be within, in engine units; infinite for objectives.
    rows : int64 array or None
        The rows that count in at least one part; None when all do.
    """

    parts: tuple[Lowered, ...]
    limits: list[tuple[float, float]]
    rows: NDArray[np.int64] | None


def lower_mixed(task: Combined) -> MixedLowered:
    """Give a combination in the form that the engine takes.

    Raises
    ------
    NotNative
        If the engine does not know what a part is; the message says which and why.
    """
    if not hasattr(native_fronts.native, "mixed"):
        raise NotNative("this build has no front engine")
    parts = tuple(_known(task, place) for place in range(len(task.parts)))
    kept = task.kept_rows()
    return MixedLowered(
        parts,
        [task.engine_limits(place) for place in range(len(parts))],
        parts[0].rows if kept is None else kept,
    )


def _known(task: Combined, place: int) -> Lowered:
    """Return the lowered form of a part, or say what stands against it."""
    part = task.tasks[place]
    lowered = part.lower()
    check_lowered(part.name, lowered)
    if lowered.prices is not None:
        raise NotNative(f"{part.name} has prices of tests")
    if isinstance(lowered.leaf, LeafFunction) and lowered.rows is not None:
        raise NotNative(f"{part.name} leaves out rows")
    if place in task.limits and not is_multiple(part):
        raise NotNative(f"the value of {part.name} is not a multiple of its costs")
    return lowered


def is_multiple(task: Task) -> bool:
    """Whether values of a task are costs times a number, plus another one: limits are limits on costs."""
    zero, one, two = (task.report(cost) for cost in (0.0, 1.0, 2.0))
    return one != zero and abs((two - one) - (one - zero)) <= 1e-9 * abs(one - zero)


def solve_mixed(
    task: Combined,
    mixed: MixedLowered,
    features: NDArray[np.uint8],
    limits: Limits,
    progress: object,
    names: Sequence[str] | None,
) -> Result:
    """Solve a combination of parts of any kind that the engine knows."""
    started = time.perf_counter()
    rows = features if mixed.rows is None else np.ascontiguousarray(features[mixed.rows])
    limits.check_rows(rows.shape[0])
    watcher = Watcher(task.tasks[task.objectives[0]], progress)
    functions = Functions([(part.name, low.leaf) for part, low in zip(task.tasks, mixed.parts, strict=True)])
    answer = functions.call(
        native_fronts.native.mixed,
        rows,
        [_arguments(task, mixed, place, functions) for place in range(len(mixed.parts))],
        int(mixed.parts[0].classes.size),
        **limits.arguments(watcher.poll),
    )
    if not answer["trees"]:
        if not answer["complete"]:
            raise StreedError(f"{task.name}: no feasible tree was found before the search ended")
        left = limits.time_limit - (time.perf_counter() - started)
        raise InfeasibleError(_infeasible(task, mixed, features, replace(limits, time_limit=left)))
    result = once_more(lambda found: _result(task, mixed, features, names, found, started), answer)
    native_fronts.say_over(watcher, result)
    return result


def _arguments(task: Combined, mixed: MixedLowered, place: int, functions: Functions) -> tuple[Any, ...]:
    """Return what the engine is told of one part."""
    low = mixed.parts[place]
    least = None
    if isinstance(low.leaf, LeafFunction):
        kept = slice(None) if mixed.rows is None else mixed.rows
        table = np.ascontiguousarray(low.leaf.statistics[kept])
        least = None if low.leaf.least_row is None else np.ascontiguousarray(low.leaf.least_row[kept])
    else:
        table = np.ascontiguousarray(label_table(low, task.n_rows, mixed.rows))
    objective = place in task.objectives
    maximum = low.combination == "max"
    return (table, functions.given[place], least, maximum, low.branch_cost, objective, *mixed.limits[place])


def _result(
    task: Combined,
    mixed: MixedLowered,
    features: NDArray[np.uint8],
    names: Sequence[str] | None,
    answer: dict[str, Any],
    started: float,
) -> Result:
    """Count the trees anew, keep those that are nondominated in the objectives, and make a result of them."""
    found = [native_fronts.count_anew(task, mixed.parts, features, names, tree) for tree in answer["trees"]]
    found.sort(key=lambda one: native_fronts.order_of(task, tuple(one[0][i] for i in task.objectives)))
    better = [native_fronts.better_of(task.tasks[i]) for i in task.objectives]
    found = [found[k] for k in task.select([values for values, _ in found], better)]
    first = task.tasks[task.objectives[0]]
    bound = first.report(float(answer["lower_bound"])) if len(task.objectives) == 1 else None
    answer = {**answer, "optimal": answer["complete"]}
    return native_fronts.make_result(task, answer, found, bound, started)


def _infeasible(task: Combined, mixed: MixedLowered, features: NDArray[np.uint8], limits: Limits) -> str:
    """Say what each limit could be met with, by the best tree of its task alone where that is a search."""
    said = []
    for place, limit in task.limits.items():
        low, (least, _) = mixed.parts[place], mixed.limits[place]
        words = limit.words()
        if math.isinf(least) and limits.time_limit > 0:
            rows = features if low.rows is None else np.ascontiguousarray(features[low.rows])
            answer = run(task.tasks[place].name, low, rows, limits, None)
            best = show(limit.report(float(answer["objective"])))
            words += f" (closest: {best})" if answer["optimal"] else ""
        said.append(words)
    together = "together, " if len(said) > 1 else ""
    return f"{task.name}: no tree within the limits meets, {together}{', and '.join(said)}"
