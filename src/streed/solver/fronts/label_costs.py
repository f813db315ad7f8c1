"""Combinations of label costs by the native front engine."""

from __future__ import annotations

import math
import operator
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.errors import InfeasibleError, InterruptedWarning, StreedError
from streed.options import Limits
from streed.solver.engine import make_tree, once_more
from streed.solver.fronts.trees import count_trees
from streed.solver.progress import Watcher
from streed.solver.searches import constant_tree
from streed.tasks.base import Lowered, Task, measure_of
from streed.tasks.combined import Combined, VectorLowered
from streed.tree.result import Progress, Result, Solution, relative_gap, show
from streed.tree.tree import Tree

native: Any = _core
"""The engine; builds without the front engine lack `front` and `constrained`."""

TOLERANCE = 1e-9
"""Values that differ by less than this, or by less than this share, are equal up to rounding."""


def refusal(task: Combined, vector: VectorLowered) -> str:
    """Say why the engine cannot solve a combination; empty if it can."""
    single = len(task.objectives) == 1
    if not hasattr(native, "constrained" if single else "front"):
        return "this build has no front engine"
    if not single and (np.isfinite(vector.lower) & (vector.branch_cost > 0)).any():
        return "a front has a lower limit on a task with branching costs"
    return ""


def order_of(task: Combined, values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a sort key for the values of the objectives: the best first one first."""
    pairs = zip(task.objectives, values, strict=True)
    try:
        return tuple(-v if task.tasks[i].maximize else v for i, v in pairs)
    except TypeError:  # values that are not numbers keep the order in which they were found
        return ()


def note(task: Combined, first: str) -> str:
    """Say which limits there are and, after a general search, where they were looked at."""
    limits = [limit.describe() if first else limit.words() for limit in task.limits.values()]
    return "; ".join([first] * bool(first) + [f"limit: {words}" for words in limits])


def solve_vector(
    task: Combined,
    vector: VectorLowered,
    features: NDArray[np.uint8],
    limits: Limits,
    progress: object,
    names: Sequence[str] | None,
) -> Result:
    """Solve a combination of label costs by the native front engine."""
    started = time.perf_counter()
    rows = features if vector.rows is None else np.ascontiguousarray(features[vector.rows])
    limits.check_rows(rows.shape[0])
    watcher = Watcher(task.tasks[task.objectives[0]], progress)
    options = limits.arguments(watcher.poll)
    if len(task.objectives) == 1:
        answer, bound = _constrained(task, vector, rows, options)
        trees, supported, costs = [answer], [False], None
    else:
        (answer, trees, supported, costs), bound = _front(task, vector, rows, options), None

    def count(found: dict[str, Any]) -> Result:
        hurry = found["status"] == "interrupted" and costs is not None
        solutions = _solutions(task, vector.parts, features, names, trees, costs if hurry else None)
        return make_result(task, found, solutions, bound, started, supported)

    result = once_more(count, answer)
    say_over(watcher, result)
    return result


def say_over(watcher: Watcher, result: Result) -> None:
    """Tell whoever watches that the search of a combination is over, and warn after Ctrl-C."""
    best = result.objective if isinstance(result.objective, float) else math.nan
    done = 1.0 if result.optimal else watcher.root_done
    watcher.finish(Progress(result.seconds, best, math.nan, result.gap, done, 0.0))
    if result.status == "interrupted" and not watcher.stopped:
        warnings.warn(
            "the search was interrupted: the tree is the best one so far", InterruptedWarning, stacklevel=7
        )


def _constrained(
    task: Combined, vector: VectorLowered, rows: NDArray[np.uint8], options: dict[str, Any]
) -> tuple[dict[str, Any], Any]:
    """One objective within limits: the best tree, and the bound."""
    answer = _search_within(task, vector, rows, options)
    if answer["feasible"] is False:
        raise InfeasibleError(_infeasible(task, answer.get("closest")))
    if "feature" not in answer:
        raise StreedError(f"{task.name}: no feasible tree was found before the search ended")
    return answer, task.tasks[task.objectives[0]].report(float(answer["lower_bound"]))


def _search_within(
    task: Combined, vector: VectorLowered, rows: NDArray[np.uint8], options: dict[str, Any]
) -> dict[str, Any]:
    """Search the best value of the first objective within the limits."""
    places = [task.objectives[0], *task.limits]
    answer: dict[str, Any] = native.constrained(
        rows,
        np.ascontiguousarray(vector.costs[:, :, places]),
        lower=vector.lower[places[1:]],
        upper=vector.upper[places[1:]],
        branch_cost=vector.branch_cost[places],
        **options,
    )
    return answer


def _closest(
    task: Combined, vector: VectorLowered, rows: NDArray[np.uint8], options: dict[str, Any]
) -> NDArray[np.float64] | None:
    """Search what the limited parts of the closest tree are worth; None if that takes too long."""
    found: NDArray[np.float64] | None = _search_within(task, vector, rows, options).get("closest")
    return found


def _infeasible(task: Combined, closest: NDArray[np.float64] | None) -> str:
    """Say which limits no tree meets, and the values of the closest tree if the search came to know it."""
    if closest is None:
        words = ", and ".join(limit.words() for limit in task.limits.values())
        return f"{task.name}: no tree within the limits meets {words}"
    parts = [
        f"{limit.words()} (closest: {show(limit.report(float(cost)))})"
        for limit, cost in zip(task.limits.values(), closest, strict=True)
    ]
    return f"{task.name}: no tree within the limits meets {', and '.join(parts)}"


def _front(
    task: Combined, vector: VectorLowered, rows: NDArray[np.uint8], options: dict[str, Any]
) -> tuple[dict[str, Any], list[dict[str, Any]], list[bool], NDArray[np.float64] | None]:
    """Several objectives: all nondominated trees, which of them are supported, and what the parts cost.

    A limit is one more component, a lower one its negative. A part without a finite limit is no component:
    then what the parts cost is not known.
    """
    signed = [(i, 1.0, np.inf) for i in task.objectives]
    for i in task.limits:
        signed += [(i, 1.0, vector.upper[i])] if np.isfinite(vector.upper[i]) else []
        signed += [(i, -1.0, -vector.lower[i])] if np.isfinite(vector.lower[i]) else []
    places, signs = [i for i, _, _ in signed], np.array([sign for _, sign, _ in signed])
    answer = native.front(
        rows,
        np.ascontiguousarray(vector.costs[:, :, places] * signs),
        branch_cost=vector.branch_cost[places] * signs,
        upper=np.array([upper for _, _, upper in signed]),
        weights=np.zeros(len(signed)),
        budget=np.inf,
        **options,
    )
    trees = answer["trees"]
    costs = np.asarray(answer["values"], dtype=np.float64)
    if not trees and not answer["complete"] and task.limits:
        raise StreedError(f"{task.name}: no feasible tree was found before the search ended")
    if not trees and answer["complete"]:
        raise InfeasibleError(_infeasible(task, _closest(task, vector, rows, options)))
    if not trees:  # there was no time at all
        trees = [constant_tree(label) for label in range(vector.costs.shape[1])]
        costs = vector.costs[:, :, places].sum(axis=0)
    distinct = bool(answer["trees"]) and not task.limits
    kept = _nondominated(task, costs[:, : len(task.objectives)], distinct)
    touched = supported_points(costs, np.asarray(answer["supports"]), len(task.objectives))
    known = None
    if set(places) == set(range(len(task.parts))):
        first = [places.index(part) for part in range(len(task.parts))]
        known = (costs * signs)[np.ix_(kept, first)]
    return answer, [trees[i] for i in kept], touched[kept].tolist(), known


def supported_points(
    costs: NDArray[np.float64], supports: NDArray[np.float64], n_objectives: int
) -> NDArray[np.bool_]:
    """Which points have the least of some weighted sum of the objectives, so that nothing dominates them.

    A support is a line (w, v): no tree has w . costs below v. It counts if the weights of all objectives are
    above zero and those of limits are zero; a tree that dominates a point on it would be better by no more
    than rounding.

    Examples
    --------
    >>> costs = np.array([[0.0, 4.0], [3.0, 3.0], [4.0, 0.0]])
    >>> supported_points(costs, np.array([[1.0, 1.0, 4.0]]), 2).tolist()
    [True, False, True]
    """
    found = np.zeros(costs.shape[0], dtype=bool)
    for *line, least in supports.tolist():
        weights = np.array(line)
        own = weights[:n_objectives]
        if (own > 0).all() and not weights[n_objectives:].any():
            found |= costs @ weights <= least + TOLERANCE * own.min()
    return found


def _nondominated(task: Combined, costs: NDArray[np.float64], distinct: bool) -> list[int]:
    """Positions of the engine's costs in the objectives that are nondominated when they are reported.

    `distinct`: as costs, none of them is dominated.
    """
    tasks = [task.tasks[i] for i in task.objectives]
    offsets = [one.report(0.0) for one in tasks]
    slopes = [abs(one.report(1.0) - offset) for one, offset in zip(tasks, offsets, strict=True)]
    if not _any_covered(costs * slopes, distinct):
        return list(range(len(costs)))
    padded = []
    for line in costs.tolist():
        full = [0.0] * len(task.parts)
        for one, i, cost in zip(tasks, task.objectives, line, strict=True):
            full[i] = one.report(cost)
        padded.append(tuple(full))
    return task.select(padded, [better_of(one) for one in tasks])


def better_of(task: Task) -> Callable[[float, float], bool]:
    """Return whether one value of a task is better than another one."""
    return operator.gt if task.maximize else operator.lt


def _any_covered(values: NDArray[np.float64], distinct: bool) -> bool:
    """Whether a line of values is at least as small as another one everywhere, differences by rounding aside.

    `distinct`: no line covers another one exactly; one of them must then have a value that is greater than
    another one by no more than rounding, and only lines with such values have to be looked at.

    Examples
    --------
    >>> _any_covered(np.array([[0.0, 2.0], [1.0, 1.0]]), False)
    False
    >>> _any_covered(np.array([[0.0, 1.0], [1.0, 1.0]]), False)
    True
    """
    slack = TOLERANCE * np.maximum(1.0, np.abs(values))
    if values.shape[1] == 2:
        values, slack = values[order := np.argsort(values[:, 0], kind="stable")], slack[order]
        steps, play = np.diff(values, axis=0), np.maximum(slack[:-1], slack[1:])
        return bool((steps[:, 0] <= play[:, 0]).any() or (steps[:, 1] >= -play[:, 1]).any())
    if distinct:
        close = np.any([_close(column) for column in values.T], axis=0)
        values, slack = values[close], slack[close]
    order = np.argsort(values[:, 0], kind="stable")
    values, slack = values[order], slack[order]
    widest = slack.max(axis=0, initial=0.0)
    starts = np.searchsorted(values[:, 0], values[:, 0] - widest[0])  # all that may be covered come after
    second = np.ascontiguousarray(values[:, 1])
    for k, start in enumerate(starts.tolist()):
        near = start + np.flatnonzero(second[start:] >= values[k, 1] - widest[1])
        if near.size > 1:
            covers = (values[k] <= values[near] + np.maximum(slack[near], slack[k])).all(axis=1)
            if covers.sum() > 1:
                return True
    return False


def _close(column: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which values differ from another one, but only by rounding."""
    known, place = np.unique(column, return_inverse=True)
    near = np.diff(known) <= TOLERANCE * np.maximum(1.0, np.abs(known[1:]))
    found: NDArray[np.bool_] = (np.append(near, False) | np.append(False, near))[place]
    return found


def _solutions(
    task: Combined,
    parts: Sequence[Lowered],
    features: NDArray[np.uint8],
    names: Sequence[str] | None,
    answers: list[dict[str, Any]],
    known: NDArray[np.float64] | None,
) -> list[tuple[tuple[float, ...], Tree]]:
    """Count the values of all trees anew, each part by its own lowered form.

    `known` is what the engine says that they cost. It is given after Ctrl-C, when nobody wants to wait: the
    trees are then counted when they are looked at.
    """
    first = task.tasks[task.objectives[0]]
    sign = -1.0 if first.maximize else 1.0
    shown = (task.objectives[0], first.value_name, sign)
    trees, costs = count_trees(parts, *shown, features, names, answers, known)
    columns = [
        list(map(part.report, column)) for part, column in zip(task.tasks, costs.T.tolist(), strict=True)
    ]
    return list(zip(zip(*columns, strict=True), trees, strict=True))


def count_anew(
    task: Combined,
    parts: Sequence[Lowered],
    features: NDArray[np.uint8],
    names: Sequence[str] | None,
    answer: dict[str, Any],
) -> tuple[tuple[float, ...], Tree]:
    """Count the values of one tree anew; the parts may have leaf functions."""
    values, trees = [], []
    for part, low in zip(task.tasks, parts, strict=True):
        rows = features if low.rows is None else features[low.rows]
        sign = -1.0 if part.maximize else 1.0
        counted = make_tree(low, rows, names, answer, part.value_name, sign, part.name)
        values.append(part.report(counted.cost))
        trees.append(counted.tree)
    return tuple(values), trees[task.objectives[0]]


def objective_names(task: Combined) -> tuple[str, ...]:
    """Say what the objectives measure; those that measure the same get their place among the parts, too."""
    names = [measure_of(task.tasks[i]) for i in task.objectives]
    places = zip(names, task.objectives, strict=True)
    return tuple(name if names.count(name) == 1 else f"{name} (part {i + 1})" for name, i in places)


def values_of_limits(task: Combined, values: tuple[Any, ...]) -> dict[str, Any]:
    """Give what the limited parts of the first tree are worth, for `Result.statistics`."""
    return {f"part {i + 1}: {limit.task.name}": values[i] for i, limit in task.limits.items()}


def make_result(
    task: Combined,
    answer: dict[str, Any],
    found: list[tuple[tuple[float, ...], Tree]],
    bound: Any,
    started: float,
    supported: Sequence[bool] = (),
) -> Result:
    """Make a result of values with their trees; `bound` is that of a single objective."""
    signs = [-1.0 if task.tasks[i].maximize else 1.0 for i in task.objectives]
    own = [tuple(values[i] for i in task.objectives) for values, _ in found]
    flags = supported or [False] * len(found)
    order = np.lexsort((np.array(own, dtype=np.float64) * signs).T[::-1]).tolist()  # the best first one first
    front = [Solution(own[k], found[k][1], flags[k]) for k in order]
    single = len(task.objectives) == 1
    objective = front[0].values[0] if single else front[0].values
    optimal = bool(answer["optimal"] if single else answer["complete"])
    gap = relative_gap(front[0].values[0], bound) if single and not optimal else math.inf
    return Result(
        objective=objective,
        lower_bound=objective if optimal else bound,
        gap=0.0 if optimal else gap,
        optimal=optimal,
        status=str(answer["status"]),
        tree=front[0].tree,
        front=front,
        seconds=time.perf_counter() - started,
        statistics={**answer["statistics"], **values_of_limits(task, found[order[0]][0])},
        task=task.name,
        objectives=objective_names(task),
        measure=", ".join(objective_names(task)),
        note=note(task, ""),
    )
