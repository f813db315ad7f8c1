"""The paths of a tree, and its conditions where it has only names."""

from __future__ import annotations

from collections.abc import Iterator

from streed.tree.conditions import Condition
from streed.tree.tree import Tree


def conditions_of(tree: Tree) -> tuple[Condition, ...]:
    """Return what the features of a tree say; without conditions each is a Boolean column of its own."""
    if tree.conditions is not None:
        return tree.conditions
    return tuple(Condition(tree.feature_name(f), "is", True) for f in range(tree.n_features))


def paths(tree: Tree) -> Iterator[tuple[int, list[tuple[int, bool]]]]:
    """Yield each leaf, left to right, with the features tested on the way and whether they held."""
    stack: list[tuple[int, list[tuple[int, bool]]]] = [(0, [])]
    while stack:
        node, steps = stack.pop()
        feature = int(tree.feature[node])
        if feature < 0:
            yield node, steps
        else:
            stack.append((int(tree.right[node]), [*steps, (feature, True)]))
            stack.append((int(tree.left[node]), [*steps, (feature, False)]))
