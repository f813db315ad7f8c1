"""One value under limits on sums over the rows: the engine's search under limits."""

from __future__ import annotations

import numpy as np

from streed.errors import InfeasibleError, StreedError
from streed.options import Limits
from streed.solver.run import Run
from streed.solver.strategies.one_search import count
from streed.tasks.base import measure_of
from streed.tasks.forms import LimitedValue
from streed.tree.result import Result


def refusal(form: LimitedValue, limits: Limits) -> str:
    """Take sums over rows only."""
    return "" if form.value.leaf.affine else "the value is not a sum over rows"


def solve(run: Run, form: LimitedValue) -> Result | None:
    """Search the tree of least cost whose rows count no more than the limits allow."""
    run.keep(form.value.rows)
    costs = form.value.leaf.label_costs(form.classes.size)
    n_limits = form.upper.size
    table = np.empty((*costs.shape, 1 + n_limits))
    table[:, :, 0] = costs
    table[:, :, 1:] = form.counts.T
    branch_cost = [form.branch_cost] + [0.0] * n_limits
    answer = run.search_limited(table, [-np.inf] * n_limits, form.upper, branch_cost)
    if answer["feasible"] is False:
        raise InfeasibleError(run.task.why_infeasible(answer.get("closest")))
    if "feature" not in answer:
        if run.gave_up:
            return None
        raise StreedError("no tree that keeps the limits was found in the time that was given")
    answer.setdefault("magnitude", float(np.abs(costs).max(axis=1).sum()))
    tree, objective, bound = run.counted(lambda: count(run, form.value, answer), answer)
    return run.result(tree, objective, bound, bool(answer["optimal"]), measure=measure_of(run.task))
