"""Candidate features: a few tests per column that hold nearly all that a tree of any size could use.

Tuning asks for the size of a tree, not for its last cut. A fold is searched over a few quantiles of each
column and the cuts of greedy trees; where these are still many, those are kept that divide the targets best
at the first nodes of a greedy tree. All sizes over them take one short search (``core/sizes``), where a fit
over all thresholds would take one long search for every size of every fold.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.options import Limits
from streed.solver import greedy

MOST = 128
"""Candidate features of one search of depth 4 at most. The sizes of a fold then take 0.002 to 0.2 s on 24
tables of up to 3,000 rows, and their time grows with the third power: all 287 features of splice-1 take eight
times as long as 128."""

MOST_OF_NUMBERS = 96
"""The same for numbers, whose sums take longer than counts: five folds and the last fit of diabetes and
concrete then take 2.8 and 3.1 default fits, with 128 candidates 4.1 and 4.7."""

QUANTILES, QUANTILES_OF_NUMBERS, LEAST_QUANTILES = 8, 16, 4
"""Quantiles of a column for labels and for numbers; fewer where columns are many."""

LEVELS = 3
"""Features are compared at the nodes of so many levels of a greedy tree."""

ROWS = 20_000
"""So many rows, evenly spaced, compare features: those that are far apart need no more."""

GREEDY_ROWS = 25_000
"""Greedy trees are grown on no more rows than these, evenly spaced; their cuts are those of all rows as far
as a tree of few levels can tell. Of a million rows and 20 columns, ranks and trees took 2 s of processor
time, of 50,000 rows .5 s."""

LEAST_SHARE = 0.25
"""A search of a fold takes at least this share of the time that reading the fold took, whatever its limit is:
without a search nothing is known of any size."""

LARGER_LEAVES = 4
"""Greedy trees are grown twice, the second time with leaves of so many times the least number of rows."""


def n_quantiles(n_columns: int, max_depth: int, numbers: bool) -> int:
    """Return how many quantiles of a column are candidates."""
    most = QUANTILES_OF_NUMBERS if numbers else QUANTILES
    return min(most, max(LEAST_QUANTILES, most_features(max_depth) // max(n_columns, 1)))


def most_features(max_depth: int, *, numbers: bool = False) -> int:
    """Return how many candidates a search of a depth takes, for labels or for numbers.

    Examples
    --------
    >>> from streed.estimators.choosing.candidates import most_features
    >>> [most_features(depth) for depth in (2, 4, 5, 6, 20)]
    [256, 128, 64, 32, 32]
    >>> [most_features(depth, numbers=True) for depth in (2, 4, 5, 6, 20)]
    [192, 96, 48, 24, 24]
    """
    most = MOST_OF_NUMBERS if numbers else MOST
    return int(min(2 * most, max(most // 4, most * 2.0 ** (4 - max_depth))))


def greedy_trees(
    ranks: NDArray[np.int32],
    bits: NDArray[np.uint8] | None,
    target: greedy.Target,
    limits: Limits,
    step: int = 1,
) -> list[dict[str, Any]]:
    """Grow greedy trees one level deeper than the limits, with small and with larger leaves.

    The ranks are those of every so many rows of the target.
    """
    limits = limits.for_rows(target.weights.size)
    limits = replace(limits, min_samples_leaf=max(1, limits.min_samples_leaf // step))
    target = greedy.every(target, step)
    criteria = ["gini", "entropy"] if target.numbers is None else ["squares"]
    depth = min(limits.max_depth, MOST.bit_length()) + 1
    grown = []
    for leaf in (limits.min_samples_leaf, LARGER_LEAVES * limits.min_samples_leaf):
        own = replace(limits, max_depth=depth, max_nodes=2**depth - 1, min_samples_leaf=leaf)
        grown += [greedy.grow(ranks, bits, target._replace(criterion=name), own) for name in criteria]
    return grown


def step_of(n_rows: int) -> int:
    """Return the step by which so many rows are compared."""
    return -(-n_rows // ROWS)


def are_few(n_features: int, target: greedy.Target | None, limits: Limits) -> bool:
    """Whether all of so many binary features are candidates."""
    if target is None:
        return True
    return n_features <= most_features(limits.max_depth, numbers=target.numbers is not None)


def best_features(
    features: NDArray[np.uint8], target: greedy.Target | None, limits: Limits
) -> NDArray[np.intp] | None:
    """Return the candidates among binary features, in their order; None where all are.

    The features are those of all rows, or of the rows that are compared (`step_of`). Every node of a greedy
    tree names its best features in turn, so that those count that say something about a part of the rows
    only.
    """
    if target is None or are_few(features.shape[1], target, limits):
        return None
    most = most_features(limits.max_depth, numbers=target.numbers is not None)
    step = step_of(target.weights.size)
    limits = limits.for_rows(target.weights.size)
    all_rows = features.shape[0] == target.weights.size
    bits = np.ascontiguousarray(features[::step] if all_rows else features)
    numbers, weights = _numbers_of(greedy.every(target, step))
    tree = greedy.grow(
        np.empty((0, bits.shape[0]), np.int32),
        bits,
        greedy.Target("squares", None, numbers, weights, np.empty((0, 3))),
        replace(
            limits,
            max_depth=LEVELS,
            max_nodes=2**LEVELS - 1,
            min_samples_leaf=max(1, limits.min_samples_leaf // step),
        ),
    )
    tested = np.array([*tree["column"].tolist(), -1], np.int32)[tree["feature"]]  # a leaf has -1
    gains = _gains(bits, weights[:, None] * np.column_stack([np.ones(weights.size), numbers]), tree, tested)
    places = np.argsort(np.argsort(-gains, axis=1, kind="stable"), axis=1, kind="stable").min(axis=0)
    places[tested[tested >= 0]] = -1
    return np.sort(np.lexsort((-gains.max(axis=0), places))[:most])


def _numbers_of(target: greedy.Target) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return labels as one number of 0 or 1 for each, and the weights of the rows."""
    if target.numbers is not None:
        return target.numbers, target.weights
    assert target.labels is not None
    return np.eye(target.n_labels)[target.labels], target.weights


def _gains(
    bits: NDArray[np.uint8], sums: NDArray[np.float64], tree: dict[str, Any], tested: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return by how much each feature lowers the sum of squares at each node of a tree."""
    gains = np.zeros((tested.size, bits.shape[1]))
    rows_of = {0: np.arange(bits.shape[0])}
    for node in range(tested.size):  # parents come before their children
        rows = rows_of.pop(node)
        ones, whole = bits[rows].T.astype(np.float64) @ sums[rows], sums[rows].sum(axis=0)
        gains[node] = _square(ones) + _square(whole - ones) - _square(whole[None])
        if tested[node] >= 0:
            right = bits[rows, tested[node]] == 1
            rows_of[int(tree["left"][node])], rows_of[int(tree["right"][node])] = rows[~right], rows[right]
    return gains


def _square(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    weight, rest = sums[:, 0], sums[:, 1:]
    square = (rest**2).sum(axis=1)
    return np.asarray(np.divide(square, weight, out=np.zeros_like(square), where=weight > 0))
