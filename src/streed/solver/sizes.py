"""One search for the best tree of every number of branching nodes.

The engine gives every subproblem a vector of values, one for each number of nodes (``core/sizes``), so that
all sizes share what is found out about subproblems. It takes forms of one value whose leaves add up, on one
thread.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.options import Limits
from streed.solver.run import Run
from streed.solver.strategies.one_search import count
from streed.tasks.base import Task, measure_of
from streed.tasks.forms import OneValue
from streed.tolerance import slack
from streed.tree.result import Result, Solution, relative_gap

MOST_SIZES = 63
"""The engine takes no more branching nodes than this; a test compares it with the engine."""


def is_taken(form: object, limits: Limits) -> bool:
    """Whether one search finds all sizes of a form."""
    return isinstance(form, OneValue) and form.combination == "sum" and limits.max_nodes <= MOST_SIZES


def solve_sizes(
    task: Task,
    form: OneValue,
    features: NDArray[np.uint8],
    names: Sequence[str] | None,
    limits: Limits,
    progress: object,
) -> list[Result]:
    """Find the result for at most 0, 1, ..., `limits.max_nodes` branching nodes."""
    run = Run(task, features, names, limits, progress)
    if features.shape[0] != task.n_rows:
        raise ValueError(f"X has {features.shape[0]} rows, but the task was made with {task.n_rows}")
    run.keep(form.rows)
    answer = run.search_sizes(form, run.rows)
    trees = [each | {"optimal": True} for each in answer["trees"]]
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
