"""CART: scikit-learn's greedy tree with Gini impurity, as deep as the others may be."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock import measure
from benchmarks.peers import Options

DISTRIBUTION = "scikit-learn"


def run(X: NDArray[np.uint8], y: NDArray[np.int32], options: Options) -> dict[str, Any]:
    """Grow one tree; it claims nothing."""
    trees = import_module("sklearn.tree")
    model = trees.DecisionTreeClassifier(max_depth=options["max_depth"], random_state=0)
    timing = measure(lambda: model.fit(X, y), float(options["time_limit"]))
    return timing | {
        "prediction": model.predict(X),
        "tree": flat(model),
        "proven": False,
        "figures": {"nodes": float(model.get_n_leaves() - 1)},
    }


def flat(model: Any) -> NDArray[np.int64]:
    """Rows of feature, left, right and label of a fitted tree on binary features."""
    tree = model.tree_
    leaf = tree.children_left < 0
    label = np.where(leaf, np.asarray(model.classes_)[tree.value[:, 0].argmax(axis=1)], -1)
    feature = np.where(leaf, -1, tree.feature)
    return np.stack([feature, tree.children_left, tree.children_right, label], axis=1).astype(np.int64)
