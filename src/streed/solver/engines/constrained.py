"""One sum of label costs with other such sums within limits (``core/front/constrained.cpp``)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.options import Limits
from streed.solver.fronts.vector import not_label_costs
from streed.tasks.forms import Vector


def refusal(form: Vector, limits: Limits) -> str:
    """Take one objective, and label costs only; without a depth where the objective has a price per node."""
    return "there are several objectives" if len(form.task.objectives) > 1 else not_label_costs(form)


def search(
    rows: NDArray[np.uint8],
    costs: NDArray[np.float64],
    lower: Any,
    upper: Any,
    branch_cost: Any,
    options: dict[str, Any],
) -> dict[str, Any]:
    """Search the least first component of costs with the others within their limits."""
    answer: dict[str, Any] = _core.constrained(
        rows,
        np.ascontiguousarray(costs),
        lower=np.asarray(lower, dtype=np.float64),
        upper=np.asarray(upper, dtype=np.float64),
        branch_cost=np.asarray(branch_cost, dtype=np.float64),
        **options,
    )
    return answer
