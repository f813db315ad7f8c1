"""Several sums of label costs: all nondominated trees (``core/front/front.cpp``)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.options import Limits
from streed.solver.engines import needs_depth
from streed.solver.fronts.vector import not_label_costs
from streed.tasks.forms import OneValue, Vector


def refusal(form: Vector, limits: Limits) -> str:
    """Take several objectives, and label costs only; a lower limit cannot go with branching costs."""
    if len(form.task.objectives) == 1:
        return "there is one objective only"
    why = not_label_costs(form)
    if not why and any(_unbounded_below(*pair) for pair in zip(form.parts, form.limits, strict=True)):
        return "a front has a lower limit on a task with branching costs"
    return why or needs_depth(limits)


def _unbounded_below(part: Any, limit: tuple[float, float] | None) -> bool:
    """Whether a lower limit would have negative costs of branching as its negative."""
    return isinstance(part, OneValue) and part.branch_cost > 0 and limit is not None and np.isfinite(limit[0])


def search(
    rows: NDArray[np.uint8],
    costs: NDArray[np.float64],
    upper: Any,
    weights: Any,
    budget: float,
    branch_cost: Any,
    options: dict[str, Any],
) -> dict[str, Any]:
    """Search all nondominated vectors of costs within `upper` and a budget of the weighted sum."""
    answer: dict[str, Any] = _core.front(
        rows,
        np.ascontiguousarray(costs),
        branch_cost=np.zeros(costs.shape[2]) if branch_cost is None else branch_cost,
        upper=np.array(upper, dtype=np.float64),
        weights=np.array(weights, dtype=np.float64),
        budget=float(budget),
        **options,
    )
    return answer
