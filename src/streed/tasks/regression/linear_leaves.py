"""Linear leaves: a leaf predicts a ridge regression of its rows on chosen columns.

With n rows, the sums of products of the columns and the target say all that is needed: with the covariances C
of the columns and c with the target, both times n, the least penalised error is Syy - c' (C + ridge I)^-1 c.
These sums add up over rows, so that the depth-two solver serves here as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.options import MOST_SUMS
from streed.tasks.base import LeafFunction
from streed.tasks.parts.leaf_loss import LeafLoss
from streed.tasks.parts.targets import (
    check_targets,
    label_by,
    power_of_two,
    rows_of_leaves,
    unit_of_squares,
)
from streed.tasks.regression.columns import RIDGE, check_columns
from streed.tree.line import Line
from streed.tree.numbers import numbers_at_nodes

if TYPE_CHECKING:
    from streed.tree.tree import Tree

SINGULAR = 1e-10
"""Directions of the columns whose sum of squares is below this part of the largest one count as constant."""

BLOCK_ROWS = 256
"""Rows of a block of `triangle`."""


class LinearLeaves(LeafLoss):
    """Minimise the penalised squared error of leaves that predict linear functions of columns.

    A leaf costs the least value of ``sum w (y - a - columns @ b)**2 + ridge * sum(b**2)`` over a and b: what
    ``sklearn.linear_model.Ridge(alpha=ridge)`` minimises on its rows. The reported value is the sum over the
    leaves, plus ``cost_complexity`` times what one leaf for all rows costs times the number of branching
    nodes.

    Parameters
    ----------
    y : array-like of shape (n,)
        The targets.
    columns : array-like of shape (n, n_columns)
        What the leaves are linear in.
    ridge : float, default=1.0
        Penalty on the squares of the coefficients, in the units of the columns. With 0, leaves are least
        squares fits, and coefficients that the rows of a leaf do not determine are the smallest possible.
    names : sequence of str, optional
        Names of the columns; those of a frame by default, else z0, z1, ...
    sample_weight : array-like of shape (n,), optional
        Weight of each row, not negative. Rows of weight zero are left out altogether.
    cost_complexity : float, default=0.0
        Price of a branching node, as a share of what one leaf for all rows costs.

    Examples
    --------
    >>> import numpy as np, streed
    >>> z = np.array([0.0, 1, 2, 0, 1, 2])
    >>> X = [[0], [0], [0], [1], [1], [1]]
    >>> y = np.where(np.ravel(X), 5 - z, 1 + 2 * z)
    >>> task = streed.tasks.LinearLeaves(y, z[:, None], ridge=0)
    >>> print(streed.solve(task, X, max_depth=1).tree.to_text())
    x0?
    ├─ no:  1 + 2 z0  (3 rows, ± 1.633)
    └─ yes: 5 - 1 z0  (3 rows, ± 0.8165)
    """

    name: ClassVar[str] = "linear_leaves"
    summary: ClassVar[str] = "penalised squared error, leaves predict linear functions (minimised)"
    measure = "penalised squared error"
    most_columns: ClassVar[int] = max(k for k in range(100) if 3 + 2 * k + k * (k + 1) // 2 <= MOST_SUMS)

    def __init__(
        self,
        y: ArrayLike,
        columns: ArrayLike,
        ridge: float = 1.0,
        *,
        names: Sequence[str] | None = None,
        sample_weight: ArrayLike | None = None,
        cost_complexity: float = 0.0,
    ) -> None:
        targets = check_targets(y)
        penalty = RIDGE.check(ridge)
        assert penalty is not None
        kept = self._keep(targets.size, sample_weight, cost_complexity)
        most = self.most_columns
        self._columns = check_columns(columns, names, targets.size, kept, float(penalty), most)
        self._targets = targets[kept]
        self._middle = float(self._targets.min() / 2 + self._targets.max() / 2)
        away = self._targets - self._middle
        self._scale = power_of_two(float(np.abs(away).max()))
        self._scaled = away / self._scale
        self.unit = unit_of_squares(self._scale, float(self._weights.sum()))
        self._products = np.triu_indices(len(self._columns.names))

    def leaf(self) -> LeafFunction:
        """Return what leaves cost, for the engine."""
        w, z, x = self._weights, self._scaled, self._columns.scaled
        pairs = x[:, self._products[0]] * x[:, self._products[1]]
        rows = np.column_stack([np.ones(w.size), z, z * z, x, x * z[:, None], pairs])
        return LeafFunction(w[:, None] * rows, self.leaf_costs, 1, least_row=np.zeros(w.size))

    def leaf_costs(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the least penalised errors from sums of products of columns and target."""
        k = len(self._columns.names)
        n, total, squares, x, xz = sums[0], sums[1], sums[2], sums[3 : 3 + k], sums[3 + k : 3 + 2 * k]
        cross = xz - x * (total / n)
        about = np.empty((sums.shape[1], k, k))
        first, second = self._products
        pairs = sums[3 + 2 * k :] - x[first] * x[second] / n
        about[:, first, second] = about[:, second, first] = pairs.T
        explained = self._explained(about, cross.T)
        return np.asarray(np.maximum(squares - total * (total / n) - explained, 0.0))

    def _explained(self, about: NDArray[np.float64], cross: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return c' (C + penalty)^-1 c for each leaf."""
        if (self._columns.penalty > 0).all():
            about += np.diag(self._columns.penalty)
            solved = np.linalg.solve(about, cross[:, :, None])[:, :, 0]
            return np.asarray((solved * cross).sum(axis=1))
        values, vectors = np.linalg.eigh(about)
        along = (vectors * cross[:, :, None]).sum(axis=1)
        known = values > SINGULAR * np.maximum(values[:, -1:], 1e-300)
        return np.asarray(np.where(known, along**2 / np.where(known, values, 1.0), 0.0).sum(axis=1))

    def _fit(self, rows: NDArray[np.intp]) -> tuple[float, NDArray[np.float64]]:
        """Return the constant and the coefficients of a leaf, of scaled columns and target.

        Least squares of the rows with one more row per column for the penalty: no sums, no inverse.
        """
        w = np.sqrt(self._weights[rows])
        x, z = self._columns.scaled[rows], self._scaled[rows]
        mean_x, mean_z = w**2 @ x / (w**2).sum(), w**2 @ z / (w**2).sum()
        system = np.vstack([w[:, None] * (x - mean_x), np.diag(np.sqrt(self._columns.penalty))])
        wanted = np.concatenate([w * (z - mean_z), np.zeros(x.shape[1])])
        factor = triangle(np.column_stack([system, wanted]))
        solved = np.linalg.lstsq(factor[:, :-1], factor[:, -1], rcond=np.sqrt(SINGULAR))[0]
        factors = np.asarray(solved, np.float64)
        return float(mean_z - mean_x @ factors), factors

    def loss(self, rows: NDArray[np.intp]) -> float:
        """Return the penalised error of a leaf."""
        constant, factors = self._fit(rows)
        residuals = self._scaled[rows] - constant - self._columns.scaled[rows] @ factors
        return self.unit * float(self._weights[rows] @ residuals**2 + self._columns.penalty @ factors**2)

    def _line(self, constant: float, factors: NDArray[np.float64]) -> Line:
        """Return a leaf's function of the columns and the target as they were given."""
        own = self._scale * factors / self._columns.scale
        intercept = self._middle + self._scale * constant - float(own @ self._columns.middle)
        pairs = zip(self._columns.names, own.tolist(), strict=True)
        return Line(float(intercept) + 0.0, tuple((name, factor) for name, factor in pairs if factor != 0))

    def describe(self, tree: Tree, leaf: NDArray[np.int64]) -> None:
        """Leaves predict lines; views show the spread and the distribution of the targets."""
        tree.details = numbers_at_nodes(tree, leaf, self._targets, self._weights, self.smoothing)
        label_by(tree, [self._line(*self._fit(rows)) for _, rows in rows_of_leaves(leaf, tree.node_count)])


def triangle(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the triangular factor of a tall matrix, a block of rows at a time.

    Least squares of the matrix are those of the factor. Blocks are too small for BLAS to share them out to
    threads, which wait for each other by spinning: on busy cores that took up to 0.6 s of processor time for
    the leaves of 20,000 rows.

    Examples
    --------
    >>> tall = np.arange(3000.0).reshape(1000, 3) ** 0.5
    >>> factor = triangle(tall)
    >>> factor.shape, bool(np.allclose(factor.T @ factor, tall.T @ tall))
    ((3, 3), True)
    """
    factor = matrix[:0]
    for begin in range(0, len(matrix), BLOCK_ROWS):
        block = np.vstack([factor, matrix[begin : begin + BLOCK_ROWS]])
        factor = np.asarray(np.linalg.qr(block, mode="r"), np.float64)
    return factor
