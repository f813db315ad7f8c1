"""What the leaves of an exported tree predict, as numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from streed.errors import ExportError
from streed.tree.details import Curves, Numbers
from streed.tree.line import is_linear
from streed.tree.tree import Tree

LEAVES = ("shares", "labels")


def leaf_values(tree: Tree, leaves: str) -> NDArray[np.float64]:
    """Return what each leaf predicts, of shape (nodes, outputs, classes); entries of other nodes are unused.

    Classes have their shares, or 1 for the label, where `leaves` is "labels".
    """
    if is_linear(tree.classes):
        node = int(np.flatnonzero(tree.feature < 0)[0])
        raise ExportError(
            f"leaf {node} predicts {tree.classes[tree.label[node]]}: a linear function, "
            "but leaves of other programs hold constants"
        )
    if isinstance(tree.details, Curves):
        return tree.details.risk.reshape(-1, 1, 1).copy()
    if isinstance(tree.details, Numbers):
        labels = np.array(tree.classes.tolist(), dtype=np.float64).reshape(len(tree.classes), -1)
        return labels[tree.label][:, :, None]
    if leaves == "labels":
        return np.eye(tree.classes.size)[tree.label][:, None, :]
    return _shares(tree)[:, None, :]


def _shares(tree: Tree) -> NDArray[np.float64]:
    if tree.class_weights is None:
        raise ExportError(
            "the leaves of this tree have no shares of classes, as where rewards or costs of rows are given: "
            "leaves='labels' gives the label of a leaf the share 1"
        )
    shares = tree.probabilities()
    for node in np.flatnonzero(tree.feature < 0).tolist():
        label = int(tree.label[node])
        if int(np.argmax(shares[node])) != label:
            names = tree.classes.tolist()
            raise ExportError(
                f"leaf {node} predicts {names[label]!r}, but {names[np.argmax(shares[node])]!r} is at "
                "least as frequent in it, and other programs predict the most frequent class: "
                "leaves='labels' gives the label of a leaf the share 1"
            )
    return shares
