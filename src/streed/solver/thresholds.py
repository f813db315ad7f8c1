"""Solves over all thresholds of columns of ranks, for tasks that are solved by searches for one value.

The engine (``core/thresholds``) takes columns as ranks: equal values have equal ranks. Its answer is a tree
whose features are numbers of splits, each a column and a rank. `ThresholdRun` makes every split that occurs a
binary feature of its own, so that the strategies, which know nothing of thresholds, count trees over binary
features: one search, Dinkelbach's iteration, the hull of a metric, and limits by multipliers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from streed.options import LEAST_SECONDS, Limits
from streed.solver import greedy, limited_search, multipliers
from streed.solver.engines import thresholds as engine
from streed.solver.engines.thresholds import value_of
from streed.solver.merged_rows import merge_classes, merge_sums
from streed.solver.run import Run
from streed.solver.strategies import choose
from streed.table.limits import rank_at_most
from streed.tasks.base import Task, form_of
from streed.tasks.forms import OneValue
from streed.tree.result import Result

OTHER_SEARCH = 3
"""A search over chosen cuts takes so many times as long as what came before this one, or longer: 1.3 s after
0.9 with a million rows and 12 columns, 2.1 after 0.65 with 300,000 and 20. It is not begun with less time."""

FIRST_ATTEMPT = 1e7
"""Work of the exact attempt with which an anytime search begins: about 10 ms. It proves many small tables."""


MOST_ROWS = 100_000
"""Of more rows no greedy tree over all thresholds is grown beside that of an anytime search, which tests
quantiles: it took 3.5 s of 16 with a million rows and 20 columns."""


class Split(NamedTuple):
    """Rows whose rank in a column is at most `rank` go right; `following` is the next rank in the node."""

    column: int
    rank: int
    following: int
    missing: bool


def splits_of(answer: dict[str, Any]) -> list[Split]:
    """Read the splits of an answer."""
    parts = (answer[name].tolist() for name in ("column", "rank", "next_rank", "missing_right"))
    return [
        Split(column, rank, following, bool(side))
        for column, rank, following, side in zip(*parts, strict=True)
    ]


def has_one_value(task: Task) -> bool:
    """Whether one search solves a task that is not refused."""
    return isinstance(form_of(task), OneValue)


def kept_rows(task: Task) -> NDArray[np.int64] | None:
    """Return the rows that have a weight in a task that is not refused; None: all."""
    return value_of(form_of(task)).rows


ENDING = 2.0
"""After a search its tree is built from the rows, compared with a greedy one, counted and recorded, which
takes up to so many times as long as what was before the search. At 10^6 rows, 20 columns and 10 s a
regression ended after 10.8 s with 1 and 10.5 s with 2; with mixed columns after 10.9 to 11.4 s and 10.6 s."""

MOST_KEPT = 0.8
"""No more than this share of what is left is kept: at 3 s a regression with 10^6 rows, 20 mixed columns and
``cuts="exact"`` took 3.8 s of processor time with a half."""


class ThresholdRun(Run):
    """One solve over all thresholds of a task that is not refused.

    `ranks` has the shape (columns, rows), with the rows that have a weight (`kept_rows`). Work is counted
    over all searches. A task of one value is searched anytime: it has a good tree and a bound soon, and the
    limit of work ends it with both. Other tasks need several searches that are proven: the run gives up at
    the limit, and where only a front would settle the task.

    After a search its tree is made from the ranks and its splits are evaluated on all rows, which nothing may
    cut short. That takes about as long as what came before the first search, `seconds_before` of reading the
    table included (1.0 and 0.9 s of processor time with a million rows and 12 columns, 0.7 and 0.6 s with
    300,000 and 20): so much of the time limit is kept for it.

    Attributes
    ----------
    splits : list of Split
        The splits that occurred, in the order of the binary features that they are.
    anytime : bool
        Whether the limit of work leaves a tree with a bound instead of nothing.
    """

    def __init__(
        self,
        task: Task,
        ranks: NDArray[np.int32],
        limits: Limits,
        progress: object,
        work_limit: float = math.inf,
        seconds_before: float = 0.0,
    ) -> None:
        super().__init__(task, np.empty((ranks.shape[1], 0), np.uint8), None, limits, progress)
        if self.watcher.watched:
            self.watcher.even = True
        self.ranks = ranks
        self.splits: list[Split] = []
        self._numbers: dict[Split, int] = {}
        self._work_left = work_limit
        self._before = seconds_before
        self._ending = 0.0
        self.anytime = has_one_value(task)

    def solve(self) -> Result | None:
        """Solve the task by the strategy for its form; None if the run gave up without a tree."""
        form = form_of(self.task)
        return choose(self, form)(self, form)

    def options(self, max_depth: int | None = None) -> dict[str, Any]:
        """Give the limits for the next search, less what is kept for its end."""
        options = super().options(max_depth)
        if self.limits.time_limit < math.inf:
            self._ending = self._ending or self._before + self.elapsed
            kept = min(ENDING * self._ending, MOST_KEPT * self.time_left)
            options["time_limit"] = max(self.time_left - kept, LEAST_SECONDS)
        return options

    @property
    def stopped(self) -> bool:
        """Whether no further search may begin, which takes as long as the first one and its end at least."""
        if self.status == "optimal" and self.time_left < 2 * self._ending:
            self.status = "time_limit"
        return super().stopped

    def give_up(self, why: str) -> None:
        """End the solve: no further search begins, and the best tree so far is the answer."""
        self.gave_up = why
        if self.status == "optimal":
            self.status = "work_limit"

    def keep(self, rows: NDArray[np.int64] | None) -> None:
        """Refuse leaves that must hold more rows than there are; rows without a weight are gone already."""
        self.limits = self.limits.for_rows(self.ranks.shape[1])

    def search_value(
        self, form: OneValue, rows: NDArray[np.uint8], max_depth: int | None = None, name: str = ""
    ) -> dict[str, Any]:
        """Search the tree with the least value of a form over all thresholds."""
        if self.lines:
            return limited_search.search_value(self, form, max_depth)
        if form.leaf.squares is not None:
            return self._search_squares(form.leaf.squares, form.branch_cost, max_depth)
        labels, costs = form.leaf.native_rows()
        return self._search(labels, costs, form.classes.size, form.branch_cost, max_depth)

    def search_costs(
        self, costs: NDArray[np.float64], branch_cost: float, max_depth: int | None = None
    ) -> dict[str, Any]:
        """Search the least sum of costs of shape (rows, labels) over all thresholds."""
        return self._search(None, np.ascontiguousarray(costs), costs.shape[1], branch_cost, max_depth)

    def _search(
        self, labels: Any, costs: Any, n_labels: int, branch_cost: float, max_depth: int | None
    ) -> dict[str, Any]:
        ranks, given = self.ranks, (labels, costs)
        if self.limits.min_samples_leaf == 1 and labels is not None:  # else rows are counted
            ranks, *labels = merge_classes(ranks, *labels)
        elif self.limits.min_samples_leaf == 1:
            ranks, costs = merge_sums(ranks, costs)
        search = partial(engine.search, ranks, labels, costs, n_labels)
        answer = self._call(search, branch_cost, max_depth)
        if not answer["optimal"] and max_depth is None:
            self._improve(answer, greedy.target_of_labels(*given, n_labels), branch_cost)
        return answer

    def _search_squares(
        self, statistics: NDArray[np.float64], branch_cost: float, max_depth: int | None
    ) -> dict[str, Any]:
        ranks, values = self.ranks, statistics
        if self.limits.min_samples_leaf == 1:  # else rows are counted
            ranks, values = merge_sums(ranks, statistics)
        answer = self._call(partial(engine.search_squares, ranks, values), branch_cost, max_depth)
        if not answer["optimal"] and max_depth is None:
            self._improve(answer, greedy.target_of_squares(statistics), branch_cost)
        return answer

    def _call(
        self, search: Callable[..., dict[str, Any]], branch_cost: float, max_depth: int | None
    ) -> dict[str, Any]:
        """Run one search of the engine within what is left of the limits."""
        options = self.options(max_depth)
        options.update(
            branch_cost=branch_cost, work_limit=self._work_left, first_attempt=FIRST_ATTEMPT * self.anytime
        )
        answer = self.note(search(options))
        self._work_left = max(self._work_left - float(answer["work"]), 1.0)
        self._number_splits(answer)
        ended = answer["status"] not in ("optimal", "time_limit", "interrupted")
        if self._work_left < math.inf and ended and not self.anytime:
            if self.time_left > OTHER_SEARCH * self._ending:
                self.give_up("all thresholds would take long")
            else:
                answer["status"] = self.status = "time_limit"
        return answer

    def _improve(self, answer: dict[str, Any], target: greedy.Target | None, branch_cost: float) -> None:
        """Let a greedy tree take the place of one that a limit left, if it costs less.

        Where users gave the time, there is a tree by entropy, too: of bean at depth 5 it has 1,030 errors, by
        gini 1,178, and a search of half a second 1,036.
        """
        too_large = answer["status"] == "work_limit" and self.ranks.shape[1] > MOST_ROWS
        if target is None or self.gave_up or too_large:
            return
        timed = answer["status"] == "time_limit" and target.labels is not None
        for criterion in ("gini", "entropy") if timed else (target.criterion,):
            wanted = target._replace(criterion=criterion)
            tree = greedy.grow(self.ranks, None, wanted, self.limits, self.time_left)
            self._number_splits(tree)
            greedy.improve(answer, tree, self.rows, target, branch_cost)

    def _number_splits(self, answer: dict[str, Any]) -> None:
        """Make the features of an answer numbers of binary features of this run."""
        found = splits_of(answer)
        for split in found:
            if split not in self._numbers:
                self._numbers[split] = len(self.splits)
                self.splits.append(split)
        numbers = np.array([*(self._numbers[split] for split in found), -1], np.int32)  # a leaf has -1
        answer["feature"] = numbers[answer["feature"]]
        n_rows, n_known = self.rows.shape
        if n_known < len(self.splits):
            rows = np.empty((n_rows, len(self.splits)), np.uint8)
            rows[:, :n_known] = self.rows
            for number, split in enumerate(self.splits[n_known:], n_known):
                ranks = self.ranks[split.column]
                rows[:, number] = rank_at_most(ranks, split.rank, missing=split.missing)
            self.rows = self.features = rows

    def search_limited(
        self,
        costs: NDArray[np.float64],
        lower: Any,
        upper: Any,
        branch_cost: Any,
        max_depth: int | None = None,
        prices: Mapping[str, Any] = MappingProxyType({}),
    ) -> dict[str, Any]:
        """Search the least first component with the others within limits: by multipliers, if these do."""
        ends = np.asarray(lower), np.asarray(upper)
        limited = multipliers.Limited(self, costs, *ends, branch_cost[0], max_depth)
        answer = limited.solve()
        if limited.has_gap and not self.stopped:
            self.give_up("the limits leave a gap that only a front closes")
            answer["status"] = self.status
        return answer

    def search_front(
        self, costs: NDArray[np.float64], upper: Any, weights: Any, budget: float, branch_cost: Any = None
    ) -> dict[str, Any]:
        """Give up: thresholds are searched for one value only."""
        self.give_up("a part of the metric needs a front")
        return {"trees": (), "complete": False}
