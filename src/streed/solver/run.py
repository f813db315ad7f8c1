"""One solve: its searches, limits, progress callbacks, and its result.

Whatever the strategy, searches of the engine are run by the methods of `Run`, the result is made by
`Run.result`, and the user hears of Ctrl-C by one warning. A strategy may take many searches: they share the
time, their counters are added up, and after the first reason to stop no further search is started.
"""

from __future__ import annotations

import contextlib
import math
import numbers
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from streed.errors import InterruptedWarning, warn_caller
from streed.limits.line import Line
from streed.options import Limits
from streed.solver import greedy, limited_search, one_value
from streed.solver.engines import front as front_engine
from streed.solver.progress import Reports, watch
from streed.tasks.forms import OneValue
from streed.tree.result import Progress, Result, Solution, relative_gap
from streed.tree.tree import Tree

Made = TypeVar("Made")


class Run:
    """One solve of a task.

    Attributes
    ----------
    task : Task or Components
        What is solved.
    features : uint8 array
        The binary features of all rows.
    rows : uint8 array
        Those of the rows that have a weight; see `keep`.
    kept : int64 array or None
        Which rows these are; None: all.
    multipliers : float64 array or None
        What one more unit of each line was worth in the last search under limits.
    known : sequence of trees, or None
        Trees that the last search under limits has found, with which the next one begins.
    names : sequence of str or None
        Names of the features.
    limits : Limits
        The limits, which hold for all searches together.
    status : str
        "optimal", or the first reason to stop.
    refusals : tuple of str
        Why the strategies that were asked before this one did not take the task.
    gave_up : str
        Why the run ended without a proof though there was time left, so that another one goes on; else empty.
    objective, bound : float
        The best value and bound so far, as progress shows them; NaN: those of the running search.
    floor : float
        No value is below it; bounds are shown no lower.
    lines : tuple of Line
        Sums over the rows that every search keeps within limits.
    least_seconds : float
        Time for a search when hardly any is left, for searches that must return a tree; 0: no time at all.
    figures : mapping
        Figures of the strategy for `Result.statistics`.
    """

    status = "optimal"
    refusals: tuple[str, ...] = ()
    gave_up = ""
    objective = bound = math.nan
    floor = -math.inf
    lines: tuple[Line, ...] = ()
    kept: NDArray[np.int64] | None = None
    multipliers: NDArray[np.float64] | None = None
    known: Any = None
    least_seconds = 0.0
    figures: Mapping[str, Any] = MappingProxyType({})
    _statistics: dict[str, float] | None = None

    def __init__(
        self,
        task: Any,
        features: Any,
        names: Sequence[str] | None,
        limits: Limits,
        progress: object,
        reports: Reports | None = None,
    ) -> None:
        self.started = time.perf_counter()
        self.task = task
        self.features = features
        self.rows = features
        self.names = names
        self.limits = limits
        self._progress = progress
        self.watcher = watch(task if reports is None else reports, progress)

    def keep(self, rows: NDArray[np.int64] | None) -> None:
        """Leave out rows without a weight, and refuse leaves that must hold more rows than are left."""
        if rows is not None:
            self.rows, self.kept = np.ascontiguousarray(self.features[rows]), rows
        self.limits = self.limits.for_rows(self.rows.shape[0])

    def watch(self, reports: Reports) -> None:
        """Let another object turn costs into the natural units of progress."""
        self.watcher = watch(reports, self._progress)

    @property
    def elapsed(self) -> float:
        """Seconds since the solve began."""
        return time.perf_counter() - self.started

    @property
    def time_left(self) -> float:
        """Seconds that are left; not above zero if the time is up."""
        return self.limits.time_limit - self.elapsed

    @property
    def stopped(self) -> bool:
        """Whether no further search may begin: the time is up, or one was stopped."""
        if self.status == "optimal" and self.elapsed >= self.limits.time_limit:
            self.status = "time_limit"
        return self.status != "optimal"

    @contextlib.contextmanager
    def interruptible(self) -> Iterator[None]:
        """Take Ctrl-C between two searches as a reason to stop, as during one."""
        try:
            yield
        except KeyboardInterrupt:
            self.status = "interrupted"

    @property
    def _many(self) -> bool:
        """Whether progress must show the whole solve instead of the running search."""
        return self._statistics is not None or self.floor > -math.inf or not math.isnan(self.objective)

    def options(self, max_depth: int | None = None) -> dict[str, Any]:
        """Give the limits for the next search: those of the solve, less the time that is gone."""
        limits, poll = self.limits, None
        if self.watcher.watched:
            poll = self._poll if self._many else self.watcher.poll
        options = limits.arguments(poll)
        if limits.time_limit != math.inf:
            options["time_limit"] = max(self.time_left, self.least_seconds or limits.time_limit / 1000)
        if max_depth is not None:
            options.update(max_depth=max_depth, max_nodes=min(limits.max_nodes, 2**max_depth - 1))
        return options

    def _poll(self, state: dict[str, float]) -> bool:
        """Tell the watcher about the whole solve instead of one search."""
        poll = self.watcher.poll
        whole = {**state, "elapsed": self.elapsed, "lower_bound": max(state["lower_bound"], self.floor)}
        if not math.isnan(self.objective):
            whole.update(objective=self.objective, lower_bound=self.bound)
        return poll is not None and poll(whole)

    def search_value(
        self, form: OneValue, rows: NDArray[np.uint8], max_depth: int | None = None, name: str = ""
    ) -> dict[str, Any]:
        """Search the tree with the least value of a form; `name` is what errors call the task."""
        if self.lines:
            return limited_search.search_value(self, form, max_depth)
        options = self.options(max_depth)
        answer = self.note(one_value.search(form, rows, name or self.task.name, self.limits, options))
        if not answer["optimal"] and max_depth is None:
            greedy.improve_on_bits(answer, form, rows, self.limits, self.time_left)
        return answer

    def search_limited(
        self,
        costs: NDArray[np.float64],
        lower: Any,
        upper: Any,
        branch_cost: Any,
        max_depth: int | None = None,
        prices: Mapping[str, Any] = MappingProxyType({}),
    ) -> dict[str, Any]:
        """Search the least first component of label costs with the others within their limits."""
        options = {**self.options(max_depth), **prices, "known": self.known}
        answer = one_value.search_limited(self.rows, costs, lower, upper, branch_cost, self.limits, options)
        self.known = answer.get("known")
        return self.note(answer)

    def search_front(
        self, costs: NDArray[np.float64], upper: Any, weights: Any, budget: float, branch_cost: Any = None
    ) -> dict[str, Any]:
        """Search all nondominated vectors of label costs within `upper` and a budget of the weighted sum."""
        if self.lines:
            return limited_search.search_front(self, costs, upper, weights, budget)
        return self.note_front(costs, upper, weights, budget, branch_cost)

    def note_front(
        self,
        costs: NDArray[np.float64],
        upper: Any,
        weights: Any,
        budget: float,
        branch_cost: Any,
        prices: Mapping[str, Any] = MappingProxyType({}),
    ) -> dict[str, Any]:
        """Search a front that knows nothing of lines."""
        options = {**self.options(), **prices}
        return self.note(front_engine.search(self.rows, costs, upper, weights, budget, branch_cost, options))

    def note(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Add the counters of a search to those of the solve, and remember why it stopped."""
        known, new = self._statistics, answer["statistics"]
        new["engine_seconds"] = answer["seconds"]
        new["searches"] = 1
        if known is not None:
            peak = max(known.get("peak_memory", 0), new.get("peak_memory", 0))
            new = {name: known.get(name, 0) + new.get(name, 0) for name in {**known, **new}}
            new["peak_memory"] = peak
        self._statistics = new
        if answer["status"] != "optimal" and self.status == "optimal":
            self.status = str(answer["status"])
        return answer

    def counted(self, count: Callable[[], Made], answer: dict[str, Any]) -> Made:
        """Count an answer anew. If Ctrl-C interrupts it, count again: the tree has been found."""
        try:
            return count()
        except KeyboardInterrupt:
            self.status = "interrupted"
            answer.update(status="interrupted", optimal=False, complete=False)
            return count()

    def result(
        self,
        tree: Tree,
        objective: Any,
        bound: Any,
        optimal: bool,
        *,
        front: list[Solution] | None = None,
        name: str = "",
        measure: str = "",
        objectives: tuple[str, ...] = (),
        engine: str = "native",
        note: str = "",
        limits: tuple[Any, ...] = (),
    ) -> Result:
        """End the solve: its result, the last progress, and a warning after Ctrl-C."""
        seconds = time.perf_counter() - self.started
        gap = 0.0
        if optimal:
            bound = objective
        else:
            gap = relative_gap(objective, bound) if _is_number(objective) and _is_number(bound) else math.inf
        result = Result.trusted(
            objective=objective,
            lower_bound=bound,
            gap=gap,
            optimal=optimal,
            status="optimal" if optimal else self.status,
            tree=tree,
            front=[Solution((objective,), tree)] if front is None else front,
            seconds=seconds,
            statistics=self._all_figures(),
            task=name or self.task.name,
            objectives=objectives,
            engine=engine,
            measure=measure,
            note=note,
            limits=limits,
        )
        if self.watcher.watched and not self.gave_up:
            self.finish(objective, bound, gap, optimal)
        if result.status == "interrupted" and not self.watcher.stopped:
            known = f", with a gap of {gap:.2%}" if gap < math.inf else ""
            warn_caller(
                f"the search was interrupted: the tree is the best one so far{known}", InterruptedWarning
            )
        return result

    def finish(
        self, objective: Any = None, bound: Any = None, gap: float = math.nan, optimal: bool = False
    ) -> None:
        """Show the last progress, and raise what the function that watched has raised."""
        value, proven = (float(v) if _is_number(v) else math.nan for v in (objective, bound))
        done = 1.0 if optimal else self.watcher.root_done
        memory = float(self._all_figures().get("peak_memory", 0))
        self.watcher.finish(Progress(self.elapsed, value, proven, gap, done, memory))

    def _all_figures(self) -> Mapping[str, Any]:
        """Return the counters of the engine and the figures of the strategy."""
        known = self._statistics or {}
        return {**known, **self.figures} if self.figures else known


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real)
