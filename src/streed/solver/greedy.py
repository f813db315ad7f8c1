"""A greedy tree in place of a worse one that a limit left: a search that is cut off is no worse than CART.

The engine grows the tree (``core/greedy``) on what was searched, ranks or binary features, so that its tests
are tests of the search. Its leaves then get their best labels, by the same costs.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.options import MOST_DEPTH, Limits
from streed.tasks.forms import OneValue

SHARE, LEAST = 0.05, 0.1
"""A greedy tree may take this share of the time limit, but no more than is left of it, or else these seconds;
then its nodes stay leaves."""


ROUNDING = 1e-13
"""Sums of squares of one row may differ by this share and mean the same."""


class Target(NamedTuple):
    """What a greedy tree separates: labels, or numbers to predict; and what leaves cost."""

    criterion: str
    labels: NDArray[np.int32] | None
    numbers: NDArray[np.float64] | None
    """Of shape (rows, targets)."""
    weights: NDArray[np.float64]
    costs: NDArray[np.float64]
    """Costs of shape (rows, labels), or sums of squared errors of shape (rows, 3)."""

    @property
    def n_labels(self) -> int:
        """Number of labels; 1 where there are numbers."""
        return 1 if self.labels is None else self.costs.shape[1]

    def take(self, rows: Any) -> Target:
        """Return the target of some rows."""
        labels = None if self.labels is None else self.labels[rows]
        numbers = None if self.numbers is None else self.numbers[rows]
        costs = self.costs[rows] if len(self.costs) else self.costs
        return Target(self.criterion, labels, numbers, self.weights[rows], costs)


def target_of(form: OneValue) -> Target | None:
    """Return the target of a form, None where leaves cost something else or all labels cost the same."""
    if form.combination != "sum" or form.prices is not None:
        return None
    if form.leaf.squares is not None:
        return target_of_squares(form.leaf.squares)
    if not form.leaf.affine:
        return None
    labels, costs = form.leaf.native_rows()
    return target_of_labels(labels, costs, form.classes.size)


def target_of_squares(statistics: NDArray[np.float64]) -> Target:
    """Return the target of rows with statistics of squared errors: their means, less the mean of all.

    What rows spread about their own means stays, as far as it is more than rounding.
    """
    weights, sums, squares = statistics.T
    numbers = centred((sums / weights)[:, None], weights)
    spread = squares - sums**2 / weights
    spread = np.where(spread > ROUNDING * squares, spread, 0.0)
    own = numbers[:, 0]
    costs = np.stack([weights, weights * own, weights * own**2 + spread], axis=1)
    return Target("squares", None, numbers, np.ascontiguousarray(weights), costs)


def every(target: Target, step: int) -> Target:
    """Return the target of every so many rows."""
    if step == 1:
        return target
    labels, numbers, weights, costs = (
        None if part is None else np.ascontiguousarray(part[::step])
        for part in (target.labels, target.numbers, target.weights, target.costs)
    )
    return Target(target.criterion, labels, numbers, weights, costs)  # type: ignore[arg-type]


def centred(numbers: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return columns of numbers less their means, so that squares of sums keep the digits that matter."""
    return np.ascontiguousarray(numbers - np.average(numbers, axis=0, weights=weights))


def target_of_labels(labels: Any, costs: Any, n_labels: int) -> Target | None:
    """Return the classes of rows, or the labels that cost them least, weighted by what they may cost."""
    if labels is not None:
        codes, weights = labels
        table = np.repeat(weights[:, None], n_labels, axis=1)
        table[np.arange(codes.size), codes] = 0.0
        return Target("gini", codes, None, weights, table) if n_labels > 1 else None
    weights = np.ptp(costs, axis=1)
    if not weights.any():
        return None
    return Target("gini", costs.argmin(axis=1).astype(np.int32), None, weights, costs)


def grow(
    ranks: NDArray[np.int32],
    bits: NDArray[np.uint8] | None,
    target: Target,
    limits: Limits,
    time_left: float = math.inf,
) -> dict[str, Any]:
    """Grow a tree over columns of ranks, of shape (columns, rows), and binary features after them.

    Returns
    -------
    dict
        Flat arrays as the engine returns them, without labels; features are numbers of splits.
    """
    answer: dict[str, Any] = _core.grow_greedy(
        ranks,
        bits,
        target.labels,
        target.numbers,
        target.weights,
        target.n_labels,
        target.criterion,
        max_depth=limits.max_depth,
        max_nodes=limits.max_nodes,
        min_samples_leaf=limits.min_samples_leaf,
        time_limit=max(min(SHARE * limits.time_limit, time_left), LEAST),
    )
    return answer


def label_leaves(
    tree: dict[str, Any], features: NDArray[np.uint8], target: Target, branch_cost: float
) -> float:
    """Give each leaf the label that costs least; returns what the tree costs."""
    leaf = _core.route(features, tree["feature"], tree["left"], tree["right"])
    sums = np.zeros((tree["feature"].size, target.costs.shape[1]))
    np.add.at(sums, leaf, target.costs)
    leaves = tree["feature"] < 0
    tree["label"] = np.where(leaves, 0 if target.labels is None else sums.argmin(axis=1), -1).astype(np.int32)
    nodes = branch_cost * int(np.count_nonzero(~leaves))
    if target.labels is not None:
        return float(sums[leaves].min(axis=1).sum()) + nodes
    weight, total, square = sums[leaves & (sums[:, 0] > 0)].T
    return float(np.maximum(square - total**2 / weight, 0.0).sum()) + nodes


def improve(
    answer: dict[str, Any],
    tree: dict[str, Any],
    features: NDArray[np.uint8],
    target: Target,
    branch_cost: float,
) -> None:
    """Let a greedy tree over binary features take the place of the tree of an answer, if it costs less."""
    cost = label_leaves(tree, features, target, branch_cost)
    if cost < answer["objective"]:
        answer.update({name: tree[name] for name in ("feature", "left", "right", "label")}, objective=cost)


def improve_on_bits(
    answer: dict[str, Any], form: OneValue, rows: NDArray[np.uint8], limits: Limits, time_left: float
) -> None:
    """Do so for an answer over binary features that is not proven.

    Where nodes have a price, trees by both criteria are pruned for it: the best of them is no worse than
    scikit-learn's tree pruned at the same price, as far as it has the same splits.
    """
    target = target_of(form)
    if target is None:
        return
    if not form.branch_cost > 0:
        improve(answer, grow_on_bits(rows, target, limits, time_left), rows, target, 0.0)
        return
    criteria = ("gini", "entropy") if target.labels is not None else (target.criterion,)
    limits = replace(limits, max_depth=min(limits.max_depth, MOST_DEPTH))
    for name in criteria:
        grown = grow_on_bits(rows, target._replace(criterion=name), limits, time_left)
        pruned = prune_for_price(grown, rows, target, form.branch_cost)
        improve(answer, pruned, rows, target, form.branch_cost)


def improve_sizes(
    trees: list[dict[str, Any]], form: OneValue, rows: NDArray[np.uint8], limits: Limits
) -> list[dict[str, Any]]:
    """Put the best parts of a greedy tree among the trees of an answer for all sizes that is not proven.

    Trees come by rising number of nodes, and each costs less than all smaller ones.
    """
    target = target_of(form)
    if target is None:
        return trees
    whole = grow_on_bits(rows, target, limits)
    magnitude = max(float(tree["magnitude"]) for tree in trees)
    pruned = [part | {"magnitude": magnitude} for part in prune(whole, rows, target, form.branch_cost)]
    found: list[dict[str, Any]] = []
    for tree in sorted([*trees, *pruned], key=lambda tree: (tree["feature"].size, tree["objective"])):
        if not found or tree["objective"] < found[-1]["objective"]:
            found.append(tree)
    return found


def grow_on_bits(
    rows: NDArray[np.uint8], target: Target, limits: Limits, time_left: float = math.inf
) -> dict[str, Any]:
    """Grow a tree whose features are numbers of binary features."""
    tree = grow(np.empty((0, rows.shape[0]), np.int32), rows, target, limits, time_left)
    numbers = np.array([*tree["column"].tolist(), -1], np.int32)  # a leaf has -1
    tree["feature"] = numbers[tree["feature"]]
    return tree


def prune(
    tree: dict[str, Any], features: NDArray[np.uint8], target: Target, branch_cost: float
) -> list[dict[str, Any]]:
    """Cut a tree back to each number of branching nodes, so that its leaves cost the least.

    With k nodes a subtree costs the least sum of what its children cost with i and with k - 1 - i nodes.
    """
    left, right = tree["left"].tolist(), tree["right"].tolist()
    leaf = _core.route(features, tree["feature"], tree["left"], tree["right"])
    columns = [np.bincount(leaf, column, tree["feature"].size) for column in target.costs.T]
    sums = np.stack(columns, axis=1)
    costs: list[NDArray[np.float64]] = [np.empty(0)] * len(left)
    for node in reversed(range(len(left))):  # children come after their parents
        own = []
        if left[node] >= 0:
            sums[node] = sums[left[node]] + sums[right[node]]
            ways = costs[left[node]][:, None] + costs[right[node]][None, ::-1]
            n_right = ways.shape[1]
            own = [branch_cost + ways.diagonal(n_right - 1 - k).min() for k in range(sum(ways.shape) - 1)]
        costs[node] = np.array([_cost(sums[node], target), *own])
    labels = sums.argmin(axis=1) if target.labels is not None else np.zeros(len(left), np.intp)

    def build(node: int, k: int, out: list[list[int]]) -> int:
        place = len(out)
        out.append([-1, -1, -1, int(labels[node])])
        if k > 0:
            few, most = costs[left[node]], len(costs[right[node]])
            sides = [i for i in range(min(k, len(few))) if k - 1 - i < most]
            i = min(sides, key=lambda i: few[i] + costs[right[node]][k - 1 - i])
            first, second = build(left[node], i, out), build(right[node], k - 1 - i, out)
            out[place] = [int(tree["feature"][node]), first, second, -1]
        return place

    parts = []
    for k, cost in enumerate(costs[0].tolist()):
        rows: list[list[int]] = []
        build(0, k, rows)
        arrays = np.ascontiguousarray(np.array(rows, np.int32).T)
        parts.append(
            dict(zip(("feature", "left", "right", "label"), arrays, strict=True)) | {"objective": cost}
        )
    return parts


def prune_for_price(
    tree: dict[str, Any], features: NDArray[np.uint8], target: Target, price: float
) -> dict[str, Any]:
    """Cut a tree back so that its leaves and the price of its branching nodes cost the least."""
    left, right = tree["left"].tolist(), tree["right"].tolist()
    leaf = _core.route(features, tree["feature"], tree["left"], tree["right"])
    sums = np.stack([np.bincount(leaf, column, len(left)) for column in target.costs.T], axis=1)
    costs = [0.0] * len(left)
    pays = [False] * len(left)
    for node in reversed(range(len(left))):  # children come after their parents
        if left[node] >= 0:
            sums[node] = sums[left[node]] + sums[right[node]]
        costs[node] = _cost(sums[node], target)
        if left[node] >= 0:
            split = price + costs[left[node]] + costs[right[node]]
            pays[node] = split < costs[node]
            costs[node] = min(split, costs[node])
    kept: list[list[int]] = []
    waiting = [(0, -1, 0)]  # node, the place of its parent, and 1 or 2 for its left or right child
    while waiting:
        node, parent, side = waiting.pop()
        if parent >= 0:
            kept[parent][side] = len(kept)
        if pays[node]:
            waiting += [(right[node], len(kept), 2), (left[node], len(kept), 1)]
        kept.append([int(tree["feature"][node]) if pays[node] else -1, -1, -1])
    feature, first, second = np.ascontiguousarray(np.array(kept, np.int32).T)
    return {"feature": feature, "left": first, "right": second}


def _cost(sums: NDArray[np.float64], target: Target) -> float:
    """Return what a leaf costs, from the sums of its rows."""
    if target.labels is not None:
        return float(sums.min())
    weight, total, square = sums.tolist()
    return max(square - total**2 / weight, 0.0) if weight > 0 else 0.0
