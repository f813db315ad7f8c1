"""Points of a front: which are dominated when they are reported, and which have a proof of their own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from streed.solver.fronts.result import better_of
from streed.tasks.combined import Combined
from streed.tolerance import TOLERANCE, slacks


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


def nondominated(task: Combined, costs: NDArray[np.float64], distinct: bool) -> list[int]:
    """Positions of the engine's costs in the objectives that are nondominated when they are reported.

    `distinct`: as costs, none of them is dominated.
    """
    tasks = [task.tasks[i] for i in task.objectives]
    offsets = [one.report(0.0) for one in tasks]
    slopes = [abs(one.report(1.0) - offset) for one, offset in zip(tasks, offsets, strict=True)]
    if not any_covered(costs * slopes, distinct):
        return list(range(len(costs)))
    padded = []
    for line in costs.tolist():
        full = [0.0] * len(task.parts)
        for one, i, cost in zip(tasks, task.objectives, line, strict=True):
            full[i] = one.report(cost)
        padded.append(tuple(full))
    return task.select(padded, [better_of(one) for one in tasks])


def any_covered(values: NDArray[np.float64], distinct: bool) -> bool:
    """Whether a line of values is at least as small as another one everywhere, differences by rounding aside.

    `distinct`: no line covers another one exactly; one of them must then have a value that is greater than
    another one by no more than rounding, and only lines with such values have to be looked at.

    Examples
    --------
    >>> any_covered(np.array([[0.0, 2.0], [1.0, 1.0]]), False)
    False
    >>> any_covered(np.array([[0.0, 1.0], [1.0, 1.0]]), False)
    True
    """
    slack = slacks(values)
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
    near = np.diff(known) <= slacks(known[1:])
    found: NDArray[np.bool_] = (np.append(near, False) | np.append(False, near))[place]
    return found
