"""One search for one value: the engine minimises the cost of the tree."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from streed.errors import StreedError, TaskError
from streed.options import Limits
from streed.solver.engines import by_depth
from streed.solver.recount import make_tree
from streed.solver.run import Run
from streed.tasks.base import measure_of
from streed.tasks.forms import OneValue
from streed.tolerance import RECOUNT
from streed.tree.result import DepthProof, Result
from streed.tree.tree import Tree


def refusal(form: OneValue, limits: Limits) -> str:
    """Take what the search by depth takes; priced nodes are searched without one where that is possible."""
    return by_depth.refusal(form, limits)


def solve(run: Run, form: OneValue) -> Result:
    """Search the tree of least cost."""
    run.keep(form.rows)
    answer = run.search_value(form, run.rows)
    tree, objective, bound = run.counted(lambda: count(run, form, answer), answer)
    result = run.result(tree, objective, bound, bool(answer["optimal"]), measure=measure_of(run.task))
    depths = answer.get("depths")
    return result if not depths else replace(result, depths=depth_proofs(run.task.report, depths))


def depth_proofs(
    report: Callable[[float], Any], depths: Iterable[tuple[int, float, bool]]
) -> tuple[DepthProof, ...]:
    """Return what a search has proven of trees of fewer levels, in natural units."""
    return tuple(
        DepthProof(depth, float(report(bound)), attained)
        for depth, bound, attained in depths
        if math.isfinite(bound)
    )


def count(run: Run, form: OneValue, answer: dict[str, Any]) -> tuple[Tree, float, float]:
    """Count the engine's tree anew: the tree, and its value and bound in natural units."""
    task = run.task
    sign = -1.0 if task.maximize else 1.0
    counted = make_tree(form, run.rows, run.names, answer, task.value_name, sign, task.name)
    cost = counted.cost
    rounding = RECOUNT * (abs(cost) + float(answer["magnitude"])) + form.leaf.rounding
    if abs(cost - answer["objective"]) > rounding:
        if form.leaf.is_function:
            raise TaskError(
                f"the leaf function of the task {task.name!r} changes its answer: the tree was found with a "
                f"cost of {answer['objective']!r}, asked again the same leaves cost {cost!r}"
            )
        raise StreedError(
            f"internal error, please report it: the engine says that the tree costs {answer['objective']!r}, "
            f"counted anew it costs {cost!r}"
        )
    objective = task.report(cost)
    if answer["optimal"]:
        return counted.tree, objective, objective
    return counted.tree, objective, task.report(min(float(answer["lower_bound"]), cost))
