"""An objective, maybe under limits: the strategy for it alone, every search of which keeps the limits."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.errors import StreedError
from streed.leaves import ClassErrors
from streed.limits.line import shape_of
from streed.limits.report import KeptLimits, kept_limits
from streed.options import LEAST_SECONDS, Limits
from streed.solver import limited_search, reach
from streed.solver.metrics.problem import nothing_in_time
from streed.solver.recount import constant_tree, make_tree
from streed.solver.run import Run
from streed.tasks.base import measure_of
from streed.tasks.forms import OneValue, Sums
from streed.tolerance import RECOUNT
from streed.tree.result import Result
from streed.tree.tree import Tree


def refusal(form: Sums, limits: Limits) -> str:
    """Take every value that is a sum over rows, and every metric that is searched by such sums."""
    if isinstance(form.objective, OneValue) or form.data is None:
        return ""
    from streed.solver.strategies import refusals

    return refusals(form.objective, limits)


def solve(run: Run, form: Sums) -> Result | None:
    """Solve the objective, with all searches under the limits if there are any."""
    from streed.solver.strategies import choose

    if form.data is None:
        return choose(run, form.objective)(run, form.objective)
    begin(run, form)
    try:
        if isinstance(form.objective, OneValue):
            return _solve_value(run, form, form.objective)
        result: Result | None = choose(run, form.objective)(run, form.objective)
    except limited_search.NoTreeError as found:
        answer = found.answer
    else:
        if result is None:
            return None
        predicted = result.tree.label[result.tree.route(run.rows)].astype(np.int64)
        return replace(result, limits=_kept(form, run, result.tree, predicted))
    # Raised outside of the handler: Dask pickles the context of an error, and NoTreeError holds an answer of
    # the engine, which cannot be pickled.
    raise reach.infeasible(run, form, answer)


def begin(run: Run, form: Sums) -> None:
    """Prepare a run: its rows and its limits."""
    run.task = form.task
    run.keep(form.rows)
    run.lines = form.all_lines
    run.least_seconds = LEAST_SECONDS
    if form.value is not None and isinstance(form.value.leaf, ClassErrors):
        run.floor = 0.0
    if form.max_nodes is not None and form.max_nodes < run.limits.max_nodes:
        run.limits = replace(run.limits, max_nodes=form.max_nodes)


def _solve_value(run: Run, form: Sums, value: OneValue) -> Result | None:
    """Search one value within the limits."""
    answer = run.search_value(value, run.rows)
    if "feature" not in answer:
        constant = _best_constant(run, value)
        if constant is None and run.gave_up:
            return None
        if constant is None:
            raise nothing_in_time(run)
        answer.update(constant)
    return run.counted(lambda: _counted(run, form, value, answer), answer)


def _best_constant(run: Run, value: OneValue) -> dict[str, Any] | None:
    """Return the best tree of one leaf that keeps the limits: the answer where time was up too soon."""
    costs = value.leaf.label_costs(value.classes.size).sum(axis=0)
    sums = np.array([line.costs.sum(axis=0) for line in run.lines]).reshape(-1, costs.size)
    low, high = (np.array([getattr(line, end) for line in run.lines]) for end in ("lower", "upper"))
    kept = np.flatnonzero(((sums >= low[:, None]) & (sums <= high[:, None])).all(axis=0))
    if not kept.size:
        return None
    label = int(kept[costs[kept].argmin()])
    return {**constant_tree(label), "objective": float(costs[label])}


def _counted(run: Run, form: Sums, value: OneValue, answer: dict[str, Any]) -> Result:
    """Count the tree anew on the rows that have a weight in the objective."""
    task = run.task
    own = (len(run.features) if value.rows is None else value.rows.size) == len(run.rows)
    rows = run.rows if own else run.features if value.rows is None else run.features[value.rows]
    sign = -1.0 if task.maximize else 1.0
    counted = make_tree(value, rows, run.names, answer, task.value_name, sign, task.name)
    cost = counted.cost
    if cost != answer["objective"]:
        magnitude = float(np.abs(value.leaf.label_costs(value.classes.size)).max(axis=1).sum())
        if abs(cost - answer["objective"]) > RECOUNT * (abs(cost) + magnitude):
            raise StreedError(
                f"internal error, please report it: the engine says that the tree costs "
                f"{answer['objective']!r}, counted anew it costs {cost!r}"
            )
    objective, optimal = task.report(cost), bool(answer["optimal"])
    bound = objective if optimal else task.report(min(float(answer["lower_bound"]), cost))
    run.figures = task.figures(counted.predicted)
    tree = counted.tree
    predicted = counted.predicted if own else tree.label[tree.route(run.rows)].astype(np.int64)
    kept = _kept(form, run, tree, predicted)
    return run.result(tree, objective, bound, optimal, measure=measure_of(task), limits=kept)


def _kept(form: Sums, run: Run, tree: Tree, predicted: NDArray[np.int64]) -> KeptLimits:
    """Evaluate the limits of a tree, in exact numbers."""
    paid = any(line.tests is not None for line in run.lines)
    arrays = {name: getattr(tree, name) for name in ("feature", "left", "right")}
    reached = shape_of(arrays, run.rows if paid else None)
    found = kept_limits(form.limits, form.limited, predicted, reached)
    if not found.kept:
        raise StreedError(f"internal error, please report it: the tree breaks a limit\n{found}")
    known = [] if run.multipliers is None else np.abs(run.multipliers).tolist()
    if len(known) != len(run.lines) or not isinstance(form.objective, OneValue):
        return found
    worth = iter(known)
    gains = [sum(line.per_unit * next(worth) for line in lines) if lines else np.nan for lines in form.lines]
    own = abs(run.task.report(1.0) - run.task.report(0.0))
    return KeptLimits(one._replace(multiplier=gain * own) for one, gain in zip(found, gains, strict=True))
