"""Slow twins of the native functions `front` and `constrained`: the reference solver on vectors of costs.

They take and give what the native functions do, and are the oracle for whatever is built on those.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from streed import reference
from streed.tasks.parts.vectors import dominates, vector_components

Arrays = dict[str, np.ndarray]


def solutions(
    features: np.ndarray,
    costs: np.ndarray,
    branch: np.ndarray,
    options: dict[str, Any],
    better: Callable[[Any, Any], bool],
) -> list[reference.Solution]:
    """All values that are not beaten, with a tree each."""
    components = vector_components(
        features, None, costs, options["min_samples_leaf"], better, tuple(branch.tolist())
    )
    return reference.solve(components, options["max_depth"], options["max_nodes"])


def flat(tree: reference.NestedTree) -> Arrays:
    """A nested tree as arrays in preorder."""
    nodes: list[list[int]] = []

    def add(node: reference.NestedTree) -> int:
        at = len(nodes)
        nodes.append([-1, -1, -1, -1])
        if isinstance(node, tuple):
            nodes[at][:3] = node[0], add(node[1]), add(node[2])
        else:
            nodes[at][3] = node
        return at

    add(tree)
    columns = np.array(nodes, np.int32).T
    return dict(zip(("feature", "left", "right", "label"), np.ascontiguousarray(columns), strict=True))


def front(
    features: np.ndarray,
    costs: np.ndarray,
    *,
    branch_cost: np.ndarray,
    upper: np.ndarray,
    weights: np.ndarray,
    budget: float,
    **options: Any,
) -> dict[str, Any]:
    """All nondominated points within the limits."""
    found = sorted(solutions(features, costs, branch_cost, options, dominates), key=lambda one: one.value)
    within = [
        one
        for one in found
        if (np.array(one.value) <= upper).all() and float(weights @ np.array(one.value)) <= budget
    ]
    return {
        "values": np.array([one.value for one in within], dtype=float).reshape(-1, costs.shape[2]),
        "trees": [flat(one.tree) for one in within],
        "complete": True,
        "supports": np.zeros((0, costs.shape[2] + 1)),
        "status": "optimal",
        "seconds": 0.0,
        "statistics": {},
    }


def constrained(
    features: np.ndarray,
    costs: np.ndarray,
    *,
    lower: np.ndarray,
    upper: np.ndarray,
    branch_cost: np.ndarray,
    **options: Any,
) -> dict[str, Any]:
    """The least first component with the others within their limits."""

    def better(v: Any, w: Any) -> bool:
        return bool(v[1:] == w[1:] and v[0] < w[0])

    def excess(one: reference.Solution) -> float:
        rest = np.array(one.value[1:])
        return float(np.maximum(0, np.maximum(lower - rest, rest - upper)).sum())

    found = solutions(features, costs, branch_cost, options, better)
    feasible = [one for one in found if excess(one) == 0]
    common = {"status": "optimal", "seconds": 0.0, "statistics": {}}
    if not feasible:
        closest = min(found, key=excess)
        known = {"closest": np.array(closest.value[1:]), "closest_tree": flat(closest.tree)}
        return common | {"feasible": False, "optimal": True, **known}
    best = min(feasible, key=lambda one: one.value[0])
    return common | {
        **flat(best.tree),
        "feasible": True,
        "values": np.array(best.value, dtype=float),
        "objective": float(best.value[0]),
        "lower_bound": float(best.value[0]),
        "optimal": True,
    }
