"""What a price per branching node implies: how many nodes can pay, and how many levels that needs.

A tree with k branching nodes costs at least k times the price more than its leaves, and no leaves are cheaper
than the best label of every row. So a tree with more nodes than (best single leaf - best rows) / price costs
more than a single leaf, and limits above that number do not bind.

Searches by depth take `MOST_DEPTH` levels. Without a limit of the depth they have as many levels as nodes
can pay or as there are features, but no more than that; whether deeper trees could be better is then seen
from the value that is found.
"""

from __future__ import annotations

from typing import Any

from streed.options import MOST_DEPTH, NO_DEPTH
from streed.tasks.forms import OneValue
from streed.tolerance import TOLERANCE


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
