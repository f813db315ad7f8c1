"""Who leads the searches of a solve on a cluster: short ones run here, long ones are shared out."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.distributed import roots, thresholds, whole
from streed.distributed.patience import DEFAULT, Patience
from streed.distributed.problem import RootProblem
from streed.options import Limits
from streed.solver.engines import by_depth, priced
from streed.solver.engines import thresholds as thresholds_engine
from streed.solver.led import led_by
from streed.solver.solve import solve_checked
from streed.tasks.base import Task, form_of
from streed.tasks.forms import CountsMetric, MeanParity, OneValue, Sums
from streed.tree.result import Result

LEAST_DEPTH = 3
"""Trees of fewer levels are one kernel: there is no root to share out."""


def is_shared(task: Task) -> bool:
    """Whether a task is solved by searches for one value, which are shared out; others go to one worker."""
    form = form_of(task)
    if isinstance(form, Sums):
        return (
            isinstance(form.objective, OneValue | CountsMetric | MeanParity) and not form.limits + form.lines
        )
    return isinstance(form, OneValue)


class ClusterLeader:
    """Answers for the engine (`streed.solver.led`).

    Every search begins here, for `Patience.start` seconds: most end within them, and the others have a tree
    and a bound then.
    """

    def __init__(self, client: Any, patience: Patience = DEFAULT) -> None:
        self.client, self.patience = client, patience

    def whole(
        self,
        task: Any,
        rows: NDArray[np.uint8],
        names: Sequence[str] | None,
        limits: Limits,
        progress: object,
    ) -> Result | None:
        """Solve a task by one worker, if it is not solved by searches that are shared out."""
        if is_shared(task):
            return None

        def begin(seconds: float) -> Result:
            with led_by(None):
                return solve_checked(task, rows, names, replace(limits, time_limit=seconds), False)

        def go_on(seconds: float) -> Callable[..., Result]:
            return partial(solve_checked, task, rows, names, replace(limits, time_limit=seconds))

        return whole.solve(begin, go_on, self.client, self.patience, limits.time_limit, progress)

    def by_depth(
        self, form: OneValue, rows: NDArray[np.uint8], name: str, options: dict[str, Any]
    ) -> dict[str, Any]:
        """Search up to a depth, by root features that are shared out."""
        began = time.perf_counter()
        if options["max_depth"] < LEAST_DEPTH:
            return by_depth.search_here(form, rows, name, options)
        start = by_depth.search_here(form, rows, name, self._short(options))
        if not self._goes_on(start, options, began):
            return start
        problem = RootProblem.make(form, rows, name, options)
        return roots.search(start, problem, self.client, options, self.patience, began)

    def thresholds(
        self, problem: thresholds_engine.ThresholdProblem, options: dict[str, Any]
    ) -> dict[str, Any]:
        """Search all thresholds, those of the root by workers; with a limit of work it does not take long."""
        if options.get("work_limit", math.inf) < math.inf or options["max_depth"] < LEAST_DEPTH:
            return thresholds_engine.search_here(problem, options)
        return thresholds.search(problem, options, self.client, self.patience)

    def priced(self, form: OneValue, rows: NDArray[np.uint8], options: dict[str, Any]) -> dict[str, Any]:
        """Search without a depth, by one worker."""
        began = time.perf_counter()
        start = priced.search_here(form, rows, self._short(options))
        if not self._goes_on(start, options, began):
            return start
        left = options["time_limit"] - (time.perf_counter() - began)
        given, poll = {**options, "time_limit": left}, options.get("poll")
        given.pop("poll", None)
        lean = OneValue(form.leaf, form.classes, form.branch_cost)
        problem = whole.PricedSearch(lean, rows, given)

        def told(state: list[float]) -> bool:
            return bool(poll is not None and poll(dict(zip(whole.STATE, state, strict=True))))

        answer, why = whole.run(problem, self.client, self.patience, left, told)
        if answer is None:
            return start | {"status": why}
        if why == "interrupted" and not answer["optimal"]:
            answer["status"] = why
        return dict(answer)

    def _short(self, options: dict[str, Any]) -> dict[str, Any]:
        return {**options, "time_limit": min(self.patience.start, options["time_limit"])}

    def _goes_on(self, start: dict[str, Any], options: dict[str, Any], began: float) -> bool:
        """Whether a search that began here is to be ended by the cluster."""
        in_time = time.perf_counter() - began < options["time_limit"]
        return bool(start["status"] == "time_limit" and in_time)
