"""One value: which engine searches it, and what follows if the first one leaves the limits.

Where a price per node makes all limits needless, the search for priced nodes is used: its subproblems are
sets of rows, without a depth or a budget. Where a large depth might bind, that search is tried first: if its
tree keeps the limits, it is the best one within them, too. Else the search by depth has the rest of the time.
Where no limit binds and the time ends first, a search of few levels looks for a better tree in the end.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.options import LEAST_SECONDS, Limits
from streed.solver import node_price
from streed.solver.engines import by_depth, constrained, priced
from streed.tasks.base import Task
from streed.tasks.forms import OneValue

DEEP = 5
"""Where more levels than this are allowed, and the limit may bind, a search without a depth is tried first.

Measured on 12 sets with prices .02, .01 and .005 and 1.5 s: the search by depth alone takes 0.01, 0.04, 1.4,
5.8 and 5.6 times as long at depth 3, 4, 5, 6 and 7 (geometric means), and solves 36, 36, 31, 3 and 1 of 36
against 36, 36, 33, 19 and 20. At depth 5 the worst problem takes 16 times longer with the trial, which may
last half the time limit. Where no limit binds there is no such choice: with prices that 1 to 5 nodes can pay
the search by depth takes 1.0, 1.0, 1.9, 13 and 82 times as long (24 sets).
"""


FEW_LEVELS, FEW_LEVELS_SHARE = 6, 0.4
"""Levels of the trees that are looked for where a search without a depth does not end, and their time.

Of splice-1 and german-credit at a price of .005 the best known trees have four levels; after 10 s the search
without a depth has trees that cost 5 and 1 % more.
"""


def bound_of_rows(task: Task, form: OneValue) -> float:
    """Return a bound that takes no search: what the rows cost, each with the label that is best for it."""
    costs = form.leaf.native_rows()[1] if form.leaf.squares is None else None
    return task.report(0.0 if costs is None else float(costs.min(axis=1).sum()))


def search(
    form: OneValue, rows: NDArray[np.uint8], name: str, limits: Limits, options: dict[str, Any]
) -> dict[str, Any]:
    """Search the tree of least cost; `options` are the limits of this search, less the time that is gone."""
    if form.branch_cost > 0 or limits.unlimited:
        return _search_with_price(form, rows, name, limits, options)
    return by_depth.search(form, rows, name, options)


def _search_with_price(
    form: OneValue, rows: NDArray[np.uint8], name: str, limits: Limits, options: dict[str, Any]
) -> dict[str, Any]:
    """Search a tree whose branching nodes have a price: without a depth where no depth binds."""
    free = node_price.limit_by_price(form, options)
    tried = None
    if (free or options["max_depth"] > DEEP) and not priced.refusal(form, limits):
        share = 1 - FEW_LEVELS_SHARE if free else 0.5
        tried = priced.search(form, rows, options | {"time_limit": share * options["time_limit"]})
        if tried["optimal"] and (free or fits(tried, options)):
            return tried
        if free:
            return with_few_levels(form, rows, name, options, tried)
        left = 0.0 if tried["status"] == "interrupted" else options["time_limit"] - tried["seconds"]
        options["time_limit"] = max(left, LEAST_SECONDS)
    deeper = node_price.limit_levels(form.branch_cost, options, rows.shape[1])
    if limits.unlimited:
        options["needs_cache"] = True  # so many levels would take for ever without it
    answer = by_depth.search(form, rows, name, options)
    if deeper:
        leaf = by_depth.search(form, rows, name, options | {"max_depth": 0, "max_nodes": 0})["objective"]
        node_price.prove_without_levels(answer, leaf - form.leaf.saving(), form.branch_cost)
    return answer if tried is None else best_of(answer, tried, options)


def with_few_levels(
    form: OneValue, rows: NDArray[np.uint8], name: str, options: dict[str, Any], tried: dict[str, Any]
) -> dict[str, Any]:
    """Look for a better tree of few levels where a search without a depth has used up its share of the time.

    Its values and trees are no bounds for deeper trees, so that the bound stays.
    """
    left = options["time_limit"] - tried["seconds"]
    if tried["status"] != "time_limit" or left < LEAST_SECONDS:
        return tried
    depth = min(FEW_LEVELS, options["max_depth"])
    few = options | {"max_depth": depth, "max_nodes": 2**depth - 1, "time_limit": left}
    answer = by_depth.search(form, rows, name, few)
    best = {**(answer if answer["objective"] < tried["objective"] else tried)}
    bound = min(float(tried["lower_bound"]), float(best["objective"]))
    status = answer["status"] if answer["status"] == "interrupted" else tried["status"]
    seconds = float(tried["seconds"]) + float(answer["seconds"])
    return best | {"lower_bound": bound, "optimal": False, "status": status, "seconds": seconds}


def fits(answer: dict[str, Any], options: dict[str, Any]) -> bool:
    """Whether a tree in the form of the engine respects the limits of depth and nodes."""
    left, right = answer["left"].tolist(), answer["right"].tolist()
    depth = [0] * len(left)
    for node, below in enumerate(left):  # parents come first
        if below >= 0:
            depth[below] = depth[right[node]] = depth[node] + 1
    return bool(max(depth) <= options["max_depth"] and len(left) // 2 <= options["max_nodes"])


def best_of(answer: dict[str, Any], tried: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """Put together what a search by depth and one without a depth have found and proven within the limits."""
    if answer["optimal"]:
        return answer
    bound = max(float(answer["lower_bound"]), float(tried["lower_bound"]))
    better = fits(tried, options) and tried["objective"] < answer["objective"]
    status = tried["status"] if tried["status"] == "interrupted" else answer["status"]
    best = {**(tried if better else answer), "status": status, "optimal": False}
    return best | {"lower_bound": min(bound, float(best["objective"]))}


def search_limited(
    rows: NDArray[np.uint8],
    costs: NDArray[np.float64],
    lower: Any,
    upper: Any,
    branch_cost: Any,
    limits: Limits,
    options: dict[str, Any],
) -> dict[str, Any]:
    """Search the least first component of label costs with the others within limits; without a depth, too."""
    search = partial(constrained.search, rows, costs, lower, upper, branch_cost)
    deeper, price, least = False, float(branch_cost[0]), 0.0
    if limits.unlimited:
        leaf = search(options | {"max_depth": 0, "max_nodes": 0})
        least = float(costs[:, :, 0].min(axis=1).sum())
        if leaf["feasible"]:
            options["max_depth"] = node_price.nodes_that_save(leaf["objective"] - least, price)
        deeper = node_price.limit_levels(price, options, rows.shape[1])
        options["needs_cache"] = True
    answer = search(options)
    if deeper:
        node_price.prove_without_levels(answer, least, price)
    return answer
