"""A value or a metric under limits: the strategy for it alone, every search of which keeps the limits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from streed.errors import InfeasibleError, StreedError
from streed.limits.line import shape_of
from streed.limits.report import KeptLimits, kept_limits
from streed.options import Limits
from streed.solver import limited_search, reach
from streed.solver.metrics.problem import nothing_in_time
from streed.solver.recount import make_tree
from streed.solver.run import Run
from streed.tasks.base import measure_of
from streed.tasks.forms import OneValue, Sums
from streed.tolerance import RECOUNT
from streed.tree.result import Result


def refusal(form: Sums, limits: Limits) -> str:
    """Take every value that is a sum over rows, and every metric that is searched by such sums."""
    if isinstance(form.objective, OneValue):
        return ""
    from streed.solver.strategies import refusals

    return refusals(form.objective, limits)


def solve(run: Run, form: Sums) -> Result | None:
    """Solve the objective with all searches under the limits."""
    from streed.solver.strategies import choose

    run.task = form.task
    run.keep(form.rows)
    run.lines = form.all_lines
    if form.max_nodes is not None and form.max_nodes < run.limits.max_nodes:
        run.limits = replace(run.limits, max_nodes=form.max_nodes)
    try:
        if isinstance(form.objective, OneValue):
            result = _solve_value(run, form, form.objective)
        else:
            result = choose(run, form.objective)(run, form.objective)
    except limited_search.NoTreeError:
        if not form.explained:
            raise InfeasibleError("no tree within the limits on its size keeps all limits") from None
        raise reach.infeasible(run, form) from None
    return result if result is None else _with_limits(run, form, result)


def _solve_value(run: Run, form: Sums, value: OneValue) -> Result | None:
    """Search one value within the limits."""
    answer = run.search_value(value, run.rows)
    if "feature" not in answer:
        if run.gave_up:
            return None
        raise nothing_in_time(run)
    return run.counted(lambda: _counted(run, value, answer), answer)


def _counted(run: Run, value: OneValue, answer: dict[str, Any]) -> Result:
    """Count the tree anew on the rows that have a weight in the objective."""
    task = run.task
    n_own = value.leaf.label_costs(value.classes.size).shape[0]
    rows = run.rows if n_own == run.rows.shape[0] else run.features[value.rows]
    sign = -1.0 if task.maximize else 1.0
    counted = make_tree(value, rows, run.names, answer, task.value_name, sign, task.name)
    if abs(counted.cost - answer["objective"]) > RECOUNT * (abs(counted.cost) + answer["magnitude"]):
        raise StreedError(
            f"internal error, please report it: the engine says that the tree costs {answer['objective']!r}, "
            f"counted anew it costs {counted.cost!r}"
        )
    objective, optimal = task.report(counted.cost), bool(answer["optimal"])
    bound = objective if optimal else task.report(min(float(answer["lower_bound"]), counted.cost))
    return run.result(counted.tree, objective, bound, optimal, measure=measure_of(task))


def _with_limits(run: Run, form: Sums, result: Result) -> Result:
    """Evaluate the limits of the tree, in exact numbers."""
    tree = result.tree
    predicted = tree.label[tree.route(run.rows)].astype(np.int64)
    reached = shape_of({name: getattr(tree, name) for name in ("feature", "left", "right")}, run.rows)
    found = kept_limits(form.limits, form.data, predicted, reached)
    if not found.kept:
        raise StreedError(f"internal error, please report it: the tree breaks a limit\n{found}")
    if run.multipliers is None or not isinstance(form.objective, OneValue):
        return replace(result, limits=found)
    worth = iter(np.abs(run.multipliers).tolist())
    gains = [sum(line.per_unit * next(worth) for line in lines) if lines else np.nan for lines in form.lines]
    own = abs(run.task.report(1.0) - run.task.report(0.0))
    limits = [one._replace(multiplier=gain * own) for one, gain in zip(found, gains, strict=True)]
    return replace(result, limits=KeptLimits(limits))
