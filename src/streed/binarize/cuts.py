"""Where to cut a column of numbers: each strategy picks some of the gaps between its distinct values.

Five values, three of them distinct, have two gaps; gap k lies after the k-th distinct value:

>>> gaps = find_gaps(np.array([7.0, 1.0, 2.0, 2.0, 2.0]), None)
>>> gaps.distinct.tolist(), gaps.below.tolist()
([1.0, 2.0, 7.0], [1.0, 4.0, 5.0])
>>> uniform_cuts(gaps, 2)
(array([1]), array([3.]))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Chosen = tuple[NDArray[np.intp], NDArray[np.float64]]
"""Numbers of the gaps to cut, and where in them a cut would best lie."""
Tidy = Callable[[float, float, float], float]
"""From an aim and the values beside it to a cut with few digits: low <= cut < high."""

CANDIDATES = 1000
"""The tree of the strategy "tree" may choose between this many cuts."""


@dataclass(frozen=True, slots=True, eq=False)
class Gaps:
    """The distinct values of a column in order, and the weight of the rows up to and including each."""

    distinct: NDArray[np.float64]
    below: NDArray[np.float64]

    @property
    def size(self) -> int:
        """Number of gaps."""
        return max(0, self.distinct.size - 1)

    def middles(self, chosen: NDArray[np.intp]) -> Chosen:
        """Return some gaps with their middles."""
        return chosen, self.distinct[chosen] / 2 + self.distinct[chosen + 1] / 2


def find_gaps(values: NDArray[np.float64], weights: NDArray[np.float64] | None) -> Gaps:
    """Sort a column. A whole weight does what repeating the row would do."""
    if weights is None:
        ordered = np.sort(values)
        last = _last_of_each(ordered)
        return Gaps(ordered[last], (last + 1).astype(np.float64))
    order = np.argsort(values)
    ordered = values[order]
    last = _last_of_each(ordered)
    return Gaps(ordered[last], np.cumsum(weights[order])[last])


def _last_of_each(ordered: NDArray[np.float64]) -> NDArray[np.intp]:
    is_last = np.empty(ordered.size, np.bool_)
    is_last[-1:] = True
    np.not_equal(ordered[1:], ordered[:-1], out=is_last[:-1])
    return is_last.nonzero()[0]


def all_cuts(gaps: Gaps) -> Chosen:
    """Cut every gap: a tree over these features is optimal over all thresholds."""
    return gaps.middles(np.arange(gaps.size))


def quantile_gaps(gaps: Gaps, n: int) -> Chosen:
    """Cut at most `n` gaps, as evenly by weight as the values allow."""
    if gaps.size <= n:
        return all_cuts(gaps)
    below = gaps.below[:-1]
    aims = gaps.below[-1] * np.arange(1, n + 1) / (n + 1)
    after = np.clip(np.searchsorted(below, aims), 1, gaps.size - 1)
    nearest = after - (aims - below[after - 1] <= below[after] - aims)
    return gaps.middles(np.unique(nearest))


def uniform_cuts(gaps: Gaps, n: int) -> Chosen:
    """Cut the range into n + 1 parts of equal width; of cuts that separate the same rows the first stays."""
    if gaps.size == 0:
        return all_cuts(gaps)
    share = np.arange(1, n + 1) / (n + 1)
    exact = gaps.distinct[0] * (1 - share) + gaps.distinct[-1] * share
    edges = np.array([float(f"{edge:.12g}") for edge in exact.tolist()])  # a value on an edge lies below it
    position = np.clip(np.searchsorted(gaps.distinct, edges, side="right") - 1, 0, gaps.size - 1)
    chosen, first = np.unique(position, return_index=True)
    return chosen, edges[first]


def tree_cuts(
    gaps: Gaps, n: int, values: NDArray[np.float64], weights: NDArray[np.float64] | None, y: NDArray[Any]
) -> Chosen:
    """Cut where a greedy tree with n + 1 leaves on this column alone splits.

    `y` holds labels as integers, or floats to predict. Rows between two neighbouring candidates (all gaps, or
    as many quantiles as `CANDIDATES`) never part, so the tree sees their sums only: a million rows take
    milliseconds. It sees them by number, since scikit-learn's trees round to 32 bits. The Gini impurity of
    labels is the squared error of their shares, so that one kind of tree serves both targets.
    """
    from sklearn.tree import DecisionTreeRegressor

    candidates = quantile_gaps(gaps, CANDIDATES)[0]
    if not candidates.size:
        return all_cuts(gaps)
    cells = np.searchsorted(gaps.distinct[candidates], values)
    if y.dtype.kind == "f":
        total = np.bincount(cells, weights)
        sums = np.bincount(cells, y if weights is None else y * weights)[:, None]
    else:
        n_labels, n_cells = int(y.max()) + 1, int(cells.max()) + 1
        sums = np.bincount(cells * n_labels + y, weights, n_cells * n_labels).reshape(n_cells, n_labels)
        total = sums.sum(axis=1)
    rows, tree = np.flatnonzero(total), DecisionTreeRegressor(max_leaf_nodes=n + 1, random_state=0)
    tree.fit(rows[:, None], sums[rows] / total[rows, None], sample_weight=total[rows])
    thresholds = tree.tree_.threshold[tree.tree_.feature >= 0]
    return gaps.middles(candidates[np.unique(np.floor(thresholds)).astype(np.intp)])


def place(gaps: Gaps, chosen: Chosen, tidy: Tidy) -> list[float]:
    """Turn chosen gaps into cuts with few digits."""
    position, aims = chosen
    low, high = gaps.distinct[position].tolist(), gaps.distinct[position + 1].tolist()
    return [tidy(*three) for three in zip(aims.tolist(), low, high, strict=True)]


def tidy_number(aim: float, low: float, high: float) -> float:
    """Return the aim with as few digits as separate the same values, six or more: low <= cut < high.

    Examples
    --------
    >>> tidy_number(2.3333333, 2.0, 3.0), tidy_number(1234567.5, 1234567.0, 1234568.0)
    (2.33333, 1234567.5)
    """
    for digits in range(6, 18):
        tidy = float(f"{aim:.{digits}g}")
        if low <= tidy < high:
            return tidy
    return low


def tidy_integer(aim: float, low: int, high: int) -> int:
    """Do the same for integers that no double can hold; the aim is no exact number, the middle is.

    Examples
    --------
    >>> tidy_integer(0.0, 2**60, 2**60 + 2), tidy_integer(0.0, 10**18 + 1, 3 * 10**18)
    (1152921504606846977, 2000000000000000000)
    """
    middle = (low + high) // 2
    size = len(str(abs(middle)))
    for digits in range(6, size):
        tidy = int(round(middle, digits - size))
        if low <= tidy < high:
            return tidy
    return middle


def quantile_cuts(
    values: NDArray[np.float64], weights: NDArray[np.float64] | None, n_thresholds: int | None
) -> list[float]:
    """Cut numbers at quantiles, or everywhere if there are few distinct ones or `n_thresholds` is None.

    Examples
    --------
    >>> quantile_cuts(np.array([1.0, 2.0, 2.0, 4.0]), None, 8)
    [1.5, 3.0]
    >>> quantile_cuts(np.arange(100.0), None, 3)
    [24.5, 49.5, 74.5]
    """
    gaps = find_gaps(values, weights)
    return place(
        gaps, all_cuts(gaps) if n_thresholds is None else quantile_gaps(gaps, n_thresholds), tidy_number
    )


def representatives(gaps: Gaps, cuts: list[float]) -> list[float]:
    """Return a value for each part between cuts: the median of its rows, or something inside if it has none.

    Examples
    --------
    >>> representatives(find_gaps(np.array([1.0, 2.0, 3.0, 9.0]), None), [3.5, 20.0])
    [2.0, 9.0, 40.0]
    """
    ends = gaps.distinct.searchsorted(cuts, side="right").tolist() if cuts else []
    bounds = [0, *ends, gaps.distinct.size]
    weight = [gaps.below.item(bound - 1) if bound else 0.0 for bound in bounds]
    medians = gaps.below.searchsorted([(low + high) / 2 for low, high in pairwise(weight)])
    values: list[float] = gaps.distinct[medians].tolist()
    for part, (start, stop) in enumerate(pairwise(bounds)):
        if start == stop:
            beyond = cuts[-1] + max(1.0, abs(cuts[-1]))
            values[part] = cuts[part] if part < len(cuts) else beyond
    return values


def lower_median(values: NDArray[Any]) -> Any:
    """Return what `representatives` returns for a column without cuts, but without sorting it.

    Examples
    --------
    >>> values = np.array([9.0, 1.0, 3.0, 2.0])
    >>> representatives(find_gaps(values, None), []) == [lower_median(values)] == [2.0]
    True
    """
    middle = (values.size - 1) // 2
    return np.partition(values, middle).item(middle)
