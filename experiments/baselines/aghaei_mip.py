"""Fair trees as an integer program over leaves: the model of Aghaei, Azizi and Vayanos (AAAI 2019).

"Learning optimal and fair decision trees for non-discriminative decision-making", for binary features, with a
hard limit on the difference between groups instead of a penalty. In the full tree of a depth, p[v, f] = 1 if
the branching node v tests feature f, x[i, l] = 1 if row i ends in leaf l, and z[l] is the label of leaf l. A
row can end only in leaves that lie on its side of every node above. The prediction of a row is the sum over
leaves of x[i, l] z[l], whose products are variables of their own, each with the three usual inequalities.
Nodes are numbered as in `experiments.baselines.flow_mip`.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from experiments.baselines.flow_mip import Limit
from experiments.baselines.highs import Indices, Model, Solved


def solve(
    X: NDArray[np.uint8], y: NDArray[np.int32], depth: int, limits: list[Limit], time_limit: float
) -> tuple[Solved, NDArray[np.int64] | None]:
    """Build and solve the program; the objective is the number of right rows."""
    started = time.monotonic()
    model = Model(offset=float(np.count_nonzero(y == 0)))
    (n_rows, n_features), leaves = X.shape, 2**depth
    p = model.variables((leaves, n_features), integer=True)
    z = model.variables((leaves,), integer=True)
    x = model.variables((n_rows, leaves), integer=True)
    product = model.variables((n_rows, leaves), cost=np.where(y == 1, 1.0, -1.0)[:, None])
    add_tests(model, p, x, X, depth)
    add_products(model, x, z, product)
    for limit in limits:  # weights of label 0 for all rows are a constant
        row = model.rows(1, upper=limit.bound - float(limit.weights[:, 0].sum()))
        model.add(row[0], product, (limit.weights[:, 1] - limit.weights[:, 0])[:, None])
    solved = model.solve(time_limit - (time.monotonic() - started))
    tree = None if solved.values is None else read_tree(p, z, solved.values, depth)
    return solved, tree


def add_tests(model: Model, p: Indices, x: Indices, X: NDArray[np.uint8], depth: int) -> None:
    """One test per branching node, one leaf per row, and only leaves on the row's side of every test."""
    n_rows, leaves = x.shape
    unused = model.rows(1, lower=0.0, upper=0.0)[0]
    model.add(unused, p[0], 1.0)
    model.add(model.rows(leaves - 1, lower=1.0, upper=1.0)[:, None], p[1:], 1.0)
    model.add(model.rows(n_rows, lower=1.0, upper=1.0)[:, None], x, 1.0)
    for leaf in range(leaves):
        node = leaves + leaf
        for _ in range(depth):
            node, side = divmod(node, 2)
            own = model.rows(n_rows, upper=0.0)
            model.add(own, x[:, leaf], 1.0)
            model.add(own[:, None], p[node], -1.0 * (side == X))


def add_products(model: Model, x: Indices, z: Indices, product: Indices) -> None:
    """Make `product` the product of x and z."""
    n_rows, leaves = x.shape
    below_x, below_z, above = (
        model.rows(n_rows * leaves, upper=bound).reshape(n_rows, leaves) for bound in (0.0, 0.0, 1.0)
    )
    for rows, ours, of_x, of_z in (
        (below_x, 1.0, -1.0, 0.0),
        (below_z, 1.0, 0.0, -1.0),
        (above, -1.0, 1.0, 1.0),
    ):
        model.add(rows, product, ours)
        model.add(rows, x, of_x)
        model.add(rows, z, of_z)


def read_tree(p: Indices, z: Indices, values: NDArray[np.float64], depth: int) -> NDArray[np.int64]:
    """Read the tree off the integer variables: node n of the program is row n - 1."""
    leaves = 2**depth
    tree = np.full((2 * leaves - 1, 4), -1, dtype=np.int64)
    for node in range(1, leaves):
        tree[node - 1, :3] = values[p[node]].argmax(), 2 * node - 1, 2 * node
    tree[leaves - 1 :, 3] = values[z] > 0.5
    return tree
