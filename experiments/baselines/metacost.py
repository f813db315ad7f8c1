"""MetaCost (Domingos 1999): relabel the training rows so that expected costs are least, then learn anew.

Ten trees of C4.5 on bootstrap samples vote with the class shares of their leaves. Every training row gets the
label whose expected misclassification cost is least under the mean of these shares, and a last tree is grown
on the new labels. Prices of tests play no part.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from experiments.baselines import c45
from experiments.baselines.grid import Grid
from experiments.baselines.priced_tree import Node

ITERATIONS = 10


def class_shares(grid: Grid, price: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Mean class shares of each training row over trees on bootstrap samples."""
    n = len(grid.y)
    shares = np.zeros((n, grid.n_classes))
    for _ in range(ITERATIONS):
        sample = rng.integers(n, size=n)
        tree = c45.fit(Grid(grid.table[sample], grid.y[sample], grid.n_classes), "C4.5", price)
        add_shares(tree, grid.table, np.arange(n), shares)
    return shares / ITERATIONS


def add_shares(
    tree: c45.Grown, table: NDArray[np.int64], rows: NDArray[np.int64], shares: NDArray[np.float64]
) -> None:
    """Add the class shares of each row's leaf; values that the tree has not seen end at its node."""
    if not tree.children:
        shares[rows] += tree.totals / tree.totals.sum()
        return
    values = table[rows, tree.column]
    for value, child in tree.children.items():
        add_shares(child, table, rows[values == value], shares)
    shares[rows[~np.isin(values, list(tree.children))]] += tree.totals / tree.totals.sum()


def relabel(shares: NDArray[np.float64], matrix: NDArray[np.float64]) -> NDArray[np.int64]:
    """Choose the label with the least expected cost for each row."""
    labels: NDArray[np.int64] = (shares @ matrix).argmin(axis=1)
    return labels


def fit(
    grid: Grid, shares: NDArray[np.float64], matrix: NDArray[np.float64], price: NDArray[np.float64]
) -> Node:
    """Learn from the new labels; leaves have the most frequent of these."""
    again = Grid(grid.table, relabel(shares, matrix), grid.n_classes)
    return c45.labelled(c45.fit(again, "C4.5", price), 1.0 - np.eye(grid.n_classes))
