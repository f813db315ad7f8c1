"""What a prediction is worth, computed with NumPy from the prediction alone.

No package is believed: the value in the tables is re-scored here from what the package predicts for its
training rows. A task of a later study is one more function and one more line in `SCORES`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Arrays
from benchmarks.number_data import half_deviance, squared_error


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


def f1_score(arrays: Arrays, prediction: NDArray[Any]) -> float:
    """Harmonic mean of precision and recall of label 1."""
    y = arrays["y"]
    if prediction.shape != y.shape:
        raise ValueError(f"expected one prediction per row, shape {y.shape}, got shape {prediction.shape}")
    found = np.count_nonzero((prediction == 1) & (y == 1))
    return float(2 * found / (np.count_nonzero(prediction == 1) + np.count_nonzero(y == 1)))


def priced_rate(arrays: Arrays, prediction: NDArray[Any]) -> float:
    """Error rate plus the price of all leaves; their number comes after the predictions."""
    n = len(arrays["y"])
    return misclassified(arrays, prediction[:n]) / n + float(arrays["price"][0]) * float(prediction[n])


FAIR_TASKS: dict[str, tuple[str, ...]] = {
    "demographic_parity": ("all",),
    "equal_opportunity": ("positive",),
    "predictive_equality": ("negative",),
    "equalized_odds": ("positive", "negative"),
}
"""Notions of fairness, each with the rows among which groups are to be selected at the same rate."""


def fair_errors(about: tuple[str, ...], arrays: Arrays, prediction: NDArray[Any]) -> float:
    """Count the wrong rows; infinity if rates of groups differ by more than the limit, in fractions."""
    y, group = arrays["y"], arrays["group"]
    limit = Fraction(int(arrays["limit"][0]), int(arrays["limit"][1]))
    for kind in about:
        rows = {"all": y >= 0, "positive": y == 1, "negative": y == 0}[kind]
        rates = []
        for one in np.unique(group[rows]):
            here = rows & (group == one)
            rates.append(Fraction(int(np.count_nonzero(prediction[here] == 1)), int(np.count_nonzero(here))))
        if rates and max(rates) - min(rates) > limit:
            return float("inf")
    return misclassified(arrays, prediction)


SCORES: dict[str, Score] = {
    "accuracy": Score(misclassified),
    "continuous": Score(misclassified),
    "cost_sensitive": Score(tree_cost, tolerance=1e-9, peer_tolerance=1e-4),
    "instance_costs": Score(row_costs, tolerance=1e-9, peer_tolerance=1e-4),
    "policy": Score(mean_reward, smaller_is_better=False, tolerance=1e-9, peer_tolerance=1e-4),
    "regression": Score(squared_error, tolerance=1e-9, peer_tolerance=1e-4),
    "survival": Score(half_deviance, tolerance=1e-9, peer_tolerance=1e-4),
    "priced": Score(priced_rate, tolerance=1e-9),
    "f1": Score(f1_score, smaller_is_better=False, tolerance=1e-12),
    **{name: Score(functools.partial(fair_errors, about)) for name, about in FAIR_TASKS.items()},
}
