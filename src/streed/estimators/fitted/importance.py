"""What each column is worth in a fitted tree: the exact drop of the objective, shared by the columns.

A split lowers the objective by what its node costs as a leaf, less what its two children cost as leaves.
These drops add up to what the tree saves against a single leaf. A split of an optimal tree may save nothing
by itself and only prepare those below it, as the first split of an exclusive or. Each drop is therefore
shared equally by the columns that are tested on the way to it, its own included: without any of them the
split could not be reached. These are the Shapley values of the columns in the game "the tree cut back to
splits that are reached by tests of some columns alone". They add up to the whole drop, and no column that a
tree without redundant splits tests gets zero, as happens where a drop counts for the split's column alone.

Prices of tests and of nodes are not counted, and limits (fairness, capacities) do not bind the leaves that
nodes would be. A metric of the confusion matrix, which is no sum over leaves, counts by its slopes at the
tree that was found: what one more missed row of each class costs. Where it has none, as the least recall,
both classes count equally.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.leaves import ClassErrors, LeafFunction
from streed.leaves.guarded import CheckedFunction
from streed.tasks.base import Task, form_of, is_multiple
from streed.tasks.forms import CountsMetric, OneValue, SixComponents, Sums
from streed.tree.details import Numbers
from streed.tree.line import is_linear
from streed.tree.tree import Tree

NodeCosts = NDArray[np.float64] | str
"""What each node costs as a leaf, of shape (2, nodes) with what leaves cost by their lines; or why that is
not known."""


def costs_of_nodes(task: Any, model: Any, table: Any) -> NodeCosts | None:
    """Return what each node of a fitted tree costs as a leaf, for the rows of the fit.

    None where class weights or squares in the tree say it: they are read when importances are asked for.
    """
    if not isinstance(task, Task):  # it depends on the features, since tests have prices
        task = task(model._binarize(table))
    if task.name in ("accuracy", "squared_error"):  # the quick path of most fits
        return None
    form: Any = form_of(task)
    if isinstance(form, Sums):
        form = form.objective
    if isinstance(form, CountsMetric):
        return _slopes(form, model.tree_)
    if isinstance(form, SixComponents) and form.relaxed is not None:
        relaxed = form.relaxed(2)
        leaf = _leaves(model, table, relaxed.value.rows)
        return _by_levels(relaxed.losses, leaf, model.tree_) * relaxed.value.scale
    if not isinstance(form, OneValue):
        return f"the value of the task {task.name!r} is not a sum over leaves"
    if form.combination != "sum":
        return "a tree costs as much as its worst leaf, not the sum of its leaves"
    unit = abs(task.report(1.0) - task.report(0.0)) if is_multiple(task) else form.scale
    if isinstance(form.leaf, ClassErrors):
        return _known_costs(model.tree_) * (unit / form.scale)
    return _of_rows(task.name, form, _leaves(model, table, form.rows), model.tree_) * unit


def _leaves(model: Any, table: Any, rows: NDArray[np.int64] | None) -> NDArray[np.int64]:
    leaf: NDArray[np.int64] = model._leaves(table)
    return leaf if rows is None else leaf[rows]


def _of_rows(name: str, form: OneValue, leaf: NDArray[np.int64], tree: Tree) -> NDArray[np.float64]:
    """Return what each node costs under its best label, in engine units, from its rows."""
    model = form.leaf
    if not isinstance(model, LeafFunction):
        return np.asarray(_sums(model.label_costs(form.classes.size), leaf, tree).min(axis=0))
    if model.losses is not None and is_linear(tree.classes):
        return np.stack([_known_costs(tree) / form.scale, model.losses(leaf, tree.node_count)])
    if model.losses is not None and model.native is None:
        return _by_levels(model.losses, leaf, tree)
    costs = CheckedFunction(name, model).costs(_sums(model.statistics, leaf, tree))
    return np.asarray(costs.reshape(model.n_labels, tree.node_count).min(axis=0), np.float64)


def _sums(statistics: NDArray[np.float64], leaf: NDArray[np.int64], tree: Tree) -> NDArray[np.float64]:
    """Add up statistics of shape (rows, s) at every node: shape (s, nodes)."""
    sums = np.stack([np.bincount(leaf, column, tree.node_count) for column in statistics.T])
    for node, left, right in reversed(tree.branches()):
        sums[:, node] = sums[:, left] + sums[:, right]
    return np.ascontiguousarray(sums)


def _by_levels(losses: Any, leaf: NDArray[np.int64], tree: Tree) -> NDArray[np.float64]:
    """Return what each node costs, by a function of the leaf of each row: one call for each level."""
    above = np.arange(tree.node_count)
    parents = np.zeros(tree.node_count, np.int64)
    for node, left, right in tree.branches():
        parents[left] = parents[right] = node
    costs = np.zeros(tree.node_count)
    for _ in range(tree.depth + 1):
        found = losses(above[leaf], tree.node_count)
        costs[above] = found[above]  # every node is above its leaves at some level
        above = parents[above]
    return costs


def _slopes(form: CountsMetric, tree: Tree) -> NodeCosts:
    """Return what each node costs by the slopes of a metric at the confusion matrix of a tree."""
    if form.positive < 0:
        return f"the metric {form.metric.name} of more than two classes has no single slope"
    weights, leaves = tree.class_weights, np.flatnonzero(tree.feature < 0)
    says = tree.label[leaves] == form.positive
    own, other = weights[:, form.positive], weights[:, 1 - form.positive]
    tp, fn = own[leaves][says].sum(), own[leaves][~says].sum()
    fp, tn = other[leaves][says].sum(), other[leaves][~says].sum()
    step = 1e-6 * float(weights[0].sum())

    def slope(missed: float, false: float) -> float:
        """Return how much the metric falls for each unit of weight that becomes wrong."""
        cells = [(tp - missed * s, fp + false * s, fn + missed * s, tn - false * s) for s in (step, -step)]
        known = [
            (sign, float(form.metric(*cell)))
            for sign, cell in zip((1, -1), cells, strict=True)
            if min(cell) >= 0
        ]
        here = float(form.metric(tp, fp, fn, tn))
        return max(0.0, *((here - value) * sign / step for sign, value in known)) if known else 0.0

    slopes = slope(1, 0), slope(0, 1)
    if min(slopes) <= 0:
        slopes = 1 / float(own[0]), 1 / float(other[0])
    found = np.minimum(own * slopes[0], other * slopes[1])
    return found if np.isfinite(found).all() else f"the metric {form.metric.name} has no slope here"


def drops_of_columns(
    tree: Tree, costs: NodeCosts | None, columns: NDArray[np.intp], names: list[str]
) -> NDArray[np.float64]:
    """Return the drop of the objective that each column brings; `columns` are those of the features."""
    if isinstance(costs, str):
        raise AttributeError(f"the tree has no feature_importances_: {costs}")
    known, lines = _known_costs(tree) if costs is None else costs, None
    if known.ndim == 2:
        known, lines = known
    drops = np.zeros(len(names))
    ways: list[frozenset[int]] = [frozenset()] * tree.node_count
    for node, left, right in tree.branches():
        ways[node] = ways[left] = ways[right] = ways[node] | {int(columns[tree.feature[node]])}
        _share(drops, ways[node], known[node] - known[left] - known[right])
    if lines is not None:
        _share_lines(drops, tree, ways, known - lines, names)
    return drops


def _share(drops: NDArray[np.float64], columns: frozenset[int], drop: float) -> None:
    drops[sorted(columns)] += max(0.0, float(drop)) / len(columns)  # below zero by rounding alone


def _known_costs(tree: Tree) -> NDArray[np.float64]:
    """Return what nodes cost by the weights of their classes, or the squares about their means."""
    if isinstance(tree.details, Numbers):
        squares = tree.details.spread.reshape(tree.node_count, -1) ** 2
        return np.asarray(squares.sum(axis=1) * tree.details.counts.sum(axis=1))
    weights = tree.class_weights
    if weights is None:
        raise AttributeError("the tree has no feature_importances_: its nodes do not know what they cost")
    return np.asarray(weights.sum(axis=1) - weights.max(axis=1), np.float64)


def _share_lines(
    drops: NDArray[np.float64],
    tree: Tree,
    ways: list[frozenset[int]],
    saved: NDArray[np.float64],
    names: list[str],
) -> None:
    """Share what lines save in the leaves by the columns on the way and those in the line."""
    for leaf in np.flatnonzero(tree.feature < 0).tolist():
        line = tree.classes[tree.label[leaf]]
        used = ways[leaf] | {names.index(name) for name, _ in line.terms}
        if used:
            _share(drops, used, saved[leaf])


def importances(drops: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return shares that add up to 1; zeros where the tree saves nothing.

    Examples
    --------
    >>> importances(np.array([3.0, 0.0, 1.0])).tolist()
    [0.75, 0.0, 0.25]
    """
    total = math.fsum(drops.tolist())
    return drops / total if total > 0 else np.zeros_like(drops)
