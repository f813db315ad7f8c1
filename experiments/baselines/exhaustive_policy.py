"""CAIPWL-opt (Zhou, Athey and Wager 2022): exhaustive search for the best policy tree.

The recursion tries every split of a node, solves both sides, and keeps the best pair; nothing is remembered
and nothing is bounded. Like the published program it takes the last level at once: one pass over the features
gives the sums of rewards on both sides of every split. Here that pass is a matrix product, and features are
binary, so that a feature is one split and not one per value.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Rewards = NDArray[np.float64]
Flat = list[list[int]]


def search(X: NDArray[np.float64], rewards: Rewards, depth: int) -> tuple[float, Flat]:
    """Find the greatest sum of rewards and its tree, rows of feature, left, right and label.

    A split that is no better than a leaf is not made.

    >>> import numpy as np
    >>> search(np.array([[0.0], [1.0]]), np.array([[1.0, 0.0], [0.0, 3.0]]), 1)
    (4.0, [[0, 1, 2, -1], [-1, -1, -1, 0], [-1, -1, -1, 1]])
    """
    totals = rewards.sum(axis=0)
    best, tree = float(totals.max()), [[-1, -1, -1, int(totals.argmax())]]
    if depth == 0 or len(X) < 2:
        return best, tree
    if depth == 1:
        return best_stump(X, rewards, totals, best, tree)
    for feature in range(X.shape[1]):
        right = X[:, feature] != 0
        if not right.any() or right.all():
            continue
        left_value, left_tree = search(X[~right], rewards[~right], depth - 1)
        right_value, right_tree = search(X[right], rewards[right], depth - 1)
        if left_value + right_value > best:
            best, tree = left_value + right_value, joined(feature, left_tree, right_tree)
    return best, tree


def best_stump(
    X: NDArray[np.float64], rewards: Rewards, totals: Rewards, best: float, tree: Flat
) -> tuple[float, Flat]:
    """Find the best single split; both sides of all splits come from one product."""
    right = X.T @ rewards
    values = right.max(axis=1) + (totals - right).max(axis=1)
    sizes = X.sum(axis=0)
    values[(sizes == 0) | (sizes == len(X))] = -np.inf
    feature = int(values.argmax())
    if values[feature] <= best:
        return best, tree
    labels = int((totals - right[feature]).argmax()), int(right[feature].argmax())
    return float(values[feature]), joined(feature, *([[-1, -1, -1, label]] for label in labels))


def joined(feature: int, left: Flat, right: Flat) -> Flat:
    """Put two trees under a test; node numbers below are shifted."""

    def shifted(tree: Flat, by: int) -> Flat:
        return [
            [f, le + by if le >= 0 else -1, ri + by if ri >= 0 else -1, label] for f, le, ri, label in tree
        ]

    return [[feature, 1, 1 + len(left), -1], *shifted(left, 1), *shifted(right, 1 + len(left))]
