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
    ranks: NDArray[np.int32], bits: NDArray[np.uint8] | None, target: greedy.Target, limits: Limits
) -> list[dict[str, Any]]:
    """Grow greedy trees one level deeper than the limits, with small and with larger leaves."""
    limits = limits.for_rows(target.weights.size)
    criteria = ["gini", "entropy"] if target.numbers is None else ["squares"]
    depth = min(limits.max_depth, MOST.bit_length()) + 1
    grown = []
    for leaf in (limits.min_samples_leaf, LARGER_LEAVES * limits.min_samples_leaf):
        own = replace(limits, max_depth=depth, max_nodes=2**depth - 1, min_samples_leaf=leaf)
        grown += [greedy.grow(ranks, bits, target._replace(criterion=name), own) for name in criteria]
    return grown


def best_features(
    features: NDArray[np.uint8], target: greedy.Target | None, limits: Limits
) -> NDArray[np.intp] | None:
    """Return the candidates among binary features, in their order; None where all are.

    Every node of a greedy tree names its best features in turn, so that those count that say something about
    a part of the rows only.
    """
    if target is None:
        return None
    most = most_features(limits.max_depth, numbers=target.numbers is not None)
    if features.shape[1] <= most:
        return None
    limits, step = limits.for_rows(features.shape[0]), -(-features.shape[0] // ROWS)
    bits = np.ascontiguousarray(features[::step])
    numbers, weights = _numbers_of(target)
    numbers, weights = np.ascontiguousarray(numbers[::step]), np.ascontiguousarray(weights[::step])
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
