"""What a prediction is worth, computed with NumPy from the prediction alone.

No package is believed: the value in the tables is re-scored here from what the package predicts for its
training rows. A task of a later study is one more function and one more line in `SCORES`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Arrays


@dataclass(frozen=True)
class Score:
    """A way to score predictions: the function, whether small values are good, and the tolerances.

    Values that differ by no more than `tolerance` are equal. A peer that is worse by no more than
    `peer_tolerance` agrees: peers compare real values roughly.
    """

    function: Callable[[Arrays, NDArray[Any]], float]
    smaller_is_better: bool = True
    tolerance: float = 0.0
    peer_tolerance: float = 0.0

    def better(self, first: float, second: float, allowed: float = 0.0) -> bool:
        """Tell whether the first value beats the second by more than the tolerance, or than `allowed`."""
        gain = second - first if self.smaller_is_better else first - second
        return gain > max(self.tolerance, allowed) * max(1.0, abs(second))


def misclassified(arrays: Arrays, prediction: NDArray[Any]) -> float:
    """Count the rows whose predicted label is wrong."""
    y = arrays["y"]
    if prediction.shape != y.shape:
        raise ValueError(f"expected one prediction per row, shape {y.shape}, got shape {prediction.shape}")
    return float(np.count_nonzero(prediction != y))


def tree_cost(arrays: Arrays, tree: NDArray[Any]) -> float:
    """Cost of a tree (rows of feature, left, right, label): its errors, and the tests that its rows pay."""
    X, costs = arrays["X"], arrays["matrix"][arrays["y"]]
    total = 0.0
    stack: list[tuple[int, NDArray[Any], set[int], set[int]]] = [(0, np.arange(len(X)), set(), set())]
    while stack:
        node, rows, tested, groups = stack.pop()
        feature, left, right, label = (int(value) for value in tree[node])
        if feature < 0:
            total += float(costs[rows, label].sum())
            continue
        attribute, group = int(arrays["attribute"][feature]), int(arrays["group"][feature])
        if attribute not in tested:
            price = arrays["discounted" if group in groups else "full"][feature]
            total += rows.size * float(price)
        has = X[rows, feature] != 0
        known = groups | ({group} if group >= 0 else set())
        stack.append((left, rows[~has], tested | {attribute}, known))
        stack.append((right, rows[has], tested | {attribute}, known))
    return total


def row_costs(arrays: Arrays, prediction: NDArray[Any]) -> float:
    """Add up the costs of the rows under their predicted labels."""
    return float(arrays["costs"][np.arange(len(prediction)), prediction].sum())


def mean_reward(arrays: Arrays, prediction: NDArray[Any]) -> float:
    """Mean reward of the prescribed treatments."""
    return float(arrays["rewards"][np.arange(len(prediction)), prediction].mean())


SCORES: dict[str, Score] = {
    "accuracy": Score(misclassified),
    "cost_sensitive": Score(tree_cost, tolerance=1e-9, peer_tolerance=1e-4),
    "instance_costs": Score(row_costs, tolerance=1e-9, peer_tolerance=1e-4),
    "policy": Score(mean_reward, smaller_is_better=False, tolerance=1e-9, peer_tolerance=1e-4),
}
