"""One value, up to a depth (``core/search``)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.leaves import LEAF_MODELS
from streed.options import Limits
from streed.solver import led
from streed.tasks.forms import OneValue


def refusal(form: OneValue, limits: Limits) -> str:
    """Take the leaf models that the engine knows, put together by the sum or by the largest leaf.

    Where there is no depth, `streed.solver.node_price` gives one.
    """
    if form.combination == "sum" and type(form.leaf) in LEAF_MODELS:
        return ""
    if not isinstance(form.leaf, LEAF_MODELS):
        known = ", ".join(model.__name__ for model in LEAF_MODELS[:-1])
        return f"the leaf model must be {known} or {LEAF_MODELS[-1].__name__}, got {form.leaf!r}"
    if form.combination not in ("sum", "max"):
        return f"the combination must be 'sum' or 'max', got {form.combination!r}"
    if form.combination == "max" and (form.branch_cost != 0 or form.prices is not None):
        return "branching must cost nothing where leaves are combined by 'max'"
    return ""


def search(form: OneValue, rows: NDArray[np.uint8], name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Search the tree of least cost; `name` is what errors call the task."""
    leader = led.leader()
    if leader is not None:
        return leader.by_depth(form, rows, name, options)
    return search_here(form, rows, name, options)


def search_here(
    form: OneValue, rows: NDArray[np.uint8], name: str, options: dict[str, Any]
) -> dict[str, Any]:
    """Search by the engine of this process."""
    add_branching(options, form)
    answer: dict[str, Any] = form.leaf.search(_core, name, rows, form.classes.size)(**options)
    return answer


class OpenRoot(NamedTuple):
    """A root that several searches share, with what must live as long as it does."""

    keeps: Any
    root: Any


def share(form: OneValue, rows: NDArray[np.uint8], name: str, options: dict[str, Any]) -> OpenRoot:
    """Reduce a problem whose root is solved in pieces."""
    add_branching(options, form)
    make = form.leaf.search(_core.shared, name, rows, form.classes.size)
    return OpenRoot(make, make(**options))


def add_branching(options: dict[str, Any], form: OneValue) -> None:
    """Add what branching costs and how leaves are put together to the options of the engine."""
    options["branch_cost"] = form.branch_cost
    if form.prices is not None:
        options["prices"] = tuple(form.prices)
    if form.combination != "sum":
        options["combination"] = form.combination
