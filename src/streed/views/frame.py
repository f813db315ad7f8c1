"""A tree as a frame of pandas, a row for each node."""

from __future__ import annotations

from typing import Any

import numpy as np

from streed.tree.details import Curves, Numbers
from streed.tree.tree import Tree
from streed.views.words.wording import label_text, value_name


def tree_to_frame(tree: Tree) -> Any:
    """Return a frame; see `Tree.to_frame`."""
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("Tree.to_frame needs pandas: pip install 'streed[pandas]'") from error
    columns = {name: pd.Series(values, dtype=_type(values)) for name, values in _columns(tree).items()}
    return pd.DataFrame(columns)


def _type(values: Any) -> Any:
    """Return the type of a column: texts, values and labels of any type stay as they are."""
    return values.dtype if isinstance(values, np.ndarray) else object


def _columns(tree: Tree) -> dict[str, Any]:
    depth, parent = np.zeros(tree.node_count, np.int64), np.full(tree.node_count, -1)
    side = [""] * tree.node_count
    for node, no, yes in tree.branches():
        depth[no] = depth[yes] = depth[node] + 1
        parent[no] = parent[yes] = node
        side[no], side[yes] = "no", "yes"
    tests = tree.tests
    names = [tree.feature_name(f) if f >= 0 else None for f in tree.feature.tolist()]
    labels = tree.classes.tolist()
    return {
        "depth": depth,
        "parent": parent,
        "side": side,
        "test": names,
        "column": [None if test is None else test.subject for test in tests],
        "operator": [None if test is None else test.operator for test in tests],
        "value": [None if test is None else test.value for test in tests],
        "missing": [None if test is None else test.knows_missing for test in tests],
        "no": tree.left.astype(np.int64),
        "yes": tree.right.astype(np.int64),
        "rows": tree.n_samples.astype(np.int64),
        "label": [labels[label] if label >= 0 else None for label in tree.label.tolist()],
        **_known(tree),
    }


def _known(tree: Tree) -> dict[str, Any]:
    """Return what only some trees know of their nodes."""
    known: dict[str, Any] = {}
    if tree.class_weights is not None:
        names = [f"weight of {label_text(label)}" for label in tree.classes.tolist()]
        known |= dict(zip(names, tree.class_weights.T, strict=True))
    if tree.values is not None:
        known[value_name(tree)] = tree.values
    if tree.prices is not None:
        known["price"] = tree.prices
    if isinstance(tree.details, Numbers):
        for name, values in (("mean", tree.details.mean), ("spread", tree.details.spread)):
            several = values.ndim > 1
            known |= (
                {f"{name} {k}": column for k, column in enumerate(values.T)} if several else {name: values}
            )
    if isinstance(tree.details, Curves):
        known |= {"events": tree.details.events, "risk": tree.details.risk}
    return known
