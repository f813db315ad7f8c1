"""Several objectives, where all parts are sums of label costs: the engine's front of nondominated trees.

A limit is one more component of the front, a lower limit its negative.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from streed.errors import InfeasibleError
from streed.options import Limits
from streed.solver.engines import front
from streed.solver.fronts.points import nondominated, supported_points
from streed.solver.fronts.result import Valued, count_together, vector_result
from streed.solver.fronts.trees import ChosenTrees
from streed.solver.fronts.vector import LabelVector, label_vector, nothing_found
from streed.solver.recount import constant_tree
from streed.solver.run import Run
from streed.solver.strategies.constrained import search as search_constrained
from streed.solver.strategies.constrained import why_infeasible
from streed.tasks.forms import Vector
from streed.tree.result import Result


def refusal(form: Vector, limits: Limits) -> str:
    """Take what the engine takes."""
    return front.refusal(form, limits)


def solve(run: Run, form: Vector) -> Result:
    """Search all nondominated trees."""
    run.keep(form.rows)
    vector = label_vector(form)
    components = _components(form, vector)
    answer = run.search_front(
        vector.costs[:, :, components.places] * components.signs,
        components.upper,
        np.zeros(len(components.places)),
        np.inf,
        vector.branch_cost[components.places] * components.signs,
    )
    trees, costs = _trees(run, form, vector, components, answer)
    n_objectives = len(form.task.objectives)
    distinct = bool(answer["trees"]) and not form.task.limits
    kept = nondominated(form.task, costs[:, :n_objectives], distinct)
    touched = supported_points(costs, np.asarray(answer["supports"]), n_objectives)
    known = _costs_of_parts(form, components, costs[kept])

    def count() -> list[Valued]:
        hurry = answer["status"] == "interrupted"
        return count_together(run, form, ChosenTrees(trees, kept), known if hurry else None)

    with _without_collecting():
        found = run.counted(count, answer)
        return vector_result(run, form, found, None, bool(answer["complete"]), touched[kept].tolist())


@contextlib.contextmanager
def _without_collecting() -> Iterator[None]:
    """Make tens of thousands of objects that stay, without a search for garbage after every few hundred."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


class _Components(NamedTuple):
    """Components of the front: the part of each, the sign of its costs, and its upper limit."""

    places: list[int]
    signs: NDArray[np.float64]
    upper: list[float]


def _components(form: Vector, vector: LabelVector) -> _Components:
    signed = [(i, 1.0, np.inf) for i in form.task.objectives]
    for i in form.task.limits:
        signed += [(i, 1.0, vector.upper[i])] if np.isfinite(vector.upper[i]) else []
        signed += [(i, -1.0, -vector.lower[i])] if np.isfinite(vector.lower[i]) else []
    places, signs, upper = zip(*signed, strict=True)
    return _Components(list(places), np.array(signs), list(upper))


def _trees(
    run: Run, form: Vector, vector: LabelVector, components: _Components, answer: dict[str, Any]
) -> tuple[Sequence[dict[str, Any]], NDArray[np.float64]]:
    """Return the trees that were found with their costs; constant ones if there was no time at all."""
    if answer["trees"]:
        return answer["trees"], np.asarray(answer["values"], dtype=np.float64)
    if not answer["complete"] and form.task.limits:
        raise nothing_found(form)
    if answer["complete"]:
        closest = search_constrained(run, form, vector).get("closest")  # unless that takes too long
        raise InfeasibleError(why_infeasible(form, closest))
    trees = [constant_tree(label) for label in range(vector.costs.shape[1])]
    return trees, vector.costs[:, :, components.places].sum(axis=0)


def _costs_of_parts(
    form: Vector, components: _Components, costs: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Costs of all parts by the engine's own count; None if a part has no limit, and so no component."""
    n_parts = len(form.parts)
    if set(components.places) != set(range(n_parts)):
        return None
    first = [components.places.index(part) for part in range(n_parts)]
    known: NDArray[np.float64] = (costs * components.signs)[:, first]
    return known
