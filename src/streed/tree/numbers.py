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
    if single:
        mean, spread = mean.ravel(), spread.ravel()
    return Numbers(mean=mean, spread=spread, edges=edges, counts=counts)
