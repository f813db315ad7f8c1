"""Helpers for authors of tasks: the best trees by enumeration, and the search for a counterexample."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from streed.reference import Components, NestedTree, Solution
from streed.separable.check import Counterexample, SeparabilityReport, check_separable

__all__ = ["Counterexample", "SeparabilityReport", "brute_force", "check_separable"]

State = TypeVar("State")
Value = TypeVar("Value")


def brute_force(
    task: Components[State, Value], max_depth: int, max_nodes: int | None = None
) -> list[Solution]:
    """Find all nondominated values by looking at every tree with every labelling.

    It assumes nothing about the task, separability least of all, and shares no search with
    `streed.reference.solve`, so that the two can be compared. A tree is feasible when the constraint holds at
    each of its nodes. With F features and K labels there are about F * (F * K**2)**2 trees of depth two: for
    tiny problems only.

    Parameters
    ----------
    task : Components
        The optimisation task as its six components.
    max_depth : int
        The largest number of branching nodes on a path.
    max_nodes : int, optional
        The largest number of branching nodes in the tree.

    Returns
    -------
    list of Solution
        All nondominated values of feasible trees, each with one of the smallest trees that have it.

    Examples
    --------
    >>> from streed.reference import Components
    >>> rows = [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]
    >>> xor = Components(
    ...     cost_leaf=lambda state, label: sum(row[2] != label for row in state),
    ...     cost_branch=lambda state, feature: 0,
    ...     transition=lambda state, feature, side: [row for row in state if row[feature] == side],
    ...     better=lambda v, w: v < w,
    ...     combine=lambda v, w: v + w,
    ...     feasible=lambda v, state: True,
    ...     initial_state=rows,
    ...     labels=[0, 1],
    ...     features=[0, 1],
    ... )
    >>> brute_force(xor, max_depth=2)
    [Solution(value=0, tree=(0, (1, 0, 1), (1, 1, 0)))]
    >>> brute_force(xor, max_depth=2, max_nodes=2)
    [Solution(value=1, tree=(0, 0, (1, 1, 0)))]
    """
    limit = 2**max_depth - 1 if max_nodes is None else max_nodes
    feasible: list[Solution] = []
    for tree in sorted((t for t in _trees(task, max_depth) if _size(t) <= limit), key=_size):
        value = _value(task, tree, task.initial_state)
        if value is not None and all(value != known.value for known in feasible):
            feasible.append(Solution(value, tree))
    return [s for s in feasible if not any(task.better(other.value, s.value) for other in feasible)]


def _trees(task: Components[State, Value], depth: int) -> Iterator[NestedTree]:
    yield from task.labels
    if depth > 0:
        below = list(_trees(task, depth - 1))
        yield from ((f, left, right) for f in task.features for left in below for right in below)


def _size(tree: NestedTree) -> int:
    return 1 + _size(tree[1]) + _size(tree[2]) if isinstance(tree, tuple) else 0


def _value(task: Components[State, Value], tree: NestedTree, state: State) -> Value | None:
    """Value of a tree, None when one of its nodes is infeasible."""
    if isinstance(tree, tuple):
        left = _value(task, tree[1], task.transition(state, tree[0], False))
        right = _value(task, tree[2], task.transition(state, tree[0], True))
        if left is None or right is None:
            return None
        value = task.combine(task.combine(left, right), task.cost_branch(state, tree[0]))
    else:
        value = task.cost_leaf(state, tree)
    return value if task.feasible(value, state) else None
