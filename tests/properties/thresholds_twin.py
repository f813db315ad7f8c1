"""The slow, obvious twin of the search over thresholds: all cuts, all sides of missing values."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from streed import _core


@dataclass(frozen=True)
class ThresholdProblem:
    """What the engine is asked. Ranks have a row per column, -1 is missing; rows have labels or costs."""

    ranks: np.ndarray
    labels: np.ndarray | None
    weights: np.ndarray | None
    costs: np.ndarray | None
    n_labels: int
    max_depth: int
    max_nodes: int
    min_samples_leaf: int = 1
    branch_cost: float = 0.0

    def table(self) -> np.ndarray:
        """What each row costs with each label."""
        if self.costs is not None:
            return self.costs
        assert self.labels is not None
        assert self.weights is not None
        return np.where(np.arange(self.n_labels) == self.labels[:, None], 0.0, self.weights[:, None])

    def tolerance(self) -> float:
        numbers = np.append(self.table(), self.branch_cost)
        return 0.0 if (numbers == np.floor(numbers)).all() else 1e-9 * float(1 + np.abs(numbers).sum())


def splits(ranks: np.ndarray, rows: np.ndarray) -> list[np.ndarray]:
    """All ways in which a test of one column divides some rows: those that satisfy it, as masks."""
    found = {}
    for column in ranks[:, rows]:
        values = np.unique(column[column >= 0])
        for cut in [-1, *values.tolist()]:
            for missing in (False, True):
                mask = np.where(column < 0, missing, column <= cut)
                if mask.any() and not mask.all():
                    found[mask.tobytes()] = mask
    return list(found.values())


def optimum(problem: ThresholdProblem) -> float:
    """The least cost of a tree."""
    table = problem.table()
    return least_cost(problem, lambda rows: float(table[rows].sum(axis=0).min()))


def least_cost(problem: Any, leaf_cost: Callable[[np.ndarray], float]) -> float:
    """The least cost of a tree over the ranks and within the limits of a problem, whatever leaves cost."""
    memo: dict[tuple[bytes, int, int], float] = {}

    def best(rows: np.ndarray, depth: int, nodes: int) -> float:
        depth, nodes = min(depth, nodes), min(nodes, 2**depth - 1)
        key = rows.tobytes(), depth, nodes
        if key in memo:
            return memo[key]
        value = leaf_cost(rows)
        if depth > 0:
            for mask in splits(problem.ranks, rows):
                right, left = rows[mask], rows[~mask]
                if min(len(right), len(left)) < problem.min_samples_leaf:
                    continue
                most = 2 ** (depth - 1) - 1
                for n in range(max(0, nodes - 1 - most), min(nodes - 1, most) + 1):
                    both = best(left, depth - 1, n) + best(right, depth - 1, nodes - 1 - n)
                    value = min(value, both + problem.branch_cost)
        memo[key] = value
        return value

    return best(np.arange(problem.ranks.shape[1]), problem.max_depth, problem.max_nodes)


def run(problem: ThresholdProblem, **options: Any) -> dict[str, Any]:
    """Solve to the end, and hold the tree against its objective and all limits."""
    limits: dict[str, Any] = {"time_limit": math.inf, "memory_limit": 0, "n_threads": 1}
    result = _core.solve_thresholds(
        problem.ranks,
        problem.labels,
        problem.weights,
        problem.costs,
        problem.n_labels,
        max_depth=problem.max_depth,
        max_nodes=problem.max_nodes,
        min_samples_leaf=problem.min_samples_leaf,
        branch_cost=problem.branch_cost,
        **{**limits, **options},
    )
    check(problem, result)
    return result


def check(problem: ThresholdProblem, result: dict[str, Any]) -> None:
    """Count a returned tree anew."""
    table = problem.table()
    check_tree(problem, result, lambda rows, node: float(table[rows, result["label"][node]].sum()))
    if result["optimal"]:
        assert result["lower_bound"] == result["objective"]


def check_tree(problem: Any, result: dict[str, Any], leaf_cost: Callable[[np.ndarray, int], float]) -> None:
    """Hold a returned tree against its objective and the limits of a problem, whatever leaves cost."""
    tolerance = problem.tolerance()
    counts = {"nodes": 0, "depth": 0}

    def cost(node: int, rows: np.ndarray, level: int) -> float:
        counts["depth"] = max(counts["depth"], level)
        split = int(result["feature"][node])
        if split < 0:
            assert level == 0 or len(rows) >= problem.min_samples_leaf
            return leaf_cost(rows, node)
        counts["nodes"] += 1
        column = problem.ranks[result["column"][split], rows]
        cut, after = int(result["rank"][split]), int(result["next_rank"][split])
        right = np.where(column < 0, bool(result["missing_right"][split]), column <= cut)
        assert after > cut
        assert not ((column > cut) & (column < after)).any()
        below = cost(int(result["left"][node]), rows[~right], level + 1)
        return float(below + cost(int(result["right"][node]), rows[right], level + 1) + problem.branch_cost)

    total = cost(0, np.arange(problem.ranks.shape[1]), 0)
    assert counts["nodes"] <= problem.max_nodes
    assert counts["depth"] <= problem.max_depth
    assert abs(total - result["objective"]) <= tolerance
    assert result["lower_bound"] <= result["objective"] + tolerance
