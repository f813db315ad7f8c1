"""The columns of a table for one fit, each read once: as ranks with all thresholds, as bits with conditions.

A search over all thresholds takes the columns of numbers and dates as ranks, and binary features of all other
columns. Its tree tests splits of ranks; `FitColumns.adopt` makes them conditions of a fitted `Binarizer`,
which has the cuts that the tree uses and no others. A search over chosen cuts takes bits of everything.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.binarize.binarizer import Binarizer
from streed.binarize.cuts import Gaps
from streed.binarize.encode import Known, encode_features
from streed.binarize.features import ColumnFeatures
from streed.estimators.parameters.excluded import positions, warn_of_equal_columns
from streed.solver.thresholds import Split
from streed.table.columns import Column, read_columns
from streed.table.limits import is_beyond
from streed.thresholds.columns import Ranks, encode_columns
from streed.tree.result import Result, with_features
from streed.tree.tree import Tree

Cuts = Mapping[int, Iterable[Any]]
"""Cuts by column: numbers, or dates as ISO text."""


def every(rows: Any, step: int) -> Any:
    """Return every so many of some rows, which are an array or a slice of all."""
    if step == 1:
        return rows
    return slice(None, None, step) if isinstance(rows, slice) else rows[::step]


class FitColumns:
    """A table as a fit sees it.

    Parameters
    ----------
    binarizer : Binarizer
        Not fitted: says how columns become features.
    table : array or frame
        The checked table.
    y, weights : array or None
        Targets and weights of the rows.
    rows : array of int or slice
        The rows that have a weight; a slice of all of them if all have.
    exclude : sequence of str or int
        Columns that get no features.
    """

    def __init__(
        self, binarizer: Binarizer, table: Any, y: Any, weights: Any, rows: Any, exclude: Any = ()
    ) -> None:
        names, self._plan = binarizer.begin(table, weights, y, all_orders=True)
        self._binarizer = binarizer
        self.known = self._plan.read(read_columns(table, names))
        self._left_out = positions(exclude, names)
        if self._left_out:
            whole = [(known.column.name, known.values) for known in self.known if not known.part]
            warn_of_equal_columns(whole, self._left_out)
        self._fixed: dict[int, ColumnFeatures] = {}
        self.n_rows, self.rows, self._step = table.shape[0], rows, 1
        self._ranked = self._shown = True
        self._all_gaps: dict[int, Gaps] = {}
        self._placed: dict[tuple[int, int, int], tuple[Any, int]] = {}

    def candidates(self, n_thresholds: int, step: int = 1, *, shown: bool = True) -> FitColumns:
        """Return the same columns, not read again, with other quantiles, and ranks of every so many rows.

        If trees over them are `shown`, quantiles and the values beside each cut are those of all rows.
        """
        other = copy.copy(self)
        other._binarizer = copy.copy(self._binarizer).set_params(n_thresholds=n_thresholds)
        other._plan = replace(self._plan, n_thresholds=n_thresholds, identifiers={})
        other._fixed, other._placed, other._step, other._shown = {}, {}, step, shown
        other.rows = every(self.rows, step)
        for name in ("searched", "other_bits", *(["ranks"] if step > 1 else [])):
            vars(other).pop(name, None)
        return other

    @functools.cached_property
    def ranks(self) -> dict[int, Ranks]:
        """The columns of numbers and dates (also dates that are texts) as ranks of the rows with a weight.

        Dates of which only parts are wanted, and parts of dates, are not among them.
        """
        numbers: dict[int, Column] = {}
        for j, known in enumerate(self.known):
            column, values, missing = known[:3]
            if self.has_cuts(known):
                missing = None if missing is None else missing[self.rows]
                numbers[j] = Column(column.name, column.kind, values[self.rows], missing=missing)
        encoded = zip(numbers, encode_columns(list(numbers.values())), strict=True)
        return {j: ranks for j, ranks in encoded if ranks.kind != "one"}

    @functools.cached_property
    def searched(self) -> list[int]:
        """The columns with more than one threshold, if one has more than a binarizer takes; else none.

        Columns that name their rows are not among them.

        All of them are searched then: a column of ranks takes as long as one binary feature.
        """
        most = self._plan.n_thresholds
        found = {j: len(ranks.distinct) for j, ranks in self.ranks.items() if not self._names_rows(j)}
        if most is None or all(n_values - 1 <= most for n_values in found.values()):
            return []
        return [j for j, n_values in found.items() if n_values > 2]

    def _names_rows(self, j: int) -> bool:
        ranks = self.ranks[j]
        return self.names_rows(j, np.asarray(ranks.distinct), int(np.count_nonzero(ranks.codes >= 0)))

    def has_cuts(self, known: Known) -> bool:
        """Whether a column holds numbers or dates that are cut."""
        return known.source not in self._left_out and self._plan.has_cuts(known)

    def names_rows(self, j: int, distinct: NDArray[Any], n_rows: int) -> bool:
        """Whether a column of whole numbers, with its distinct values among some rows, names these rows."""
        return self._plan.identify(self.known[j], distinct, n_rows)

    def search(self, searched: list[int]) -> None:
        """Say which columns are searched, without ranks of them: they have bins."""
        self.searched, self._ranked = searched, False

    @property
    def n_thresholds(self) -> int:
        """How many thresholds and binary features `matrix` has."""
        others = sum(len(self._features(j, known).conditions) for j, known in self._others())
        return others + sum(len(self.ranks[j].distinct) - 1 for j in self.searched)

    def all_cuts(self) -> dict[int, list[Any]]:
        """Return a cut for every threshold of the searched columns."""
        found: dict[int, list[Any]] = {}
        for j in self.searched:
            own = self.ranks[j]
            found[j] = [own.cut(rank, rank + 1)[0] for rank in range(len(own.distinct) - 1)]
        return found

    def cut(self, cuts: Cuts | None = None) -> Binarizer:
        """Return a fitted binarizer with given cuts of the searched columns; by default at quantiles."""
        fitted = []
        for j, known in enumerate(self.known):
            if j not in self.searched or cuts is None:
                fitted.append(self._features(j, known))
            else:
                given = list(cuts.get(j, ()))
                fitted.append(
                    self._plan.features(known, given, self._gaps(j) if given and self._ranked else None)
                )
        binarizer = self._binarizer.unfitted()
        if cuts is not None:
            binarizer.thresholds = {self.known[j].source: list(cuts.get(j, ())) for j in self.searched}
        return binarizer.keep(self._binarizer, fitted)

    def bits(
        self, binarizer: Binarizer, rows: Any = None, kept: NDArray[np.intp] | None = None
    ) -> NDArray[np.uint8]:
        """Return the features of a binarizer that was made here, of all rows or of some, all or some."""
        known = self.known if rows is None else [each.take(rows) for each in self.known]
        n_rows = self.n_rows if rows is None else known[0].values.size
        return encode_features(n_rows, known, binarizer.columns, kept).view(np.uint8)

    def matrix(self) -> NDArray[np.int32]:
        """All columns for the search over thresholds: ranks, then binary features, where 1 has the rank 0."""
        bits = self.other_bits[self.rows]
        table = np.empty((len(self.searched) + bits.shape[1], bits.shape[0]), np.int32)
        for row, j in zip(table, self.searched, strict=False):
            row[:] = self.ranks[j].codes
        np.logical_not(bits.T, out=table[len(self.searched) :], casting="unsafe")
        return table

    @functools.cached_property
    def other_bits(self) -> NDArray[np.bool_]:
        """The binary features of the columns that are not searched, of shape (rows, features)."""
        others = [self._features(j, known) for j, known in self._others()]
        return encode_features(self.n_rows, [known for _, known in self._others()], others)

    def adopt(self, result: Result, splits: Sequence[Split]) -> tuple[Binarizer, Result]:
        """Return a binarizer whose cuts are the splits that a tree tests, and the tree over its features."""
        tested = result.tree.feature
        used = sorted(set(tested[tested >= 0].tolist()))
        cuts = self._cuts_by_rank([splits[number] for number in used])
        binarizer = self.cut({j: [cuts[j][last] for last in sorted(cuts[j])] for j in self.searched})
        features = np.full(len(splits), -1, np.int32)
        features[used] = [self._feature(binarizer, splits[each], cuts) for each in used]
        (adopted,) = with_features([result], features, len(binarizer.conditions_), binarizer.names())
        return binarizer, adopted

    def cuts_of(self, splits: Iterable[Split]) -> dict[int, list[Any]]:
        """Return the cuts of splits, by column."""
        return {j: list(cuts.values()) for j, cuts in self._cuts_by_rank(splits).items()}

    def cuts_of_tree(self, binarizer: Binarizer, tree: Tree) -> dict[int, list[Any]]:
        """Return the cuts of searched columns that a tree over the features of a binarizer tests."""
        used = set(tree.feature[tree.feature >= 0].tolist())
        own = {j: used.intersection(binarizer.features_of_column(j)) for j in self.searched}
        conditions = {j: [binarizer.conditions_[k] for k in sorted(features)] for j, features in own.items()}
        return {j: [c.value for c in found if c.operator == "<="] for j, found in conditions.items()}

    def union(self, *found: Cuts) -> dict[int, list[Any]]:
        """Put the quantiles of the searched columns and other cuts together."""
        quantiles = self.cut()
        cuts = {}
        for j in self.searched:
            own = {c.value for c in quantiles.columns[j].conditions if c.operator == "<="}
            cuts[j] = sorted(own.union(*(each.get(j, ()) for each in found)))
        return cuts

    def _others(self) -> list[tuple[int, Known]]:
        return [(j, known) for j, known in enumerate(self.known) if j not in self.searched]

    def _features(self, j: int, known: Known) -> ColumnFeatures:
        """Return the features of a column of which no cuts are given."""
        if known.source in self._left_out:
            return ColumnFeatures(known.column.name, known.column.kind, (), (None,), "it is excluded")
        if j not in self._fixed:
            gaps = self._gaps(j) if self._ranked and j in self.ranks else None
            self._fixed[j] = self._plan.features(known, None, gaps)
        return self._fixed[j]

    def _gaps(self, j: int) -> Gaps:
        """Return the distinct values of a column of ranks, with the weight of the rows up to each."""
        if self._step > 1 and self._shown:
            if j not in self._all_gaps:
                self._all_gaps[j] = self._plan.gaps(self.known[j])
            return self._all_gaps[j]
        ranks, weights = self.ranks[j], self._plan.weights
        known = ranks.codes >= 0
        codes, own = ranks.codes[known], None if weights is None else every(weights, self._step)[known]
        below = np.bincount(codes, own, len(ranks.distinct)).cumsum(dtype=np.float64)
        distinct = np.asarray(ranks.distinct)
        return Gaps(distinct if is_beyond(distinct) else distinct.astype(np.float64), below)

    def _cut(self, j: int, rank: int, following: int) -> tuple[Any, int]:
        """Return the cut after a rank of a column, and the largest rank that is at most the cut."""
        place = j, rank, following
        if place not in self._placed:
            self._placed[place] = self.ranks[j].cut(rank, following)
        return self._placed[place]

    def _cuts_by_rank(self, splits: Iterable[Split]) -> dict[int, dict[int, Any]]:
        """Return the cuts of splits by column and by the last rank that is at most the cut.

        Of two cuts between the same two values the smaller one stays.
        """
        found: dict[int, dict[int, Any]] = {j: {} for j in self.searched}
        for split in splits:
            if split.column < len(self.searched) and split.rank >= 0:
                j = self.searched[split.column]
                cut, last = self._cut(j, split.rank, split.following)
                found[j][last] = min(cut, found[j].get(last, cut))
        return found

    def other_feature(self, binarizer: Binarizer, place: int) -> int:
        """Return the number of a feature among those of the columns that are not searched."""
        for j, _ in self._others():
            own = binarizer.features_of_column(j)
            if place < len(own):
                return own[place]
            place -= len(own)
        raise IndexError(place)

    def _feature(self, binarizer: Binarizer, split: Split, cuts: Mapping[int, Mapping[int, Any]]) -> int:
        """Return the number of the feature that a split of the search became."""
        if split.column >= len(self.searched):
            return self.other_feature(binarizer, split.column - len(self.searched))
        j = self.searched[split.column]
        own, n_cuts = binarizer.features_of_column(j), len(cuts[j])
        with_missing = len(own) > n_cuts  # "is missing" comes first, and "or missing" after the cuts
        if split.rank < 0:
            return own[0]
        _, last = self._cut(j, split.rank, split.following)
        place = sorted(cuts[j]).index(last) + with_missing
        return own[place + n_cuts * (split.missing and with_missing)]
