"""One value, for every number of branching nodes at once (``core/sizes``).

Every subproblem has a vector of values, one for each number of nodes, so that all sizes share what is found
out about subproblems.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.options import Limits
from streed.solver.engines import by_depth
from streed.tasks.forms import OneValue

MOST_SIZES = 63
"""The engine takes no more branching nodes than this; a test compares it with the engine."""


def refusal(form: OneValue, limits: Limits) -> str:
    """Take sums over leaves, up to a number of branching nodes."""
    if form.combination != "sum":
        return "the value is not a sum over leaves"
    if limits.max_nodes > MOST_SIZES:
        return f"there are more than {MOST_SIZES} branching nodes"
    return by_depth.refusal(form, limits)


def search(form: OneValue, rows: NDArray[np.uint8], name: str, options: dict[str, Any]) -> dict[str, Any]:
    """Search the trees of least cost for every number of branching nodes."""
    by_depth.add_branching(options, form)
    answer: dict[str, Any] = form.leaf.search(_core.sizes, name, rows, form.classes.size)(**options)
    return answer
