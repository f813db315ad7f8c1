"""A slow twin of searches under limits: all trees of two levels, and quantities counted row by row."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np


def all_trees(X: np.ndarray, n_labels: int, depth: int, least: int = 1) -> Iterator[tuple[np.ndarray, int]]:
    """Give the predictions and the number of nodes of every tree."""
    n = X.shape[0]

    def grow(rows: np.ndarray, levels: int) -> list[tuple[np.ndarray, int]]:
        found = [(np.where(rows, label, 0), 0) for label in range(n_labels)]
        for feature in range(X.shape[1]) if levels else ():
            right, left = rows & X[:, feature], rows & ~X[:, feature]
            if min(right.sum(), left.sum()) < least:
                continue
            for (a, k), (b, m) in itertools.product(grow(left, levels - 1), grow(right, levels - 1)):
                found.append((a + b, k + m + 1))
        return found

    seen: dict[tuple[bytes, int], tuple[np.ndarray, int]] = {}
    for labels, nodes in grow(np.ones(n, bool), depth):
        seen.setdefault((labels.astype(np.int8).tobytes(), nodes), (labels, nodes))
    yield from seen.values()


def rate(units: np.ndarray, about: np.ndarray, hit: np.ndarray) -> Fraction | None:
    """Weight of the rows that are hit among those it is about."""
    whole = int(units[about].sum())
    return Fraction(int(units[about & hit].sum()), whole) if whole else None


def spread(values: list[Fraction | None]) -> Fraction:
    """Greatest difference of rates that exist."""
    known = [value for value in values if value is not None]
    return max(known) - min(known) if known else Fraction(0)


def parity_of(kind: str, y: np.ndarray, p: np.ndarray, g: np.ndarray, units: np.ndarray, k: int) -> Fraction:
    """Greatest difference of the rates of a parity between groups."""
    worst = Fraction(0)
    labels = [1] if k == 2 else list(range(k))
    for label in labels:
        about = {
            "demographic_parity": [np.ones(y.size, bool)],
            "equal_opportunity": [y == label],
            "predictive_equality": [y != label],
            "equalized_odds": [y == label, y != label],
            "accuracy_parity": [np.ones(y.size, bool)],
        }[kind]
        hit = p == y if kind == "accuracy_parity" else p == label
        for rows in about:
            worst = max(worst, spread([rate(units, rows & (g == one), hit) for one in np.unique(g)]))
    return worst


def best(
    trees: list[tuple[np.ndarray, int]], keeps: Callable[[np.ndarray, int], bool], value: Callable[..., Any]
) -> Any:
    """Return the greatest value of a tree that keeps limits; None if there is none."""
    found = [value(labels, nodes) for labels, nodes in trees if keeps(labels, nodes)]
    return max(found, default=None)


def all_paying_trees(
    X: np.ndarray, n_labels: int, depth: int, prices: Any
) -> Iterator[tuple[np.ndarray, int, float]]:
    """Give the predictions of every tree, its number of nodes, and what all rows pay for its tests."""
    n = X.shape[0]

    def price(feature: int, path: tuple[int, ...]) -> float:
        if any(prices.attribute[feature] == prices.attribute[one] for one in path):
            return 0.0
        group = prices.group[feature]
        known = group >= 0 and any(prices.group[one] == group for one in path)
        return float((prices.discounted if known else prices.full)[feature])

    def grow(rows: np.ndarray, levels: int, path: tuple[int, ...]) -> list[tuple[np.ndarray, int, float]]:
        found = [(np.where(rows, label, 0), 0, 0.0) for label in range(n_labels)]
        for feature in range(X.shape[1]) if levels else ():
            right, left = rows & X[:, feature], rows & ~X[:, feature]
            if not right.any() or not left.any():
                continue
            own = price(feature, path) * float(rows.sum())
            below = [grow(side, levels - 1, (*path, feature)) for side in (left, right)]
            for (a, k, p), (b, m, q) in itertools.product(*below):
                found.append((a + b, k + m + 1, p + q + own))
        return found

    yield from grow(np.ones(n, bool), depth, ())
