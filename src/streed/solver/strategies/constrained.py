"""One objective within limits, where all parts are sums of label costs: the engine's search under limits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.errors import InfeasibleError
from streed.options import Limits
from streed.solver.engines import constrained
from streed.solver.fronts.result import count_together, vector_result
from streed.solver.fronts.vector import LabelVector, label_vector, nothing_found
from streed.solver.run import Run
from streed.tasks.forms import Vector
from streed.tree.result import Result, show


def refusal(form: Vector, limits: Limits) -> str:
    """Take what the engine takes."""
    return constrained.refusal(form, limits)


def solve(run: Run, form: Vector) -> Result:
    """Search the best tree within the limits."""
    run.keep(form.rows)
    answer = search(run, form, label_vector(form))
    if answer["feasible"] is False:
        raise InfeasibleError(why_infeasible(form, answer.get("closest")))
    if "feature" not in answer:
        raise nothing_found(form)
    bound = form.task.report(float(answer["lower_bound"]))
    found = run.counted(lambda: count_together(run, form, [answer]), answer)
    return vector_result(run, form, found, bound, bool(answer["optimal"]))


def search(run: Run, form: Vector, vector: LabelVector) -> dict[str, Any]:
    """Search the least first objective within the limits."""
    places = [form.task.objectives[0], *form.task.limits]
    return run.search_limited(
        vector.costs[:, :, places],
        vector.lower[places[1:]],
        vector.upper[places[1:]],
        vector.branch_cost[places],
    )


def why_infeasible(form: Vector, closest: NDArray[np.float64] | None) -> str:
    """Say which limits no tree meets, and the values of the closest tree if the search came to know it."""
    if closest is None:
        words = ", and ".join(limit.words() for limit in form.task.limits.values())
        return f"{form.task.name}: no tree within the limits meets {words}"
    parts = [
        f"{limit.words()} (closest: {show(limit.report(float(cost)))})"
        for limit, cost in zip(form.task.limits.values(), closest, strict=True)
    ]
    return f"{form.task.name}: no tree within the limits meets {', and '.join(parts)}"
