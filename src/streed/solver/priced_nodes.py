"""What a price per branching node implies: how many nodes can pay, and a search that needs no depth.

A tree with k branching nodes costs at least k times the price more than its leaves, and no leaves are cheaper
than the best label of every row. So a tree with more nodes than (best single leaf - best rows) / price costs
more than a single leaf. Limits above that number do not bind. Where neither the depth nor the number of nodes
binds, the search for priced nodes is used (``core/priced``): its subproblems are sets of rows, without a
depth or a budget. Where a large depth might bind, that search is tried first: if its tree respects the
limits, it is the best one within them, too. Else the search by depth has the rest of the time.

Prices of tests, leaf functions, large leaves and limits on other values always take a search by depth.
Without a limit it has as many levels as nodes can pay or as there are features, but no more than
`MOST_DEPTH`; whether deeper trees could be better is then seen from the value that it finds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.options import MOST_DEPTH, NO_DEPTH, Limits
from streed.tasks.forms import OneValue
from streed.tolerance import TOLERANCE

DEEP = 5
"""Where more levels than this are allowed, and the limit may bind, a search without a depth is tried first.

Measured on 12 sets with prices .02, .01 and .005 and 1.5 s: the search by depth alone takes 0.01, 0.04, 1.4,
5.8 and 5.6 times as long at depth 3, 4, 5, 6 and 7 (geometric means), and solves 36, 36, 31, 3 and 1 of 36
against 36, 36, 33, 19 and 20. At depth 5 the worst problem takes 16 times longer with the trial, which may
last half the time limit. Where no limit binds there is no such choice: with prices that 1 to 5 nodes can pay
the search by depth takes 1.0, 1.0, 1.9, 13 and 82 times as long (24 sets).
"""


def nodes_that_pay(form: OneValue) -> int:
    """Return how many branching nodes a tree can have that costs no more than a single leaf.

    Examples
    --------
    >>> import numpy as np
    >>> from streed.leaves import ClassErrors
    >>> errors = ClassErrors(np.array([0, 0, 0, 1, 1], np.int32), np.ones(5))
    >>> nodes_that_pay(OneValue(errors, np.array([0, 1]), branch_cost=0.5))
    4
    """
    return nodes_that_save(form.leaf.saving(), form.branch_cost) if form.combination == "sum" else NO_DEPTH


def nodes_that_save(saving: float, price: float) -> int:
    """Return how many branching nodes cost no more than what they can save."""
    if not price > 0:
        return NO_DEPTH
    pays = saving / price * (1 + TOLERANCE) + TOLERANCE
    return int(pays) if pays < NO_DEPTH else NO_DEPTH


def limit_by_price(form: OneValue, options: dict[str, Any]) -> bool:
    """Lower the limits of depth and nodes to what can pay; return whether neither of them binds."""
    most = nodes_that_pay(form)
    binds = most > min(options["max_depth"], options["max_nodes"])
    depth = min(most, options["max_depth"], options["max_nodes"])
    options["max_depth"] = depth
    options["max_nodes"] = min(most, options["max_nodes"], 2 ** min(depth, 31) - 1)
    return not binds


def is_taken(form: OneValue, min_samples_leaf: int) -> bool:
    """Whether the search for priced nodes solves a form.

    Leaves must cost the sum of their rows, and tests must have no prices. A least leaf size is taken where
    the price implies it: a leaf of fewer rows than price / (heaviest row) never pays for its split.
    """
    if not (form.branch_cost > 0 and form.leaf.affine and form.combination == "sum" and form.prices is None):
        return False
    if min_samples_leaf == 1:
        return True
    n_labels = max(2, form.classes.size)  # of one class: what another label would cost
    heaviest = float(np.ptp(form.leaf.label_costs(n_labels), axis=1).max(initial=0.0))
    return (min_samples_leaf - 1) * heaviest <= form.branch_cost


def search(engine: Any, form: OneValue, rows: NDArray[np.uint8], options: dict[str, Any]) -> dict[str, Any]:
    """Search the tree of least cost without a limit of its depth."""
    labels, costs = form.leaf.native_rows()
    data = {"costs": costs} if labels is None else {"labels": labels[0], "weights": labels[1]}
    taken = ("branch_cost", "min_samples_leaf", "time_limit", "memory_limit", "poll")
    answer: dict[str, Any] = engine.solve_priced(
        rows, **data, n_labels=form.classes.size, **{name: options[name] for name in taken if name in options}
    )
    return answer


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


def limit_levels(price: float, options: dict[str, Any], n_features: int) -> bool:
    """Lower the depth to what a search by depth takes; return whether deeper trees could be better.

    No path of a tree without redundant splits tests a feature twice, so that there are no more levels than
    features.
    """
    depth = options["max_depth"]
    if depth <= MOST_DEPTH:
        return False
    if not price > 0:
        raise ValueError(
            "max_depth=None needs a price per branching node (cost_complexity above zero), since nothing "
            "else limits the tree; else give max_depth"
        )
    if depth == NO_DEPTH and n_features > MOST_DEPTH:
        raise ValueError(
            "max_depth=None: the price of branching nodes does not limit the tree, since it is not known "
            "what leaves could save, or no single leaf keeps the limits; give max_depth"
        )
    options["max_depth"] = min(n_features, MOST_DEPTH)
    return n_features > MOST_DEPTH


def prove_without_levels(answer: dict[str, Any], leaves: float, price: float) -> None:
    """Withdraw a proof that holds for `MOST_DEPTH` levels alone.

    A deeper tree has more branching nodes than that, whose prices come on top of `leaves`, what the leaves of
    any tree cost at least.
    """
    bound = min(float(answer["lower_bound"]), leaves + (MOST_DEPTH + 1) * price)
    if "objective" in answer and bound < answer["objective"]:
        status = "depth_limit" if answer["optimal"] else answer["status"]
        answer.update(lower_bound=bound, optimal=False, status=status)


def refuse_no_depth(limits: Limits) -> None:
    """Refuse `max_depth=None` for searches that always need a depth."""
    if limits.unlimited:
        raise ValueError(
            "max_depth=None is possible only where one value is searched (also within limits) and branching "
            "nodes have a price (cost_complexity above zero); give max_depth"
        )
