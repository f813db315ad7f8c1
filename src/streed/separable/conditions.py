"""The conditions of the paper, each tried out on one sample by looking at everything in it.

Every check takes a `Sample` and returns a `Violation` or None. The names are those of the paper: Markovian
costs and transitions (Prop. 1), order preservation (Def. 3), anti-monotonic constraints (Def. 4), the
principle of optimality (Def. 6: the recursion finds what looking at every tree finds).

Two readings of the definitions are made precise here. (1) Order: the paper asks that v ≻ v' implies v ⊕ w ≻
v' ⊕ w. For the values of the front to be right it is enough that v ⊕ w is better, equal or tied, so that max
is allowed; a reversal or two incomparable values are a violation. (2) Constraints: whether a tree is feasible
is what c says of its root. A state for which c says no whatever the value (too few rows, say) is not to be
reached by any tree; all other infeasible subtrees must be useless, or c is not anti-monotonic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice, permutations, product
from typing import Any, NamedTuple

import numpy as np

from streed import reference
from streed.reference import NestedTree
from streed.separable.samples import Sample
from streed.tolerance import same
from streed.tree.result import show

MOST_VALUES = 8
MOST_PAIRS = 12


@dataclass(frozen=True)
class Violation:
    """Something that breaks a condition: which one, in words, and the things that are involved."""

    check: str
    words: tuple[str, ...]
    data: Mapping[str, Any] = field(default_factory=dict)


class Node(NamedTuple):
    """A tree with its value, its state, and whether the constraint holds for itself and for all its parts."""

    tree: NestedTree
    value: Any
    state: Any
    feasible: bool
    everywhere: bool
    children: tuple[Node, ...] = ()


def all_trees(sample: Sample, state: Any, depth: int) -> list[Node]:
    """List every tree of a state with every labelling, small ones first."""
    guard, task = sample.guard, sample.task
    found = []
    for label in task.labels:
        value = guard.leaf(state, label)
        fine = guard.feasible(value, state)
        found.append(Node(label, value, state, fine, fine))
    if depth == 0:
        return found
    for feature in task.features:
        left, right = (
            all_trees(sample, guard.child(state, feature, side), depth - 1) for side in (False, True)
        )
        branch = guard.branch(state, feature)
        for a, b in product(left, right):
            value = guard.join(a.value, b.value, branch)
            fine = guard.feasible(value, state)
            tree = (feature, a.tree, b.tree)
            found.append(Node(tree, value, state, fine, fine and a.everywhere and b.everywhere, (a, b)))
    return found


def different(nodes: list[Node]) -> Iterator[Node]:
    """Yield the first tree of each value."""
    seen: list[Any] = []
    for node in nodes:
        if not any(same(node.value, value) for value in seen):
            seen.append(node.value)
            yield node


def check_order_relation(sample: Sample) -> Violation | None:
    """≻ must be a strict partial order: never v ≻ v, never both ways, and transitive."""
    guard = sample.guard
    trees = all_trees(sample, sample.task.initial_state, min(1, sample.depth))
    nodes = list(islice(different(trees), MOST_VALUES))
    for a, b in product(nodes, repeat=2):
        if guard.truth("better", sample.task.better, a.value, b.value) and guard.truth(
            "better", sample.task.better, b.value, a.value
        ):
            words = (f"better({show(a.value)}, {show(b.value)}) and the other way round are both True.",)
            return Violation("order relation", words, {"values": (a.value, b.value)})
    for a, b, c in product(nodes, repeat=3):
        if (
            guard.better(a.value, b.value)
            and guard.better(b.value, c.value)
            and not guard.covers(a.value, c.value)
            and not guard.close(a.value, c.value)
        ):
            words = (
                f"{show(a.value)} is better than {show(b.value)}, which is better than {show(c.value)}, "
                f"but {show(a.value)} is not better than {show(c.value)}: better is not transitive.",
            )
            return Violation("order relation", words, {"values": (a.value, b.value, c.value)})
    return None


def check_markovian(sample: Sample) -> Violation | None:
    """Equal states must have equal costs, however they were reached and whatever was asked before."""
    root = sample.task.initial_state
    steps = list(product(sample.task.features, (False, True)))
    pairs = list(product(steps, repeat=2))
    for f, g in pairs[:: 1 + len(pairs) // MOST_PAIRS]:
        first = _look(sample, root, (f, g))
        for path in ((f, g), (g, f), (f, f, g)):
            second = _look(sample, root, path)
            if _same_state(sample, first[0], second[0]):
                for (what, v), (_, w) in zip(first[1], second[1], strict=True):
                    if not same(v, w):
                        return _not_markovian(sample, (f, g), path, first[0], what, (v, w))
    return None


def _look(
    sample: Sample, state: Any, path: tuple[tuple[Any, bool], ...]
) -> tuple[Any, list[tuple[str, Any]]]:
    """Walk a path and ask for all costs at its end, and those of the leaves below it."""
    guard, task = sample.guard, sample.task
    for feature, side in path:
        state = guard.child(state, feature, side)
    asked = [(f"cost_leaf(state, {label!r})", guard.leaf(state, label)) for label in task.labels]
    asked += [(f"cost_branch(state, {f!r})", guard.branch(state, f)) for f in task.features]
    asked += [(f"feasible({show(v)}, state)", guard.feasible(v, state)) for _, v in asked[: len(task.labels)]]
    for feature, side in product(task.features, (False, True)):
        below = guard.child(state, feature, side)
        name = f"cost_leaf(transition(state, {feature!r}, {side}), {task.labels[0]!r})"
        asked.append((name, guard.leaf(below, task.labels[0])))
    return state, asked


def _same_state(sample: Sample, a: Any, b: Any) -> bool:
    if sample.task.key is not None:
        return bool(sample.guard.key(a) == sample.guard.key(b))
    try:
        return bool(a == b)
    except Exception:  # states need not be comparable: then nothing is known about them
        return False


def _not_markovian(
    sample: Sample, one: Any, other: Any, state: Any, what: str, values: tuple[Any, Any]
) -> Violation:
    kind = "state" if sample.task.key is None else "key"
    words = (
        f"Two paths lead to the same {kind}: {_path(one)}; and {_path(other)}.",
        f"After the first {what} is {show(values[0])}, after the second {show(values[1])}.",
        "The cost depends on something that is not in the state.",
    )
    data = {"paths": (one, other), "state": state, "asked": what, "values": values}
    return Violation("markovian", words, data)


def _path(path: tuple[tuple[Any, bool], ...]) -> str:
    return ", then ".join(f"{called(feature)} {'yes' if side else 'no'}" for feature, side in path)


def check_order(sample: Sample) -> Violation | None:
    """⊕ must preserve the order: what is better on one side must not be worse once it is joined."""
    if sample.depth == 0:
        return None
    for feature in sample.task.features:
        found = _check_order_at(sample, feature)
        if found is not None:
            return found
    return None


def _check_order_at(sample: Sample, feature: Any) -> Violation | None:
    guard, root = sample.guard, sample.task.initial_state
    branch = guard.branch(root, feature)
    sides = []
    for side in (False, True):
        trees = all_trees(sample, guard.child(root, feature, side), sample.depth - 1)
        sides.append(list(islice(different([t for t in trees if t.everywhere]), MOST_VALUES)))
    joined = {
        (i, j): guard.join(a.value, b.value, branch) for (i, a), (j, b) in product(*map(enumerate, sides))
    }
    pool = [*joined.values(), *(node.value for nodes in sides for node in nodes)]
    for here in (0, 1):
        for i, j in permutations(range(len(sides[here])), 2):
            a, b = sides[here][i], sides[here][j]
            if not guard.better(a.value, b.value):
                continue
            for k, c in enumerate(sides[1 - here]):
                above, below = (joined[(x, k) if here == 0 else (k, x)] for x in (i, j))
                if not as_good(sample, above, below, pool):
                    return _reversed(sample, feature, here, (a, b, c), (above, below))
    return None


def as_good(sample: Sample, v: Any, w: Any, pool: list[Any]) -> bool:
    """Whether v is better than w, equal up to rounding, or as good: no value of the pool tells them apart.

    The last is for orders with ties, such as "smaller first entry": values that differ in what the order does
    not look at. In a front, incomparable values differ in what they dominate.
    """
    guard = sample.guard
    if guard.covers(v, w) or guard.close(v, w):
        return True
    if guard.better(w, v):
        return False
    return all(
        guard.better(v, z) == guard.better(w, z) and guard.better(z, v) == guard.better(z, w) for z in pool
    )


def _reversed(
    sample: Sample, feature: Any, here: int, trees: tuple[Node, Node, Node], joined: tuple[Any, Any]
) -> Violation:
    a, b, c = trees
    near, far = ("left", "right") if here == 0 else ("right", "left")
    worse = "the second is better now" if sample.guard.better(joined[1], joined[0]) else "neither is better"
    words = (
        f"Split on {called(feature)}. On the {near}, the tree {write(a.tree)} has the value {show(a.value)} "
        f"and {write(b.tree)} has {show(b.value)}: the first is better.",
        f"Put together with {write(c.tree)} on the {far}, of value {show(c.value)}, they become "
        f"{show(joined[0])} and {show(joined[1])}: {worse}.",
        "So the best subtree alone need not be part of the best tree.",
    )
    data = {
        "feature": feature,
        "side": near,
        "better": a,
        "worse": b,
        "other": c,
        "joined": joined,
    }
    return Violation("order preservation", words, data)


def check_optimality(sample: Sample) -> Violation | None:
    """See that the recursion finds the values that looking at every tree finds."""
    guard, root = sample.guard, sample.task.initial_state
    trees = all_trees(sample, root, sample.depth)
    pool = [node.value for node in different(trees)]
    allowed = [node for node in trees if node.feasible and not _reaches_closed(sample, node, pool)]
    front: list[Node] = []
    for node in sorted(allowed, key=lambda node: (not node.everywhere, size(node.tree))):
        if not any(guard.covers(old.value, node.value) for old in front):
            front = [old for old in front if not guard.better(node.value, old.value)] + [node]
    found = reference.solve(sample.task, sample.depth)
    for node in front:
        if not any(as_good(sample, solution.value, node.value, pool) for solution in found):
            return _missed(sample, node, [solution.value for solution in found])
    return None


def _reaches_closed(sample: Sample, node: Node, pool: list[Any]) -> bool:
    """Whether a tree has a part in a state where the constraint refuses every value."""
    if node.everywhere:
        return False
    if not node.feasible and not any(sample.guard.feasible(value, node.state) for value in pool):
        return True
    return any(_reaches_closed(sample, child, pool) for child in node.children)


def _missed(sample: Sample, node: Node, found: list[Any]) -> Violation:
    best = f"{', '.join(map(show, found))}" if found else "nothing"
    words = [
        f"The tree {write(node.tree)} has the value {show(node.value)}: it is feasible, and no feasible tree "
        f"of depth {sample.depth} is better.",
        f"The search by subtrees cannot find this value; it finds {best}.",
    ]
    data = {"tree": node.tree, "value": node.value, "found": found}
    if node.everywhere:
        words.append(
            "Its parts are feasible, but dominated by others that lead to nothing better or feasible."
        )
        return Violation("principle of optimality", tuple(words), data)
    part = _infeasible_part(node)
    words.insert(
        1,
        f"But its subtree {write(part.tree)}, of value {show(part.value)} in the state {brief(part.state)}, "
        "is infeasible: the constraint is not anti-monotonic.",
    )
    return Violation("anti-monotonic", tuple(words), {**data, "part": part})


def _infeasible_part(node: Node) -> Node:
    for child in node.children:
        if not child.everywhere:
            return _infeasible_part(child)
    return node


def check_bound(sample: Sample) -> Violation | None:
    """No feasible tree may be better than the bound that the task gives for its state."""
    guard, root = sample.guard, sample.task.initial_state
    bound = guard.bound(root)
    if bound is None:
        return None
    for node in all_trees(sample, root, sample.depth):
        if node.everywhere and not guard.covers(bound, node.value) and not guard.close(bound, node.value):
            words = (
                f"lower_bound(state) is {show(bound)}, but the tree {write(node.tree)} has the value "
                f"{show(node.value)}, which the bound does not cover.",
            )
            return Violation("lower bound", words, {"bound": bound, "tree": node.tree, "value": node.value})
    return None


def write(tree: NestedTree) -> str:
    """Write a tree in one line: ``[feature? no: left | yes: right]``.

    Examples
    --------
    >>> write((2, "a", ("age", "b", "a")))
    "[x2? no: 'a' | yes: [age? no: 'b' | yes: 'a']]"
    """
    if not isinstance(tree, tuple):
        return repr(tree)
    return f"[{called(tree[0])}? no: {write(tree[1])} | yes: {write(tree[2])}]"


def called(feature: Any) -> str:
    """Return what a feature is called: ``x7`` if it is a number."""
    return f"x{feature}" if isinstance(feature, int | np.integer) else str(feature)


def size(tree: NestedTree) -> int:
    """Return the number of branching nodes of a tree."""
    return 1 + size(tree[1]) + size(tree[2]) if isinstance(tree, tuple) else 0


def brief(state: Any) -> str:
    """Write a state, shortened where it is long."""
    text = repr(state)
    return text if len(text) <= 120 else f"{text[:117]}..."


CHECKS: Mapping[str, Callable[[Sample], Violation | None]] = {
    "order relation": check_order_relation,
    "markovian": check_markovian,
    "order preservation": check_order,
    "anti-monotonic": check_optimality,
    "lower bound": check_bound,
}
"""The checks in the order in which they are made; "anti-monotonic" includes the brute force."""
