"""The fewest errors under a limit on rates of groups: differences of rates are sums of whole numbers.

The limit is kept in exact arithmetic by the engine's search under limits, and checked again with fractions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.errors import InfeasibleError, StreedError
from streed.fairness.margins import margin_limits, with_margins
from streed.options import LEAST_SECONDS, Limits
from streed.solver.recount import constant_tree, make_tree
from streed.solver.run import Run
from streed.tasks.base import measure_of
from streed.tasks.forms import GroupRates
from streed.tree.result import Result


def refusal(form: GroupRates, limits: Limits) -> str:
    """Take every form of rates."""
    return ""


def solve(run: Run, form: GroupRates) -> Result | None:
    """Search the tree with the fewest errors that keeps the limit."""
    task = run.task
    begin(run, form)
    answer = search(run, form, *limits_of(form))
    if answer["feasible"] is False:
        raise InfeasibleError(task.why_infeasible(answer.get("closest")))
    best = answer if "feature" in answer else _fair_constant(run, form)
    if best is None:
        return None
    counted = make_tree(form.value, run.rows, run.names, best, task.value_name, 1.0)
    outcome = task.outcome(counted.predicted)
    if not task.is_fair(outcome):
        raise StreedError("internal error, please report it: the tree of the engine breaks the limit")
    objective = task.report(counted.cost)
    bound = min(task.report(float(answer["lower_bound"])), objective)
    run.figures = outcome.figures()
    name, measure = task.parity.name, measure_of(task)
    return run.result(counted.tree, objective, bound, bool(answer["optimal"]), name=name, measure=measure)


def begin(run: Run, form: GroupRates) -> None:
    """Prepare a run: rows of weight zero are left out, and errors are never below zero."""
    run.keep(form.value.rows)
    run.floor = 0.0
    run.least_seconds = LEAST_SECONDS


def constrained(form: GroupRates) -> bool:
    """Whether there is anything to limit: two classes, and a rate that two groups have."""
    return bool(form.margins) and form.classes.size == 2


def limits_of(form: GroupRates) -> tuple[list[float], list[float]]:
    """Limits on the margins for the limit of the task."""
    if form.min_ratio is not None:
        return [0.0] * len(form.margins), [math.inf] * len(form.margins)
    return margin_limits(form.margins, form.max_difference)


def search(run: Run, form: GroupRates, lower: list[float], upper: list[float]) -> dict[str, Any]:
    """Search the fewest errors with margins within limits; a plain search where nothing is limited."""
    if not constrained(form):
        return run.search_value(form.value, run.rows) | {"feasible": True}
    branch_cost = [form.value.branch_cost] + [0.0] * len(form.margins)
    return run.search_limited(_costs(form), lower, upper, branch_cost)


def _costs(form: GroupRates) -> NDArray[np.float64]:
    return with_margins(form.value.leaf.label_costs(2), form.margins)


def _fair_constant(run: Run, form: GroupRates) -> dict[str, Any] | None:
    """Return the better constant tree that keeps the limit: the answer when time was up too soon.

    None if there is none and another run goes on.
    """
    task, n = run.task, run.rows.shape[0]
    fair = [label for label in (0, 1) if task.is_fair(task.outcome(np.full(n, label)))]
    if not fair and run.gave_up:
        return None
    if not fair:
        raise StreedError(
            f"no tree within the limit on {task.parity.name} was found before the search ended "
            f"({run.status}); it is not proven that there is none"
        )
    errors = form.value.leaf.label_costs(2).sum(axis=0)
    return constant_tree(min(fair, key=lambda label: float(errors[label])))
