"""The paper's recursion for any six components: slow, obvious, the definition of what the engine computes.

An optimisation task (paper, Definition 1) is six components: a cost function g, a transition t, a comparison
≻, a combination ⊕, a constraint c and an initial state s0. `solve` is Algorithm 1 with its node budget and
without any bound or cache; `cost` is Eq. 5, the cost of one given tree. Everything fast in this package is
tested against the two. (`streed.solve` takes components too, with cache, bounds and limits.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

__all__ = ["Components", "NestedTree", "Solution", "cost", "solve"]

State = TypeVar("State")
Value = TypeVar("Value")

NestedTree: TypeAlias = Any
"""``(feature, left, right)`` for a branching node, else a label (anything but a tuple)."""


@dataclass(frozen=True)
class Components(Generic[State, Value]):
    """An optimisation task as the six components of the paper.

    Parameters
    ----------
    cost_leaf : callable
        ``cost_leaf(state, label)``: the cost g of giving every row of a state the same label.
    cost_branch : callable
        ``cost_branch(state, feature)``: the cost g of branching on a feature.
    transition : callable
        ``transition(state, feature, side)``: the state t of the right child (side True: the rows that have
        the feature) or of the left one.
    better : callable
        ``better(v, w)``: whether v strictly dominates w. A partial order gives a front of solutions.
    combine : callable
        ``combine(v, w)``: v ⊕ w. It must preserve the order, or the recursion is not exact.
    feasible : callable
        ``feasible(v, state)``: the constraint c. It must be anti-monotonic: a tree that breaks it cannot be
        part of one that is feasible and optimal.
    initial_state : object
        The state s0 of the root.
    labels : sequence
        The labels a leaf can have; none of them is a tuple.
    features : sequence
        The features a node can branch on.
    name : str, default="task"
        What errors and results call the task.
    key : callable, optional
        ``key(state)``: something hashable that is equal for two states only if every cost below them is. By
        default the state itself, where it can be hashed. `streed.solve` solves each key once.
    lower_bound : callable, optional
        ``lower_bound(state)``: a value that is at least as good as the value of every tree for the state (for
        a total order: no tree is better than it). `streed.solve` skips what such bounds show to be useless.
    size : callable, optional
        ``size(state)``: number of rows of a state, for ``min_samples_leaf`` and the sizes of nodes.

    Examples
    --------
    The errors of a tree on four rows, where the state is the set of rows:

    >>> x, y = [0, 0, 1, 1], [0, 0, 0, 1]
    >>> task = Components(
    ...     cost_leaf=lambda rows, label: sum(y[i] != label for i in rows),
    ...     cost_branch=lambda rows, feature: 0,
    ...     transition=lambda rows, feature, side: [i for i in rows if x[i] == side],
    ...     better=lambda v, w: v < w,
    ...     combine=lambda v, w: v + w,
    ...     feasible=lambda v, rows: True,
    ...     initial_state=range(4),
    ...     labels=[0, 1],
    ...     features=["x"],
    ... )
    >>> solve(task, max_depth=0)
    [Solution(value=1, tree=0)]
    >>> cost(task, ("x", 0, 1))
    1
    """

    cost_leaf: Callable[[State, Any], Value]
    cost_branch: Callable[[State, Any], Value]
    transition: Callable[[State, Any, bool], State]
    better: Callable[[Value, Value], bool]
    combine: Callable[[Value, Value], Value]
    feasible: Callable[[Value, State], bool]
    initial_state: State
    labels: Sequence[Any]
    features: Sequence[Any]
    name: str = "task"
    key: Callable[[State], Any] | None = None
    lower_bound: Callable[[State], Value] | None = None
    size: Callable[[State], int] | None = None


class Solution(NamedTuple):
    """A value and a tree that has it."""

    value: Any
    tree: NestedTree


def solve(task: Components[State, Value], max_depth: int, max_nodes: int | None = None) -> list[Solution]:
    """Find all nondominated values of trees within the limits, with one tree each.

    Parameters
    ----------
    task : Components
        The optimisation task.
    max_depth : int
        The largest number of branching nodes on a path.
    max_nodes : int, optional
        The largest number of branching nodes in the tree; by default as many as the depth allows.

    Returns
    -------
    list of Solution
        One entry where the order is total, a front where it is partial, none where nothing is feasible.
        Equal values appear once, with the tree that was found first: leaves come before splits.
    """
    nodes = 2**max_depth - 1
    return _search(task, task.initial_state, max_depth, nodes if max_nodes is None else min(max_nodes, nodes))


def cost(task: Components[State, Value], tree: NestedTree, state: State | None = None) -> Value:
    """Cost of a given tree (Eq. 5).

    Parameters
    ----------
    task : Components
        The optimisation task.
    tree : NestedTree
        The tree, as nested tuples.
    state : object, optional
        The state at the root of the tree; by default the initial state.

    Returns
    -------
    object
        The value of the tree. Constraints are ignored.
    """
    here = task.initial_state if state is None else state
    if not isinstance(tree, tuple):
        return task.cost_leaf(here, tree)
    feature, left, right = tree
    return _join(
        task,
        cost(task, left, task.transition(here, feature, False)),
        cost(task, right, task.transition(here, feature, True)),
        task.cost_branch(here, feature),
    )


def _search(task: Components[State, Value], state: State, depth: int, nodes: int) -> list[Solution]:
    """T(s, d, n): the nondominated trees with at most `depth` levels and at most `nodes` branching nodes."""
    leaves = [Solution(task.cost_leaf(state, label), label) for label in task.labels]
    splits = _splits(task, state, depth, nodes) if depth > 0 and nodes > 0 else ()
    return _opt(task, [*leaves, *splits], state)


def _splits(task: Components[State, Value], state: State, depth: int, nodes: int) -> Iterator[Solution]:
    """Merge over every feature and every division of the node budget between the two subtrees.

    A subtree of d - 1 levels has no use for more than 2^(d-1) - 1 nodes, so divisions that offer it more are
    left out: each of them is contained in one that gives the surplus to the other side.
    """
    most = 2 ** (depth - 1) - 1
    for feature in task.features:
        branch = task.cost_branch(state, feature)
        left_state = task.transition(state, feature, False)
        right_state = task.transition(state, feature, True)
        for left_nodes in range(max(0, nodes - 1 - most), min(nodes - 1, most) + 1):
            right_nodes = min(nodes - 1 - left_nodes, most)
            lefts = _search(task, left_state, depth - 1, left_nodes)
            rights = _search(task, right_state, depth - 1, right_nodes)
            for left in lefts:
                for right in rights:
                    value = _join(task, left.value, right.value, branch)
                    yield Solution(value, (feature, left.tree, right.tree))


def _join(task: Components[State, Value], left: Value, right: Value, branch: Value) -> Value:
    return task.combine(task.combine(left, right), branch)


def _opt(task: Components[State, Value], solutions: Iterable[Solution], state: State) -> list[Solution]:
    """Keep what is feasible and not dominated, the first one of equal values."""
    front: list[Solution] = []
    for new in solutions:
        if not task.feasible(new.value, state):
            continue
        if any(old.value == new.value or task.better(old.value, new.value) for old in front):
            continue
        front = [old for old in front if not task.better(new.value, old.value)] + [new]
    return front
