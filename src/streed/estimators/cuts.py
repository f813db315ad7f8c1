"""Where numbers are cut: at every threshold that a search finds best, or at cuts chosen before it.

``cuts="exact"`` searches over every threshold of numbers and dates. ``cuts="auto"`` does so as long as it is
cheap. Where it is not, or where the task needs binary features, numbers are cut at quantiles and wherever a
greedy tree of the same depth cuts them, so that a tree that is proven best is never worse than that one.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from streed.binarize.binarizer import Binarizer
from streed.binarize.encode import values_and_missing
from streed.binarize.plan import dates_of, most_cuts
from streed.estimators.greedy import GreedyTable, short_numbers
from streed.options import CUTS, Limits
from streed.solver import thresholds
from streed.table.columns import Column, Kind, column_names, read_columns
from streed.thresholds.columns import Ranks, encode_columns
from streed.tree.result import Result

ALL = "every threshold was considered"

CHEAP = 5e8
"""``cuts="auto"`` gives up a search over all thresholds after walking over so many rows times columns, in all
its searches together. That is 0.2 to 1.5 s of processor time. All of ConTree's sets are proven at depth 3:
eeg takes 4.1e8 (0.76 s), htru 3.5e8 (0.63 s), magic 2.3e8, avila 1.3e8, bean 8e7, rice 6e7, fault 4e7. At
depth 4 most of them are not, rice among them (more than 1e9), and a search over chosen cuts follows."""

CHEAP_SQUARES = 5e7
"""The same for squared errors, of which a row and a column take ten times as long: 0.5 to 1.2 s. At depth 3
carbon takes 2.8e7 (0.4 s), diabetes 5.1e6, concrete 2.0e6, airfoil 1.2e6, grid 2.5e8 (6 s); at depth 4
airfoil 3.0e7 (0.3 s), concrete 9.7e7 (1.2 s), diabetes 5.6e8 (9 s)."""

LEAST_SECONDS = 1e-3


class Numbers(NamedTuple):
    """The columns of a table whose thresholds a binarizer has not all taken, and all columns as ranks."""

    ranks: list[Ranks]
    """Of numbers and dates, if one of them can be cut in more ways."""
    columns: list[int]
    """Which columns of the table these are."""
    owners: NDArray[np.intp]
    """The column that each binary feature comes from."""
    others: list[int]
    """The binary features of all other columns."""
    rows: Any
    """The rows that have a weight; a slice of all of them if all have."""
    known: dict[int, Ranks]
    """All columns of numbers and dates, also those that the binarizer cut everywhere."""

    def matrix(self, features: NDArray[np.uint8]) -> NDArray[np.int32]:
        """All columns for the engine: ranks, then binary features (rows that have one come first)."""
        features = features[self.rows]
        table = np.empty((len(self.ranks) + len(self.others), features.shape[0]), np.int32)
        for row, one in zip(table, self.ranks, strict=False):
            row[:] = one.codes
        table[len(self.ranks) :] = 1 - features[:, self.others].T
        return table

    def greedy_table(self, features: NDArray[np.uint8]) -> GreedyTable:
        """All columns in the order of the table, for a greedy tree."""
        features = features[self.rows]
        columns: list[NDArray[np.float32]] = []
        engine: list[int] = []
        for number in sorted({*self.owners.tolist(), *self.known}):
            if number in self.known:
                columns.append(short_numbers(self.known[number]))
                engine.append(self.columns.index(number) if number in self.columns else -1)
                continue
            for feature in np.flatnonzero(self.owners == number).tolist():
                columns.append(features[:, feature].astype(np.float32))
                engine.append(-1)
        made = np.column_stack(columns) if columns else np.empty((features.shape[0], 0), np.float32)
        return GreedyTable(made, engine, features[:, self.others], self.ranks)


def ranks_of(table: Any, rows: Any) -> dict[int, Ranks]:
    """Return the columns of numbers and dates (also of dates that are texts) as ranks of some rows."""
    numbers: dict[int, Column] = {}
    for number, column in enumerate(read_columns(table, column_names(table))):
        dates = dates_of(column)
        column = column if dates is None else dates
        if column.kind not in (Kind.NUMBER, Kind.DATE):
            continue
        values, missing = values_and_missing(column, "side")
        missing = None if missing is None else missing[rows]
        numbers[number] = Column(column.name, column.kind, values[rows], missing=missing)
    encoded = zip(numbers, encode_columns(list(numbers.values())), strict=True)
    return {number: ranks for number, ranks in encoded if ranks.kind != "one"}


def columns_to_search(known: dict[int, Ranks], n_columns: int) -> list[int]:
    """Return the columns with more than one threshold, if one has more than a binarizer takes; else none.

    All of them are searched then: a column of ranks takes as long as one binary feature.
    """
    most = most_cuts(n_columns)
    if all(len(ranks.distinct) - 1 <= most for ranks in known.values()):
        return []
    return _with_thresholds(known)


def _with_thresholds(known: dict[int, Ranks]) -> list[int]:
    return [number for number, ranks in known.items() if len(ranks.distinct) > 2]


def other_features(
    table: Any, y: Any, sample_weight: Any, left_out: list[int]
) -> tuple[NDArray[np.uint8], NDArray[np.intp]]:
    """Binarise all columns but some; returns the features, and the column that each comes from."""
    n_rows, n_columns = table.shape
    if len(left_out) == n_columns:
        return np.empty((n_rows, 0), np.uint8), np.empty(0, np.intp)
    binarizer = default_binarizer()
    made = binarizer.fit_transform_table(table, sample_weight, y, all_orders=True, left_out=left_out)
    return made.view(np.uint8), binarizer.feature_columns_


def make_numbers(
    known: dict[int, Ranks], searched: Sequence[int], owners: NDArray[np.intp], rows: Any
) -> Numbers:
    """Tell the columns that are searched from the binary features of others."""
    others = [j for j, owner in enumerate(owners.tolist()) if owner not in searched]
    return Numbers([known[number] for number in searched], list(searched), owners, others, rows, known)


def numbers_of(known: dict[int, Ranks], binarizer: Binarizer, rows: Any) -> Numbers:
    """Find out whether columns have more thresholds, on some rows, than a fitted binarizer took."""
    more = any(
        len(ranks.distinct) - 1 > len(_cuts_of_column(binarizer, number)) for number, ranks in known.items()
    )
    return make_numbers(known, _with_thresholds(known) if more else [], binarizer.feature_columns_, rows)


def _cuts_of_column(binarizer: Binarizer, number: int) -> set[Any]:
    """Return where a fitted binarizer cuts a column."""
    conditions = (binarizer.conditions_[j] for j in binarizer.features_of_column(number))
    return {condition.value for condition in conditions if condition.operator == "<="}


class Search(NamedTuple):
    """One fit: what is searched, and within which limits."""

    table: Any
    y: Any
    sample_weight: Any
    limits: Limits
    progress: Any
    started: float
    classes: bool
    """Whether the target is a class, not a number."""

    def left(self) -> Limits:
        """Return the limits with what is left of the time."""
        seconds = self.limits.time_limit - (time.perf_counter() - self.started)
        return replace(self.limits, time_limit=max(seconds, LEAST_SECONDS))

    def cut_at(self, cuts: dict[str | int, list[Any]]) -> tuple[Binarizer, NDArray[np.uint8]]:
        """Binarise the table with given cuts."""
        binarizer = default_binarizer(cuts)
        made = binarizer.fit_transform_table(self.table, self.sample_weight, self.y, all_orders=True)
        return binarizer, made.view(np.uint8)

    def exact(
        self, run: thresholds.ThresholdRun, result: Result, numbers: Numbers
    ) -> tuple[Binarizer, NDArray[np.uint8], Result]:
        """Turn the thresholds of the result into binary features, and let its tree test these."""
        tree = result.tree
        used = sorted(set(tree.feature[tree.feature >= 0].tolist()))
        tests = tested([run.splits[number] for number in used], numbers)
        found = _by_column(tests)
        binarizer, made = self.cut_at({j: sorted(set(found.get(j, ()))) for j in numbers.columns})
        feature_of = np.full(len(run.splits) + 1, -1, np.int32)  # a leaf has -1
        same = [_same_feature(binarizer, made, test, numbers) for test in tests]
        feature_of[used] = np.array(same, np.int32)
        tree.feature = feature_of[tree.feature]
        tree.n_features, tree.feature_names = made.shape[1], tuple(binarizer.names())
        return binarizer, made, replace(result, note="; ".join(filter(None, (result.note, ALL))))

    def greedy_cuts(self, numbers: Numbers, greedy: GreedyTable) -> dict[int, list[Any]]:
        """Return the cuts of scikit-learn's tree of the same depth, if there is a target to grow it on."""
        y = None if self.y is None else np.asarray(self.y)[numbers.rows]
        weights = None if self.sample_weight is None else np.asarray(self.sample_weight)[numbers.rows]
        if y is None or not (self.classes or y.dtype.kind in "fiu"):
            return {}
        grown = greedy.answer(greedy.grow(y, weights, self.limits, classes=self.classes))
        return {} if grown is None else cuts_of(thresholds.splits_of(grown), numbers)

    def greedy_answer(
        self, greedy: Callable[[], GreedyTable], codes: Any, weights: Any
    ) -> dict[str, Any] | None:
        """Return scikit-learn's tree of the same depth, without labels; None for no tree.

        Codes are classes, or targets if they are floats.
        """
        if min(self.limits.max_depth, self.limits.max_nodes) < 1:
            return None
        table = greedy()
        if not table.engine:  # no column has two values
            return None
        return table.answer(table.grow(codes, weights, self.limits, classes=codes.dtype.kind in "iu"))

    def not_worse_than_greedy(
        self,
        result: Result,
        task: Any,
        made: tuple[Binarizer, NDArray[np.uint8]],
    ) -> Result:
        """Replace a tree over binary features that a limit left by a greedy one, if that is better."""
        if result.optimal or thresholds.refusal(task, self.limits):
            return result
        binarizer, features = made
        kept = thresholds.kept_rows(task)
        rows = slice(None) if kept is None else kept
        known = numbers_of(ranks_of(self.table, rows), binarizer, rows)
        greedy = functools.partial(known.greedy_table, features)

        def grow(codes: Any, weights: Any) -> dict[str, Any] | None:
            tree = self.greedy_answer(greedy, codes, weights)
            if tree is None:
                return None
            tests = tested(thresholds.splits_of(tree), known)
            feature_of = [_same_feature(binarizer, features, test, known) for test in tests]
            if None in feature_of:  # grown with other weights than those of the cuts
                return None
            return {**tree, "feature": np.array([*feature_of, -1], np.int32)[tree["feature"]]}

        return thresholds.better_greedy(result, task, features, binarizer.names(), grow)


def cheap_work(task: Any) -> float:
    """Return the work after which ``cuts="auto"`` gives up a search over all thresholds."""
    return CHEAP_SQUARES if thresholds.has_squares(task) else CHEAP


def default_binarizer(cuts: dict[str | int, list[Any]] | None = None) -> Binarizer:
    """Return the binarizer of estimators that were given none, with cuts of some columns."""
    return Binarizer(thresholds=cuts, missing="side")


class Tested(NamedTuple):
    """A split of the engine: a cut of a column, or a binary feature."""

    column: int
    """The column of the table; -1 for a feature."""
    cut: Any
    """None for the test for missing values."""
    holds: NDArray[np.bool_] | None
    feature: int = -1


def tested(splits: Sequence[thresholds.Split], numbers: Numbers) -> list[Tested]:
    """Read splits of the engine."""
    out = []
    for column, rank, following, missing in splits:
        if column >= len(numbers.ranks):
            out.append(Tested(-1, None, None, numbers.others[column - len(numbers.ranks)]))
            continue
        condition, holds = numbers.ranks[column].test(rank, following, missing=missing)
        out.append(Tested(numbers.columns[column], condition.value, holds))
    return out


def _same_feature(
    binarizer: Binarizer,
    made: NDArray[np.uint8],
    test: Tested,
    numbers: Numbers,
) -> int | None:
    """Find the binary feature that holds for the same rows as a split; None if there is none."""
    if test.holds is None:  # features of other columns keep their order
        owners = np.flatnonzero(~np.isin(binarizer.feature_columns_, numbers.columns))
        return int(owners[numbers.others.index(test.feature)])
    owned, holds = binarizer.features_of_column(test.column), test.holds.tobytes()
    return next((j for j in owned if made[numbers.rows, j].tobytes() == holds), None)


def union(binarizer: Binarizer, numbers: Numbers, *more: dict[int, list[Any]]) -> dict[str | int, list[Any]]:
    """Put the cuts of a fitted binarizer and others together, by column."""
    cuts: dict[str | int, list[Any]] = {}
    for number in numbers.columns:
        found = _cuts_of_column(binarizer, number)
        cuts[number] = sorted(found.union(*(each.get(number, []) for each in more)))
    return cuts


def cuts_of(splits: Sequence[thresholds.Split], numbers: Numbers) -> dict[int, list[Any]]:
    """Return the cuts of splits, by column."""
    return _by_column(tested(splits, numbers))


def _by_column(tests: Sequence[Tested]) -> dict[int, list[Any]]:
    cuts: dict[int, list[Any]] = {}
    for test in tests:
        if test.column >= 0 and test.cut is not None:
            cuts.setdefault(test.column, []).append(test.cut)
    return cuts


def check_cuts(cuts: object) -> str:
    """Return the parameter, or refuse it."""
    if not isinstance(cuts, str) or cuts not in CUTS:
        expected = f"{', '.join(map(repr, CUTS[:-1]))} or {CUTS[-1]!r}"
        raise ValueError(f"cuts must be {expected}, got {cuts!r}")
    return cuts
