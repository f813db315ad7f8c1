"""A relaxed problem in place of one that no engine takes: a bound on all trees, and a tree counted anew.

The gap is what the relaxation loses. The general search would have neither bound nor tree within any
practical time where rows are many: it looks at every row for every label of every leaf.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from streed import _core
from streed.options import LEAST_SECONDS, Limits
from streed.solver import greedy
from streed.solver.run import Run
from streed.solver.strategies import one_search
from streed.tasks.base import measure_of
from streed.tasks.forms import Relaxed, SixComponents
from streed.tolerance import RECOUNT
from streed.tree.result import Result
from streed.tree.tree import Tree

MOST_LANES = 2**27
"""Half a gigabyte of 32-bit lanes."""

LEAST, MOST = 4, 64
"""Labels: the gap falls with the square of their number. On 50,000 rows of normal targets, depth 3 and 40
binary features 16, 32 and 64 labels leave 1.4, 0.34 and 0.07 per cent."""

SHARE = 0.3
"""A greedy tree is grown first, in this share of the time limit: of many rows there may be no other one."""

COUNTS = 3
"""How many times as long as counting the greedy tree everything takes that follows the search."""


def refusal(form: SixComponents, limits: Limits) -> str:
    """Take what has a relaxed problem; the search finds out whether it needs a depth."""
    return "" if form.relaxed is not None else "the task has no relaxed problem"


def n_labels(run: Run) -> int:
    """Return how many labels keep the vectors of all rows, a lane per feature and label, within bounds."""
    rows, columns = map(int, run.rows.shape)
    return min(max(MOST_LANES // max(rows * columns, 1), LEAST), MOST)


def solve(run: Run, form: SixComponents) -> Result:
    """Search the tree with the least value of the relaxed problem, and count what it costs."""
    assert form.relaxed is not None
    problem = form.relaxed(n_labels(run))
    run.keep(problem.value.rows)
    grown = grow(run, problem)
    answer = run.search_value(problem.value, run.rows)
    searched = bool(answer["optimal"])
    bound = run.task.report(max(float(answer["objective" if searched else "lower_bound"]), 0.0))
    if "losses" in grown and grown["cost"] < score(run, problem, answer)["cost"]:
        answer.update(grown)
    tree, objective = run.counted(lambda: count(run, problem, answer), answer)
    optimal = searched and objective - bound <= RECOUNT * objective
    if searched and not optimal:
        run.status = "work_limit"
    note = f"a problem with fewer labels was searched, which bounds this one: {form.why}"
    return run.result(
        tree, objective, min(bound, objective), optimal, measure=measure_of(run.task), note=note
    )


def grow(run: Run, problem: Relaxed) -> dict[str, Any]:
    """Grow a greedy tree, and take the time to count two trees off that of the search."""
    value, rows = problem.value, run.rows
    labels = greedy.target_of(value)
    if labels is None or run.limits.unlimited:
        return {}
    numbers = greedy.centred(problem.numbers, problem.weights)
    target = greedy.Target("squares", None, numbers, problem.weights, np.empty((0, 3)))
    limits = replace(run.limits, time_limit=SHARE / greedy.SHARE * run.limits.time_limit)
    tree = greedy.grow_on_bits(rows, target, limits, run.time_left)
    least = greedy.label_leaves(tree, rows, labels, value.branch_cost)
    grown = {name: tree[name] for name in ("feature", "left", "right", "label")} | {"objective": least}
    before = run.elapsed
    score(run, problem, grown)
    limits = run.limits
    left = max(limits.time_limit - COUNTS * (run.elapsed - before), LEAST_SECONDS)
    run.limits = replace(limits, time_limit=left)
    return grown


def score(run: Run, problem: Relaxed, answer: dict[str, Any]) -> dict[str, Any]:
    """Note in an answer what its tree costs by the task, and the losses of all its nodes, in engine units."""
    feature, left, right = (answer[name] for name in ("feature", "left", "right"))
    losses = problem.losses(_core.route(run.rows, feature, left, right), feature.size)
    branches = np.flatnonzero(feature >= 0).tolist()
    for node in reversed(branches):  # children come after their parents
        losses[node] = losses[left[node]] + losses[right[node]]
    answer.update(losses=losses, cost=float(losses[0]) + problem.value.branch_cost * len(branches))
    return answer


def count(run: Run, problem: Relaxed, answer: dict[str, Any]) -> tuple[Tree, float]:
    """Count the tree anew by both problems; return it with what it costs, in natural units."""
    tree = one_search.count(run, problem.value, answer)[0]
    if "losses" not in answer:
        score(run, problem, answer)
    if tree.values is not None:
        tree.values = problem.value.scale * answer["losses"] / tree.n_samples.clip(1)
    return tree, run.task.report(answer["cost"])
