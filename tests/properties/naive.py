"""The slow, obvious NumPy twin of the engine for weighted errors, and checks of returned trees by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from streed.reference import Components, NestedTree


@dataclass(frozen=True)
class Problem:
    """What the engine is asked: rows, and the limits of the tree."""

    X: np.ndarray
    y: np.ndarray
    w: np.ndarray
    n_labels: int
    max_depth: int
    max_nodes: int
    min_samples_leaf: int = 1
    branch_cost: float = 0.0

    def options(self) -> dict[str, Any]:
        return {
            "max_depth": self.max_depth,
            "max_nodes": self.max_nodes,
            "min_samples_leaf": self.min_samples_leaf,
            "branch_cost": self.branch_cost,
        }

    def tolerance(self) -> float:
        """Rounding of sums of real weights; sums of whole numbers and of binary fractions must be exact."""
        numbers = np.append(self.w, self.branch_cost)
        steps = numbers * 2.0**10
        exact = bool((steps == np.floor(steps)).all()) and float(steps.sum()) < 2.0**50
        return 0.0 if exact else 1e-9 * float(numbers.sum())

    def leaf(self, rows: np.ndarray) -> float:
        per_label = np.bincount(self.y[rows], self.w[rows], self.n_labels)
        return float(per_label.sum() - per_label.max())

    def sides(self, rows: np.ndarray, feature: int) -> tuple[np.ndarray, np.ndarray]:
        has = self.X[rows, feature] == 1
        return rows[~has], rows[has]


def optimum(problem: Problem) -> float:
    """Least weighted error plus branching costs, by plain recursion on the sets of rows."""
    memo: dict[tuple[bytes, int, int], float] = {}

    def best(rows: np.ndarray, depth: int, nodes: int) -> float:
        value = problem.leaf(rows)
        depth, nodes = min(depth, nodes), min(nodes, 2**depth - 1)
        if depth == 0 or len(rows) < 2 * problem.min_samples_leaf or value <= problem.branch_cost:
            return value
        if depth == 1:
            return min(value, best_stump(problem, rows) + problem.branch_cost)
        key = rows.tobytes(), depth, nodes
        if key not in memo:
            memo[key] = min(value, best_split(rows, depth, nodes) + problem.branch_cost)
        return memo[key]

    def best_split(rows: np.ndarray, depth: int, nodes: int) -> float:
        value, most = np.inf, 2 ** (depth - 1) - 1
        for feature in range(problem.X.shape[1]):
            left, right = problem.sides(rows, feature)
            if min(len(left), len(right)) < problem.min_samples_leaf:
                continue
            for left_nodes in range(max(0, nodes - 1 - most), min(nodes - 1, most) + 1):
                below = best(left, depth - 1, left_nodes) + best(right, depth - 1, nodes - 1 - left_nodes)
                value = min(value, below)
        return value

    return best(np.arange(len(problem.y)), problem.max_depth, problem.max_nodes)


def best_stump(problem: Problem, rows: np.ndarray) -> float:
    """Least weighted error of two leaves, over all features at once; infinite if none is allowed."""
    x = problem.X[rows].astype(float)
    weight_of_label = np.eye(problem.n_labels)[problem.y[rows]] * problem.w[rows, None]
    right = x.T @ weight_of_label
    left = weight_of_label.sum(axis=0) - right
    size = x.sum(axis=0)
    errors = right.sum(axis=1) - right.max(axis=1) + left.sum(axis=1) - left.max(axis=1)
    allowed = np.minimum(size, len(rows) - size) >= problem.min_samples_leaf
    return float(errors[allowed].min(initial=np.inf))


def components(problem: Problem) -> Components[tuple[int, ...], float]:
    """The same problem as the six components of the paper; a state is a tuple of row numbers."""
    x, y, w = problem.X.tolist(), problem.y.tolist(), problem.w.tolist()
    return Components(
        cost_leaf=lambda rows, label: sum(w[i] for i in rows if y[i] != label),
        cost_branch=lambda rows, feature: problem.branch_cost,
        transition=lambda rows, feature, side: tuple(i for i in rows if x[i][feature] == side),
        better=lambda v, other: v < other,
        combine=lambda v, other: v + other,
        feasible=lambda v, rows: len(rows) >= problem.min_samples_leaf,
        initial_state=tuple(range(len(y))),
        labels=range(problem.n_labels),
        features=range(problem.X.shape[1]),
    )


def nested(result: dict[str, Any]) -> NestedTree:
    """The flat tree of the engine as nested tuples; it must be in preorder, with nothing left over."""
    feature, left, right, label = (result[name].tolist() for name in ("feature", "left", "right", "label"))

    def build(node: int) -> tuple[NestedTree, int]:
        if feature[node] == -1:
            assert (left[node], right[node]) == (-1, -1)
            assert label[node] >= 0
            return label[node], node + 1
        assert label[node] == -1
        assert left[node] == node + 1
        left_tree, right_node = build(left[node])
        assert right[node] == right_node
        right_tree, end = build(right_node)
        return (feature[node], left_tree, right_tree), end

    tree, end = build(0)
    assert end == len(feature) == len(left) == len(right) == len(label)
    return tree


def score(problem: Problem, tree: NestedTree, rows: np.ndarray) -> float:
    """Weighted errors and branching costs of a tree on some rows; infinite when a leaf is too small."""
    if isinstance(tree, tuple):
        left, right = problem.sides(rows, tree[0])
        return score(problem, tree[1], left) + score(problem, tree[2], right) + problem.branch_cost
    enough = len(rows) >= problem.min_samples_leaf
    return float(problem.w[rows][problem.y[rows] != tree].sum()) if enough else np.inf


def subtrees(tree: NestedTree) -> list[NestedTree]:
    """A tree and everything below it."""
    return [tree, *subtrees(tree[1]), *subtrees(tree[2])] if isinstance(tree, tuple) else [tree]


def depth(tree: NestedTree) -> int:
    return 1 + max(depth(tree[1]), depth(tree[2])) if isinstance(tree, tuple) else 0


def check_no_redundant_split(problem: Problem, tree: NestedTree, rows: np.ndarray) -> None:
    """No subtree can be replaced by a leaf or by a part of itself without a greater cost."""
    if isinstance(tree, tuple):
        here = score(problem, tree, rows) + problem.tolerance()
        assert problem.leaf(rows) > here, f"a leaf is as good as {tree}"
        for part in subtrees(tree)[1:]:
            assert score(problem, part, rows) > here, f"{part} is as good as {tree}"
        for child, side in zip(tree[1:], problem.sides(rows, tree[0]), strict=True):
            check_no_redundant_split(problem, child, side)


def check_result(problem: Problem, result: dict[str, Any]) -> None:
    """Hold a returned tree against the objective it came with and against every limit."""
    tree, rows = nested(result), np.arange(len(problem.y))
    assert depth(tree) <= problem.max_depth
    assert sum(isinstance(part, tuple) for part in subtrees(tree)) <= problem.max_nodes
    assert abs(score(problem, tree, rows) - result["objective"]) <= problem.tolerance()
    assert result["lower_bound"] <= result["objective"] + problem.tolerance()
    if result["optimal"]:
        assert result["status"] == "optimal"
        assert result["lower_bound"] == result["objective"]
        check_no_redundant_split(problem, tree, rows)
