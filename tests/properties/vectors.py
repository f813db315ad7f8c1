"""Problems with several components: random ones for Hypothesis, and a slow twin that looks at all vectors.

The twin is held against `streed.reference.solve` in `test_front.py`; it is there for its speed.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

from streed import _core, reference

Values = tuple[float, ...]


@dataclass(frozen=True)
class VectorProblem:
    """Rows with a cost per label and component, and the limits of the tree."""

    X: np.ndarray
    costs: np.ndarray
    branch_cost: np.ndarray
    max_depth: int
    max_nodes: int
    min_samples_leaf: int = 1
    memo: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    def options(self) -> dict[str, Any]:
        return {
            "max_depth": self.max_depth,
            "max_nodes": self.max_nodes,
            "min_samples_leaf": self.min_samples_leaf,
            "branch_cost": self.branch_cost,
            "time_limit": math.inf,
            "memory_limit": 0,
            "n_threads": 1,
        }

    def reachable(self, keep: Any = None) -> set[Values]:
        """Values of all trees within the limits; `keep` filters the set of every subtree."""
        rows = tuple(range(len(self.X)))
        return self._reachable(rows, self.max_depth, self.max_nodes, keep)

    def _reachable(self, rows: tuple[int, ...], depth: int, nodes: int, keep: Any) -> set[Values]:
        depth = min(depth, nodes)
        nodes = min(nodes, 2**depth - 1)
        key = (rows, depth, nodes, keep)
        if key in self.memo:
            return self.memo[key]  # type: ignore[no-any-return]
        found: set[Values] = set()
        if len(rows) >= self.min_samples_leaf:
            found |= {tuple(v) for v in self.costs[list(rows)].sum(axis=0)}
        for feature in range(self.X.shape[1] if depth else 0):
            sides = [tuple(r for r in rows if self.X[r, feature] == side) for side in (0, 1)]
            if min(map(len, sides)) < self.min_samples_leaf:
                continue
            for left_nodes in range(nodes):
                lefts = self._reachable(sides[0], depth - 1, left_nodes, keep)
                rights = self._reachable(sides[1], depth - 1, nodes - 1 - left_nodes, keep)
                found |= sums(lefts, rights, self.branch_cost)
        self.memo[key] = found if keep is None else keep(found)
        return self.memo[key]  # type: ignore[no-any-return]

    def components(self) -> reference.Components[frozenset[int], Values]:
        """The same problem for the reference solver, with the Pareto order."""

        def transition(rows: frozenset[int], feature: int, side: bool) -> frozenset[int]:
            return frozenset(r for r in rows if bool(self.X[r, feature]) == side)

        return reference.Components(
            cost_leaf=lambda rows, label: tuple(self.costs[sorted(rows), label].sum(axis=0)),
            cost_branch=lambda rows, feature: tuple(self.branch_cost),
            transition=transition,
            better=lambda v, w: v != w and all(a <= b for a, b in zip(v, w, strict=True)),
            combine=lambda v, w: tuple(a + b for a, b in zip(v, w, strict=True)),
            feasible=lambda v, rows: len(rows) >= self.min_samples_leaf,
            initial_state=frozenset(range(len(self.X))),
            labels=range(self.costs.shape[1]),
            features=range(self.X.shape[1]),
        )


def sums(lefts: Iterable[Values], rights: Iterable[Values], branch: np.ndarray) -> set[Values]:
    lefts, rights = list(lefts), list(rights)
    if not lefts or not rights:
        return set()
    total = np.array(lefts)[:, None, :] + np.array(rights)[None, :, :] + branch
    return {tuple(v) for v in np.unique(total.reshape(-1, len(branch)), axis=0)}


def nondominated(values: Iterable[Values]) -> set[Values]:
    kept: list[Values] = []
    for v in sorted(set(values)):
        if not any(all(a <= b for a, b in zip(w, v, strict=True)) for w in kept):
            kept.append(v)
    return set(kept)


def tree_values(problem: VectorProblem, tree: dict[str, np.ndarray]) -> Values:
    """Values of a returned tree, counted by hand; checks its form and its limits on the way."""
    total = np.zeros(problem.costs.shape[2])
    seen: list[int] = []

    def walk(at: int, rows: np.ndarray, depth: int) -> None:
        nonlocal total
        assert at == len(seen), "nodes are in preorder"
        seen.append(at)
        feature = tree["feature"][at]
        assert len(rows) >= problem.min_samples_leaf
        if feature < 0:
            assert tree["left"][at] == tree["right"][at] == -1
            total = total + problem.costs[rows, tree["label"][at]].sum(axis=0)
            return
        assert tree["label"][at] == -1
        assert depth < problem.max_depth
        total = total + problem.branch_cost
        has = problem.X[rows, feature] == 1
        walk(tree["left"][at], rows[~has], depth + 1)
        walk(tree["right"][at], rows[has], depth + 1)

    walk(0, np.arange(len(problem.X)), 0)
    assert len(seen) == len(tree["feature"])
    assert np.count_nonzero(tree["feature"] >= 0) <= problem.max_nodes
    return tuple(total)


KINDS = ("errors", "groups", "small", "quarters", "large")


@st.composite
def costs(draw: st.DrawFn, rng: np.random.Generator, n: int, k: int, m: int) -> np.ndarray:
    """Errors and group counts (few kinds of rows), small whole numbers of any sign, quarters, large ones."""
    kind = draw(st.sampled_from(KINDS))
    y = rng.integers(k, size=n)
    if kind == "errors":
        out = np.zeros((n, k, m))
        for j in range(m):
            out[:, :, j] = (y[:, None] != np.arange(k)) & ((y % m == j) | (j == m - 1))[:, None]
        return out
    if kind == "groups":
        group = rng.integers(2, size=n)
        out = np.zeros((n, k, m))
        out[:, :, 0] = y[:, None] != np.arange(k)
        for j in range(1, m):
            sign = np.where(group == 1, np.count_nonzero(group == 0), -np.count_nonzero(group == 1))
            out[:, 1:, j] = (sign * (rng.random(n) < 0.8))[:, None]
        return out
    if kind == "small":
        return rng.integers(-3, 4, size=(n, k, m)).astype(float)
    if kind == "quarters":
        return rng.integers(-6, 7, size=(n, k, m)) / 4
    return rng.integers(-(10**6), 10**6, size=(n, k, m)).astype(float)


@st.composite
def problems(draw: st.DrawFn, components: tuple[int, int] = (1, 3), labels: int = 3) -> VectorProblem:
    """Up to five features, forty rows, three labels and depth three, traded against each other."""
    depth = draw(st.sampled_from([2, 1, 3, 0]))
    n_features = draw(st.integers(1, 3 if depth == 3 else 5))
    m = draw(st.integers(*components))
    k = draw(st.integers(2, labels))
    n = draw(st.integers(1, 14 if k > 2 or m > 2 or depth == 3 else 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = (rng.random((n, n_features)) < draw(st.sampled_from([0.5, 0.2]))).astype(np.uint8)
    table = draw(costs(rng, n, k, m))
    branch = np.array(draw(st.lists(st.sampled_from([0.0, 1.0, 0.25, 3.0]), min_size=m, max_size=m)))
    if draw(st.booleans()):
        branch[:] = 0
    return VectorProblem(
        X,
        np.ascontiguousarray(table),
        branch,
        depth,
        draw(st.sampled_from([2**depth - 1, 2**depth - 1, 2, 4])),
        min(n, draw(st.sampled_from([1, 1, 2, 4]))),
    )


def solve_front(problem: VectorProblem, **changes: Any) -> dict[str, Any]:
    m = problem.costs.shape[2]
    arguments = {"upper": np.full(m, np.inf), "weights": np.zeros(m), "budget": math.inf}
    answer: dict[str, Any] = _core.front(
        problem.X, problem.costs, **{**problem.options(), **arguments, **changes}
    )
    return answer


def solve_constrained(
    problem: VectorProblem, lower: np.ndarray, upper: np.ndarray, **changes: Any
) -> dict[str, Any]:
    answer: dict[str, Any] = _core.constrained(
        problem.X, problem.costs, lower=lower, upper=upper, **{**problem.options(), **changes}
    )
    return answer


@functools.cache
def switches_off() -> list[dict[str, bool]]:
    return [{}, *({name: False} for name in _core.switch_names())]
