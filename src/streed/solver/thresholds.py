"""Solves over all thresholds of columns of ranks, for tasks that are solved by searches for one value.

The engine (``core/thresholds``) takes columns as ranks: equal values have equal ranks. Its answer is a tree
whose features are numbers of splits, each a column and a rank. `ThresholdRun` makes every split that occurs a
binary feature of its own, so that the strategies, which know nothing of thresholds, count trees as ever:
one search, Dinkelbach's iteration, the hull of a metric, and limits by multipliers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.options import Limits
from streed.solver import multipliers
from streed.solver.merged_rows import merge_classes, merge_sums
from streed.solver.recount import make_tree
from streed.solver.run import Run
from streed.solver.strategies import choose
from streed.table.limits import rank_at_most
from streed.tasks.base import Task, form_of
from streed.tasks.forms import CountsMetric, GroupRates, LimitedValue, OneValue
from streed.tree.result import Result, Solution, relative_gap

engine: Any = _core.solve_thresholds
engine_of_squares: Any = _core.solve_threshold_squares
route: Any = _core.route


class GaveUpError(Exception):
    """The search over all thresholds ends without an answer; says why."""


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


def refusal(task: Task, limits: Limits) -> str:
    """Say why thresholds cannot be searched for a task; empty if they can."""
    form = form_of(task)
    if isinstance(form, CountsMetric) and form.positive < 0:
        return "the metric of more than two classes needs a front"
    if not isinstance(form, OneValue | CountsMetric | GroupRates | LimitedValue):
        return "it needs a front"
    value = _value_of(form)
    sums = value.leaf.affine or (value is form and value.leaf.squares is not None)
    if not sums or value.combination != "sum":
        return "its leaves do not cost the sum of their rows"
    if value.prices is not None:
        return "tests have prices"
    return "there is no limit of the depth" if limits.unlimited else ""


def has_squares(task: Task) -> bool:
    """Whether leaves cost the squared error about the mean of one target."""
    form = form_of(task)
    return isinstance(form, OneValue) and form.leaf.squares is not None


def _value_of(form: Any) -> OneValue:
    value: OneValue = form if isinstance(form, OneValue) else form.value
    return value


def kept_rows(task: Task) -> NDArray[np.int64] | None:
    """Return the rows that have a weight in a task that is not refused; None: all."""
    return _value_of(form_of(task)).rows


def costs_of(n_rows: int, labels: Any, costs: Any, n_labels: int) -> NDArray[np.float64]:
    """Return what each row costs with each label."""
    if labels is None:
        table: NDArray[np.float64] = costs
        return table
    codes, weights = labels
    table = np.repeat(weights[:, None], n_labels, axis=1)
    table[np.arange(n_rows), codes] = 0.0
    return table


Grow = Callable[[Any, Any], dict[str, Any] | None]
"""Grows a tree for classes (or targets) and weights, in the form of the engine without labels."""


def grow_greedy(grow: Grow, labels: Any, costs: NDArray[np.float64]) -> dict[str, Any] | None:
    """Grow a greedy tree for the classes of rows, or for the label that costs each row least."""
    weights = np.ptp(costs, axis=1)
    if not weights.any():
        return None
    return grow(*((costs.argmin(axis=1), weights) if labels is None else labels))


def label_leaves(
    tree: dict[str, Any], features: NDArray[np.uint8], costs: NDArray[np.float64], branch_cost: float
) -> float:
    """Give each leaf the label that costs least; returns what the tree costs."""
    leaf = route(features, tree["feature"], tree["left"], tree["right"])
    sums = np.zeros((tree["feature"].size, costs.shape[1]))
    np.add.at(sums, leaf, costs)
    leaves = tree["feature"] < 0
    tree["label"] = np.where(leaves, sums.argmin(axis=1), -1).astype(np.int32)
    return float(sums[leaves].min(axis=1).sum()) + branch_cost * int(np.count_nonzero(~leaves))


def grow_on_means(grow: Grow, statistics: NDArray[np.float64]) -> dict[str, Any] | None:
    """Grow a greedy tree for the targets of rows with statistics of squared errors."""
    weights = np.ascontiguousarray(statistics[:, 0])
    return grow(statistics[:, 1] / weights, weights)


def predict_means(
    tree: dict[str, Any], features: NDArray[np.uint8], statistics: NDArray[np.float64], branch_cost: float
) -> float:
    """Let every leaf predict the mean of its rows; returns what the tree costs."""
    leaf = route(features, tree["feature"], tree["left"], tree["right"])
    sums = np.zeros((tree["feature"].size, 3))
    np.add.at(sums, leaf, statistics)
    leaves = tree["feature"] < 0
    tree["label"] = np.where(leaves, 0, -1).astype(np.int32)
    weight, total, square = sums[leaves & (sums[:, 0] > 0)].T
    return float(np.maximum(square - total**2 / weight, 0.0).sum()) + branch_cost * int((~leaves).sum())


def better_greedy(
    result: Result, task: Task, features: NDArray[np.uint8], names: Sequence[str], grow: Grow
) -> Result:
    """Return a result whose tree is the greedy one, if that is better than the tree of a given result."""
    form = form_of(task)
    if not isinstance(form, OneValue):
        return result
    rows = features if form.rows is None else np.ascontiguousarray(features[form.rows])
    tree = _greedy_tree(form, rows, grow)
    if tree is None:
        return result
    sign = -1.0 if task.maximize else 1.0
    counted = make_tree(form, rows, names, tree, task.value_name, sign, task.name)
    objective = task.report(counted.cost)
    if sign * objective >= sign * float(result.objective):
        return result
    gap = relative_gap(objective, result.lower_bound)
    front = [Solution((objective,), counted.tree)]
    return replace(result, objective=objective, tree=counted.tree, front=front, gap=gap)


def _greedy_tree(form: OneValue, rows: NDArray[np.uint8], grow: Grow) -> dict[str, Any] | None:
    """Grow a greedy tree over binary features for a form, with its leaves labelled."""
    statistics = form.leaf.squares
    if statistics is not None:
        tree = grow_on_means(grow, statistics)
        if tree is not None:
            predict_means(tree, rows, statistics, form.branch_cost)
        return tree
    labels, costs = form.leaf.native_rows()
    table = costs_of(rows.shape[0], labels, costs, form.classes.size)
    tree = grow_greedy(grow, labels, table)
    if tree is not None:
        label_leaves(tree, rows, table, form.branch_cost)
    return tree


class ThresholdRun(Run):
    """One solve over all thresholds of a task that is not refused.

    `ranks` has the shape (columns, rows), with the rows that have a weight (`kept_rows`). Work is counted
    over all searches: `GaveUpError` is raised at its limit, and where only a front would settle the task.
    `greedy` grows a tree for classes (or targets) and weights, in the form of the engine without labels: it
    takes the place of a worse one that a time limit left.

    Attributes
    ----------
    splits : list of Split
        The splits that occurred, in the order of the binary features that they are.
    """

    def __init__(
        self,
        task: Task,
        ranks: NDArray[np.int32],
        limits: Limits,
        progress: object,
        work_limit: float = math.inf,
        greedy: Grow | None = None,
    ) -> None:
        super().__init__(task, np.empty((ranks.shape[1], 0), np.uint8), None, limits, progress)
        self.ranks = ranks
        self.splits: list[Split] = []
        self._numbers: dict[Split, int] = {}
        self._work_left = work_limit
        self._greedy = greedy

    def solve(self) -> Result:
        """Solve the task by the strategy for its form."""
        form = form_of(self.task)
        return choose(self, form)(self, form)

    def keep(self, rows: NDArray[np.int64] | None) -> None:
        """Refuse leaves that must hold more rows than there are; rows without a weight are gone already."""
        self.limits.check_rows(self.ranks.shape[1])

    def search_value(
        self, form: OneValue, rows: NDArray[np.uint8], max_depth: int | None = None, name: str = ""
    ) -> dict[str, Any]:
        """Search the tree with the least value of a form over all thresholds."""
        if form.leaf.squares is not None:
            return self._search_squares(form.leaf.squares, form.branch_cost, max_depth)
        labels, costs = form.leaf.native_rows()
        return self._search(labels, costs, form.classes.size, form.branch_cost, max_depth)

    def search_costs(self, costs: NDArray[np.float64], branch_cost: float) -> dict[str, Any]:
        """Search the least sum of costs of shape (rows, labels) over all thresholds."""
        return self._search(None, np.ascontiguousarray(costs), costs.shape[1], branch_cost, None)

    def _search(
        self, labels: Any, costs: Any, n_labels: int, branch_cost: float, max_depth: int | None
    ) -> dict[str, Any]:
        ranks, given = self.ranks, costs
        codes, weights = (None, None) if labels is None else labels
        if self.limits.min_samples_leaf == 1 and labels is not None:  # else rows are counted
            ranks, codes, weights = merge_classes(ranks, *labels)
        elif self.limits.min_samples_leaf == 1:
            ranks, costs = merge_sums(ranks, costs)
        answer = self._call(engine, (ranks, codes, weights, costs, n_labels), branch_cost, max_depth)
        if not answer["optimal"] and self._greedy is not None and max_depth is None:
            table = costs_of(self.ranks.shape[1], labels, given, n_labels)
            tree = grow_greedy(self._greedy, labels, table)
            self._replace(answer, tree, lambda made: label_leaves(made, self.rows, table, branch_cost))
        return answer

    def _search_squares(
        self, statistics: NDArray[np.float64], branch_cost: float, max_depth: int | None
    ) -> dict[str, Any]:
        ranks, values = self.ranks, statistics
        if self.limits.min_samples_leaf == 1:  # else rows are counted
            ranks, values = merge_sums(ranks, statistics)
        answer = self._call(engine_of_squares, (ranks, values), branch_cost, max_depth)
        if not answer["optimal"] and self._greedy is not None and max_depth is None:
            tree = grow_on_means(self._greedy, statistics)
            self._replace(answer, tree, lambda made: predict_means(made, self.rows, statistics, branch_cost))
        return answer

    def _call(
        self, search: Any, rows: tuple[Any, ...], branch_cost: float, max_depth: int | None
    ) -> dict[str, Any]:
        """Run one search of the engine within what is left of the limits."""
        options = self.options(max_depth)
        options.update(branch_cost=branch_cost, work_limit=self._work_left)
        answer = self.note(search(*rows, **options))
        self._work_left = max(self._work_left - float(answer["work"]), 1.0)
        self._number_splits(answer)
        if self._work_left < math.inf and answer["status"] not in ("optimal", "time_limit", "interrupted"):
            raise GaveUpError("all thresholds would take long")
        return answer

    def _replace(
        self, answer: dict[str, Any], tree: dict[str, Any] | None, label: Callable[[dict[str, Any]], float]
    ) -> None:
        """Let a greedy tree take the place of one that a limit left, if it costs less."""
        if tree is None:
            return
        self._number_splits(tree)
        cost = label(tree)
        if cost < answer["objective"]:
            answer.update(
                {name: tree[name] for name in ("feature", "left", "right", "label")}, objective=cost
            )

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
        self, costs: NDArray[np.float64], lower: Any, upper: Any, branch_cost: Any
    ) -> dict[str, Any]:
        """Search the least first component with the others within limits: by multipliers, if these do."""
        limited = multipliers.Limited(self, costs, np.asarray(lower), np.asarray(upper), branch_cost[0])
        answer = limited.solve()
        if answer is None:
            raise GaveUpError("the limits leave a gap that only a front closes")
        return answer

    def search_front(
        self, costs: NDArray[np.float64], upper: Any, weights: Any, budget: float, branch_cost: Any = None
    ) -> dict[str, Any]:
        """Give up: thresholds are searched for one value only."""
        raise GaveUpError("a part of the metric needs a front")
