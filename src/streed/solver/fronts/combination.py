"""Solving a combination of tasks: a front of trees, or the best tree within limits.

Where all parts are sums of label costs, the native front engine does it; where parts are maxima over leaves
or functions of statistics, the engine's search for mixed parts; else the general search on the product task.
All give the same values; `Result.engine` and `Result.note` say which one it was, and where each limit was
looked at.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.errors import InfeasibleError, NotNative
from streed.options import Limits
from streed.reference import Components
from streed.solver.engine import make_tree
from streed.solver.fronts.label_costs import (
    note,
    objective_names,
    order_of,
    refusal,
    solve_vector,
    values_of_limits,
)
from streed.solver.fronts.mixed import lower_mixed, solve_mixed
from streed.solver.general.search import Entry
from streed.solver.general.solve import Outcome, check_components, finish, make_result, refuse_nothing, search
from streed.tasks.base import solves_itself
from streed.tasks.combined import Combined
from streed.tree.result import Result, Solution, show
from streed.tree.tree import Tree


def solve_combined(
    task: Combined,
    features: NDArray[np.uint8],
    limits: Limits,
    progress: object,
    names: Sequence[str] | None,
) -> Result:
    """Solve a combination natively where that is possible, else by the general search."""
    try:
        vector = task.lower_vector()
        if not refusal(task, vector):
            return solve_vector(task, vector, features, limits, progress, names)
    except NotNative:
        pass
    try:
        mixed = lower_mixed(task)
    except NotNative as why:
        return solve_product(task, features, limits, progress, names, str(why))
    return solve_mixed(task, mixed, features, limits, progress, names)


def solve_product(
    task: Combined,
    features: NDArray[np.uint8],
    limits: Limits,
    progress: object,
    names: Sequence[str] | None,
    why: str,
) -> Result:
    """Search the product task, and keep what is nondominated in the objectives."""
    components = task.components(features, min_samples_leaf=limits.min_samples_leaf)
    check_components(components)
    found = search(components, limits, progress)
    if not found.entries and found.status == "optimal":
        raise InfeasibleError(_infeasible_in_general(task, features, limits, found))
    refuse_nothing(found, task.name)
    better = [task.tasks[i].components(features).better for i in task.objectives]
    entries = sorted(found.entries, key=lambda entry: _order(task, entry.value))
    chosen = [entries[i] for i in task.select([entry.value for entry in entries], better)]
    result = _of_objectives(task, found, chosen, features, names, why)
    return finish(found, result)


def _of_objectives(
    task: Combined,
    found: Outcome,
    chosen: list[Entry],
    features: NDArray[np.uint8],
    names: Sequence[str] | None,
    why: str,
) -> Result:
    """Make a result whose values are those of the objectives alone."""
    labels = found.search.task.labels if task.classes is None else task.classes
    kept = replace(found, entries=chosen)
    whole = make_result(kept, task.name, labels, features, names, why)
    places = task.objectives
    front = [
        Solution(tuple(s.values[i] for i in places), _dressed(task, s.tree, features, names))
        for s in whole.front
    ]
    front.sort(key=lambda solution: order_of(task, solution.values))
    objective = front[0].values[0] if len(places) == 1 else front[0].values
    unknown = _worst_bound(task) if len(places) == 1 else None
    return replace(
        whole,
        objective=objective,
        lower_bound=objective if whole.optimal else unknown,
        gap=0.0 if whole.optimal else math.inf,
        tree=front[0].tree,
        front=front,
        objectives=objective_names(task),
        measure=", ".join(objective_names(task)),
        note=note(task, whole.note),
        statistics={**whole.statistics, **values_of_limits(task, whole.front[0].values)},
    )


def _dressed(task: Combined, tree: Tree, features: NDArray[np.uint8], names: Sequence[str] | None) -> Tree:
    """Give a tree what its first objective shows of leaves: class weights, values, computed labels."""
    part = task.tasks[task.objectives[0]]
    if solves_itself(part):
        return tree
    try:
        lowered = part.lower()
    except NotNative:
        return tree
    arrays = {name: getattr(tree, name) for name in ("feature", "left", "right", "label")}
    rows = features if lowered.rows is None else features[lowered.rows]
    sign = -1.0 if part.maximize else 1.0
    return make_tree(lowered, rows, names, arrays, part.value_name, sign).tree


def _worst_bound(task: Combined) -> float:
    return math.inf if task.tasks[task.objectives[0]].maximize else -math.inf


def _order(task: Combined, value: tuple[Any, ...]) -> tuple[Any, ...]:
    """Best first objective first, then the next one."""
    return order_of(task, tuple(value[i] for i in task.objectives))


def _infeasible_in_general(
    task: Combined, features: NDArray[np.uint8], limits: Limits, found: Outcome
) -> str:
    """Say what each limit could be met with: the closest value of its task alone, if there is time for it."""
    said = []
    for i, limit in task.limits.items():
        left = limits.time_limit - (time.perf_counter() - found.started)
        closest = _closest(task, i, features, replace(limits, time_limit=left)) if left > 0 else None
        best = "" if closest is None else f"; the closest value that a tree can have is {show(closest)}"
        said.append(f"{limit.words()}{best}")
    together = "together, " if len(said) > 1 else ""
    return f"{task.name}: no tree within the limits meets, {together}{', and '.join(said)}"


def _closest(task: Combined, place: int, features: NDArray[np.uint8], limits: Limits) -> Any | None:
    """Value of one limited task that is closest to its limits, over all trees; None if time ran out."""
    limit = task.limits[place]
    alone = task.tasks[place].components(features, min_samples_leaf=limits.min_samples_leaf)
    low, high = limit.widened()

    def beats(v: Any, w: Any) -> bool:
        return bool(v != w and limit.covers(v, w))

    free: Components[Any, Any] = replace(alone, better=beats, lower_bound=None)
    found = search(free, limits, False)
    if found.status != "optimal" or not found.entries:
        return None
    return min((entry.value for entry in found.entries), key=lambda v: max(low - v, v - high, 0.0))
