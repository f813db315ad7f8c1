"""A combination with parts that the engine does not know: the general search on the product of all parts."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from streed.errors import InfeasibleError
from streed.options import Limits
from streed.reference import Components
from streed.solver.engines import needs_depth
from streed.solver.fronts.result import finished, note_of_limits, order_of, values_of_limits
from streed.solver.general.components import check_components
from streed.solver.recount import make_tree
from streed.solver.run import Run
from streed.solver.strategies.general import Natural, check_found, front_of, note, search
from streed.tasks.combined import Combined
from streed.tasks.forms import SixComponents, Vector
from streed.tree.result import Result, Solution, show
from streed.tree.tree import Tree


def refusal(form: Vector, limits: Limits) -> str:
    """Take every combination."""
    return needs_depth(limits)


def solve(run: Run, form: Vector) -> Result:
    """Search the product task, and keep what is nondominated in the objectives."""
    task = form.task
    run.keep(form.rows)
    components = task.components(run.features, min_samples_leaf=run.limits.min_samples_leaf)
    check_components(components)
    run.watch(Natural())
    found = search(run, components)
    if not found.entries and found.status == "optimal":
        raise InfeasibleError(_infeasible(run, task))
    check_found(run, found, task.name)
    better = [task.tasks[i].components(run.features).better for i in task.objectives]
    entries = sorted(found.entries, key=lambda entry: _order(task, entry.value))
    chosen = [entries[i] for i in task.select([entry.value for entry in entries], better)]
    labels = components.labels if form.classes is None else form.classes
    whole = front_of(run, found._replace(entries=chosen), labels)
    whole.sort(key=lambda solution: _order(task, solution.values))
    front = [
        Solution(tuple(s.values[i] for i in task.objectives), _as_first_objective(run, form, s.tree))
        for s in whole
    ]
    run.figures = {**run.figures, **values_of_limits(task, whole[0].values)}
    words = note_of_limits(task, note(run.refusals[-1]))
    bound = _worst_bound(task) if len(task.objectives) == 1 else None
    return finished(run, task, front, bound, found.status == "optimal", engine="general", note=words)


def _as_first_objective(run: Run, form: Vector, tree: Tree) -> Tree:
    """Give a tree what its first objective shows of leaves: class weights, values, computed labels."""
    place = form.task.objectives[0]
    task, part = form.task.tasks[place], form.parts[place]
    if isinstance(part, SixComponents):
        return tree
    arrays = {name: getattr(tree, name) for name in ("feature", "left", "right", "label")}
    rows = run.features if part.rows is None else run.features[part.rows]
    sign = -1.0 if task.maximize else 1.0
    return make_tree(part, rows, run.names, arrays, task.value_name, sign).tree


def _worst_bound(task: Combined) -> float:
    return math.inf if task.tasks[task.objectives[0]].maximize else -math.inf


def _order(task: Combined, value: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a sort key for the values of all parts: the best first objective first, then the next one."""
    return order_of(task, tuple(value[i] for i in task.objectives))


def _infeasible(run: Run, task: Combined) -> str:
    """Say what each limit could be met with: the closest value of its task alone, if there is time for it."""
    said = []
    for i, limit in task.limits.items():
        closest = _closest(run, task, i) if run.time_left > 0 else None
        best = "" if closest is None else f"; the closest value that a tree can have is {show(closest)}"
        said.append(f"{limit.words()}{best}")
    together = "together, " if len(said) > 1 else ""
    return f"{task.name}: no tree within the limits meets, {together}{', and '.join(said)}"


def _closest(run: Run, task: Combined, place: int) -> Any | None:
    """Value of one limited task that is closest to its limits, over all trees; None if time ran out."""
    limit = task.limits[place]
    alone = task.tasks[place].components(run.features, min_samples_leaf=run.limits.min_samples_leaf)
    low, high = limit.widened()

    def beats(v: Any, w: Any) -> bool:
        return bool(v != w and limit.covers(v, w))

    free: Components[Any, Any] = replace(alone, better=beats, lower_bound=None)
    limits = replace(run.limits, time_limit=run.time_left)
    found = search(Run(free, run.features, run.names, limits, False, Natural()), free)
    if found.status != "optimal" or not found.entries:
        return None
    return min((entry.value for entry in found.entries), key=lambda v: max(low - v, v - high, 0.0))
