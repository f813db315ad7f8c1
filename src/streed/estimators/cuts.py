"""Where numbers are cut: at every threshold that a search finds best, or at cuts chosen before it.

``cuts="exact"`` searches over every threshold of numbers and dates. ``cuts="auto"`` does so as long as it is
cheap. Where it is not, or where the task needs binary features, numbers are cut at quantiles and wherever a
greedy tree of the same depth cuts them, so that a tree that is proven best is never worse than that one.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from streed.binarize.binarizer import Binarizer
from streed.options import Limits
from streed.solver import thresholds
from streed.table.columns import Kind, column_names, read_columns
from streed.thresholds.columns import Ranks, encode_columns
from streed.tree.result import Result

CUTS = ("auto", "exact", "binned")

ALL = "every threshold was considered"

CHEAP = 3e8
"""``cuts="auto"`` gives up a search over all thresholds after walking over so many rows times columns. So
rice, page, fault and segment are proven at depth 3 (0.07 to 0.21 s of processor time for a fit); at depth 4
they are not, and the fit takes 1.4 to 3.8 s with the search over chosen cuts that follows."""

LEAST_SECONDS = 1e-3


class Numbers(NamedTuple):
    """The columns of a table whose thresholds a binarizer has not all taken, and all columns as ranks."""

    ranks: list[Ranks]
    """Of numbers and dates that can be cut in more ways."""
    columns: list[int]
    """Which columns of the table these are."""
    others: list[int]
    """The binary features of all other columns."""
    rows: Any
    """The rows that have a weight; a slice of all of them if all have."""

    def matrix(self, features: NDArray[np.uint8]) -> NDArray[np.int32]:
        """All columns for the engine: ranks, then binary features (rows that have one come first)."""
        features = features[self.rows]
        table = np.empty((len(self.ranks) + len(self.others), features.shape[0]), np.int32)
        for row, one in zip(table, self.ranks, strict=False):
            row[:] = one.codes
        table[len(self.ranks) :] = 1 - features[:, self.others].T
        return table


def numbers_of(table: Any, binarizer: Binarizer, rows: Any) -> Numbers:
    """Find the columns that have more thresholds, on some rows, than a fitted binarizer took."""
    names = column_names(table)
    owners = binarizer.feature_columns_
    found: list[Ranks] = []
    which: list[int] = []
    for number, column in enumerate(read_columns(table, names)):
        if column.kind not in (Kind.NUMBER, Kind.DATE):
            continue
        (ranks,) = encode_columns([replace(column, values=column.values[rows])])
        if ranks.kind != "one" and len(ranks.distinct) - 1 > np.count_nonzero(owners == number):
            found.append(ranks)
            which.append(number)
    others = np.flatnonzero(~np.isin(owners, which)).tolist()
    return Numbers(found, which, others, rows)


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
        binarizer = Binarizer(thresholds=cuts).fit_table(self.table, self.sample_weight, self.y)
        return binarizer, binarizer.transform_table(self.table).view(np.uint8)

    def exact(
        self, done: thresholds.Attempt, numbers: Numbers
    ) -> tuple[Binarizer, NDArray[np.uint8], Result]:
        """Turn the thresholds of a finished search into binary features, and count its tree with them."""
        tests = tested(done.answer, numbers)
        cuts: dict[str | int, list[Any]] = {
            number: sorted({t.cut for t in tests if t.column == number}) for number in numbers.columns
        }
        binarizer, made = self.cut_at(cuts)
        feature_of = [_same_feature(binarizer, made, test, numbers) for test in tests]
        return binarizer, made, thresholds.conclude(done, made, binarizer.names(), feature_of, ALL)

    def greedy_cuts(self, numbers: Numbers) -> dict[int, list[Any]]:
        """Return the cuts of scikit-learn's tree of the same depth, if there is a target to grow it on."""
        y = None if self.y is None else np.asarray(self.y)[numbers.rows]
        weights = None if self.sample_weight is None else np.asarray(self.sample_weight)[numbers.rows]
        if y is None or not (self.classes or y.dtype.kind in "fiu"):
            return {}
        grow = DecisionTreeClassifier if self.classes else DecisionTreeRegressor
        X = np.column_stack([np.asarray(r.distinct)[r.codes].astype(np.float32) for r in numbers.ranks])
        depth = None if self.limits.unlimited else max(self.limits.max_depth, 1)
        model = grow(max_depth=depth, min_samples_leaf=self.limits.min_samples_leaf, random_state=0)
        tree = model.fit(X, y, weights).tree_
        cuts: dict[int, list[Any]] = {}
        for position, threshold in zip(tree.feature.tolist(), tree.threshold.tolist(), strict=True):
            if position < 0:
                continue
            ranks = numbers.ranks[position]
            below = int(np.count_nonzero(np.asarray(ranks.distinct).astype(np.float32) <= threshold))
            test, _ = ranks.test(below - 1, below, missing=False)
            cuts.setdefault(numbers.columns[position], []).append(test.condition.value)
        return cuts


class Tested(NamedTuple):
    """A split of the engine: a cut of a column, or a binary feature."""

    column: int
    """The column of the table; -1 for a feature."""
    cut: Any
    holds: NDArray[np.bool_] | None
    feature: int = -1


def tested(answer: dict[str, Any], numbers: Numbers) -> list[Tested]:
    """Read the splits of an answer."""
    out = []
    parts = (answer[name].tolist() for name in ("column", "rank", "next_rank"))
    for column, rank, following in zip(*parts, strict=True):
        if column >= len(numbers.ranks):
            out.append(Tested(-1, None, None, numbers.others[column - len(numbers.ranks)]))
            continue
        test, holds = numbers.ranks[column].test(rank, following, missing=False)
        out.append(Tested(numbers.columns[column], test.condition.value, holds))
    return out


def _same_feature(
    binarizer: Binarizer,
    made: NDArray[np.uint8],
    test: Tested,
    numbers: Numbers,
) -> int:
    """Find the binary feature that holds for the same rows as a split."""
    if test.holds is None:  # features of other columns keep their order
        owners = np.flatnonzero(~np.isin(binarizer.feature_columns_, numbers.columns))
        return int(owners[numbers.others.index(test.feature)])
    owned = np.flatnonzero(binarizer.feature_columns_ == test.column).tolist()
    return next(j for j in owned if np.array_equal(made[numbers.rows, j], test.holds))


def union(binarizer: Binarizer, numbers: Numbers, *more: dict[int, list[Any]]) -> dict[str | int, list[Any]]:
    """Put the cuts of a fitted binarizer and others together, by column."""
    cuts: dict[str | int, list[Any]] = {}
    for number in numbers.columns:
        owned = np.flatnonzero(binarizer.feature_columns_ == number).tolist()
        found = {binarizer.conditions_[j].value for j in owned}
        cuts[number] = sorted(found.union(*(each.get(number, []) for each in more)))
    return cuts


def cuts_of(answer: dict[str, Any], numbers: Numbers) -> dict[int, list[Any]]:
    """Return the cuts of an answer, by column."""
    cuts: dict[int, list[Any]] = {}
    for test in tested(answer, numbers):
        if test.column >= 0:
            cuts.setdefault(test.column, []).append(test.cut)
    return cuts


def check_cuts(cuts: object) -> str:
    """Return the parameter, or refuse it."""
    if not isinstance(cuts, str) or cuts not in CUTS:
        expected = f"{', '.join(map(repr, CUTS[:-1]))} or {CUTS[-1]!r}"
        raise ValueError(f"cuts must be {expected}, got {cuts!r}")
    return cuts
