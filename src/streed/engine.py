"""The engine's side of a solve: a lowered task goes in, a `Tree` with everything counted anew comes out."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.errors import TaskError
from streed.options import Limits
from streed.tasks.base import ClassErrors, CostTable, LeafFunction, Lowered, Prices
from streed.tree import Tree


def run(
    name: str,
    lowered: Lowered,
    features: NDArray[np.uint8],
    limits: Limits,
    poll: Callable[[dict[str, float]], bool] | None,
) -> dict[str, Any]:
    """Call the engine with the leaf model of a task; `name` is what errors call the task."""
    options = limits.arguments(poll)
    options.update(branch_cost=lowered.branch_cost, combination=lowered.combination)
    check_lowered(name, lowered)
    if lowered.prices is not None:
        prices = lowered.prices
        options["prices"] = (prices.attribute, prices.group, prices.full, prices.discounted)
    leaf = lowered.leaf
    if isinstance(leaf, ClassErrors):
        return _core.solve(features, leaf.codes, leaf.weights, lowered.classes.size, **options)
    if isinstance(leaf, CostTable):
        return _core.solve_costs(features, leaf.costs, **options)
    if isinstance(leaf, LeafFunction):
        from streed.leaf_functions import solve_function

        return solve_function(name, leaf, features, options)
    raise TaskError(f"{name}: the leaf model must be ClassErrors, CostTable or LeafFunction, got {leaf!r}")


def check_lowered(name: str, lowered: Lowered) -> None:
    """Refuse ways to combine leaves that the engine does not know."""
    if lowered.combination not in ("sum", "max"):
        raise TaskError(f"{name}: the combination must be 'sum' or 'max', got {lowered.combination!r}")
    if lowered.combination == "max" and (lowered.branch_cost != 0 or lowered.prices is not None):
        raise TaskError(f"{name}: branching must cost nothing where leaves are combined by 'max'")


Made = TypeVar("Made")
Branch: TypeAlias = tuple[int, int, int]
"""A branching node, its left and its right child."""


def once_more(count: Callable[[dict[str, Any]], Made], answer: dict[str, Any]) -> Made:
    """Count an answer of the engine anew. Ctrl-C is heard, but the tree is there: it is counted once more."""
    try:
        return count(answer)
    except KeyboardInterrupt:
        return count({**answer, "status": "interrupted", "optimal": False, "complete": False})


@dataclass(frozen=True, slots=True)
class Counted:
    """A tree of the engine, with its rows counted anew."""

    tree: Tree
    cost: float
    """In engine units."""
    leaf: NDArray[np.int64]
    """Where each row ends."""

    @property
    def says(self) -> NDArray[np.int64]:
        """What each row is told, as a position among the classes."""
        return self.tree.label[self.leaf].astype(np.int64)


def make_tree(
    lowered: Lowered,
    features: NDArray[np.uint8],
    names: Sequence[str] | None,
    answer: dict[str, Any],
    value_name: str,
    sign: float,
    task: str = "",
) -> Counted:
    """Make the engine's arrays a `Tree` with its rows counted anew, and its cost in engine units.

    `task` is what errors call the task; only leaf functions can be wrong now.
    """
    tree = Tree.trusted(
        feature=np.asarray(answer["feature"], np.int32),
        left=np.asarray(answer["left"], np.int32),
        right=np.asarray(answer["right"], np.int32),
        label=np.array(answer["label"], np.int32),  # a copy: a task may give leaves labels of its own
        n_samples=None,
        class_weights=None,
        classes=lowered.classes,
        n_features=features.shape[1],
        feature_names=None if names is None else tuple(names),
        values=None,
        value_name=value_name,
        conditions=None,
        prices=None,
    )
    leaf = tree.route(features)  # refuses what is no tree
    branches = tree.branches()
    largest = lowered.combination == "max"
    samples = np.bincount(leaf, minlength=tree.node_count).tolist()
    costs = leaf_costs(task, lowered.leaf, leaf, tree)
    join = max if largest else operator.add
    for node, left, right in reversed(branches):
        samples[node] = samples[left] + samples[right]
        costs[node] = join(costs[left], costs[right])
    cost = costs[0] + lowered.branch_cost * len(branches)
    tree.n_samples = np.array(samples, np.int64)
    if lowered.tally is not None:
        tree.class_weights = _class_weights(lowered, leaf, branches, len(samples))
    if lowered.leaf_label is not None and isinstance(lowered.leaf, LeafFunction):
        _label_leaves(task, tree, lowered, leaf)
    if value_name:
        rows = [1] * len(samples) if largest else samples  # no mean has a meaning for the largest leaf
        tree.values = _per_row(sign * lowered.scale, costs, rows)
    if lowered.prices is not None:
        paid = _paid_at_nodes(tree.feature.tolist(), branches, samples, lowered.prices)
        cost += math.fsum(paid)
        tree.prices = _per_row(lowered.scale, paid, samples)
    return Counted(tree, cost, leaf)


def _per_row(factor: float, values: list[float], samples: list[int]) -> NDArray[np.float64]:
    means = [factor * value / (n or 1) + 0.0 for value, n in zip(values, samples, strict=True)]
    return np.array(means)  # no minus zero in it


def leaf_costs(
    task: str, model: ClassErrors | CostTable | LeafFunction, leaf: NDArray[np.int64], tree: Tree
) -> list[float]:
    """Costs of the leaves of a tree under their labels, from the rows that end in each; 0 at other nodes."""
    costs: list[float]
    if not isinstance(model, LeafFunction):
        said = tree.label[leaf]
        if isinstance(model, ClassErrors):
            paid = (model.codes != said) * model.weights
        else:
            paid = model.costs[np.arange(leaf.size), said]
        costs = np.bincount(leaf, paid, tree.node_count).tolist()
        return costs
    from streed.leaf_functions import CheckedFunction

    leaves = np.flatnonzero(tree.feature < 0)
    table = CheckedFunction(task, model).costs(_sums(model, leaf, tree, leaves))
    table = table.reshape(model.n_labels, leaves.size)
    costs = [0.0] * tree.node_count
    for k, node in enumerate(leaves.tolist()):
        costs[node] = float(table[tree.label[node], k])
    return costs


def _sums(
    model: LeafFunction, leaf: NDArray[np.int64], tree: Tree, leaves: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Add up the statistics of the rows in each leaf, shape (statistics, leaves)."""
    columns = [np.bincount(leaf, column, tree.node_count)[leaves] for column in model.statistics.T]
    return np.ascontiguousarray(columns)


def _label_leaves(task: str, tree: Tree, lowered: Lowered, leaf: NDArray[np.int64]) -> None:
    """Give every leaf the label that the task computes from its statistics."""
    assert lowered.leaf_label is not None
    assert isinstance(lowered.leaf, LeafFunction)
    leaves = np.flatnonzero(tree.feature < 0)
    sums = _sums(lowered.leaf, leaf, tree, leaves)
    try:
        labels = [lowered.leaf_label(sums[:, k].copy()) for k in range(leaves.size)]
    except Exception as error:
        raise TaskError(f"leaf_label of the task {task!r} raised {type(error).__name__}: {error}") from error
    tree.classes = np.array(labels)
    if tree.classes.shape != (leaves.size,):
        tree.classes = np.empty(leaves.size, dtype=object)
        tree.classes[:] = labels
    tree.label[leaves] = np.arange(leaves.size)


def _class_weights(
    lowered: Lowered, leaf: NDArray[np.int64], branches: list[Branch], nodes: int
) -> NDArray[np.float64]:
    tally, classes = lowered.tally, lowered.classes.size
    assert tally is not None
    cells = np.bincount(leaf * classes + tally.codes, tally.weights, nodes * classes)
    weights = cells.reshape(nodes, classes).tolist()
    for node, left, right in reversed(branches):
        weights[node] = list(map(operator.add, weights[left], weights[right]))
    return np.array(weights, np.float64)


def _paid_at_nodes(
    feature: list[int], branches: list[Branch], samples: list[int], prices: Prices
) -> list[float]:
    """Return what the rows of each branching node pay for its test in all, in engine units; 0 at leaves."""
    paid = [0.0] * len(feature)
    tested: list[frozenset[int]] = [frozenset()] * len(feature)
    groups = list(tested)
    for node, left, right in branches:
        at = feature[node]
        attribute, group = prices.attribute.item(at), prices.group.item(at)
        if attribute not in tested[node]:
            price = prices.discounted if group in groups[node] else prices.full
            paid[node] = price.item(at) * samples[node]
        tested[left] = tested[right] = tested[node] | {attribute}
        groups[left] = groups[right] = groups[node] | {group} if group >= 0 else groups[node]
    return paid
