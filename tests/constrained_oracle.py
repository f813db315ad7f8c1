"""A slow twin of the engine for constraints: the paper's recursion over vectors of costs."""

from __future__ import annotations

from typing import Any

import numpy as np

from streed.reference import Components, NestedTree, solve


def constrained(
    features: np.ndarray,
    costs: np.ndarray,
    *,
    lower: np.ndarray,
    upper: np.ndarray,
    branch_cost: np.ndarray,
    limits: Any,
    poll: Any = None,
) -> dict[str, Any]:
    """Answer as the engine does; only for upper limits on components that are not negative."""
    assert np.isneginf(lower).all()
    assert (costs[:, :, 1:] >= 0).all()
    has = features.astype(bool).tolist()

    def transition(rows: tuple[int, ...], feature: int, side: bool) -> tuple[int, ...]:
        return tuple(i for i in rows if has[i][feature] == side)

    task: Components[tuple[int, ...], tuple[float, ...]] = Components(
        cost_leaf=lambda rows, label: tuple(costs[list(rows), label].sum(axis=0).tolist()),
        cost_branch=lambda rows, feature: tuple(branch_cost.tolist()),
        transition=transition,
        better=lambda v, w: v != w and all(a <= b for a, b in zip(v, w, strict=True)),
        combine=lambda v, w: tuple(a + b for a, b in zip(v, w, strict=True)),
        feasible=lambda v, rows: len(rows) >= limits.min_samples_leaf,
        initial_state=tuple(range(len(has))),
        labels=range(costs.shape[1]),
        features=range(features.shape[1]),
    )
    front = solve(task, limits.max_depth, min(limits.max_nodes, 2**limits.max_depth - 1))
    within = [one for one in front if (np.array(one.value[1:]) <= upper).all()]
    common = {"status": "optimal", "seconds": 0.0, "statistics": {}}
    if not within:
        excess = [float(np.maximum(0, np.array(one.value[1:]) - upper).sum()) for one in front]
        closest = np.array(front[int(np.argmin(excess))].value[1:])
        return common | {"feasible": False, "closest": closest}
    best = min(within, key=lambda one: one.value[0])
    value = best.value[0]
    return (
        common
        | flat(best.tree)
        | {
            "feasible": True,
            "optimal": True,
            "values": np.array(best.value),
            "objective": value,
            "lower_bound": value,
        }
    )


def flat(tree: NestedTree) -> dict[str, Any]:
    """A nested tree as the engine's arrays."""
    nodes: list[list[int]] = []

    def add(part: NestedTree) -> int:
        number = len(nodes)
        nodes.append([-1, -1, -1, -1])
        if isinstance(part, tuple):
            nodes[number] = [part[0], add(part[1]), add(part[2]), -1]
        else:
            nodes[number][3] = part
        return number

    add(tree)
    columns = np.array(nodes, np.int32).T
    return dict(zip(("feature", "left", "right", "label"), columns, strict=True))
