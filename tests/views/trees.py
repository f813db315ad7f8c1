"""Trees that the tests of views share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from streed import Condition, Tree

Shape = Any
"""A leaf as the number of its label, or a branching node as (feature, left, right)."""


def grow(shape: Shape, conditions: Sequence[Condition] | None = None, **known: Any) -> Tree:
    """A tree of a given shape, with one row per leaf and class weights that fit the labels."""
    feature: list[int] = []
    left: list[int] = []
    right: list[int] = []
    label: list[int] = []

    def add(part: Shape) -> int:
        number = len(feature)
        for column in (feature, left, right, label):
            column.append(-1)
        if isinstance(part, int):
            label[number] = part
        else:
            feature[number], left[number], right[number] = part[0], add(part[1]), add(part[2])
        return number

    add(shape)
    classes = known.pop("classes", ["no", "yes"])
    weights = np.zeros((len(feature), len(classes)))
    for node in reversed(range(len(feature))):
        if feature[node] < 0:
            weights[node, label[node]] = 1
        else:
            weights[node] = weights[left[node]] + weights[right[node]]
    arguments: dict[str, Any] = {
        "n_samples": weights.sum(axis=1),
        "class_weights": weights,
        "classes": classes,
        "n_features": max(feature) + 1 if conditions is None else len(conditions),
        "conditions": conditions,
    }
    return Tree(feature, left, right, label, **(arguments | known))


def full(depth: int, names: Sequence[str], classes: Sequence[str], seed: int = 0, **known: Any) -> Tree:
    """A full tree with random tests and random rows, whose leaves have the label of most of their rows."""
    rng = np.random.default_rng(seed)

    def shape(levels: int) -> Shape:
        if levels == 0:
            return int(rng.integers(len(classes)))
        return int(rng.integers(len(names))), shape(levels - 1), shape(levels - 1)

    drawn = shape(depth)
    tree = grow(drawn, classes=classes, n_features=len(names), feature_names=names, **known)
    if tree.class_weights is not None:
        leaves = tree.feature < 0
        tree.class_weights[leaves] += rng.integers(0, 900, (int(leaves.sum()), len(classes)))
        tree.class_weights[leaves, tree.label[leaves]] += 900
        for node in reversed(np.flatnonzero(~leaves).tolist()):
            tree.class_weights[node] = (
                tree.class_weights[tree.left[node]] + tree.class_weights[tree.right[node]]
            )
        tree.n_samples[:] = tree.class_weights.sum(axis=1)
    return tree


CONDITIONS = (
    Condition("age", "<=", 30.0),
    Condition("age", "<=", 42.5),
    Condition("age", "is", None),
    Condition("colour", "=", "red"),
    Condition("colour", "in", ("blue", "green")),
    Condition("member", "is", True),
    Condition("size", "in", ("small",), ordered=True),
    Condition("size", "in", ("small", "medium"), ordered=True),
    Condition("day", "<=", "2024-03-05"),
)
"""One condition of each kind; values of age may be missing."""
AGE_30, AGE_42, AGE_MISSING, RED, BLUE_GREEN, MEMBER, SMALL, MEDIUM, DAY = range(9)
