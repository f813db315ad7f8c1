"""The engine's side of a solve: a lowered task goes in, a `Tree` with everything counted anew comes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

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
    nodes = len(answer["feature"])
    tree = Tree(
        answer["feature"],
        answer["left"],
        answer["right"],
        answer["label"].copy(),  # a task may give leaves labels of its own
        n_samples=np.zeros(nodes, np.int64),
        classes=lowered.classes,
        n_features=features.shape[1],
        feature_names=names,
        value_name=value_name,
    )
    leaf = tree.route(features)
    leaves = np.flatnonzero(tree.feature < 0)
    samples = np.bincount(leaf, minlength=nodes)
    costs = np.zeros(nodes)
    costs[leaves] = leaf_costs(task, lowered.leaf, leaf, tree, leaves)
    weights = None if lowered.tally is None else _class_weights(lowered, leaf, nodes)
    largest = lowered.combination == "max"
    cost = float(costs[leaves].max()) if largest else float(costs.sum()) + lowered.branch_cost * tree.n_nodes
    for node, left, right in reversed(tree.branches()):
        samples[node] = samples[left] + samples[right]
        costs[node] = max(costs[left], costs[right]) if largest else costs[left] + costs[right]
        if weights is not None:
            weights[node] = weights[left] + weights[right]
    tree.n_samples = samples
    tree.class_weights = weights
    if lowered.leaf_label is not None and isinstance(lowered.leaf, LeafFunction):
        _label_leaves(task, tree, lowered, leaf, leaves)
    if value_name:
        rows = 1 if largest else np.maximum(samples, 1)  # no mean has a meaning for the largest leaf
        tree.values = sign * lowered.scale * costs / rows + 0.0  # no minus zero
    if lowered.prices is not None:
        paid = price_per_node(tree, lowered.prices)
        cost += float(paid.sum())
        tree.prices = lowered.scale * paid / np.maximum(samples, 1)
    return Counted(tree, cost, leaf)


def leaf_costs(
    task: str,
    model: ClassErrors | CostTable | LeafFunction,
    leaf: NDArray[np.int64],
    tree: Tree,
    leaves: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Costs of the leaves of a tree under their labels, from the rows that end in each."""
    labels = tree.label[leaves]
    if isinstance(model, ClassErrors):
        wrong = np.where(model.codes == tree.label[leaf], 0.0, model.weights)
        return _per_node(leaf, wrong, tree.node_count)[leaves]
    if isinstance(model, CostTable):
        own = model.costs[np.arange(leaf.size), tree.label[leaf]]
        return _per_node(leaf, own, tree.node_count)[leaves]
    from streed.leaf_functions import CheckedFunction

    costs = CheckedFunction(task, model).costs(_sums(model, leaf, tree, leaves))
    table = costs.reshape(model.n_labels, leaves.size)
    chosen: NDArray[np.float64] = table[labels, np.arange(leaves.size)]
    return chosen


def _sums(
    model: LeafFunction, leaf: NDArray[np.int64], tree: Tree, leaves: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Add up the statistics of the rows in each leaf, shape (statistics, leaves)."""
    columns = [_per_node(leaf, column, tree.node_count)[leaves] for column in model.statistics.T]
    return np.ascontiguousarray(columns)


def _label_leaves(
    task: str, tree: Tree, lowered: Lowered, leaf: NDArray[np.int64], leaves: NDArray[np.int64]
) -> None:
    """Give every leaf the label that the task computes from its statistics."""
    assert lowered.leaf_label is not None
    assert isinstance(lowered.leaf, LeafFunction)
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


def _class_weights(lowered: Lowered, leaf: NDArray[np.int64], nodes: int) -> NDArray[np.float64]:
    tally, classes = lowered.tally, lowered.classes.size
    assert tally is not None
    cells = _per_node(leaf * classes + tally.codes, tally.weights, nodes * classes)
    return cells.reshape(nodes, classes)


def _per_node(node: NDArray[np.int64], values: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    return np.bincount(node, weights=values, minlength=n).astype(np.float64, copy=False)


def price_per_node(tree: Tree, prices: Prices) -> NDArray[np.float64]:
    """Return what the rows of each branching node pay for its test in all; 0 at leaves.

    Parameters
    ----------
    tree : Tree
        A tree whose `n_samples` are counted.
    prices : Prices
        The prices of its binary features.

    Returns
    -------
    float64 array of shape (tree.node_count,)
        Prices in engine units.
    """
    paid = np.zeros(tree.node_count)
    tested: list[frozenset[int]] = [frozenset()] * tree.node_count
    groups: list[frozenset[int]] = [frozenset()] * tree.node_count
    features = tree.feature.tolist()
    for node, left, right in tree.branches():
        feature = features[node]
        attribute, group = int(prices.attribute[feature]), int(prices.group[feature])
        if attribute not in tested[node]:
            known = group >= 0 and group in groups[node]
            price = prices.discounted[feature] if known else prices.full[feature]
            paid[node] = price * tree.n_samples[node]
        tested[left] = tested[right] = tested[node] | {attribute}
        groups[left] = groups[right] = groups[node] | ({group} if group >= 0 else set())
    return paid
