"""A tree of the engine, counted anew from the rows: sizes, costs, class weights and prices of its nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.errors import TaskError
from streed.tasks.forms import OneValue
from streed.tree.tree import Tree


class Counted(NamedTuple):
    """A tree of the engine, with its rows counted anew."""

    tree: Tree
    cost: float
    """In engine units."""
    leaf: NDArray[np.int64]
    """Where each row ends."""

    @property
    def predicted(self) -> NDArray[np.int64]:
        """The prediction of each row, as a position among the classes."""
        return self.tree.label[self.leaf].astype(np.int64)


def make_tree(
    form: OneValue,
    features: NDArray[np.uint8],
    names: Sequence[str] | None,
    answer: dict[str, Any],
    value_name: str,
    sign: float,
    task: str = "",
) -> Counted:
    """Make the engine's arrays (int32) a `Tree` with its rows counted anew, and its cost in engine units.

    `task` is what errors call the task; only leaf functions can be wrong now.
    """
    tree = Tree.__new__(Tree)  # skips `Tree.__init__`: `_core.recount` validates the arrays
    tree.feature = feature = answer["feature"]
    tree.left = left = answer["left"]
    tree.right = right = answer["right"]
    tree.label = label = answer["label"]
    tree.classes = classes = form.classes
    tree.n_features = features.shape[1]
    tree.feature_names = None if names is None else tuple(names)
    tree.value_name = value_name
    tree.conditions = None
    tree.details = tree.class_counts = None
    tree.smoothing = tree.shrinkage = 0.0
    model, prices, tally = form.leaf, form.prices, form.tally
    largest = form.combination == "max"
    leaf, tree.n_samples, cost, values, tree.class_weights, tree.prices = _core.recount(
        features,
        feature,
        left,
        right,
        label,
        classes.size,
        *model.native_rows(),
        None if tally is None else (tally.codes, tally.weights),
        None if prices is None else (prices.attribute, prices.group, prices.full, prices.discounted),
        largest,
        sign * form.scale,
        form.scale,
    )
    if tree.class_weights is not None:
        tree.class_counts = _class_counts(tree, leaf, *(tally or model.native_rows()[0] or (None, None)))
    costs = model.node_costs(task, leaf, tree, largest)
    if costs is not None:
        cost += costs.item(0)
        rows = 1 if largest else np.maximum(tree.n_samples, 1)  # no mean has a meaning for the largest leaf
        values = sign * form.scale * costs / rows + 0.0  # no minus zero
    if form.leaf_label is not None:
        _label_leaves(task, tree, form, leaf)
    tree.values = values if value_name else None
    if form.describe is not None:
        form.describe(tree, leaf)
    return Counted(tree, cost + form.branch_cost * (feature.size // 2), leaf)


def _class_counts(tree: Tree, leaf: NDArray[np.int64], codes: Any, weights: Any) -> NDArray[np.int64] | None:
    """Count the rows of each class at each node, if their weights differ: shares of weight are no shares."""
    if codes is None or weights is None or not weights.size or weights.min() == weights.max():
        return None
    n_classes = tree.classes.size
    places = leaf * n_classes + codes
    counts = np.bincount(places, minlength=tree.feature.size * n_classes).reshape(-1, n_classes)
    for node, left, right in reversed(tree.branches()):
        counts[node] = counts[left] + counts[right]
    return counts


def _label_leaves(task: str, tree: Tree, form: OneValue, leaf: NDArray[np.int64]) -> None:
    """Give every leaf the label that the task computes from its statistics."""
    sums = form.leaf.leaf_sums(leaf, tree)
    if form.leaf_label is None or sums is None:
        return
    leaves = np.flatnonzero(tree.feature < 0)
    try:
        labels = [form.leaf_label(sums[:, k].copy()) for k in range(leaves.size)]
    except Exception as error:
        raise TaskError(f"leaf_label of the task {task!r} raised {type(error).__name__}: {error}") from error
    tree.classes = np.array(labels)
    if tree.classes.shape != (leaves.size,):
        tree.classes = np.empty(leaves.size, dtype=object)
        tree.classes[:] = labels
    tree.label = tree.label.copy()  # the engine's own array stays as it is
    tree.label[leaves] = np.arange(leaves.size)


def constant_tree(label: int) -> dict[str, NDArray[np.int32]]:
    """Return the tree that is one leaf, in the form of the engine."""
    none = np.array([-1], np.int32)
    return {"feature": none, "left": none, "right": none, "label": np.array([label], np.int32)}


def predicted(answer: dict[str, Any], features: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the prediction of each row, as a position among the classes, by a tree of the engine.

    From the leaves up: for each node what all rows would be predicted there. Parents come before children.
    """
    feature, left, right, label = (
        np.asarray(answer[name]).tolist() for name in ("feature", "left", "right", "label")
    )
    below: list[Any] = [np.int16(code) for code in label]
    for node in range(len(feature) - 1, -1, -1):
        if feature[node] >= 0:
            below[node] = np.where(features[:, feature[node]], below[right[node]], below[left[node]])
    labels: NDArray[np.int64] = np.broadcast_to(below[0], features.shape[:1]).astype(np.int64)
    return labels


def leaves_of(answer: dict[str, Any], rows: Any) -> Any:
    """Return the leaf of each row in a tree of the engine."""
    feature, left, right = (np.asarray(answer[name]) for name in ("feature", "left", "right"))
    at = np.zeros(rows.shape[0], np.int64)
    while (inside := feature[at] >= 0).any():
        nodes = at[inside]
        has = rows[np.flatnonzero(inside), feature[nodes]] != 0
        at[inside] = np.where(has, right[nodes], left[nodes])
    return at
