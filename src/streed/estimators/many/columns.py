"""The columns of a table of many rows as bins of one byte, and the tests of a tree over them.

Every column of numbers or dates is cut at about 250 quantiles. One with missing values is there twice: they
are below all numbers in the first copy and above them in the second one. All other columns are binary
features, where 1 has the code 0. No column is sorted, and no table is copied.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.binarize.binarizer import Binarizer
from streed.binarize.identifiers import are_whole
from streed.estimators.fitting.columns import FitColumns
from streed.table.columns import Kind
from streed.table.limits import at_most, is_beyond
from streed.thresholds.bins import Bins, bin_values
from streed.thresholds.columns import cut_between, date_text


@dataclass(frozen=True, slots=True)
class BinTest:
    """A test of a tree over bins.

    Rows up to `cut` satisfy it, and missing values if `missing`; a test for missing values alone has no cut.
    Of a binary feature there is its number among them, in `place`.
    """

    column: int = -1
    """Number of the column among those that are read; -1: a binary feature."""
    cut: float | None = None
    missing: bool = False
    place: int = -1


class BinColumns:
    """The columns of one fit as bins.

    Parameters
    ----------
    columns : FitColumns
        The columns as the fit reads them.

    Attributes
    ----------
    columns : FitColumns
        The same, whose searched columns are those that have bins.
    worth : bool
        Whether some column has more values than bins: else the thresholds are few, and can all be searched.
    """

    def __init__(self, columns: FitColumns) -> None:
        self.columns, self._bins = columns, {}
        found: dict[int, Bins] = {}
        for j, known in enumerate(columns.known):
            if columns.has_cuts(known) and not is_beyond(known.values):
                missing = None if known.missing is None else known.missing[columns.rows]
                found[j] = bin_values(known.values[columns.rows], missing)
            elif columns.has_cuts(known):
                self.worth = False
                return
        self._bins = {
            j: bins for j, bins in found.items() if bins.n_values > 2 and not self._names_rows(j, bins)
        }
        self.worth = any(not bins.exact for bins in self._bins.values())

    def _names_rows(self, j: int, bins: Bins) -> bool:
        if bins.exact or not are_whole(bins.edges):
            return False
        known = self.columns.known[j]
        values = known.values[self.columns.rows]
        if known.missing is not None:
            values = values[~known.missing[self.columns.rows]]
        return self.columns.names_rows(j, np.unique(values), values.size)

    def codes(self) -> NDArray[np.uint8]:
        """Return the codes of all columns and copies of columns, then those of the binary features."""
        self.columns.search(list(self._bins))
        self._copies = [(j, k) for j, bins in self._bins.items() for k in range(2 if bins.missing else 1)]
        bits = self.columns.other_bits[self.columns.rows]
        codes = np.empty((len(self._copies) + bits.shape[1], bits.shape[0]), np.uint8)
        for row, (j, copy) in zip(codes, self._copies, strict=False):
            bins = self._bins[j]
            np.add(bins.codes, bins.missing and copy == 0, out=row, casting="unsafe")
        np.logical_not(bits.T, out=codes[len(self._copies) :], casting="unsafe")
        return codes

    def test(self, column: int, code: int) -> BinTest:
        """Return the test for codes up to one: if it tests whether a value is there, that it is missing."""
        if column >= len(self._copies):
            return BinTest(place=column - len(self._copies))
        j, copy = self._copies[column]
        bins = self._bins[j]
        first = bins.missing and copy == 0
        last = code - first
        if last < 0 or last >= bins.edges.size:
            return BinTest(j, missing=True)
        return BinTest(j, float(bins.edges[last]), missing=first)

    def window(self, test: BinTest) -> tuple[int, int]:
        """Return the first and last of the bins beside a cut: that of the cut, and the next one."""
        bins = self._bins[test.column]
        assert test.cut is not None
        k = int(np.searchsorted(bins.edges, test.cut))
        return k, min(k + 1, bins.edges.size)

    def ends(self, test: BinTest) -> tuple[float | None, bool]:
        """Return the cut below the window, None if no values are there, and whether some are above it."""
        edges = self._bins[test.column].edges
        first, last = self.window(test)
        return (float(edges[first - 1]) if first else None), last < edges.size

    def bins(self, test: BinTest) -> NDArray[np.uint8]:
        """Return the bins of the values of a column, of the rows with a weight."""
        return self._bins[test.column].codes

    def lost(self, test: BinTest) -> NDArray[np.bool_] | None:
        """Tell where values of a column are missing; None: nowhere."""
        missing = self.columns.known[test.column].missing
        return None if missing is None else np.asarray(missing[self.columns.rows])

    def given(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the numbers in the table of rows with a weight."""
        where = self.columns.rows
        return rows if isinstance(where, slice) else np.asarray(where[rows])

    def is_exact(self, test: BinTest) -> bool:
        """Whether there are no values between the edges beside a cut."""
        return test.cut is None or self._bins[test.column].exact

    def values(self, j: int) -> NDArray[Any]:
        """Return the values of a column of numbers, of the rows with a weight."""
        return np.asarray(self.columns.known[j].values[self.columns.rows])

    def holds(self, test: BinTest, rows: Any = slice(None)) -> NDArray[np.bool_]:
        """Tell which rows of a table, by default all of them, satisfy a test."""
        if test.column < 0:
            return np.asarray(self.columns.other_bits[rows, test.place])
        known = self.columns.known[test.column]
        found = np.zeros(known.values[rows].size, np.bool_)
        if test.cut is not None:
            found = at_most(known.values[rows], test.cut)
        if known.missing is not None:
            lost = known.missing[rows]
            found = found | lost if test.missing else found & ~lost
        return found

    def adopt(self, tests: Sequence[BinTest]) -> tuple[Binarizer, NDArray[np.int32], NDArray[np.uint8]]:
        """Return a binarizer with the cuts of tests, its features that they became, and these of all rows."""
        cuts: dict[int, list[float]] = {j: [] for j in self._bins}
        for test in tests:
            if test.cut is not None and test.cut not in cuts[test.column]:
                cuts[test.column].append(test.cut)
        ordered = {j: sorted(own) for j, own in cuts.items()}
        kinds = {j: self.columns.known[j].column.kind for j in ordered}
        shown: dict[int, list[Any]] = {
            j: [date_text(cut, cut, cut) if kinds[j] is Kind.DATE else cut for cut in own]
            for j, own in ordered.items()
        }
        binarizer = self.columns.cut(shown)
        features = [self._feature(binarizer, test, ordered) for test in tests]
        rows = np.empty((self.columns.n_rows, len(tests)), np.uint8)
        for k, test in enumerate(tests):
            rows[:, k] = self.holds(test)
        return binarizer, np.array(features, np.int32), rows

    def between(self, test: BinTest, inside: NDArray[np.bool_]) -> BinTest:
        """Return the test with a short cut that separates the same rows of a node."""
        values = self.values(test.column)[inside]
        lost = self.columns.known[test.column].missing
        if lost is not None:
            values = values[~lost[self.columns.rows][inside]]
        assert test.cut is not None
        below = at_most(values, test.cut)
        if not below.any() or below.all():
            return test
        low, high = values[below].max(), values[~below].min()
        cut = cut_between(self.columns.known[test.column].column.kind, low, high)
        return BinTest(test.column, float(cut), missing=test.missing)

    def _feature(self, binarizer: Binarizer, test: BinTest, cuts: dict[int, list[float]]) -> int:
        if test.column < 0:
            return self.columns.other_feature(binarizer, test.place)
        own, n_cuts = binarizer.features_of_column(test.column), len(cuts[test.column])
        if test.cut is None:
            return own[0]
        with_missing = len(own) > n_cuts
        place = cuts[test.column].index(test.cut) + with_missing
        return own[place + n_cuts * (test.missing and with_missing)]
