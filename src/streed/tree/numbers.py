"""What views show of the targets of a regression, counted from the rows of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.tree.details import Numbers

if TYPE_CHECKING:
    from streed.tree.tree import Tree

BINS = 16
"""Bars of the small distribution that views draw of a leaf."""
LEVELS = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)
"""Quantiles of the targets that leaves know."""


def numbers_at_nodes(
    tree: Tree, leaf: NDArray[np.int64], targets: NDArray[np.float64], weights: NDArray[np.float64]
) -> Numbers:
    """Describe the targets at every node: their mean, standard deviation and distribution.

    Targets have shape (n,) or (n, n_outputs). The distribution is that of the first one, between equidistant
    edges that all nodes share.
    """
    single = targets.ndim == 1 or targets.shape[1] == 1
    mean, spread, edges, counts = _core.node_targets(
        tree.feature,
        tree.left,
        tree.right,
        tree.n_features,
        leaf,
        targets.reshape(len(targets), -1),
        weights,
        BINS,
    )
    if not single:
        return Numbers(mean=mean, spread=spread, edges=edges, counts=counts)
    found = quantiles_at_leaves(tree, leaf, targets.ravel(), weights)
    return Numbers(mean.ravel(), spread.ravel(), edges, counts, np.array(LEVELS), found)


def quantiles_at_leaves(
    tree: Tree, leaf: NDArray[np.int64], targets: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return for each leaf the least targets up to which at least the share `LEVELS` of its weight lies."""
    order = np.lexsort((targets, leaf))
    ends = np.searchsorted(leaf[order], np.flatnonzero(tree.feature < 0), side="right")
    found = np.zeros((ends.size, len(LEVELS)))
    start = 0
    for number, end in enumerate(ends.tolist()):
        rows = order[start:end]
        start = end
        if rows.size:
            sums = np.cumsum(weights[rows])
            places = np.searchsorted(sums, np.array(LEVELS) * sums[-1] * (1 - 1e-12))
            found[number] = targets[rows[np.minimum(places, rows.size - 1)]]
    return found
