"""A table of categories as one indicator matrix, so that one matrix product counts all columns at once.

With the columns (a, b) and the values a in {0, 1}, b in {0, 1, 2}, the indicator has the five columns a = 0,
a = 1, b = 0, b = 1, b = 2, and ``starts`` is [0, 2]. Counts of a set of rows have a line per indicator column
and a number per class.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.float64]
Rows = NDArray[np.int64]


class Grid:
    """Categories and classes of training rows.

    Parameters
    ----------
    table : ndarray of int, shape (n, columns)
        Categories 0, 1, ... of each column.
    y : ndarray of int, shape (n,)
        Classes 0, 1, ...
    n_classes : int
        Number of classes, those without rows included.
    """

    def __init__(self, table: NDArray[np.int64], y: NDArray[np.int64], n_classes: int) -> None:
        self.table, self.y, self.n_classes = table, y, n_classes
        self.n_values = table.max(axis=0) + 1 if len(table) else np.ones(table.shape[1], dtype=np.int64)
        self.starts = np.concatenate([[0], np.cumsum(self.n_values)[:-1]]).astype(np.int64)
        self.indicator = np.zeros((len(table), int(self.n_values.sum())), dtype=np.float32)
        rows = np.arange(len(table))
        for column in range(table.shape[1]):
            self.indicator[rows, self.starts[column] + table[:, column]] = 1.0
        self.classes = np.eye(n_classes, dtype=np.float32)[y]

    def totals(self, rows: Rows) -> Counts:
        """Count the classes of some rows."""
        return np.bincount(self.y[rows], minlength=self.n_classes).astype(np.float64)

    def counts(self, rows: Rows) -> Counts:
        """Count the classes of some rows for each value of each column."""
        return (self.indicator[rows].T @ self.classes[rows]).astype(np.float64)

    def parts(self, rows: Rows, column: int) -> dict[int, Rows]:
        """Split rows by the values of a column; values without rows are left out."""
        values = self.table[rows, column]
        return {int(value): rows[values == value] for value in np.unique(values)}


def scaled_entropy(counts: Counts) -> NDArray[np.float64]:
    """Entropy in bits of each line of counts, times the number of its rows."""
    sizes = counts.sum(axis=-1)
    logs = np.log2(counts, out=np.zeros_like(counts), where=counts > 0)
    size_logs = np.log2(sizes, out=np.zeros_like(sizes), where=sizes > 0)
    result: NDArray[np.float64] = sizes * size_logs - (counts * logs).sum(axis=-1)
    return result


def gains(grid: Grid, counts: Counts, least: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Information gain and split information of each column, in bits.

    The gain is -1 where fewer than two values have `least` rows: such a split is not allowed.
    """
    sizes = counts.sum(axis=1)
    n = float(sizes[: grid.n_values[0]].sum())
    totals = counts[: grid.n_values[0]].sum(axis=0)
    inside = np.add.reduceat(scaled_entropy(counts), grid.starts)
    gain = (float(scaled_entropy(totals)) - inside) / n
    shares = sizes / n
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    information = np.add.reduceat(-shares * logs, grid.starts)
    allowed = np.add.reduceat((sizes >= least).astype(np.int64), grid.starts) >= 2
    return np.where(allowed, gain, -1.0), information
