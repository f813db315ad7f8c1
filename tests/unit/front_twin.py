"""A slow twin of the native front engine: every tree of depth two at most, by enumeration."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

Nested = Any


def trees(n_features: int, n_labels: int, depth: int) -> Iterator[Nested]:
    yield from range(n_labels)
    if depth:
        below = list(trees(n_features, n_labels, depth - 1))
        yield from itertools.product(range(n_features), below, below)


def leaves(tree: Nested, X: np.ndarray, rows: np.ndarray) -> Iterator[tuple[np.ndarray, int]]:
    if isinstance(tree, tuple):
        has = X[rows, tree[0]] != 0
        yield from leaves(tree[1], X, rows[~has])
        yield from leaves(tree[2], X, rows[has])
    else:
        yield rows, tree


def size(tree: Nested) -> int:
    return 1 + size(tree[1]) + size(tree[2]) if isinstance(tree, tuple) else 0


def values(
    X: np.ndarray, costs: np.ndarray, branch: np.ndarray, depth: int, nodes: int, least: int
) -> list[tuple[tuple[float, ...], Nested]]:
    """The values of all trees within the limits, small trees first."""
    found = []
    for tree in sorted(trees(X.shape[1], costs.shape[1], depth), key=size):
        parts = list(leaves(tree, X, np.arange(len(X))))
        if size(tree) <= nodes and all(len(rows) >= least for rows, _ in parts):
            total = sum(costs[rows, label].sum(axis=0) for rows, label in parts) + size(tree) * branch
            found.append((tuple(np.asarray(total).tolist()), tree))
    return found


def flat(tree: Nested) -> dict[str, np.ndarray]:
    nodes: list[list[int]] = []

    def add(part: Nested) -> int:
        here = len(nodes)
        nodes.append([-1, -1, -1, part if not isinstance(part, tuple) else -1])
        if isinstance(part, tuple):
            nodes[here][:3] = part[0], add(part[1]), add(part[2])
        return here

    add(tree)
    columns = np.array(nodes, np.int32).T
    return dict(zip(("feature", "left", "right", "label"), columns, strict=True))


class Twin:
    """Has the two functions of the native front engine."""

    def front(
        self,
        X: np.ndarray,
        costs: np.ndarray,
        *,
        branch_cost: np.ndarray,
        upper: np.ndarray,
        weights: np.ndarray,
        budget: float,
        max_depth: int,
        max_nodes: int,
        min_samples_leaf: int,
        **limits: Any,
    ) -> dict[str, Any]:
        assert costs.flags.c_contiguous
        assert costs.shape[2] == len(branch_cost) == len(upper) == len(weights)
        found = values(X, costs, branch_cost, max_depth, max_nodes, min_samples_leaf)
        inside = [(v, t) for v, t in found if (np.array(v) <= upper).all()]
        kept: dict[tuple[float, ...], Nested] = {}
        for v, tree in inside:
            if not any(w != v and all(a <= b for a, b in zip(w, v, strict=True)) for w, _ in inside):
                kept.setdefault(v, tree)
        points = sorted(kept)
        return {
            "values": np.array(points).reshape(len(points), costs.shape[2]),
            "trees": [flat(kept[point]) for point in points],
            "complete": True,
            "supports": np.zeros((0, costs.shape[2] + 1)),
            "status": "optimal",
            "seconds": 0.0,
            "statistics": {},
        }

    def constrained(
        self,
        X: np.ndarray,
        costs: np.ndarray,
        *,
        lower: np.ndarray,
        upper: np.ndarray,
        branch_cost: np.ndarray,
        max_depth: int,
        max_nodes: int,
        min_samples_leaf: int,
        **limits: Any,
    ) -> dict[str, Any]:
        assert costs.flags.c_contiguous
        assert costs.shape[2] == len(branch_cost) == 1 + len(lower) == 1 + len(upper)
        found = values(X, costs, branch_cost, max_depth, max_nodes, min_samples_leaf)
        violation = [
            np.maximum(0, np.maximum(lower - v[1:], np.array(v[1:]) - upper)).sum() for v, _ in found
        ]
        common = {"status": "optimal", "seconds": 0.0, "statistics": {}, "optimal": True}
        if min(violation) > 0:
            closest = found[int(np.argmin(violation))][0]
            return {**common, "feasible": False, "closest": np.array(closest[1:])}
        best, tree = min(
            (entry for entry, far in zip(found, violation, strict=True) if far == 0), key=lambda e: e[0][0]
        )
        answer = {"feasible": True, "values": np.array(best), "objective": best[0], "lower_bound": best[0]}
        return {**common, **answer, **flat(tree)}
