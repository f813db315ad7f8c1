"""One value where branching nodes have a price, without a limit of the depth (``core/priced``)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.options import Limits
from streed.solver import led
from streed.tasks.forms import OneValue

READ = frozenset(_core.options()["priced"])
"""The options that this engine reads. Whether its tree keeps a depth is checked afterwards."""


def refusal(form: OneValue, limits: Limits) -> str:
    """Take leaves that cost the sum of their rows, and tests without prices.

    A least leaf size is taken where the price implies it: a leaf of fewer rows than price / (heaviest row)
    never pays for its split.
    """
    if not form.leaf.affine or form.combination != "sum":
        return "leaves do not cost the sum of their rows"
    if form.prices is not None:
        return "tests have prices"
    if not form.branch_cost > 0:
        return "branching nodes have no price"
    if limits.min_samples_leaf == 1:
        return ""
    n_labels = max(2, form.classes.size)  # of one class: what another label would cost
    heaviest = float(np.ptp(form.leaf.label_costs(n_labels), axis=1).max(initial=0.0))
    implied = (limits.min_samples_leaf - 1) * heaviest <= form.branch_cost
    return "" if implied else "min_samples_leaf may exclude leaves that pay their price"


def search(form: OneValue, rows: NDArray[np.uint8], options: dict[str, Any]) -> dict[str, Any]:
    """Search the tree of least cost without a limit of its depth."""
    leader = led.leader()
    return search_here(form, rows, options) if leader is None else leader.priced(form, rows, options)


def search_here(form: OneValue, rows: NDArray[np.uint8], options: dict[str, Any]) -> dict[str, Any]:
    """Search by the engine of this process."""
    labels, costs = form.leaf.native_rows()
    data = {"costs": costs} if labels is None else {"labels": labels[0], "weights": labels[1]}
    read = {name: value for name, value in options.items() if name in READ}
    read["branch_cost"] = form.branch_cost
    answer: dict[str, Any] = _core.solve_priced(rows, **data, n_labels=form.classes.size, **read)
    return answer
