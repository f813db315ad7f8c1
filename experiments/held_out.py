"""Figures on rows that a method has not seen, computed from its tree alone.

A tree is a matrix with a row (feature, left, right, label) per node, -1 for what a node has not, as in
`benchmarks.scores.tree_cost`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Arrays


def route(tree: NDArray[Any], X: NDArray[Any]) -> NDArray[np.int64]:
    """Label of each row."""
    node = np.zeros(len(X), dtype=np.int64)
    for _ in range(len(tree)):
        feature = tree[node, 0]
        if (feature < 0).all():
            break
        right = X[np.arange(len(X)), np.maximum(feature, 0)] != 0
        node = np.where(feature < 0, node, np.where(right, tree[node, 2], tree[node, 1]))
    labels: NDArray[np.int64] = tree[node, 3].astype(np.int64)
    return labels


def held_out_figures(task: str, arrays: Arrays, tree: NDArray[Any]) -> dict[str, float]:
    """Score the held-out rows, if there are any: what is scored depends on the arrays."""
    if "X_test" not in arrays:
        return {}
    predicted = route(tree, arrays["X_test"])
    if "potential_test" in arrays:
        return policy_figures(predicted, arrays["potential_test"])
    return fair_figures(task, predicted, arrays["y_test"], arrays["group_test"])


def policy_figures(predicted: NDArray[np.int64], potential: NDArray[np.float64]) -> dict[str, float]:
    """Share of rows that get a treatment with the best true outcome, and the mean of their true outcomes."""
    gained = potential[np.arange(len(predicted)), predicted]
    return {
        "test_right": float(np.mean(gained >= potential.max(axis=1) - 1e-12)),
        "test_value": float(gained.mean()),
    }


def fair_figures(
    task: str, predicted: NDArray[np.int64], y: NDArray[np.int32], group: NDArray[np.int32]
) -> dict[str, float]:
    """Accuracy, and the difference of the groups' rates that the task limits (selection for accuracy)."""
    about = y == 1 if task == "equal_opportunity" else np.ones(len(y), dtype=bool)
    rates = [predicted[about & (group == g)].mean() for g in np.unique(group[about])]
    return {
        "test_accuracy": float(np.mean(predicted == y)),
        "test_difference": float(max(rates) - min(rates)) if rates else 0.0,
    }
