"""The search for the trade-off: constrained searches, each with a limit just below the last difference.

The first search has no limit. Each answer is a pair (error, difference); the next search asks for the least
error with a strictly smaller difference, in whole numbers. If it is as good as the last one, that one was
dominated and goes. The end is reached at a difference of zero, or where nothing smaller is feasible. So every
nondominated pair is met, whatever the number of groups and rates. When time is up, all pairs but the last one
are proven: the next search could have found the error of the last one with a smaller difference. If not even
the first search ended, the best tree so far is all there is, and it is not called proven.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from streed.fairness.front import FairnessFront, FairnessPoint
from streed.limits.line import Line
from streed.solver.limited_search import NoTreeError
from streed.solver.recount import constant_tree, make_tree
from streed.solver.run import Run
from streed.solver.strategies.limited import begin
from streed.tasks.forms import OneValue

if TYPE_CHECKING:
    from streed.options import Limits
    from streed.tasks.fairness import GroupFairness

EVERYTHING = Fraction(2)
"""A difference that no tree exceeds."""


def search(run: Run, lines: tuple[Line, ...], value: OneValue, difference: Fraction) -> dict[str, Any]:
    """Search the fewest errors with a difference below another one."""
    most = [float(math.ceil(difference * int(line.per_unit)) - 1) for line in lines]
    run.lines = tuple(line._replace(lower=-end, upper=end) for line, end in zip(lines, most, strict=True))
    try:
        answer = run.search_value(value, run.rows)
    except NoTreeError as found:
        return found.answer
    return answer if run.lines else {**answer, "feasible": True}


def search_front(
    task: GroupFairness,
    features: NDArray[np.uint8],
    limits: Limits,
    progress: object,
    names: Sequence[str] | None,
) -> FairnessFront:
    """Find all nondominated pairs of error and difference; the limit of the task itself is ignored."""
    form = task.lower()
    value = form.value
    assert value is not None
    run = Run(task, features, names, limits, progress)
    begin(run, form)
    points: list[FairnessPoint] = []
    difference, complete = EVERYTHING, False
    best: dict[str, Any] = constant_tree(task.commonest)

    def point(answer: dict[str, Any]) -> tuple[FairnessPoint, Fraction]:
        counted = make_tree(value, run.rows, names, answer, task.value_name, 1.0)
        outcome = task.outcome(counted.predicted)
        error, apart = task.report(counted.cost), outcome.difference
        return FairnessPoint(error, float(apart), counted.tree, outcome.rates), apart

    with run.interruptible():
        while not (complete or (points and run.stopped)):
            answer = search(run, form.all_lines, value, difference)
            complete = answer["feasible"] is False
            best = answer if "feature" in answer else best
            if not (complete or answer["optimal"]):
                break
            if not complete:
                found, difference = point(answer)
                if points and points[-1].error == found.error:
                    points.pop()
                points.append(found)
                complete = difference == 0
    settled = len(points) if complete else max(0, len(points) - 1)
    if not points:
        points.append(point(best)[0])
    status = "optimal" if complete else run.status
    run.finish()
    how = (task.parity.name, task.total, status, run.elapsed, task.errors_name, settled)
    return FairnessFront(tuple(points), complete, *how)
