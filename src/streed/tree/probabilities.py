"""Probabilities of the classes at the nodes of a tree: shares of training rows, smoothed.

The share of a class among the few rows of a leaf is a poor estimate of its probability: the search chose the
leaf for being pure. Two rules give a better estimate, and neither changes a label.

- **Hierarchical shrinkage** (Agarwal et al., "Hierarchical Shrinkage: improving the accuracy and
  interpretability of tree-based methods", 2022) goes from the root down and takes the difference that each
  split makes to the shares by the factor n / (n + s) only, n being the weight of the rows that were split.
- **Laplace's rule** adds the same weight to every class.

Shrinkage may make another class the most probable one. Laplace's rule never does, so nodes where shrinkage
would take Laplace's rule instead.

An m-estimate along the path, which adds to each node so many rows of its parent, lost: its mean rank by log
loss on rows held out was behind shrinkage at every strength, for trees of accuracy and of log loss, depths 3
and 4, with and without a price (36 sets, 2 splits each; benchmarks/figures.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float64]
"""Weight of the rows of each class at each node, of shape (nodes, classes)."""


def laplace(weights: Weights, added: float) -> Weights:
    """Return the shares of the classes at each node, after a weight was added to every class.

    All classes are equally probable at a node without any weight.

    Examples
    --------
    >>> import numpy as np
    >>> laplace(np.array([[3.0, 0.0], [0.0, 0.0]]), 1.0).tolist()
    [[0.8, 0.2], [0.5, 0.5]]
    """
    smoothed = weights + added
    total = smoothed.sum(axis=1, keepdims=True)
    shares: Weights = np.full_like(smoothed, 1 / max(1, weights.shape[1]))
    np.divide(smoothed, total, out=shares, where=total > 0)
    return shares


def shrunk(
    weights: Weights, branches: Sequence[tuple[int, int, int]], added: float, strength: float
) -> Weights:
    """Return shares that are drawn to those of the parent, where that keeps the most probable class.

    Parameters
    ----------
    weights : array of shape (nodes, classes)
        Weight of the rows of each class.
    branches : sequence of (node, left, right)
        The branching nodes with their children, parents first.
    added : float
        Weight that Laplace's rule adds to every class, where shrinkage would change the most probable one.
    strength : float
        The weight s of shrinkage, above zero.

    Examples
    --------
    The differences that this split makes count half, as many rows are split as `strength` says. The left
    child would be more probably of the second class then, and so takes Laplace's rule.

    >>> import numpy as np
    >>> weights = np.array([[1.0, 4.0], [1.0, 0.0], [0.0, 4.0]])
    >>> shrunk(weights, [(0, 1, 2)], added=1.0, strength=5.0).round(3).tolist()
    [[0.2, 0.8], [0.6, 0.4], [0.1, 0.9]]
    """
    found = drawn_to_parents(laplace(weights, 0.0), weights.sum(axis=1), branches, strength)
    np.clip(found, 0.0, 1.0, out=found)
    other = found.argmax(axis=1) != weights.argmax(axis=1)
    found[other] = laplace(weights[other], added)
    return found


def drawn_to_parents(
    values: NDArray[np.float64],
    weight: NDArray[np.float64],
    branches: Sequence[tuple[int, int, int]],
    strength: float,
) -> NDArray[np.float64]:
    """Return what nodes say of their rows, with hierarchical shrinkage: shares, curves, distributions.

    Parameters
    ----------
    values : array of shape (nodes, k)
        What each node says by its own rows.
    weight : array of shape (nodes,)
        Weight of the rows of each node.
    branches : sequence of (node, left, right)
        The branching nodes with their children, parents first.
    strength : float
        The weight s of shrinkage, above zero.

    Examples
    --------
    >>> import numpy as np
    >>> values, weight = np.array([[0.5], [0.0], [1.0]]), np.array([6.0, 3.0, 3.0])
    >>> drawn_to_parents(values, weight, [(0, 1, 2)], strength=6.0).tolist()
    [[0.5], [0.25], [0.75]]
    """
    found = values.copy()
    for node, *children in branches:
        counts = weight[node] / (weight[node] + strength)
        for child in children:
            found[child] = found[node] + counts * (values[child] - values[node])
    return found
