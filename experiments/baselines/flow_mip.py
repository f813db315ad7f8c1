"""Optimal trees as an integer program over flows: the model of Jo et al. for policies and for fair trees.

Jo, Aghaei, Gomez, Vayanos: "Learning optimal prescriptive trees from observational data" (2021) and "Learning
optimal fair classification trees" (2022), after the flow formulation of Aghaei, Gomez and Vayanos (2021).
Nodes of the full tree are numbered 1, 2, 3, ... so that n has the children 2n and 2n + 1. Each training row
sends one unit of flow from the root. Variables:

- b[n, f] = 1 if the inner node n tests feature f;
- w[n, k] = 1 if node n is a leaf with label k, which inner nodes may be, too;
- flow[i, n], what row i sends into node n, and sink[i, n, k], what leaves the tree there with label k.

Flow goes left where the tested feature is 0, right where it is 1, and out with the label of the leaf. Given b
and w, flows are 0 or 1 by themselves. The objective is a sum over rows of the reward of their label; policies
have rewards of any sign, so that every row must reach a leaf. Limits are sums over rows, too.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.baselines.highs import Indices, Model, Solved


@dataclass(frozen=True)
class Limit:
    """A constraint: the sum over rows of ``weights[row, label of the row]`` is at most ``bound``."""

    weights: NDArray[np.float64]
    bound: float


@dataclass(frozen=True)
class Variables:
    """Numbers of the variables, by inner node, node, row, feature and label as described above."""

    b: Indices
    w: Indices
    flow: Indices
    sink: Indices


def solve(
    X: NDArray[np.uint8],
    rewards: NDArray[np.float64],
    depth: int,
    limits: list[Limit],
    time_limit: float,
) -> tuple[Solved, NDArray[np.int64] | None]:
    """Build and solve the program; returns what HiGHS says and the tree, a row per node."""
    started = time.monotonic()
    model = Model()
    variables = add_variables(model, X, rewards, depth)
    add_structure(model, variables, depth)
    add_flows(model, variables, X, depth)
    for limit in limits:
        row = model.rows(1, upper=limit.bound)
        model.add(row[0], variables.sink, limit.weights[:, None, :])
    solved = model.solve(time_limit - (time.monotonic() - started))
    tree = None if solved.values is None else read_tree(variables, solved.values)
    return solved, tree


def add_variables(model: Model, X: NDArray[np.uint8], rewards: NDArray[np.float64], depth: int) -> Variables:
    """Add all variables; index 0 of nodes is not used."""
    (n_rows, n_features), n_labels = X.shape, rewards.shape[1]
    nodes = 2 ** (depth + 1)
    return Variables(
        b=model.variables((nodes // 2, n_features), integer=True),
        w=model.variables((nodes, n_labels), integer=True),
        flow=model.variables((n_rows, nodes)),
        sink=model.variables((n_rows, nodes, n_labels), cost=rewards[:, None, :]),
    )


def add_structure(model: Model, variables: Variables, depth: int) -> None:
    """Every node tests one feature, or is a leaf, or lies below a leaf."""
    nodes, unused = 2 ** (depth + 1), model.rows(1, lower=0.0, upper=0.0)[0]
    for part in (variables.b[0], variables.w[0], variables.flow[:, 0], variables.sink[:, 0]):
        model.add(unused, part, 1.0)
    for node in range(1, nodes):
        row = model.rows(1, lower=1.0, upper=1.0)[0]
        if node < nodes // 2:
            model.add(row, variables.b[node], 1.0)
        above = node
        while above:
            model.add(row, variables.w[above], 1.0)
            above //= 2


def add_flows(model: Model, variables: Variables, X: NDArray[np.uint8], depth: int) -> None:
    """Flow is kept at every node, and goes only where tests and labels allow."""
    n_rows, inner = len(X), 2**depth
    start = model.rows(n_rows, lower=1.0, upper=1.0)
    model.add(start, variables.flow[:, 1], 1.0)
    for node in range(1, 2 * inner):
        kept = model.rows(n_rows, lower=0.0, upper=0.0)
        model.add(kept, variables.flow[:, node], 1.0)
        model.add(kept[:, None], variables.sink[:, node], -1.0)
        labels = variables.w.shape[1]
        out = model.rows(n_rows * labels, upper=0.0).reshape(n_rows, labels)
        model.add(out, variables.sink[:, node], 1.0)
        model.add(out, variables.w[node], -1.0)
        if node < inner:
            for child, goes in ((2 * node, X == 0), (2 * node + 1, X == 1)):
                model.add(kept, variables.flow[:, child], -1.0)
                way = model.rows(n_rows, upper=0.0)
                model.add(way, variables.flow[:, child], 1.0)
                model.add(way[:, None], variables.b[node], -1.0 * goes)


def read_tree(variables: Variables, values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Read the tree off the integer variables."""
    tree: list[list[int]] = []

    def add(node: int) -> int:
        number = len(tree)
        tree.append([-1, -1, -1, -1])
        label = values[variables.w[node]]
        if label.max() > 0.5:
            tree[number][3] = int(label.argmax())
        else:
            feature = int(values[variables.b[node]].argmax())
            tree[number] = [feature, add(2 * node), add(2 * node + 1), -1]
        return number

    add(1)
    return np.array(tree, dtype=np.int64)
