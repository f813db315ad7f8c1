"""A task at one price of a branching node, without a limit of the depth."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.engine import make_tree
from streed.errors import StreedError
from streed.result import Result, Solution, relative_gap
from streed.tasks.base import ClassErrors, CostTable, Lowered, Task, measure_of


class Additive(NamedTuple):
    """A task whose leaves cost the sum of their rows, with the rows that it counts."""

    task: Task
    lowered: Lowered
    rows: NDArray[np.uint8]
    names: list[str] | None


def additive(task: Task, features: NDArray[np.uint8], names: list[str] | None) -> Additive:
    """Check that priced nodes can be searched for; say why not."""
    lowered = task.lower()
    if not isinstance(lowered.leaf, ClassErrors | CostTable) or lowered.combination != "sum":
        raise TypeError(
            f"max_depth=None needs a task whose leaves cost the sum of their rows, got {task.name!r}"
        )
    if lowered.prices is not None:
        raise ValueError("max_depth=None cannot be used with prices of tests: give a depth")
    if lowered.branch_cost != 0:
        raise ValueError(
            "the path varies the price of a branching node: make the task with cost_complexity=0"
        )
    if features.shape[0] != task.n_rows:
        raise ValueError(f"X has {features.shape[0]} rows, but the task was made with {task.n_rows}")
    rows = features if lowered.rows is None else np.ascontiguousarray(features[lowered.rows])
    return Additive(task, lowered, rows, names)


def solve_at(
    problem: Additive, branch_cost: float, time_limit: float | None, memory_limit: float | None
) -> Result:
    """Solve for one price in engine units; the value of the result is that of the leaves alone."""
    task, lowered, rows, names = problem
    leaf = lowered.leaf
    data: dict[str, Any]
    if isinstance(leaf, ClassErrors):
        data = {"labels": leaf.codes, "weights": leaf.weights, "n_labels": lowered.classes.size}
    else:
        assert isinstance(leaf, CostTable)
        data = {"costs": leaf.costs}
    answer = _core.solve_priced(
        rows,
        **data,
        branch_cost=branch_cost,
        time_limit=math.inf if time_limit is None else time_limit,
        memory_limit=0 if memory_limit is None else int(memory_limit),
    )
    counted = make_tree(
        lowered, rows, names, answer, task.value_name, -1.0 if task.maximize else 1.0, task.name
    )
    price = branch_cost * (answer["feature"].size // 2)
    if abs(counted.cost + price - answer["objective"]) > 1e-7 * (
        abs(counted.cost) + float(answer["magnitude"])
    ):
        raise StreedError("internal error, please report it: the tree does not cost what the engine says")
    objective = task.report(counted.cost)
    bound = (
        objective
        if answer["optimal"]
        else task.report(min(float(answer["lower_bound"]) - price, counted.cost))
    )
    return Result(
        objective=objective,
        lower_bound=bound,
        gap=relative_gap(objective, bound),
        optimal=bool(answer["optimal"]),
        status=str(answer["status"]),
        tree=counted.tree,
        front=[Solution((objective,), counted.tree)],
        seconds=float(answer["seconds"]),
        statistics=answer["statistics"],
        task=task.name,
        measure=measure_of(task),
    )
