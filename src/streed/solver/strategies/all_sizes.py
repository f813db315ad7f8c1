"""All sizes of one value: one search for the best tree of every number of branching nodes."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import replace
from typing import Any

from streed.options import Limits
from streed.solver import greedy
from streed.solver.engines import all_sizes
from streed.solver.run import Run
from streed.solver.strategies.one_search import count
from streed.tasks.base import measure_of
from streed.tasks.forms import OneValue
from streed.tolerance import slack
from streed.tree.result import Result, Solution, relative_gap


def refusal(form: OneValue, limits: Limits) -> str:
    """Take what the engine takes."""
    return all_sizes.refusal(form, limits)


def solve(run: Run, form: OneValue) -> list[Result]:
    """Find the result for at most 0, 1, ... branching nodes, as many as the limits allow."""
    task = run.task
    run.keep(form.rows)
    answer = run.note(all_sizes.search(form, run.rows, task.name, run.options()))
    found_trees = answer["trees"]
    if not answer["optimal"]:
        found_trees = greedy.improve_sizes(found_trees, form, run.rows, run.limits)
    trees = [each | {"optimal": True} for each in found_trees]
    counted = [run.counted(lambda each=each: count(run, form, each), answer) for each in trees]  # type: ignore[misc]
    nodes = [tree.n_nodes for tree, _, _ in counted]
    tree, objective, _ = counted[-1]
    last = run.result(tree, objective, objective, bool(answer["optimal"]), measure=measure_of(task))
    found: dict[Any, Result] = {}
    results = []
    for k, lower in enumerate(answer["lower_bounds"]):
        chosen = bisect_right(nodes, k) - 1
        cost = float(trees[chosen]["objective"])
        proven = bool(answer["optimal"]) or lower >= cost - slack(cost)
        key = (chosen, None if proven else lower)
        if key not in found:
            tree, objective, _ = counted[chosen]
            bound = objective if proven else task.report(min(float(lower), cost))
            found[key] = replace(
                last,
                objective=objective,
                lower_bound=bound,
                gap=0.0 if proven else relative_gap(objective, bound),
                optimal=proven,
                status="optimal" if proven else run.status,
                tree=tree,
                front=[Solution((objective,), tree)],
            )
        results.append(found[key])
    return results
