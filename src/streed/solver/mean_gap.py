"""The gap that multipliers leave under a parity of means: all trees below a bound.

A tree whose cost within the limit is below the best one has a value for every multiplier m, its loss of
shifted rows, of at most that cost plus |m| times the limit. The value is a sum over leaves, so that a node
keeps only subtrees that fit into what its siblings leave. With the best multiplier few trees are left, mostly
none: up to ten on the sets that were tried. What they cost within the limit is found one by one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from streed.solver.recount import leaves_of
from streed.solver.run import Run
from streed.tasks.regression.equal_means import EqualMeans
from streed.tolerance import TOLERANCE

MOST_POINTS = 200_000
"""More subtrees of one node than this are not listed: the gap stays open."""

MOST_NODES = 60_000
"""More nodes than this are not looked at: about 20 s of processor time."""


class TooLargeError(Exception):
    """There are too many trees below the bound."""


ONE_THREAD = 2**18
"""OpenBLAS multiplies matrices by several threads from so many products on; waiting for each other, they took
twenty times the processor time of one on a busy machine."""


def product(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the transpose of a matrix times another one, by products of few rows: one thread is enough."""
    step = max(8, ONE_THREAD // (one.shape[1] * other.shape[1] + 1))
    found = one[:step].T @ other[:step]
    for first in range(step, len(one), step):
        found += one[first : first + step].T @ other[first : first + step]
    return found


class Points(NamedTuple):
    """Subtrees: their values and sizes, sorted by value, and how they are made."""

    value: NDArray[np.float64]
    nodes: NDArray[np.int64]
    made: list[Any]


def better_tree(
    run: Run, task: EqualMeans, multiplier: float, cost: float
) -> tuple[dict[str, Any] | None, bool]:
    """Return the best tree below a cost, if there is one, and whether all were looked at."""
    limit = task.max_difference
    search = _Gap(run, task, multiplier)
    slack = TOLERANCE * (1 + abs(cost))
    budget = cost + abs(multiplier) * limit - slack
    best = None
    try:
        rows = np.arange(len(search.has))
        points = search.front(rows, run.limits.max_depth, run.limits.max_nodes, budget)
        for value, made in zip(points.value.tolist(), points.made, strict=True):
            if value - abs(multiplier) * limit >= cost - slack:
                break
            search.spend(1)
            tree = _flat(made)
            found = task.within(leaves_of(tree, run.rows), len(tree["feature"])).cost(limit)
            if found < cost:
                best, cost = tree, found
    except TooLargeError:
        return best, False
    return best, True


class _Gap:
    """All subtrees within a budget; equal rows are one row with their sums."""

    def __init__(self, run: Run, task: EqualMeans, multiplier: float) -> None:
        self.run, self.price = run, task.branch_cost
        packed = np.packbits(run.rows, axis=1)
        lines = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
        _, first, places = np.unique(lines, return_index=True, return_inverse=True)
        self.has = run.rows[first].astype(np.float64)
        columns = (*task.gap_terms(multiplier).T, np.ones(places.size))
        made = [np.bincount(places, column).astype(np.float64) for column in columns]
        self.statistics = np.column_stack(made)
        self.gain = task.gain
        self.least_rows = run.limits.min_samples_leaf
        self.left = MOST_NODES

    def leaf(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values of leaves, from the sums of their rows: shape (leaves, 4)."""
        some = totals[:, 3] > 0
        gained = self.gain(np.where(some, totals[:, 1], 1.0), np.where(some, totals[:, 2], 0.0))
        found: NDArray[np.float64] = totals[:, 0] - gained
        return found

    def spend(self, work: int) -> None:
        """Count what was done, and end when it was too much."""
        self.left -= work
        if self.left < 0 or self.run.stopped:
            raise TooLargeError

    def stumps(self, rows: NDArray[np.intp]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return the features that split rows, and the values of both leaves of each."""
        self.spend(1)
        own = self.statistics[rows]
        whole, right = own.sum(axis=0), product(self.has[rows], own)
        enough = (right[:, 3] >= self.least_rows) & (whole[3] - right[:, 3] >= self.least_rows)
        good = np.flatnonzero(enough)
        return good, self.leaf(whole - right[good]), self.leaf(right[good])

    def least_splits(self, rows: NDArray[np.intp], depth: int, nodes: int) -> NDArray[np.float64]:
        """Return a value that no subtree of some rows with each feature at its root is below."""
        found = np.full(self.has.shape[1], np.inf)
        if depth == 1 or nodes == 1:
            good, left, right = self.stumps(rows)
            found[good] = left + right + self.price
        elif depth == 2 or nodes == 2:
            found = self.pairs(rows, nodes)
        else:
            for feature in self.stumps(rows)[0].tolist():
                side = self.has[rows, feature] > 0
                below = [self.least(part, depth - 1, nodes - 1) for part in (rows[~side], rows[side])]
                found[feature] = sum(below) + self.price
        return found

    def pairs(self, rows: NDArray[np.intp], nodes: int) -> NDArray[np.float64]:
        """Return the least values of trees of two levels, from the sums of all pairs of features.

        A leaf costs a sum over its rows less a gain from two sums of it, for which a table of pairs takes two
        products of matrices; a stump in each child of each feature took twenty times as long.
        """
        has = self.has[rows]
        self.spend(1 + has.shape[1] // 8)
        sums = [self.statistics[rows, column] for column in (3, 1, 2)]
        tables = [product(has, column[:, None] * has) for column in sums]
        own, whole = [np.diagonal(table) for table in tables], [float(column.sum()) for column in sums]

        def gain(cell: list[Any]) -> Any:
            """Return the gain of cells; cells of too few rows are no leaves."""
            count, n, z = cell
            enough = count >= self.least_rows
            return np.where(enough, self.gain(np.where(enough, n, 1.0), z), -np.inf)

        right = [one[:, None] for one in own]
        left = [all_ - one for all_, one in zip(whole, right, strict=True)]
        inside = [one[None, :] - table for one, table in zip(own, tables, strict=True)]
        sides = []
        for side, both in ((right, tables), (left, inside)):
            rest = [one - two for one, two in zip(side, both, strict=True)]
            split = (gain(both) + gain(rest)).max(axis=1) - self.price
            sides.append((gain(side)[:, 0], split))
        (leaf, split), (other_leaf, other_split) = sides
        if nodes == 2:
            gained = np.maximum(np.maximum(split, leaf) + other_leaf, leaf + other_split)
        else:
            gained = np.maximum(split, leaf) + np.maximum(other_split, other_leaf)
        found: NDArray[np.float64] = float(self.statistics[rows, 0].sum()) - gained + self.price
        return found

    def least(self, rows: NDArray[np.intp], depth: int, nodes: int) -> float:
        """Return a value that no subtree of some rows is below."""
        alone = float(self.leaf(self.statistics[rows].sum(axis=0)[None])[0])
        if depth == 0 or nodes == 0:
            return alone
        return min(alone, float(self.least_splits(rows, depth, nodes).min(initial=np.inf)))

    def front(self, rows: NDArray[np.intp], depth: int, nodes: int, budget: float) -> Points:
        """Return all subtrees of some rows whose value is within a budget."""
        own = self.leaf(self.statistics[rows].sum(axis=0)[None])
        if depth == 0 or nodes == 0:
            return self._sorted([(own, np.zeros(1, np.int64), [None])], budget)
        found: list[Any] = [(own, np.zeros(1, np.int64), [None])]
        if depth == 1 or nodes == 1:
            good, left, right = self.stumps(rows)
            value = left + right + self.price
            made = [(feature, None, None) for feature in good.tolist()]
            return self._sorted([*found, (value, np.ones(good.size, np.int64), made)], budget)
        splits = self.least_splits(rows, depth, nodes)
        for feature in np.flatnonzero(splits <= budget).tolist():
            side = self.has[rows, feature] > 0
            parts = rows[~side], rows[side]
            least = [self.least(part, depth - 1, nodes - 1) for part in parts]
            room = budget - self.price
            if sum(least) > room:
                continue
            ones = self.front(parts[0], depth - 1, nodes - 1, room - least[1])
            if not ones.made:
                continue
            others = self.front(parts[1], depth - 1, nodes - 1, room - float(ones.value[0]))
            found.append(self._joined(feature, ones, others, nodes, room))
        return self._sorted(found, budget)

    def _joined(self, feature: int, ones: Points, others: Points, nodes: int, room: float) -> Any:
        """Put subtrees of both sides together, as far as they fit."""
        ends = np.searchsorted(others.value, room - ones.value, side="right")
        if int(ends.sum()) > MOST_POINTS:
            raise TooLargeError
        a = np.repeat(np.arange(len(ones.made)), ends)
        b = np.concatenate([np.arange(end) for end in ends.tolist()]) if ends.size else np.empty(0, np.int64)
        fits = ones.nodes[a] + others.nodes[b] < nodes
        a, b = a[fits], b[fits]
        value = ones.value[a] + others.value[b] + self.price
        pairs = zip(a.tolist(), b.tolist(), strict=True)
        made = [(feature, ones.made[i], others.made[j]) for i, j in pairs]
        return value, ones.nodes[a] + others.nodes[b] + 1, made

    def _sorted(self, found: list[Any], budget: float) -> Points:
        value = np.concatenate([one[0] for one in found])
        nodes = np.concatenate([one[1] for one in found])
        made = [tree for one in found for tree in one[2]]
        kept = np.flatnonzero(value <= budget)
        kept = kept[np.argsort(value[kept], kind="stable")]
        if kept.size > MOST_POINTS:
            raise TooLargeError
        return Points(value[kept], nodes[kept], [made[k] for k in kept.tolist()])


def _flat(made: Any) -> dict[str, Any]:
    """Return nested triples (feature, left, right), None for leaves, in the form of the engine."""
    feature: list[int] = []
    left: list[int] = []
    right: list[int] = []

    def add(tree: Any) -> int:
        place = len(feature)
        for column in (feature, left, right):
            column.append(-1)
        if tree is not None:
            feature[place] = tree[0]
            left[place] = add(tree[1])
            right[place] = add(tree[2])
        return place

    add(made)
    arrays = {"feature": feature, "left": left, "right": right}
    label = np.where(np.array(feature) < 0, 0, -1).astype(np.int32)
    return {**{name: np.array(column, np.int32) for name, column in arrays.items()}, "label": label}
