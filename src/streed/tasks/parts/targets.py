"""Targets of regression as users give them, checked; sums of rows at nodes, and labels of leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from streed.tree.tree import Tree


MOST_SCALE = 2.0**511
"""Squares of scales up to this one, and of its inverse, are normal numbers."""


def check_targets(y: ArrayLike, *, outputs: bool = False) -> NDArray[np.float64]:
    """Check targets: finite numbers, one per row, or several where `outputs` are taken.

    Examples
    --------
    >>> check_targets([1, 2])
    array([1., 2.])
    >>> check_targets([1, float("nan")])
    Traceback (most recent call last):
    ValueError: y must not contain NaN or infinity, got nan in row 1
    """
    try:
        numbers = np.asarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"y must be an array of numbers: {error}") from error
    if numbers.ndim != 1 and not (outputs and numbers.ndim == 2 and numbers.shape[1] > 0):
        shapes = "(n,) or (n, n_outputs)" if outputs else "(n,)"
        raise ValueError(f"y must have shape {shapes}, got {numbers.shape}")
    if numbers.shape[0] == 0:
        raise ValueError("y is empty: at least one row is needed")
    bad = ~np.isfinite(numbers)
    if bad.any():
        row = int(np.argwhere(bad)[0][0])
        raise ValueError(f"y must not contain NaN or infinity, got {numbers[row]} in row {row}")
    return numbers


def power_of_two(size: float) -> float:
    """Return the power of two next above a size; numbers are divided by it without rounding.

    Examples
    --------
    >>> power_of_two(5.0), power_of_two(0.0)
    (8.0, 1.0)
    """
    return float(2.0 ** np.ceil(np.log2(size))) if size > 0 else 1.0


def unit_of_squares(scale: float, weight: float) -> float:
    """Return the square of the scale of targets; refuse one whose sums a double cannot hold.

    Examples
    --------
    >>> unit_of_squares(0.5, weight=3.0)
    0.25
    >>> unit_of_squares(2.0**-600, weight=3.0)
    Traceback (most recent call last):
    ValueError: y differs by too little: the squares of its differences are too small for doubles
    """
    if scale > MOST_SCALE or not np.isfinite(scale * scale * weight):
        raise ValueError("y is too large: the squares of its differences are not finite numbers")
    if scale < 1 / MOST_SCALE:
        raise ValueError("y differs by too little: the squares of its differences are too small for doubles")
    return scale * scale


def rows_of_leaves(leaf: NDArray[np.int64], n_nodes: int) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Give every leaf that rows end in, and its rows in order; one sort instead of a search per leaf.

    Examples
    --------
    >>> leaf = np.array([2, 1, 2])
    >>> [(node, rows.tolist()) for node, rows in rows_of_leaves(leaf, 3)]
    [(1, [1]), (2, [0, 2])]
    """
    small = n_nodes <= np.iinfo(np.int16).max  # sorted by their digits
    order = np.argsort(leaf.astype(np.int16) if small else leaf, kind="stable")
    end = 0
    for node, size in enumerate(np.bincount(leaf, minlength=n_nodes).tolist()):
        if size > 0:
            yield node, order[end : end + size]
            end += size


def sums_at_nodes(tree: Tree, leaf: NDArray[np.int64], columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add up columns over the rows of every node, from the leaf of each row; shape (nodes, columns)."""
    sums = np.column_stack([np.bincount(leaf, column, tree.node_count) for column in columns.T])
    for node, left, right in reversed(tree.branches()):
        sums[node] = sums[left] + sums[right]
    return np.asarray(sums, np.float64)


def label_leaves(tree: Tree, labels: NDArray[np.float64]) -> None:
    """Give every leaf a label of its own: those of `labels`, one per node."""
    own = labels[tree.feature < 0]
    label_by(tree, own if own.ndim == 1 else [tuple(row) for row in own.tolist()])


def label_by(tree: Tree, labels: NDArray[np.float64] | Sequence[Any]) -> None:
    """Give every leaf a label of its own, in the order of the leaves: numbers, or objects of any kind."""
    leaves = np.flatnonzero(tree.feature < 0)
    if isinstance(labels, np.ndarray):
        tree.classes = labels
    else:
        tree.classes = np.empty(leaves.size, dtype=object)
        tree.classes[:] = labels
    tree.label = tree.label.copy()  # what the engine said stays as it is
    tree.label[leaves] = np.arange(leaves.size)
