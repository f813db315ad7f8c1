"""How much of a target a tree leaves unexplained on rows held out: the noise that a price per node needs.

What a useless test seems to save of a squared error is in proportion to the variance of the noise. The leaves
of a tree that fits the training rows say too little of it: on pure noise a tree with leaves of five rows
leaves less than half of the variance. So greedy trees predict rows that they were not grown on.

Of labels the share of errors is needed. There a greedy tree of all rows, whose nodes pay for what chance
saves, says enough: its errors and the price of its nodes. Against rows held out it tells repeated rows from
weighted ones no more than the search does, and choosing prices by either predicts alike (40 sets, 2 splits:
accuracy .8498 and .8491).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.options import check_limits
from streed.solver import greedy
from streed.tasks.parts.squares import weighted_sum

FOLDS = 3
LEAST_ROWS = 5
"""Rows in a leaf of a greedy tree."""

ENOUGH, ENOUGH_LABELS = 20_000, 5_000
"""Of more rows with numbers, or with labels, only so many are looked at."""


def unexplained(features: NDArray[np.uint8], target: greedy.Target) -> float:
    """Return the share of the spread of numbers that greedy trees leave unexplained, from 0 to 1.

    Parameters
    ----------
    features : uint8 array of shape (n, n_features)
        Binary features.
    target : Target
        The numbers of the rows, with weights above zero.
    """
    numbers, weights = target.numbers, target.weights
    assert numbers is not None
    order = np.random.default_rng(0).permutation(weights.size)
    total = float(
        (weights[order, None] * (numbers[order] - _mean(numbers[order], weights[order])) ** 2).sum()
    )
    if order.size < 2 * FOLDS or total <= 0:
        return 1.0
    found = 0.0
    for fold in range(FOLDS):
        held = np.arange(order.size) % FOLDS == fold
        rows, others = order[held], order[~held]
        own = np.ascontiguousarray(numbers[others]), np.ascontiguousarray(weights[others])
        known = greedy.Target("squares", None, *own, np.empty((0, 3)))
        tree = greedy.grow_on_bits(np.ascontiguousarray(features[others]), known, LIMITS)
        found += _squares(tree, features, numbers, weights, rows, others)
    return min(1.0, found / total)


def errors(features: NDArray[np.uint8], target: greedy.Target, price: float) -> float:
    """Return what a greedy tree of labels costs, pruned for a price per node, as a share of all weight.

    Parameters
    ----------
    features : uint8 array of shape (n, n_features)
        Binary features.
    target : Target
        The labels of the rows, with weights above zero.
    price : float
        What a branching node costs, as a share of the weight.
    """
    features = np.ascontiguousarray(features)
    total = float(target.weights.sum())
    grown = greedy.grow_on_bits(features, target, DEEP)
    tree = greedy.prune_for_price(grown, features, target, price * total)
    return min(1.0, greedy.label_leaves(tree, features, target, price * total) / total)


def sample(n_rows: int, most: int) -> NDArray[np.intp]:
    """Return the numbers of the rows that are looked at, all of few rows."""
    if n_rows <= most:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(0).permutation(n_rows)[:most])


LIMITS = check_limits(max_depth=20, min_samples_leaf=LEAST_ROWS)
DEEP = check_limits(max_depth=20)


def _mean(numbers: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    mean: NDArray[np.float64] = np.average(numbers, axis=0, weights=weights)
    return mean


def _squares(
    tree: dict[str, NDArray[np.int32]],
    features: NDArray[np.uint8],
    numbers: NDArray[np.float64],
    weights: NDArray[np.float64],
    rows: NDArray[np.intp],
    others: NDArray[np.intp],
) -> float:
    """Return the squared error of rows when leaves predict the means of others."""
    shape = tree["feature"], tree["left"], tree["right"]
    leaf, place = (_core.route(np.ascontiguousarray(features[some]), *shape) for some in (others, rows))
    n_nodes = tree["feature"].size
    weight = np.maximum(np.bincount(leaf, weights[others], n_nodes), np.finfo(np.float64).tiny)
    squares = 0.0
    for column in numbers.T:
        mean = np.bincount(leaf, weights[others] * column[others], n_nodes) / weight
        squares += float(weighted_sum(weights[rows], (column[rows] - mean[place]) ** 2))
    return squares
