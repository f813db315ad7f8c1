"""Combinations whose parts are sums or maxima over leaves, of label costs or functions, in the engine."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from streed import _core
from tests.properties.problems import EXAMPLES, SEEDS

SWITCHES = st.dictionaries(st.sampled_from(_core.switch_names()), st.booleans())
LEVELS = st.sampled_from(_core.simd_levels())
Values = tuple[float, ...]


def squares(sums: Any) -> Any:
    """Convex, of two statistics, for any number of labels that the caller repeats it for."""
    return sums[0] ** 2 - 2 * sums[1]


def spread(sums: Any) -> Any:
    """Sum of squared distances from the mean: whole numbers over the number of rows."""
    return sums[2] - sums[1] ** 2 / sums[0]


@dataclass(frozen=True)
class Part:
    """One component, as the engine takes it."""

    statistics: np.ndarray
    function: Any
    least: np.ndarray | None
    maximum: bool
    branch_cost: float
    objective: bool
    lower: float
    upper: float

    def arguments(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__dataclass_fields__)

    def costs(self, rows: tuple[int, ...], n_labels: int) -> list[float]:
        sums = self.statistics[list(rows)].sum(axis=0)
        answer = sums if self.function is None else self.function(sums[:, None])
        return [float(v) for v in np.reshape(answer, n_labels)]


@dataclass(frozen=True)
class Mixed:
    """A random problem with its parts, and all values that trees can have."""

    X: np.ndarray
    n_labels: int
    parts: tuple[Part, ...]
    max_depth: int
    max_nodes: int
    min_samples_leaf: int

    def solve(self, **options: Any) -> dict[str, Any]:
        answer: dict[str, Any] = _core.mixed(
            self.X,
            [part.arguments() for part in self.parts],
            self.n_labels,
            max_depth=self.max_depth,
            max_nodes=self.max_nodes,
            min_samples_leaf=self.min_samples_leaf,
            time_limit=math.inf,
            memory_limit=options.pop("memory_limit", 0),
            n_threads=1,
            **options,
        )
        return answer

    def reachable(self) -> set[Values]:
        memory: dict[Any, set[Values]] = {}

        def every(rows: tuple[int, ...], depth: int, nodes: int) -> set[Values]:
            depth = min(depth, nodes)
            nodes = min(nodes, 2**depth - 1)
            key = (rows, depth, nodes)
            if key in memory:
                return memory[key]
            costs = [part.costs(rows, self.n_labels) for part in self.parts]
            found: set[Values] = {tuple(own[k] for own in costs) for k in range(self.n_labels)}
            for feature in range(self.X.shape[1]) if depth else ():
                left, right = (tuple(r for r in rows if self.X[r, feature] == side) for side in (0, 1))
                if min(len(left), len(right)) < self.min_samples_leaf:
                    continue
                for n in range(nodes):
                    for a in every(left, depth - 1, n):
                        for b in every(right, depth - 1, nodes - 1 - n):
                            found.add(self.join(a, b))
            memory[key] = {tuple(round(v, 9) for v in value) for value in found}
            return memory[key]

        return every(tuple(range(len(self.X))), self.max_depth, self.max_nodes)

    def join(self, a: Values, b: Values) -> Values:
        return tuple(
            max(v, w) if part.maximum else v + w + part.branch_cost
            for part, v, w in zip(self.parts, a, b, strict=True)
        )

    def value(self, tree: dict[str, np.ndarray]) -> Values:
        """Values of a returned tree, row by row; its limits are checked on the way."""
        assert np.count_nonzero(tree["feature"] >= 0) <= self.max_nodes

        def walk(at: int, rows: tuple[int, ...], depth: int) -> Values:
            assert depth <= self.max_depth
            feature = int(tree["feature"][at])
            if feature < 0:
                assert len(rows) >= self.min_samples_leaf
                label = int(tree["label"][at])
                return tuple(part.costs(rows, self.n_labels)[label] for part in self.parts)
            left, right = (tuple(r for r in rows if self.X[r, feature] == side) for side in (0, 1))
            return self.join(
                walk(int(tree["left"][at]), left, depth + 1), walk(int(tree["right"][at]), right, depth + 1)
            )

        return tuple(round(v, 9) for v in walk(0, tuple(range(len(self.X))), 0))

    def inside(self, value: Values) -> bool:
        pairs = zip(self.parts, value, strict=True)
        return all(part.lower - 1e-7 <= v <= part.upper + 1e-7 for part, v in pairs)

    def objectives(self, value: Values) -> Values:
        return tuple(round(v, 6) for part, v in zip(self.parts, value, strict=True) if part.objective)


@st.composite
def mixed_problems(draw: st.DrawFn) -> Mixed:
    rng = np.random.default_rng(draw(SEEDS))
    depth = draw(st.sampled_from([2, 1, 3, 0]))
    n = draw(st.integers(1, 9 if depth == 3 else 14))
    X = (rng.random((n, draw(st.integers(1, 3)))) < 0.5).astype(np.uint8)
    n_labels = draw(st.sampled_from([2, 1, 3] if depth < 3 else [2, 1]))
    n_objectives = draw(st.sampled_from([1, 2]))
    n_limits = draw(st.sampled_from([1, 0, 2] if n_objectives == 1 else [0, 1]))
    parts = [draw(random_parts(rng, n, n_labels, k < n_objectives)) for k in range(n_objectives + n_limits)]
    rng.shuffle(parts)
    return Mixed(
        X,
        n_labels,
        tuple(parts),
        depth,
        draw(st.sampled_from([2**depth - 1, 2**depth - 1, 2])),
        min(n, draw(st.sampled_from([1, 1, 2]))),
    )


@st.composite
def random_parts(draw: st.DrawFn, rng: np.random.Generator, n: int, n_labels: int, objective: bool) -> Part:
    maximum = draw(st.booleans())
    kind = draw(st.sampled_from(["errors", "whole", "tenths", "function"]))
    least = function = None
    if kind == "function" and n_labels == 1:
        value = rng.integers(-2, 3, n)
        statistics = np.column_stack([np.ones(n), value, value**2]).astype(float)
        function, least = spread, draw(st.sampled_from([None, np.zeros(n)]))
    elif kind == "function":
        statistics = rng.integers(-2, 3, (n, 2)).astype(float)
        weights = np.arange(1, n_labels + 1)[:, None]

        def function(sums: Any) -> Any:
            return weights * squares(sums) + sums[0]

    elif kind == "errors":
        y = rng.integers(n_labels, size=n)
        statistics = (y[:, None] != np.arange(n_labels)).astype(float)
    else:
        statistics = rng.integers(-2, 4, (n, n_labels)).astype(float)
        statistics = np.abs(statistics) if draw(st.booleans()) else statistics
        statistics = statistics / 10 if kind == "tenths" else statistics
    branch = 0.0 if maximum else draw(st.sampled_from([0.0, 0.0, 1.0, 0.3]))
    part = Part(statistics, function, least, maximum, branch, objective, -math.inf, math.inf)
    near = part.costs(tuple(range(n)), n_labels)[0] + draw(st.integers(-2, 2))
    limit = "" if objective else draw(st.sampled_from(["upper", "lower", "both"]))
    return Part(
        statistics,
        function,
        least,
        maximum,
        branch,
        objective,
        near - 2 if limit in ("lower", "both") else -math.inf,
        near if limit in ("upper", "both") else math.inf,
    )


def nondominated(values: Any) -> set[Values]:
    kept: list[Values] = []
    for v in sorted(set(values)):
        if not any(all(a <= b for a, b in zip(w, v, strict=True)) for w in kept):
            kept.append(v)
    return set(kept)


@settings(max_examples=4 * EXAMPLES)
@given(mixed_problems(), SWITCHES, LEVELS)
def test_values(problem: Mixed, switches: Any, simd: str) -> None:
    answer = problem.solve(switches=switches, simd=simd)
    assert answer["complete"]
    assert answer["status"] == "optimal"
    inside = [value for value in problem.reachable() if problem.inside(value)]
    expected = nondominated(problem.objectives(value) for value in inside)
    found = [problem.value(tree) for tree in answer["trees"]]
    assert all(problem.inside(value) for value in found)
    points = {problem.objectives(value) for value in found}
    assert nondominated(points) == expected
    if len(next(iter(expected), ())) == 1:
        assert len(found) == 1
        assert answer["lower_bound"] <= problem.objectives(found[0])[0] + 1e-6


@settings(max_examples=EXAMPLES)
@given(mixed_problems())
def test_no_split_is_redundant(problem: Mixed) -> None:
    """No node can be a leaf with another label, within the limits, and nothing gets worse."""
    for tree in problem.solve()["trees"]:
        before = problem.value(tree)
        for node in np.flatnonzero(tree["feature"] >= 0):
            for label in range(problem.n_labels):
                smaller = {name: column.copy() for name, column in tree.items()}
                smaller["feature"][node], smaller["label"][node] = -1, label
                reached = {"feature": smaller["feature"][:], **smaller}
                after = problem.value(reached)
                worse = [
                    v > w + 1e-9
                    for part, v, w in zip(problem.parts, after, before, strict=True)
                    if part.objective
                ]
                assert any(worse) or not problem.inside(after)


@settings(max_examples=EXAMPLES // 2)
@given(mixed_problems())
def test_little_memory_changes_nothing(problem: Mixed) -> None:
    points = [
        sorted(problem.objectives(problem.value(tree)) for tree in answer["trees"])
        for answer in (problem.solve(), problem.solve(memory_limit=1))
    ]
    assert points[0] == points[1]
