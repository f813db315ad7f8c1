"""All sizes where the search itself chooses thresholds: candidates at once, then proofs size by size.

Every size of such a path has thresholds of its own, so that no single search gives them all. A search over
candidate features finds good trees of all sizes in a fraction of the time of one fit. Then each size is
searched over all thresholds, small ones first, as far as the time goes. What is not proven by then keeps the
better tree of both. The sizes from which on ``cuts="auto"`` finds all thresholds too expensive share one
search over chosen cuts, as a fit would make it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from streed.binarize.binarizer import Binarizer
from streed.errors import InterruptedWarning, warn_caller
from streed.options import LEAST_SECONDS
from streed.paths.sizes import SizePath, never_worse
from streed.solver.one_value import bound_of_rows
from streed.solver.progress import LiveLine
from streed.solver.thresholds import ThresholdRun
from streed.tasks.base import Task, form_of
from streed.tasks.forms import OneValue
from streed.tree.result import Progress, Result, relative_gap

if TYPE_CHECKING:
    from streed.estimators.fitting.columns import FitColumns
    from streed.estimators.fitting.plan import FitPlan
    from streed.estimators.path import Collector

SHARE_OF_CANDIDATES = 0.5
"""Candidates may take this share of the time limit; a useful bound takes a search of all
thresholds."""

ENDING = 0.9
"""Where the time is too short for a search over all thresholds, so many times as long as what was before the
search over candidates is kept for its end: .7 s after 1.2 s with a million rows and 20 mixed columns."""

LEAST_SEARCH = 2.0
"""A search takes so many times as long as reading the columns, however little time it is given: 1.5 s after
0.75 with a million rows and 20 mixed columns. With less time left none is begun."""

SHORT = 0.1
"""A search of so many seconds is begun for its bound whatever time is left."""


class ThresholdSizes:
    """The path of one fit over columns of ranks."""

    def __init__(
        self,
        plan: FitPlan,
        task: Task,
        collector: Collector,
        columns: FitColumns,
        covered: Callable[[Result], str],
        work_limit: float,
    ) -> None:
        self._plan, self._task, self._collector, self._columns = plan, task, collector, columns
        self._covered, self._work = covered, work_limit
        self._sign = -1.0 if task.maximize else 1.0
        self._line = LiveLine() if plan.progress is True else None
        self._searches = 0
        self._ended = ""  # the limit or the interrupt that ended it
        self._why = ""  # why the rest is searched over chosen cuts
        self._before = 0.0  # seconds until the columns were read

    def search(self, matrix: Any) -> tuple[Binarizer, Result]:
        """Find all sizes and leave them with the collector; returns the largest one.

        `matrix` is None where the time is too short for a search over all thresholds.
        """
        self._before = time.perf_counter() - self._plan.limits.started
        self._begin(*(1.0, ENDING) if matrix is None else (SHARE_OF_CANDIDATES, 0.0))
        try:
            if matrix is not None:
                self._prove(matrix)
            elif not self._ended and not all(result.optimal for result in self._results):
                self._ended = "time_limit"
        except KeyboardInterrupt:
            self._ended = "interrupted"
            warn_caller("the path was interrupted: sizes have their best trees so far", InterruptedWarning)
        if self._why:
            self._choose_cuts()
        elif self._ended:
            self._bound(matrix)
        results = tuple(never_worse(self._results, self._sign < 0))
        self._collector.path = replace(self._quick, results=results, searches=self._searches)
        self._collector.binarizers = self._binarizers
        return self._binarizers[id(results[-1].tree)], results[-1]

    def _begin(self, share: float, ending: float) -> None:
        """Search all sizes over candidates, in a share of the time less that for the end."""
        plan = self._plan
        binarizer, _ = plan.search_candidates(None, self._watcher("candidates"), share, ending)
        self._quick: SizePath = self._collector.path
        self._binarizers = {id(result.tree): binarizer for result in self._quick}
        note = f"{self._collector.n_features} candidate features were considered"
        self._results = [
            replace(
                result,
                optimal=False,
                status="",
                lower_bound=-self._sign * float("inf"),
                gap=float("inf"),
                note=note,
            )
            for result in self._quick
        ]
        leaf = self._quick[0]
        self._results[0] = replace(leaf, note=self._covered(leaf))
        self._done(f"candidates: {len(self._quick.sizes)} trees over {self._collector.n_features} features")
        if any(result.status == "interrupted" for result in self._quick):
            self._ended = "interrupted"

    def _order(self) -> Iterator[tuple[int, float]]:
        """Yield sizes and the share of the time that each may take.

        The largest one comes first where candidates use fewer nodes: its proof settles all sizes down to its
        own.
        """
        most = len(self._results) - 1
        if self._quick[-1].tree.n_nodes < most:
            yield most, SHARE_OF_CANDIDATES
        for size in range(1, most + 1):
            yield size, 1.0

    def _prove(self, matrix: Any) -> None:
        """Search sizes over all thresholds, until the time is up or `cuts` gives up."""
        plan = self._plan
        for size, share in self._order():
            if self._why or self._ended:
                return
            if self._results[size].optimal:
                continue
            left = share * plan.seconds_left()
            if left <= self._least_seconds():
                self._ended = "time_limit"
                return
            run = self._run(matrix, size, left)
            self._why = run.gave_up
            if run.status == "interrupted" or (run.status != "optimal" and share == 1.0):
                self._ended = run.status

    def _least_seconds(self) -> float:
        """Return what a search takes at least, to read its rows and to count its tree."""
        return 0.0 if self._plan.limits.time_limit == math.inf else LEAST_SEARCH * self._before

    def _run(self, matrix: Any, size: int, seconds: float) -> ThresholdRun:
        plan = self._plan
        limits = replace(plan.limits, max_nodes=size, time_limit=seconds)
        watcher = self._watcher(f"size {size}")
        run = ThresholdRun(self._task, matrix, limits, watcher, self._work, self._before)
        result = run.solve()
        self._searches += 1
        if result is not None:
            binarizer, result = self._columns.adopt(result, run.splits)
            self._binarizers[id(result.tree)] = binarizer
            self._offer(size, replace(result, note=self._covered(result)))
            self._done(f"size {size}: {result.objective:g}, {'proven' if result.optimal else 'not proven'}")
        return run

    def _offer(self, size: int, result: Result) -> None:
        """Take a result for a size: a proof, or a better tree, or a better bound."""
        if result.optimal:
            for k in range(result.tree.n_nodes, size + 1):
                if not self._results[k].optimal:
                    self._results[k] = result
            return
        known = self._results[size]
        better = self._sign * (known.objective - result.objective) > 0
        self._results[size] = self._open(result if better else known, result.lower_bound, result.status)

    def _open(self, result: Result, bound: Any, status: str) -> Result:
        gap = relative_gap(result.objective, bound)
        return replace(result, lower_bound=bound, gap=gap, optimal=False, status=status)

    def _bound(self, matrix: Any) -> None:
        """Give the sizes that are not proven the bound of the largest one: fewer nodes are no better."""
        most = len(self._results) - 1
        form = form_of(self._task)
        if self._results[most].status == "":
            seconds = self._plan.seconds_left() if self._ended == "work_limit" else LEAST_SECONDS
            short = matrix is None or self._least_seconds() > max(self._plan.seconds_left(), SHORT)
            if isinstance(form, OneValue) and short:
                self._results[most] = self._open(
                    self._results[most], bound_of_rows(self._task, form), self._ended
                )
            else:
                self._run(matrix, most, seconds)
        bound = self._results[most].lower_bound
        for size in range(most, 0, -1):
            result = self._results[size]
            if result.optimal:
                bound = result.objective
                continue
            tighter = max if self._sign > 0 else min
            bound = tighter(bound, result.lower_bound)
            self._results[size] = self._open(result, bound, self._ended)

    def _choose_cuts(self) -> None:
        """Search the sizes that are not proven over chosen cuts, with those that trees have so far."""
        plan, columns = self._plan, self._columns
        found: dict[int, list[Any]] = {}
        for result in self._results:
            for j, cuts in columns.cuts_of_tree(self._binarizers[id(result.tree)], result.tree).items():
                found[j] = sorted({*found.get(j, ()), *cuts})
        binarizer, last = plan.search_chosen_cuts(columns, found, self._why)
        self._searches += 1
        path: SizePath = self._collector.path
        self._done(f"chosen cuts: {len(path.sizes)} trees over {self._collector.n_features} features")
        for size, result in enumerate(path):
            self._binarizers[id(result.tree)] = binarizer
            known = self._results[size]
            if known.optimal:
                continue
            if self._sign * (result.objective - known.objective) > 0:  # as where the time is up
                self._results[size] = self._open(known, result.lower_bound, result.status)
            else:
                self._results[size] = replace(result, note=last.note)

    def _watcher(self, what: str) -> Any:
        """Return what a search gets as its progress: a line with the size, or the user's function."""
        if self._line is None:
            return self._plan.progress
        line, started = self._line, self._plan.limits.started
        most = self._plan.limits.max_nodes

        def draw(progress: Progress) -> bool:
            seconds = time.perf_counter() - started
            line.draw(
                f"path: {what} of {most}: {seconds:.1f} s, best {progress.objective:g}, "
                f"root {100 * progress.root_done:.0f} %"
            )
            return False

        return draw

    def _done(self, what: str) -> None:
        if self._line is not None:
            self._line.leave(f"path: {what}, {time.perf_counter() - self._plan.limits.started:.1f} s")
