"""The engine's side of a solve: a lowered task goes in, a `Tree` with everything counted anew comes out."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.errors import TaskError
from streed.options import Limits
from streed.tasks.base import ClassErrors, CostTable, LeafFunction, Lowered
from streed.tree.tree import Tree


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
        from streed.solver.leaf_functions import solve_function

        return solve_function(name, leaf, features, options)
    raise TaskError(f"{name}: the leaf model must be ClassErrors, CostTable or LeafFunction, got {leaf!r}")


def check_lowered(name: str, lowered: Lowered) -> None:
    """Refuse ways to combine leaves that the engine does not know."""
    if lowered.combination not in ("sum", "max"):
        raise TaskError(f"{name}: the combination must be 'sum' or 'max', got {lowered.combination!r}")
    if lowered.combination == "max" and (lowered.branch_cost != 0 or lowered.prices is not None):
        raise TaskError(f"{name}: branching must cost nothing where leaves are combined by 'max'")


Made = TypeVar("Made")


def once_more(count: Callable[[dict[str, Any]], Made], answer: dict[str, Any]) -> Made:
    """Count an answer of the engine anew. Ctrl-C is heard, but the tree is there: it is counted once more."""
    try:
        return count(answer)
    except KeyboardInterrupt:
        return count({**answer, "status": "interrupted", "optimal": False, "complete": False})


class Counted(NamedTuple):
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
    """Make the engine's arrays (int32) a `Tree` with its rows counted anew, and its cost in engine units.

    `task` is what errors call the task; only leaf functions can be wrong now.
    """
    tree = Tree.__new__(Tree)  # its arrays are not looked at twice: the recount refuses what is no tree
    tree.feature = feature = answer["feature"]
    tree.left = left = answer["left"]
    tree.right = right = answer["right"]
    tree.label = label = answer["label"]
    tree.classes = classes = lowered.classes
    tree.n_features = features.shape[1]
    tree.feature_names = None if names is None else tuple(names)
    tree.value_name = value_name
    tree.conditions = None
    tree.details, tree.smoothing = None, 0.0
    model, prices, tally = lowered.leaf, lowered.prices, lowered.tally
    largest = lowered.combination == "max"
    leaf, tree.n_samples, cost, values, tree.class_weights, tree.prices = _core.recount(
        features,
        feature,
        left,
        right,
        label,
        classes.size,
        (model.codes, model.weights) if isinstance(model, ClassErrors) else None,
        model.costs if isinstance(model, CostTable) else None,
        None if tally is None else (tally.codes, tally.weights),
        None if prices is None else (prices.attribute, prices.group, prices.full, prices.discounted),
        largest,
        sign * lowered.scale,
        lowered.scale,
    )
    if isinstance(model, LeafFunction):
        costs = _function_costs(task, lowered, leaf, tree)
        cost += costs.item(0)
        rows = 1 if largest else np.maximum(tree.n_samples, 1)  # no mean has a meaning for the largest leaf
        values = sign * lowered.scale * costs / rows + 0.0  # no minus zero
        if lowered.leaf_label is not None:
            _label_leaves(task, tree, lowered, leaf)
    tree.values = values if value_name else None
    if lowered.describe is not None:
        lowered.describe(tree, leaf)
    return Counted(tree, cost + lowered.branch_cost * (feature.size // 2), leaf)


def _function_costs(task: str, lowered: Lowered, leaf: NDArray[np.int64], tree: Tree) -> NDArray[np.float64]:
    """Costs of all nodes where a function says what leaves cost."""
    assert isinstance(lowered.leaf, LeafFunction)
    if lowered.leaf_loss is None:
        costs = leaf_costs(task, lowered.leaf, leaf, tree)
    else:
        costs = [0.0] * tree.node_count
        for node in np.flatnonzero(tree.feature < 0).tolist():
            costs[node] = lowered.leaf_loss(np.flatnonzero(leaf == node))
    join = max if lowered.combination == "max" else operator.add
    for node, left, right in reversed(tree.branches()):
        costs[node] = join(costs[left], costs[right])
    return np.array(costs)


def leaf_costs(task: str, model: LeafFunction, leaf: NDArray[np.int64], tree: Tree) -> list[float]:
    """Costs of the leaves of a tree under their labels, from the rows that end in each; 0 at other nodes."""
    from streed.solver.leaf_functions import CheckedFunction

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
    tree.label = tree.label.copy()  # what the engine said stays as it is
    tree.label[leaves] = np.arange(leaves.size)
