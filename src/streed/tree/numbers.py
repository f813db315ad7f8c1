"""What views show of the targets of a regression, counted from the rows of a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.tree.details import Numbers
from streed.tree.probabilities import drawn_to_parents

if TYPE_CHECKING:
    from streed.tree.tree import Tree

BINS = 16
"""Bars of the small distribution that views draw of a leaf."""
LEVELS = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)
"""Quantiles of the targets that leaves know."""


def numbers_at_nodes(
    tree: Tree,
    leaf: NDArray[np.int64],
    targets: NDArray[np.float64],
    weights: NDArray[np.float64],
    smoothing: float = 0.0,
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
    if smoothing:
        found = smoothed_quantiles(tree, leaf, targets.ravel(), weights, smoothing)
    else:
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


def smoothed_quantiles(
    tree: Tree,
    leaf: NDArray[np.int64],
    targets: NDArray[np.float64],
    weights: NDArray[np.float64],
    strength: float,
) -> NDArray[np.float64]:
    """Return the quantiles of distributions with hierarchical shrinkage, see `streed.tree.probabilities`.

    The distribution of a leaf becomes a mean of those on its path, so that all rows count at every leaf, by a
    factor that depends on their own leaf. On rows held out the score of intervals of 80 % got better on 9 of
    10 sets and on none worse (strength 10, depth 4, 2 splits): 75 % were covered, then 78 %, and without a
    price 72 %, then 76 %.
    """
    weight = np.bincount(leaf, weights, tree.node_count).astype(np.float64)
    factors = factors_of_rows(tree, weight, strength)
    order = np.argsort(targets, kind="stable")
    own, sorted_weights = leaf[order], weights[order]
    leaves = np.flatnonzero(tree.feature < 0).tolist()
    found = np.zeros((len(leaves), len(LEVELS)))
    for number, node in enumerate(leaves):
        sums = np.cumsum(sorted_weights * factors[node][own])
        if sums[-1] > 0:
            places = np.searchsorted(sums, np.array(LEVELS) * sums[-1] * (1 - 1e-12))
            found[number] = targets[order[np.minimum(places, order.size - 1)]]
    return found


def factors_of_rows(tree: Tree, weight: NDArray[np.float64], strength: float) -> NDArray[np.float64]:
    """Return for each leaf (row) by what factor rows of another leaf (column) count; `weight` is of leaves.

    A row counts in the distributions of all nodes that it shares with the leaf.
    """
    own = np.diag(weight)
    for node, left, right in reversed(tree.branches()):
        own[node] = own[left] + own[right]
    total = own.sum(axis=1)
    shares = own / np.maximum(total, np.finfo(np.float64).tiny)[:, None]
    found = drawn_to_parents(shares, total, tree.branches(), strength)
    factors: NDArray[np.float64] = np.maximum(found, 0.0) / np.maximum(weight, np.finfo(np.float64).tiny)
    return factors
