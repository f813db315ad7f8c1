"""The way from a table to a tree: which columns are searched, and how.

Every threshold of numbers and dates is searched where the engine takes the task: with ``cuts="exact"`` to the
end, with ``cuts="auto"`` as far as that is cheap, and then the tree comes with a bound over all thresholds.
Where the task needs binary features, numbers are cut at quantiles and wherever a greedy tree of the same
depth cuts them, so that a tree that is proven best is never worse than that one.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from streed.binarize.binarizer import Binarizer
from streed.errors import CutsWarning, fits_are_silent, warn_caller
from streed.estimators import many
from streed.estimators.choosing import candidates, price
from streed.estimators.choosing.sizes import ThresholdSizes
from streed.estimators.fitted.baseline import baseline_of
from streed.estimators.fitted.limit_cost import limit_cost
from streed.estimators.fitting.columns import FitColumns, every
from streed.estimators.fitting.job import Job
from streed.estimators.many.columns import BinColumns
from streed.options import CUTS, LEAST_SECONDS, Limits
from streed.solver import greedy, noise, thresholds
from streed.solver.engines import thresholds as threshold_engine
from streed.solver.forecast import Pace
from streed.solver.progress import Watchers
from streed.solver.solve import solve_checked
from streed.table.encoded import EncodedRows
from streed.table.labels import counted_rows, encode
from streed.tasks.base import Task, form_of
from streed.tasks.forms import OneValue, Sums
from streed.tree.baseline import Baseline
from streed.tree.result import LimitCost, Result

if TYPE_CHECKING:
    from streed.estimators.base import BaseTree
    from streed.estimators.path import Collector

Features: TypeAlias = tuple[NDArray[np.uint8], Sequence[str] | None]
"""Binary features and their names."""

ALL = "every threshold was considered"

CHEAP = 4e8
"""Work of ``cuts="auto"`` without a time limit, in rows times columns walked over by the search for two
labels: about 0.4 s of processor time. At depth 3 most of ConTree's sets are proven within it: htru takes
3.7e8, avila 3.4e8, magic 2.5e8, fault 1.2e8, rice 7e7; eeg and bean keep gaps of 1 and 12 %. Tasks that need
several proven searches give up after it, and chosen cuts are searched."""

DEEP, CHEAP_DEEP = 3, 1e9
"""Up to so many levels, and the same for more of them: at depth 4 ConTree's sets have trees within 4 % of the
best known ones after 0.4 to 1.5 s, with bounds of a fifth to two thirds of them."""

CHEAP_PRICED = 5e7
"""The same for more than `DEEP` levels with a price chosen from the data: for a tree that predicts well. On 8
sets that take more, 2 splits, its trees predict other rows as well as those after 1e9 (accuracy +.0003),
after .10 instead of 1.25 s of processor time; the bound then is wider."""

FEW_LEVELS, FEW_LEVELS_SHARE = 4, 0.2
"""Where no depth limits the tree, cuts of a tree of so many levels are taken, which gets this share of the
time."""

CHEAP_WALKS = 200
"""At least so many walks over the whole table: large ones take about the time of scikit-learn's tree."""

MANY_CELLS = 100_000
"""Searches over all thresholds of so many cells, which a limit of work may end, have their pace watched."""

MOST_BITS, MOST_BITS_DEEP = {0: 4096, 1: 4096, 2: 4096, 3: 1024}, 512
"""Where a search over thresholds gives up, ``cuts="exact"`` makes a binary feature of each of so many
thresholds at most, by depth. A parity of 0.02 takes the engine .07 s with 700 rows and 2,098 features, and
.26 s with 500 rows and 3,993, at depth 2. At depth 3 it takes .02 s with 1,018 features, 4 s with 1,991 and
more than 10 s with 4,198."""

MOST_GREEDY_NODES = 1023
"""A greedy tree whose cuts are taken has no more nodes, where the limits allow any number."""


@dataclass(slots=True)
class FitPlan:
    """One fit: which columns are searched, on which rows, and what is done where that is not possible."""

    model: BaseTree
    job: Job
    progress: Any
    collector: Collector | None = None
    """What wants all sizes instead of one tree, if anything does."""
    baseline: Baseline | None = None
    """What simpler models are worth on the columns that were searched."""

    pace: Pace | None = None
    """What watches a search that a limit may end, to say how long it would have taken."""
    n_tests: int = 0
    """Number of features that a price was chosen for."""
    limit_cost: LimitCost | None = None
    """What the limits on other quantities cost."""
    columns: FitColumns | None = None
    """The columns as they were read first."""
    solved: Task | None = None
    """The task over the features that were searched, where it depends on them."""

    @property
    def total(self) -> float:
        """Seconds that the search takes in all, as far as its pace says that; else NaN."""
        return math.nan if self.pace is None else self.pace.total

    def _watched(self, n_cells: int) -> Any:
        """Return what watches the search: the pace, too, where a limit may end it."""
        if self.collector is not None or (self.limits.time_limit == math.inf and n_cells < MANY_CELLS):
            return self.progress
        self.pace = Pace()
        return Watchers(
            (*self.progress, self.pace) if isinstance(self.progress, Watchers) else (self.progress, self.pace)
        )

    @property
    def task(self) -> Any:
        """The task, or a function of the binary features."""
        return self.job.task

    @property
    def limits(self) -> Limits:
        """The limits; their clock began with the fit."""
        return self.job.limits

    def run(self) -> tuple[Any, Result]:
        """Return the fitted binarizer, and the result with a tree over its features."""
        binarizer, result = self._run()
        result = self.with_price(result)
        if self.limit_cost is not None:
            result = replace(result, limit_cost=self.limit_cost)
            result = _with_note(result, self.limit_cost.text(result))
        left_out = getattr(binarizer, "identifier_columns_", None)
        if left_out:
            name = "name" if len(left_out) > 1 else "names"
            result = _with_note(result, f"without {', '.join(map(repr, left_out))}, which {name} rows")
        return binarizer, result

    def _run(self) -> tuple[Any, Result]:
        cuts = self._cuts()
        taken = self.model.take_features(self.job.table, self.job.y, self.job.sample_weight, cuts)
        if taken is not None and self.job.make is not None:
            self._set_price(price.varying(taken[0]), lambda rows: taken[0][rows])
        if self.collector is not None and self.collector.candidates:
            return self._search_priced_candidates(taken)
        if taken is not None:
            note = self.job.table.note if isinstance(self.job.table, EncodedRows) else ""
            return self.model.binarizer_, _with_note(self._search_bits(*taken), note)
        why, rows = self._rows()
        self.columns = columns = self._read(default_binarizer(self.model), rows)
        self._set_price_of(columns)
        if cuts != "binned" and not why and self._has_many_rows(cuts):
            kept = self._search_many_rows(columns, cuts)
            if kept is not None:
                return kept
        if cuts == "binned" or not columns.searched:
            return self._search_all_cuts(columns)
        if why or not isinstance(self.task, Task):
            return self._search_without_thresholds(columns, why)
        return self._search_thresholds(columns, cuts)

    def _search_without_thresholds(self, columns: FitColumns, why: str) -> tuple[Binarizer, Result]:
        """Search chosen cuts; without a limit of the depth, those of a tree of few levels are among them."""
        run = self._few_levels(columns)
        if run is None:
            return self.search_chosen_cuts(columns, {}, why)
        result = run.solve()
        if result is not None and result.status == "interrupted":
            return columns.adopt(result, run.splits)
        return self.search_chosen_cuts(columns, columns.cuts_of(run.splits), why)

    def _few_levels(self, columns: FitColumns) -> thresholds.ThresholdRun | None:
        """Return a short search of few levels over all thresholds, where there is no limit of the depth.

        Without its cuts 13 of the 47 trees that were not proven cost more than its tree (40 sets, 2 splits).
        """
        if not self.limits.unlimited or not isinstance(self.task, Task) or self.collector is not None:
            return None
        few = replace(self.left(FEW_LEVELS_SHARE), max_depth=FEW_LEVELS)
        if threshold_engine.refusal(form_of(self.task), few) or not thresholds.has_one_value(self.task):
            return None
        matrix = columns.matrix()
        work = max(CHEAP_PRICED, CHEAP_WALKS * matrix.size)
        return thresholds.ThresholdRun(self.task, matrix, few, self.progress, work)

    def _search_thresholds(self, columns: FitColumns, cuts: str) -> tuple[Binarizer, Result]:
        """Search over all thresholds, and where that gives up over binary features."""
        matrix = columns.matrix()
        work = math.inf if cuts == "exact" else self._work(self.task, matrix.size)
        said = partial(_covered, columns=columns, timed=self.limits.time_limit < math.inf)
        if self.collector is not None:
            return ThresholdSizes(self, self.task, self.collector, columns, said, work).search(matrix)
        gone = time.perf_counter() - self.limits.started
        progress = self._watched(matrix.size)
        run = thresholds.ThresholdRun(self.task, matrix, self.left(), progress, work, gone)
        result = run.solve()
        if not run.gave_up and result is not None:
            binarizer, result = columns.adopt(result, run.splits)
            self.baseline = baseline_of(self.task, None, matrix, self.limits)
            self._count_limits(self.task, result, None, matrix)
            return binarizer, _with_note(result, said(result))
        most_bits = MOST_BITS.get(self.limits.max_depth, MOST_BITS_DEEP)
        if cuts == "exact" and columns.n_thresholds <= most_bits:
            return self._search_all_cuts(columns, columns.all_cuts())
        return self.search_chosen_cuts(columns, columns.cuts_of(run.splits), run.gave_up)

    @property
    def _exclude(self) -> Any:
        return getattr(self.model, "exclude", ())

    def _has_many_rows(self, cuts: str) -> bool:
        """Whether the table is too large for a search over all thresholds, at least within the time."""
        n_rows, n_columns = self.job.table.shape
        if self.collector is not None:
            return isinstance(self.task, Task) and many.is_short(self.limits, n_rows * n_columns)
        exact = cuts == "exact"
        return not self._exclude and many.suits(self.task, self.limits, n_rows * n_columns, exact=exact)

    def _search_many_rows(self, columns: FitColumns, cuts: str) -> tuple[Binarizer, Result] | None:
        """Search over bins of the columns, for all sizes over candidates; None if the thresholds are few."""
        table = BinColumns(columns)
        if not table.worth:
            return None
        if self.collector is None:
            return many.search(self.task, table, self.limits, self.progress, exact=cuts == "exact")
        said = "the time was too short for a search over all thresholds"
        return ThresholdSizes(self, self.task, self.collector, columns, lambda result: said, 0.0).search(None)

    def _search_priced_candidates(self, taken: Features | None) -> tuple[Any, Result]:
        """Search all sizes over candidates, with the price that a fit would choose."""
        if self.job.make is not None:
            self.columns = self._read(default_binarizer(self.model), self._rows()[1])
            self._set_price_of(self.columns)
        return self.search_candidates(taken, self.progress)

    def _set_price_of(self, columns: FitColumns) -> None:
        """Choose the price by the features that the default binarizer makes of some columns."""
        if self.job.make is not None:
            binarizer = columns.cut()
            self._set_price(len(binarizer.conditions_), lambda rows: columns.bits(binarizer, rows))

    def _set_price(self, n_features: int, features: Callable[[Any], NDArray[np.uint8]]) -> None:
        """Make the task with a price for so many features of rows, if it waits for one."""
        if self.job.make is None:
            return

        n_rows = counted_rows(self.job.sample_weight, self.job.table.shape[0])
        gain = price.gain_of_chance(n_features)
        task = price.free_of_limits(self.task)

        def unexplained() -> float:
            rows, target, share = self._noisy(task)
            if target.labels is not None:
                return noise.errors(features(rows), target, gain / (share * n_rows))
            return noise.unexplained(features(rows), target)

        share = task.share_of_gain(gain, n_rows, unexplained) if isinstance(task, Task) else gain / n_rows
        made = self.job.make(share)
        self.n_tests, self.job = price.least_tests(n_features), self.job._replace(task=made, make=None)

    def _noisy(self, task: Task) -> tuple[NDArray[np.intp], greedy.Target, float]:
        """Return rows that say how noisy targets are, what they cost by a task or as given, their share."""
        weights = self.job.sample_weight
        n_rows = self.job.table.shape[0]
        rows = np.arange(n_rows) if weights is None else np.flatnonzero(weights)
        form = form_of(task)
        value = form.value if isinstance(form, Sums) else form
        lowered = getattr(value, "rows", None)
        target = greedy.target_of(value) if isinstance(value, OneValue) else None
        if target is None or target.labels is None:
            target = self._target(rows)
        elif lowered is not None:
            rows = lowered
        assert target is not None
        some = noise.sample(rows.size, noise.ENOUGH if target.labels is None else noise.ENOUGH_LABELS)
        return rows[some], target.take(some), some.size / rows.size

    def with_price(self, result: Result) -> Result:
        """Tell a result what each branching node costs."""
        task = self.task if isinstance(self.task, Task) else self.solved
        units = 0.0 if task is None else price.in_units(task)
        if task is None or not units:
            return result
        return _with_note(replace(result, node_price=units), price.in_words(task, units, self.n_tests))

    def _read(self, binarizer: Binarizer, rows: Any) -> FitColumns:
        weights = _weights_of(rows, self.job.sample_weight, self.job.table.shape[0])
        return FitColumns(binarizer, self.job.table, self.job.y, weights, rows, self._exclude)

    def _cuts(self) -> str:
        """Return where numbers are cut; a given binarizer implies "binned"."""
        cuts = check_cuts(self.model.cuts)
        if self.model.binarizer is None:
            return cuts
        if cuts == "exact":
            raise ValueError("cuts='exact' takes every threshold, so no binarizer can be given")
        for name, default in (("dates", "date"), ("identifiers", "drop")):
            if (value := getattr(self.model, name)) != default:
                raise ValueError(f"give {name}={value!r} to the binarizer, since a binarizer is given")
        return "binned"

    def _rows(self) -> tuple[str, Any]:
        """Say why no search over thresholds takes the task, and which rows have a weight."""
        if isinstance(self.task, Task):
            why = threshold_engine.refusal(form_of(self.task), self.limits)
            kept = None if why else thresholds.kept_rows(self.task)
        else:
            why, kept = "tests have prices", None
        if why and self.job.sample_weight is not None:
            kept = np.flatnonzero(np.asarray(self.job.sample_weight))
        return why, slice(None) if kept is None else kept

    def _work(self, task: Task, n_cells: int) -> float:
        """Return the work after which a search over all thresholds ends, where no limit of time does."""
        if not thresholds.has_one_value(task):
            return CHEAP
        if self.limits.time_limit < math.inf:
            return math.inf
        deep = CHEAP_PRICED if self.n_tests else CHEAP_DEEP
        return max(CHEAP if self.limits.max_depth <= DEEP else deep, CHEAP_WALKS * n_cells)

    def _search_all_cuts(self, columns: FitColumns, cuts: Any = None) -> tuple[Binarizer, Result]:
        """Search over binary features that leave no threshold out."""
        self.model.binarizer_ = binarizer = columns.cut(cuts)
        result = self._search_bits(columns.bits(binarizer), binarizer.names())
        if not binarizer.has_cuts or result.note or (cuts is None and columns.searched):
            return binarizer, result
        return binarizer, _with_note(result, ALL if result.optimal else _searched(result, "all thresholds"))

    def search_chosen_cuts(
        self, columns: FitColumns, found: Mapping[int, list[Any]], why: str
    ) -> tuple[Binarizer, Result]:
        """Search over quantiles, the cuts of a greedy tree, and those that were found before."""
        if self.model.cuts == "exact":
            warn_caller(
                f"cuts='exact' is not possible ({why}): numbers are cut at quantiles and where a greedy tree "
                "cuts them",
                CutsWarning,
            )
        chosen = columns.union(found, self._greedy_cuts(columns))
        self.model.binarizer_ = binarizer = columns.cut(chosen)
        result = self._search_bits(columns.bits(binarizer), binarizer.names())
        n_cuts = sum(map(len, chosen.values()))
        few = f" and of a tree of {FEW_LEVELS} levels" if found and self.limits.unlimited else ""
        found_at = f"quantiles and those of a greedy tree{few} ({why})"
        return binarizer, _with_note(result, _searched(result, f"{n_cuts} cuts", f": {found_at}"))

    def search_candidates(
        self, taken: Features | None, progress: Any, share: float = 1.0, ending: float = 0.0
    ) -> tuple[Any, Result]:
        """Search all sizes over candidates: of all features that are given, else of cuts."""
        assert self.collector is not None
        why, rows = self._rows()
        target = self._target(rows) if why else self._target_of_task(rows)
        if taken is not None:
            (given, names), n_features = taken, taken[0].shape[1]
        else:
            columns, binarizer = self._candidate_cuts(rows, target)
            names, n_features = binarizer.names(), len(binarizer.conditions_)
        kept = None
        all_priced = not isinstance(self.task, Task)  # prices of tests are those of all features
        if not (all_priced or target is None or candidates.are_few(n_features, target, self.limits)):
            compared = every(rows, candidates.step_of(target.weights.size))
            some = given[compared] if taken is not None else columns.bits(binarizer, compared)
            kept = candidates.best_features(some, target, self.limits)
        if taken is not None:
            features = given if kept is None else np.ascontiguousarray(given[:, kept])
        else:
            features = columns.bits(binarizer, kept=kept)
        limits = self.left(share, ending)
        if self.collector.candidates and limits.time_limit < math.inf:
            gone = self.limits.time_limit - self.seconds_left()
            limits = replace(limits, time_limit=max(limits.time_limit, candidates.LEAST_SHARE * gone))
        if kept is None:
            result = self.collector.solve(self._made(features), features, names, limits, progress)
        else:
            result = self.collector.solve_some(self.task, features, kept, n_features, names, limits, progress)
        return self.model.binarizer_, result

    def seconds_left(self) -> float:
        """Return how much of the time limit is left since the fit began; below zero if the time is up."""
        return self.limits.time_limit - (time.perf_counter() - self.limits.started)

    def left(self, share: float = 1.0, ending: float = 0.0) -> Limits:
        """Return the limits, with a share of the time that is left.

        `ending` times as long as what is gone stays for what follows the search, but no more than half.
        """
        if self.limits.time_limit == math.inf:
            return self.limits
        left = self.seconds_left()
        left -= min(ending * (self.limits.time_limit - left), left / 2)
        return replace(self.limits, time_limit=max(share * left, LEAST_SECONDS))

    def _candidate_cuts(self, rows: Any, target: greedy.Target | None) -> tuple[FitColumns, Binarizer]:
        """Choose as candidates a few quantiles of each column and the cuts of greedy trees."""
        n_rows, n_columns = self.job.table.shape
        numbers = target is not None and target.numbers is not None
        n_quantiles = candidates.n_quantiles(n_columns, self.limits.max_depth, numbers)
        step = -(-n_rows // candidates.GREEDY_ROWS)
        columns = self.columns or self._read(default_binarizer(self.model), rows)
        assert self.collector is not None
        columns = columns.candidates(n_quantiles, step, shown=not self.collector.candidates)
        found = []
        if columns.searched and target is not None:
            grown = candidates.greedy_trees(columns.matrix(), None, target, self.limits, step)
            found = [columns.cuts_of(thresholds.splits_of(tree)) for tree in grown]
        cuts = columns.union(*found) if columns.searched else None
        self.model.binarizer_ = binarizer = columns.cut(cuts)
        return columns, binarizer

    def _greedy_cuts(self, columns: FitColumns) -> dict[int, list[Any]]:
        """Return the cuts of a greedy tree of the same depth, if there is a target to grow it on."""
        target = self._target(columns.rows)
        if target is None:
            return {}
        ranks = columns.matrix()
        limits = self.limits.for_rows(ranks.shape[1])
        limits = replace(limits, max_nodes=min(limits.max_nodes, MOST_GREEDY_NODES))
        grown = greedy.grow(ranks, None, target, limits)
        return columns.cuts_of(thresholds.splits_of(grown))

    def _target_of_task(self, rows: Any) -> greedy.Target | None:
        """Return what leaves cost the least for each row, if that is a label or a number; else as given."""
        assert isinstance(self.task, Task)
        form = form_of(self.task)
        target = greedy.target_of(form) if isinstance(form, OneValue) else None
        return self._target(rows) if target is None else target

    def _target(self, rows: Any) -> greedy.Target | None:
        """Return the classes or numbers of the target, as they were given."""
        if self.job.y is None:
            return None
        y = np.asarray(self.job.y)[rows]
        weights = np.ones(y.shape[0])
        if self.job.sample_weight is not None:
            weights = np.asarray(self.job.sample_weight, np.float64)[rows]
        if isinstance(self.model, ClassifierMixin):
            classes, codes = encode(y)
            return greedy.target_of_labels((codes, weights), None, len(classes))
        if y.dtype.kind not in "fiu":
            return None
        numbers = greedy.centred(y.astype(np.float64).reshape(weights.size, -1), weights)
        return greedy.Target("squares", None, numbers, weights, np.empty((0, 3)))

    def _search_bits(self, features: NDArray[np.uint8], names: Any) -> Result:
        """Search over binary features; where a path is wanted, its sizes."""
        made = self._made(features)
        if self.collector is None:
            result = solve_checked(made, features, names, self.left(), self._watched(0))
            self.baseline = baseline_of(made, features, None, self.limits)
            self._count_limits(made, result, features, None)
            return result
        return self.collector.solve(made, features, names, self.left(), self.progress)

    def _count_limits(self, task: Task, result: Result, bits: Any, ranks: Any) -> None:
        """Find what the limits on other quantities cost, if the task has any."""
        if not fits_are_silent():
            self.limit_cost = limit_cost(task, result, bits, ranks, self.limits)

    def _made(self, features: NDArray[np.uint8]) -> Task:
        self.solved = self.task if isinstance(self.task, Task) else self.task(features)
        return self.solved


def _covered(result: Result, columns: FitColumns, *, timed: bool) -> str:
    """Say which trees the bound of a search over all thresholds holds for; `timed` tells of a time limit."""
    if result.optimal:
        return ALL
    searched = f"all {columns.n_thresholds:,} thresholds were searched, but not to the end"
    known = f": no tree is better by more than {result.gap:.1%}" if result.gap < 1 else ""
    ended = result.status == "work_limit" and not timed
    more = "; a time_limit or cuts='exact' lets the search go on" if ended else ""
    return searched + known + more


def _searched(result: Result, what: str, which: str = "") -> str:
    """Say that cuts were considered, or, where the search was cut off, that they were not all searched."""
    if result.optimal:
        return f"{what} were considered{which}"
    return f"{what} were searched, but not to the end{which}"


def _with_note(result: Result, note: str) -> Result:
    if not note:
        return result
    return replace(result, note="; ".join(filter(None, (result.note, note))))


def _weights_of(rows: Any, sample_weight: Any, n_rows: int) -> Any:
    """Return weights of the rows for the binarizer: none for those that do not count for the task.

    Quantiles of all rows may miss the thresholds between the few that count, as with a class of weight 0.
    """
    if isinstance(rows, slice):
        return sample_weight
    weights = np.zeros(n_rows)
    weights[rows] = 1.0 if sample_weight is None else np.asarray(sample_weight)[rows]
    return weights


def default_binarizer(model: BaseTree | None = None) -> Binarizer:
    """Return the binarizer of an estimator that was given none, or of one with default parameters."""
    if model is None:
        return Binarizer(missing="side")
    missing: Any = "error" if model.cuts == "binned" else "side"
    identifiers: Any = model.identifiers
    return Binarizer(missing=missing, dates=model.dates, identifiers=identifiers)


def check_cuts(cuts: object) -> str:
    """Return the parameter, or refuse it."""
    return check_choice("cuts", cuts, CUTS)


def check_choice(name: str, given: object, known: Sequence[str]) -> str:
    """Return a parameter that is one of some words, or refuse it."""
    if not isinstance(given, str) or given not in known:
        expected = f"{', '.join(map(repr, known[:-1]))} or {known[-1]!r}"
        raise ValueError(f"{name} must be {expected}, got {given!r}")
    return given
