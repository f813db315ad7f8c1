"""The result of a combination: one entry of the front per tree, and the values of limited parts beside it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from streed.solver.fronts.trees import count_trees
from streed.solver.fronts.vector import values_of_parts
from streed.solver.recount import make_tree
from streed.solver.run import Run
from streed.tasks.base import Task, measure_of
from streed.tasks.combined import Combined
from streed.tasks.forms import Vector
from streed.tree.result import Result, Solution
from streed.tree.tree import Tree

Valued: TypeAlias = tuple[tuple[Any, ...], Tree]
"""Values of all parts, in natural units, and the tree that has them."""


def better_of(task: Task) -> Callable[[float, float], bool]:
    """Return whether one value of a task is better than another one."""
    return operator.gt if task.maximize else operator.lt


def order_of(task: Combined, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a sort key for the values of the objectives: the best first one first."""
    pairs = zip(task.objectives, values, strict=True)
    try:
        return tuple(-v if task.tasks[i].maximize else v for i, v in pairs)
    except TypeError:  # values that are not numbers keep the order in which they were found
        return ()


def objective_names(task: Combined) -> tuple[str, ...]:
    """Say what the objectives measure; those that measure the same get their place among the parts, too."""
    names = [measure_of(task.tasks[i]) for i in task.objectives]
    places = zip(names, task.objectives, strict=True)
    return tuple(name if names.count(name) == 1 else f"{name} (part {i + 1})" for name, i in places)


def values_of_limits(task: Combined, values: tuple[Any, ...]) -> dict[str, Any]:
    """Return what the limited parts of the first tree are worth, for `Result.statistics`."""
    return {f"part {i + 1}: {limit.task.name}": values[i] for i, limit in task.limits.items()}


def note_of_limits(task: Combined, first: str) -> str:
    """Say which limits there are and, after a general search, where they were checked."""
    limits = [limit.describe() if first else limit.words() for limit in task.limits.values()]
    return "; ".join([first] * bool(first) + [f"limit: {words}" for words in limits])


def count_together(
    run: Run, form: Vector, answers: Sequence[dict[str, Any]], known: NDArray[np.float64] | None = None
) -> list[Valued]:
    """Count the values of all trees anew, for parts that are sums of label costs.

    `known` are the costs of the trees by the engine's own count. They are given after Ctrl-C, when nobody
    wants to wait: the trees are then counted when they are looked at.
    """
    task = form.task
    shown = task.objectives[0]
    first = task.tasks[shown]
    sign = -1.0 if first.maximize else 1.0
    how = (values_of_parts(form), shown, first.value_name, sign)
    trees, costs = count_trees(*how, run.features, run.names, answers, known)
    columns = [
        list(map(part.report, column)) for part, column in zip(task.tasks, costs.T.tolist(), strict=True)
    ]
    return list(zip(zip(*columns, strict=True), trees, strict=True))


def count_alone(run: Run, form: Vector, answer: dict[str, Any]) -> Valued:
    """Count the values of one tree anew; the parts may have leaf functions."""
    task = form.task
    values, trees = [], []
    for part, low in zip(task.tasks, values_of_parts(form), strict=True):
        rows = run.features if low.rows is None else run.features[low.rows]
        sign = -1.0 if part.maximize else 1.0
        counted = make_tree(low, rows, run.names, answer, part.value_name, sign, part.name)
        values.append(part.report(counted.cost))
        trees.append(counted.tree)
    return tuple(values), trees[task.objectives[0]]


def vector_result(
    run: Run,
    form: Vector,
    found: list[Valued],
    bound: Any,
    optimal: bool,
    supported: Sequence[bool] = (),
) -> Result:
    """Make a result of values with their trees; `bound` is that of a single objective."""
    task = form.task
    signs = [-1.0 if task.tasks[i].maximize else 1.0 for i in task.objectives]
    own = [tuple(values[i] for i in task.objectives) for values, _ in found]
    flags = supported or [False] * len(found)
    order = np.lexsort((np.array(own, dtype=np.float64) * signs).T[::-1]).tolist()  # the best first one first
    front = [Solution(own[k], found[k][1], flags[k]) for k in order]
    run.figures = values_of_limits(task, found[order[0]][0])
    return finished(run, task, front, bound, optimal, note=note_of_limits(task, ""))


def finished(
    run: Run, task: Combined, front: list[Solution], bound: Any, optimal: bool, **words: Any
) -> Result:
    """End the solve with a front that is in order."""
    names = objective_names(task)
    objective = front[0].values[0] if len(task.objectives) == 1 else front[0].values
    return run.result(
        front[0].tree,
        objective,
        bound,
        optimal,
        front=front,
        name=task.name,
        objectives=names,
        measure=", ".join(names),
        **words,
    )
