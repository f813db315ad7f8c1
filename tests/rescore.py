"""Costs of a given tree, counted row by row and apart from the package: what every claim is held against."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def rescore(
    tree: Any,
    X: np.ndarray,
    costs: np.ndarray,
    tests: Sequence[tuple[Any, Any, float, float]] | None = None,
) -> float:
    """Total cost of a tree: `costs[row, label]` in the leaves, and the prices of tests on the way.

    `tests` has (name, group, full, discounted) of the test behind each binary feature.
    """
    total = 0.0
    stack: list[tuple[int, np.ndarray, frozenset[Any], frozenset[Any]]] = [
        (0, np.arange(len(X)), frozenset(), frozenset())
    ]
    while stack:
        node, rows, bought, groups = stack.pop()
        feature = int(tree.feature[node])
        if feature < 0:
            total += float(costs[rows, tree.label[node]].sum())
            continue
        if tests is not None:
            name, group, full, discounted = tests[feature]
            if name not in bought:
                total += len(rows) * (discounted if group is not None and group in groups else full)
            bought, groups = bought | {name}, groups | {group}
        goes_right = X[rows, feature] != 0
        stack.append((int(tree.left[node]), rows[~goes_right], bought, groups))
        stack.append((int(tree.right[node]), rows[goes_right], bought, groups))
    return total
