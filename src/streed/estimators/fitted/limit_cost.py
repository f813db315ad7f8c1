"""What the limits of a tree cost: the best tree without them over the same tests, as far as time allows.

The search without limits is one search for one value, which is as a rule much shorter than the one under
limits. It gets no more time than that one had, and no more than is left of a time limit. Where it does not
end, the cost is known as far as its tree and its bound go.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.limits.counts import Nodes
from streed.options import Limits
from streed.solver.solve import solve_checked
from streed.solver.thresholds import ThresholdRun
from streed.tasks.base import Task, form_of
from streed.tasks.constrained import Constrained, most_nodes
from streed.tasks.forms import OneValue, Sums
from streed.tasks.regression.equal_means import EqualMeans
from streed.tree.result import LimitCost, Result

LEAST_SECONDS, MOST_SECONDS = 0.05, 10.0
"""The search may take as long as the one under limits, but so long in any case, and no longer than that."""
SHARE = 0.5
"""Of the time that is left of a time limit it may take this share."""


class Unlimited(Task):
    """The objective of a task under limits alone."""

    def __init__(self, task: Task, objective: OneValue) -> None:
        vars(self).update(vars(task))
        self.limited, self.objective = task, objective
        self.name, self.maximize, self.measure = task.name, task.maximize, task.measure  # type: ignore[misc]

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.limited.n_rows

    def lower(self) -> OneValue:
        """Give the objective."""
        return self.objective

    def report(self, cost: float) -> float:
        """Turn a cost into natural units."""
        return self.limited.report(cost)

    def components(self, X: Any, *, min_samples_leaf: int = 1) -> Any:
        """Refuse: only the engine searches it."""
        raise NotImplementedError


def without_limits(task: Any) -> Task | None:
    """Return a task without its limits on other quantities; None if it has none, or they are all there is."""
    if isinstance(task, Constrained):
        return None if all(isinstance(limit.quantity, Nodes) for limit in task.limits) else task.task
    if isinstance(task, EqualMeans):
        return task.without_limit()
    form = form_of(task) if isinstance(task, Task) else None
    if isinstance(form, Sums) and any(form.lines) and isinstance(form.objective, OneValue):
        return Unlimited(task, form.objective)
    return None


def limit_cost(
    task: Any,
    result: Result,
    bits: NDArray[np.uint8] | None,
    ranks: NDArray[np.int32] | None,
    limits: Limits,
) -> LimitCost | None:
    """Search again without limits; None for tasks without any. Columns are as for `baseline_of`."""
    free = without_limits(task)
    if free is None:
        return None
    left = SHARE * (limits.time_limit - (time.perf_counter() - limits.started))
    seconds = min(max(result.seconds, LEAST_SECONDS), MOST_SECONDS, left)
    if seconds <= 0 or result.status == "interrupted":
        return LimitCost(None, None)
    most = most_nodes(task.limits) if isinstance(task, Constrained) else None
    n_nodes = limits.max_nodes if most is None else min(limits.max_nodes, most)
    own = replace(limits, time_limit=seconds, max_nodes=n_nodes)
    if ranks is not None:
        found = ThresholdRun(free, ranks, own, False).solve()
    else:
        found = solve_checked(free, bits, None, own, False)  # type: ignore[arg-type]
    if found is None:
        return LimitCost(None, None)
    sign = -1.0 if free.maximize else 1.0
    best = sign * min(sign * float(found.objective), sign * float(result.objective))
    return LimitCost(best, float(found.lower_bound))
