"""How the values of subtrees are put together: by their sum, or by the worst of them."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

from streed.errors import TaskError


def check_combination(
    who: str, combination: object, maximize: bool, priced: bool, error: type[Exception] = TaskError
) -> bool:
    """Check the name of a combination, and return whether a tree is worth as much as its worst leaf.

    Parameters
    ----------
    who : str
        What errors call the task.
    combination : object
        What was given: "sum", or "max" ("min" where the task is maximised).
    maximize : bool
        Whether the task is maximised.
    priced : bool
        Whether branching costs something.
    error : type of exception, default=TaskError
        What is raised.

    Examples
    --------
    >>> check_combination("the task", "max", maximize=False, priced=False)
    True
    >>> check_combination("it", "max", maximize=True, priced=False)
    Traceback (most recent call last):
    streed.errors.TaskError: it: combination must be 'sum' or 'min' where the value is maximised, got 'max'
    """
    worst, way = ("min", "maximised") if maximize else ("max", "minimised")
    if not isinstance(combination, str) or combination not in ("sum", worst):
        raise error(
            f"{who}: combination must be 'sum' or '{worst}' where the value is {way}, got {combination!r}"
        )
    if combination == "sum":
        return False
    if priced:
        raise error(
            f"{who}: where a tree is worth as much as its worst leaf, costs of branching have nothing to be "
            "added to; limit max_nodes instead"
        )
    return True


def joins(worst_leaf: bool, maximize: bool, branch_cost: float) -> tuple[Callable[[Any, Any], Any], float]:
    """Return ⊕ in natural units, and what a branching node adds: what changes nothing, for the worst leaf.

    Examples
    --------
    >>> join, branch = joins(True, False, 0.0)
    >>> join(join(3.0, -1.0), branch)
    3.0
    """
    if worst_leaf:
        return (min, inf) if maximize else (max, -inf)
    return (lambda v, w: v + w), -branch_cost if maximize else branch_cost
