"""A task at one price of a branching node, without a limit of the depth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from streed.options import check_limits
from streed.solver.engines import priced
from streed.solver.recount import make_tree
from streed.solver.run import Run
from streed.tasks.base import Task, measure_of
from streed.tasks.forms import OneValue
from streed.tree.result import Result


class Additive(NamedTuple):
    """A task whose leaves cost the sum of their rows, on given features."""

    task: Task
    form: OneValue
    features: NDArray[np.uint8]
    names: list[str] | None


def additive(task: Task, features: NDArray[np.uint8], names: list[str] | None) -> Additive:
    """Check that priced nodes can be searched for; say why not."""
    form = task.lower()
    if not isinstance(form, OneValue):
        raise TypeError(f"max_depth=None needs a task with one value, got {task.name!r}: give a depth")
    if form.branch_cost != 0:
        raise ValueError(
            "the path varies the price of a branching node: make the task with cost_complexity=0"
        )
    why = priced.refusal(form._replace(branch_cost=1.0), check_limits(max_depth=None))
    if why:
        error = TypeError if form.prices is None else ValueError
        raise error(f"max_depth=None is not possible for {task.name!r}: {why}; give a depth")
    if features.shape[0] != task.n_rows:
        raise ValueError(f"X has {features.shape[0]} rows, but the task was made with {task.n_rows}")
    return Additive(task, form, features, names)


def solve_at(
    problem: Additive, branch_cost: float, time_limit: float | None, memory_limit: float | None
) -> Result:
    """Solve for one price in engine units; the value of the result is that of the leaves alone."""
    task, form, features, names = problem
    limits = check_limits(max_depth=None, time_limit=time_limit, memory_limit=memory_limit)
    run = Run(task, features, names, limits, progress=False)
    run.keep(form.rows)
    answer = run.search_value(form._replace(branch_cost=branch_cost), run.rows)
    sign = -1.0 if task.maximize else 1.0
    counted = make_tree(form, run.rows, names, answer, task.value_name, sign, task.name)
    price = branch_cost * counted.tree.n_nodes
    bound = min(float(answer["lower_bound"]) - price, counted.cost)
    return run.result(
        counted.tree,
        task.report(counted.cost),
        task.report(bound),
        bool(answer["optimal"]),
        measure=measure_of(task),
    )
