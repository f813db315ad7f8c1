"""The gap that multipliers leave under a parity of means: all trees below a bound, by three sums.

A tree whose cost within the limit is below the best one has a weighted value S + m D - m^2 Q / 4 of at most
that cost plus |m| times the limit, for every multiplier m. The value is a sum over leaves, so that a node
keeps only subtrees that fit into what its siblings leave: their least values are searches for shifted
targets. With the best multiplier few trees are left, mostly none.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from streed.solver.run import Run
from streed.tasks.regression.mean_parity import ParityOfMeans, Sums, clean
from streed.tolerance import TOLERANCE

MOST_POINTS = 200_000
"""More subtrees of one node than this are not listed: the gap stays open."""

MOST_NODES = 60_000
"""More nodes than this are not looked at: about 20 s of processor time."""


class GaveUpError(Exception):
    """There are too many trees below the bound."""


class Points(NamedTuple):
    """Subtrees: their sums, weighted values and sizes, sorted by value, and how they are made."""

    sums: NDArray[np.float64]
    value: NDArray[np.float64]
    nodes: NDArray[np.int64]
    made: list[Any]


def better_tree(
    run: Run, task: ParityOfMeans, multiplier: float, cost: float
) -> tuple[dict[str, Any] | None, bool]:
    """Return the best tree below a cost, if there is one, and whether all were looked at."""
    limit = task.max_difference
    search = _Gap(run, task, multiplier)
    budget = cost + abs(multiplier) * limit - TOLERANCE * (1 + abs(cost))
    try:
        points = search.front(
            np.arange(run.rows.shape[0]), run.limits.max_depth, run.limits.max_nodes, budget
        )
    except GaveUpError:
        return None, False
    costs = [Sums(*line).cost(limit) for line in points.sums.tolist()]
    if not costs or min(costs) >= cost:
        return None, True
    return _flat(points.made[int(np.argmin(costs))]), True


class _Gap:
    def __init__(self, run: Run, task: ParityOfMeans, multiplier: float) -> None:
        self.run, self.m, self.price = run, multiplier, task.branch_cost
        self.has = run.rows.astype(np.float64)
        self.statistics = task.statistics
        self.least_rows = run.limits.min_samples_leaf
        self.left = MOST_NODES

    def leaf(self, totals: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sums of leaves, from weight, target, share and square: shape (leaves, 3)."""
        n, y, d, yy = totals.T
        d = clean(d)
        n = np.maximum(n, np.finfo(float).tiny)
        return np.column_stack([yy - y**2 / n, d * y / n, d**2 / n])

    def value(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weighted values."""
        found: NDArray[np.float64] = sums @ np.array([1.0, self.m, -(self.m**2) / 4])
        return found

    def stumps(self, rows: NDArray[np.intp]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return the features that split rows, and the sums of both leaves of each."""
        self.left -= 1
        if self.left < 0 or self.run.stopped:
            raise GaveUpError
        has, own = self.has[rows], self.statistics[rows]
        count, right = has.sum(axis=0), has.T @ own
        good = np.flatnonzero((count >= self.least_rows) & (rows.size - count >= self.least_rows))
        return good, self.leaf(own.sum(axis=0) - right[good]), self.leaf(right[good])

    def least(self, rows: NDArray[np.intp], depth: int, nodes: int) -> float:
        """Return a value that no subtree of some rows is below."""
        alone = float(self.value(self.leaf(self.statistics[rows].sum(axis=0)[None]))[0])
        if depth == 0 or nodes == 0:
            return alone
        good, left, right = self.stumps(rows)
        if depth == 1 or nodes == 1:
            split = self.value(left + right) + self.price
            return min(alone, float(split.min(initial=np.inf)))
        least = alone
        for feature in good.tolist():
            side = self.has[rows, feature] > 0
            below = [self.least(part, depth - 1, nodes - 1) for part in (rows[~side], rows[side])]
            least = min(least, sum(below) + self.price)
        return least

    def front(self, rows: NDArray[np.intp], depth: int, nodes: int, budget: float) -> Points:
        """Return all subtrees of some rows whose value is within a budget."""
        own = self.leaf(self.statistics[rows].sum(axis=0)[None])
        if depth == 0 or nodes == 0:
            return self._sorted([(own, np.zeros(1, np.int64), [None])], budget)
        good, left, right = self.stumps(rows)
        found: list[Any] = [(own, np.zeros(1, np.int64), [None])]
        if depth == 1 or nodes == 1:
            sums = left + right
            sums[:, 0] += self.price
            made = [(feature, None, None) for feature in good.tolist()]
            return self._sorted([*found, (sums, np.ones(good.size, np.int64), made)], budget)
        for feature in good.tolist():
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
            raise GaveUpError
        a = np.repeat(np.arange(len(ones.made)), ends)
        b = np.concatenate([np.arange(end) for end in ends.tolist()]) if ends.size else np.empty(0, np.int64)
        fits = ones.nodes[a] + others.nodes[b] < nodes
        a, b = a[fits], b[fits]
        sums = ones.sums[a] + others.sums[b]
        sums[:, 0] += self.price
        pairs = zip(a.tolist(), b.tolist(), strict=True)
        made = [(feature, ones.made[i], others.made[j]) for i, j in pairs]
        return sums, ones.nodes[a] + others.nodes[b] + 1, made

    def _sorted(self, found: list[Any], budget: float) -> Points:
        sums = np.concatenate([one[0] for one in found])
        nodes = np.concatenate([one[1] for one in found])
        made = [tree for one in found for tree in one[2]]
        value = self.value(sums)
        kept = np.flatnonzero(value <= budget)
        kept = kept[np.argsort(value[kept], kind="stable")]
        if kept.size > MOST_POINTS:
            raise GaveUpError
        return Points(sums[kept], value[kept], nodes[kept], [made[k] for k in kept.tolist()])


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
