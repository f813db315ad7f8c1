"""Simple linear leaves: a leaf predicts a linear function of one column, the best one for its rows."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from streed.options import MOST_SUMS
from streed.tasks.base import LeafFunction
from streed.tasks.regression.linear_leaves import SINGULAR, LinearLeaves


class SimpleLinear(LinearLeaves):
    """Minimise the penalised squared error of leaves that predict a linear function of one column each.

    A leaf costs the least value of ``sum w (y - a - b * column)**2 + ridge * b**2`` over a, b and the
    columns. It is easier to read than `LinearLeaves` and takes fewer sums. Parameters and reported value are
    the same.

    Examples
    --------
    >>> import numpy as np, streed
    >>> columns = np.array([[0, 5], [1, 0], [2, 1], [0, 0], [1, 3], [2, 1]])
    >>> X = [[0], [0], [0], [1], [1], [1]]
    >>> y = np.where(np.ravel(X), columns[:, 1], 2 * columns[:, 0])
    >>> task = streed.tasks.SimpleLinear(y, columns, ridge=0, names=["age", "dose"])
    >>> print(streed.solve(task, X, max_depth=1).tree.to_rules())
    if not x0 then 0 + 2 age (3 rows, ± 1.633)
    if x0 then 0 + 1 dose (3 rows, ± 1.247)
    """

    name: ClassVar[str] = "simple_linear"
    summary: ClassVar[str] = "penalised squared error, leaves predict lines in one column (minimised)"
    most_columns: ClassVar[int] = (MOST_SUMS - 3) // 3

    def leaf(self) -> LeafFunction:
        """Return what leaves cost, for the engine: each column is a label."""
        w, z, x = self._weights, self._scaled, self._columns.scaled
        rows = np.column_stack([np.ones(w.size), z, z * z, x, x * z[:, None], x * x])
        return LeafFunction(w[:, None] * rows, self.leaf_costs, x.shape[1], least_row=np.zeros(w.size))

    def leaf_costs(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the least penalised errors with each of the columns."""
        k = len(self._columns.names)
        n, total, squares, x, xz, xx = np.split(sums, np.cumsum([1, 1, 1, k, k]))
        cross = xz - x * (total / n)
        about = xx - x * (x / n)
        floor = SINGULAR * np.maximum(xx, 1e-300)
        steep = np.where(about > floor, about, 0.0) + self._columns.penalty[:, None]
        gain = np.where(steep > 0, cross**2 / np.where(steep > 0, steep, 1.0), 0.0)
        return np.asarray(np.maximum(squares - total * (total / n) - gain, 0.0))

    def _best(self, rows: NDArray[np.intp]) -> tuple[float, int, float, float]:
        """Return the least penalised error, with the column, constant and coefficient that attain it."""
        w, z = self._weights[rows], self._scaled[rows]
        mean_z = float(w @ z / w.sum())
        best = (np.inf, 0, mean_z, 0.0)
        for j in range(len(self._columns.names)):
            x = self._columns.scaled[rows, j]
            mean_x = float(w @ x / w.sum())
            about = float(w @ (x - mean_x) ** 2)
            steep = (about if about > SINGULAR * float(w @ x**2) else 0.0) + self._columns.penalty[j]
            factor = float(w @ ((x - mean_x) * (z - mean_z))) / steep if steep > 0 else 0.0
            constant = mean_z - factor * mean_x
            error = float(w @ (z - constant - factor * x) ** 2 + self._columns.penalty[j] * factor**2)
            if error < best[0]:
                best = (error, j, constant, factor)
        return best

    def loss(self, rows: NDArray[np.intp]) -> float:
        """Return the penalised error of a leaf with its best column."""
        return self.unit * self._best(rows)[0]

    def _fit(self, rows: NDArray[np.intp]) -> tuple[float, NDArray[np.float64]]:
        """Return the constant and the coefficients of a leaf, all but one of which are zero."""
        _, column, constant, factor = self._best(rows)
        factors = np.zeros(len(self._columns.names))
        factors[column] = factor
        return constant, factors
