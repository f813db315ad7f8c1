"""Trees of the general search: counted anew, without useless splits, and as flat arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.reference import Components, NestedTree
from streed.solver.general.guard import Guard
from streed.solver.general.states import rows_of, splits_rows
from streed.tree.tree import Tree


def admissible_value(guard: Guard, tree: NestedTree, state: Any = None) -> tuple[Any] | None:
    """Value of a tree of positions, as a tuple of one; None if the constraint fails at a node."""
    here = guard.task.initial_state if state is None else state
    if isinstance(tree, tuple):
        feature = guard.task.features[tree[0]]
        left = admissible_value(guard, tree[1], guard.child(here, feature, False))
        right = left and admissible_value(guard, tree[2], guard.child(here, feature, True))
        if left is None or right is None:
            return None
        value = guard.join(left[0], right[0], guard.branch(here, feature))
    else:
        value = guard.leaf(here, guard.task.labels[tree])
    return (value,) if guard.feasible(value, here) else None


def simplify(guard: Guard, tree: NestedTree, value: Any) -> NestedTree:
    """Replace nodes by leaves or by their own subtrees for as long as the value stays the same."""
    for smaller in _reduced(tree, len(guard.task.labels)):
        found = admissible_value(guard, smaller)
        if found is not None and guard.equal(found[0], value):
            return simplify(guard, smaller, value)
    return tree


def _reduced(tree: NestedTree, n_labels: int) -> Iterator[NestedTree]:
    """All trees with one node replaced, near the root first."""
    if not isinstance(tree, tuple):
        return
    yield from range(n_labels)
    feature, left, right = tree
    yield left
    yield right
    yield from ((feature, smaller, right) for smaller in _reduced(left, n_labels))
    yield from ((feature, left, smaller) for smaller in _reduced(right, n_labels))


def with_names(task: Components[Any, Any]) -> list[str] | None:
    """Names of features that are not just numbers."""
    numbered = all(isinstance(feature, int | np.integer) for feature in task.features)
    return None if numbered else [str(feature) for feature in task.features]


def flatten(
    task: Components[Any, Any],
    tree: NestedTree,
    labels: Any,
    features: NDArray[np.uint8] | None,
    names: Sequence[str] | None,
) -> Tree:
    """Make a tree of positions a `Tree`; its rows are counted by X, by `size`, or by what states show."""
    nodes: list[tuple[int, int, int, int]] = []

    def add(part: NestedTree) -> int:
        here = len(nodes)
        nodes.append((-1, -1, -1, -1))
        if isinstance(part, tuple):
            nodes[here] = (part[0], add(part[1]), add(part[2]), -1)
        else:
            nodes[here] = (-1, -1, -1, part)
        return here

    add(tree)
    columns = np.array(nodes, np.int32).T
    flat = Tree(
        *columns,
        n_samples=np.zeros(len(nodes), np.int64),
        classes=_classes(labels),
        n_features=len(task.features),
        feature_names=names,
    )
    _count(flat, task, features)
    return flat


def _classes(labels: Any) -> NDArray[Any]:
    """Labels as an array; those of mixed kinds stay as they are instead of all becoming strings."""
    if isinstance(labels, np.ndarray):
        return labels
    kinds = {type(label) for label in labels}
    if len(kinds) == 1 and kinds <= {int, float, str, bool}:
        return np.asarray(list(labels))
    classes = np.empty(len(labels), dtype=object)
    classes[:] = list(labels)
    return classes


def _count(tree: Tree, task: Components[Any, Any], features: NDArray[np.uint8] | None) -> None:
    if features is None:
        _count_states(tree, task)
        return
    tree.n_samples[:] = np.bincount(tree.route(features), minlength=tree.node_count)
    for node in np.flatnonzero(tree.feature >= 0)[::-1].tolist():
        tree.n_samples[node] = tree.n_samples[tree.left[node]] + tree.n_samples[tree.right[node]]


def _count_states(tree: Tree, task: Components[Any, Any]) -> None:
    size = task.size
    if size is None and not splits_rows(task):
        return
    states = {0: task.initial_state}
    for node in range(tree.node_count):
        state = states[node]
        tree.n_samples[node] = len(rows_of(state) or ()) if size is None else size(state)
        if tree.feature[node] >= 0:
            feature = task.features[tree.feature[node]]
            states[int(tree.left[node])] = task.transition(state, feature, False)
            states[int(tree.right[node])] = task.transition(state, feature, True)
