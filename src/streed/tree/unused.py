"""A tree with the conditions that it tests and no others, for what is stored or shown."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from streed.tree.conditions import Condition
from streed.tree.tree import Tree


def tested_features(tree: Tree, conditions: Sequence[Condition]) -> list[int]:
    """Return the features that a tree tests, and those that say that a column which it tests is missing.

    Conditions on other columns hold values of the training rows that say nothing about the tree.

    Examples
    --------
    >>> conditions = [Condition("name", "=", "Ann"), Condition("age", "is", None), Condition("age", "<=", 30)]
    >>> tree = Tree([2, -1, -1], [1, -1, -1], [2, -1, -1], [-1, 0, 1], n_samples=[3, 1, 2], classes=[0, 1],
    ...             n_features=3)
    >>> tested_features(tree, conditions)
    [1, 2]
    """
    tested = {feature for feature in tree.feature.tolist() if feature >= 0}
    columns = {conditions[feature].column for feature in tested}
    return [
        feature
        for feature, each in enumerate(conditions)
        if feature in tested or (each.column in columns and each.operator == "is" and each.value is None)
    ]


def without_unused(tree: Tree, conditions: Sequence[Condition]) -> tuple[Tree, tuple[Condition, ...]]:
    """Return the tree over these features alone, with their conditions."""
    kept = tested_features(tree, conditions)
    if len(kept) == tree.n_features:
        return tree, tuple(conditions)
    numbers = np.zeros(tree.n_features, np.int32)
    numbers[kept] = np.arange(len(kept), dtype=np.int32)
    names = None if tree.feature_names is None else [tree.feature_names[feature] for feature in kept]
    said = tuple(conditions[feature] for feature in kept)
    other = tree.over(numbers, len(kept), names)
    if tree.conditions is not None:
        other.conditions = said
    return other, said
