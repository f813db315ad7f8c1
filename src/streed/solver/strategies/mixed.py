"""Combinations with maxima over leaves or functions of statistics as parts: the engine's mixed search."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from streed.errors import InfeasibleError
from streed.leaves.guarded import GuardedFunction
from streed.options import Limits
from streed.solver.engines import mixed
from streed.solver.fronts.result import Valued, better_of, count_alone, order_of, vector_result
from streed.solver.fronts.vector import label_table, nothing_found, values_of_parts
from streed.solver.run import Run
from streed.tasks.base import Task
from streed.tasks.forms import OneValue, Vector
from streed.tree.result import Result, show


def refusal(form: Vector, limits: Limits) -> str:
    """Take what the engine takes."""
    return mixed.refusal(form, limits)


def solve(run: Run, form: Vector) -> Result:
    """Search all nondominated trees within the limits."""
    run.keep(form.rows)
    task, parts = form.task, values_of_parts(form)
    functions = [part.leaf.guarded(one.name) for one, part in zip(task.tasks, parts, strict=True)]
    given = [_arguments(form, place, part, functions[place]) for place, part in enumerate(parts)]
    n_labels = int(parts[0].classes.size)
    answer = run.note(mixed.search(run.rows, given, n_labels, functions, run.options()))
    if not answer["trees"]:
        if not answer["complete"]:
            raise nothing_found(form)
        raise InfeasibleError(_infeasible(run, form))
    found = run.counted(lambda: _count(run, form, answer["trees"]), answer)
    bound = task.report(float(answer["lower_bound"])) if len(task.objectives) == 1 else None
    return vector_result(run, form, found, bound, bool(answer["complete"]))


def _arguments(form: Vector, place: int, part: OneValue, function: GuardedFunction | None) -> tuple[Any, ...]:
    """Return the arguments of the engine for one part."""
    least = None
    if function is None:
        table, given = label_table(part, form.task.n_rows, form.rows), None
    else:
        kept = slice(None) if form.rows is None else form.rows
        table, given = function.leaf.statistics[kept], function.given
        if function.leaf.least_row is not None:
            least = np.ascontiguousarray(function.leaf.least_row[kept])
    table = np.ascontiguousarray(table)
    objective, maximum = place in form.task.objectives, part.combination == "max"
    return table, given, least, maximum, part.branch_cost, objective, *(form.limits[place] or ())


def _count(run: Run, form: Vector, trees: list[dict[str, Any]]) -> list[Valued]:
    """Count the trees anew, and keep those that are nondominated in the objectives."""
    task = form.task
    found = [count_alone(run, form, tree) for tree in trees]
    found.sort(key=lambda one: order_of(task, tuple(one[0][i] for i in task.objectives)))
    better = [better_of(task.tasks[i]) for i in task.objectives]
    return [found[k] for k in task.select([values for values, _ in found], better)]


def _infeasible(run: Run, form: Vector) -> str:
    """Say what each limit could be met with, by the best tree of its task alone where that is a search."""
    said = []
    parts = values_of_parts(form)
    for place, limit in form.task.limits.items():
        part, bounds = parts[place], form.limits[place]
        words = limit.words()
        if bounds is not None and math.isinf(bounds[0]) and run.elapsed < run.limits.time_limit:
            best = _closest(run, limit, part, form.task.tasks[place].name)
            words += f" (closest: {best})" if best else ""
        said.append(words)
    together = "together, " if len(said) > 1 else ""
    return f"{form.task.name}: no tree within the limits meets, {together}{', and '.join(said)}"


def _closest(run: Run, limit: Task, part: OneValue, name: str) -> str:
    """Search the least value of a limited part alone; empty if that is not proven."""
    alone = Run(limit, run.features, None, replace(run.limits, time_limit=run.time_left), False)
    rows = run.features if part.rows is None else np.ascontiguousarray(run.features[part.rows])
    answer = alone.search_value(part, rows, name=name)
    return show(limit.report(float(answer["objective"]))) if answer["optimal"] else ""
