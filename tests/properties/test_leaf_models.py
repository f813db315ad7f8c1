"""Label costs, leaf functions and prices in the native engine, against a slow twin on random problems."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streed import _core
from tests.properties.naive import Problem
from tests.properties.problems import EXAMPLES, SEEDS, problems

SWITCHES = st.dictionaries(st.sampled_from(_core.switch_names()), st.booleans())
LEVELS = st.sampled_from(_core.simd_levels())
SMALL = problems(st.integers(1, 60), max_features=5, max_depth=3)
Rows = np.ndarray


@dataclass(frozen=True)
class Priced:
    """Prices of tests as the engine takes them."""

    attribute: np.ndarray
    group: np.ndarray
    full: np.ndarray
    discounted: np.ndarray

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        return self.attribute, self.group, self.full, self.discounted

    def price(self, feature: int, path: tuple[int, ...]) -> float:
        if any(self.attribute[f] == self.attribute[feature] for f in path):
            return 0.0
        known = self.group[feature] >= 0 and any(self.group[f] == self.group[feature] for f in path)
        return float(self.discounted[feature] if known else self.full[feature])


def twin(problem: Problem, leaf: Callable[[Rows], float], prices: Priced | None) -> float:
    """Least cost of a tree: the recursion as it stands in the paper, with a memory of what it has seen."""
    memory: dict[Any, float] = {}

    def best(rows: Rows, path: tuple[int, ...], depth: int, nodes: int) -> float:
        key = (rows.tobytes(), frozenset(path), depth, nodes)
        if key in memory:
            return memory[key]
        value = leaf(rows)
        for feature in range(problem.X.shape[1]) if depth and nodes else ():
            has = problem.X[rows, feature] == 1
            left, right = rows[~has], rows[has]
            if min(left.size, right.size) < problem.min_samples_leaf:
                continue
            cost = problem.branch_cost
            if prices is not None:
                cost += prices.price(feature, path) * rows.size
            for n in range(nodes):
                below = (*path, feature)
                value = min(
                    value,
                    cost + best(left, below, depth - 1, n) + best(right, below, depth - 1, nodes - 1 - n),
                )
        memory[key] = value
        return value

    return best(np.arange(len(problem.y)), (), problem.max_depth, problem.max_nodes)


def cost_of(
    problem: Problem, answer: dict[str, Any], leaf: Callable[[Rows, int], float], prices: Priced | None
) -> float:
    """Cost of the returned tree, row by row; the limits are checked on the way."""
    feature, left, right = answer["feature"], answer["left"], answer["right"]
    assert (feature >= 0).sum() <= problem.max_nodes

    def walk(node: int, rows: Rows, path: tuple[int, ...]) -> float:
        assert len(path) <= problem.max_depth
        f = int(feature[node])
        if f < 0:
            assert rows.size >= problem.min_samples_leaf
            return leaf(rows, int(answer["label"][node]))
        has = problem.X[rows, f] == 1
        cost = problem.branch_cost + (0.0 if prices is None else prices.price(f, path) * rows.size)
        return cost + walk(left[node], rows[~has], (*path, f)) + walk(int(right[node]), rows[has], (*path, f))

    return walk(0, np.arange(len(problem.y)), ())


def limits(problem: Problem) -> dict[str, Any]:
    return {**problem.options(), "time_limit": math.inf, "memory_limit": 0}


@st.composite
def cost_tables(draw: st.DrawFn, n: int) -> np.ndarray:
    """Whole and real costs, negative ones, equal ones; two labels, and labels that are never the best."""
    k = draw(st.sampled_from([3, 2, 4, 5, 1]))
    rng = np.random.default_rng(draw(SEEDS))
    kind = draw(st.sampled_from(["whole", "real", "large", "few", "matrix", "errors"]))
    if kind == "whole":
        return rng.integers(-3, 9, (n, k)).astype(float)
    if kind == "real":
        return rng.normal(size=(n, k))
    if kind == "large":
        return rng.integers(0, 10**9, (n, k)).astype(float)
    if kind == "few":
        return rng.integers(0, 2, (n, k)).astype(float)
    y = rng.integers(k, size=n)
    if kind == "errors":
        return np.where(y[:, None] == np.arange(k), 0.0, rng.integers(1, 4, (n, 1)))
    return rng.integers(0, 7, (k, k)).astype(float)[y]


@st.composite
def price_lists(draw: st.DrawFn, n_features: int) -> Priced:
    """Several features per attribute, groups with discounts, free attributes."""
    n_attributes = draw(st.integers(1, max(1, n_features)))
    rng = np.random.default_rng(draw(SEEDS))
    attribute = rng.integers(n_attributes, size=n_features).astype(np.int32)
    group = rng.integers(-1, 2, size=n_attributes).astype(np.int32)
    step = draw(st.sampled_from([1.0, 0.25, 0.1, 7.31]))
    full = rng.integers(0, 4, size=n_attributes) * step
    discounted = full * rng.choice([0.0, 0.5, 1.0], size=n_attributes)
    return Priced(attribute, group[attribute], full[attribute], discounted[attribute])


@settings(max_examples=3 * EXAMPLES)
@given(SMALL, st.data(), SWITCHES, LEVELS, st.integers(1, 2))
def test_label_costs(problem: Problem, data: st.DataObject, switches: Any, simd: str, threads: int) -> None:
    costs = data.draw(cost_tables(len(problem.y)))
    prices = data.draw(st.none() | price_lists(problem.X.shape[1]))
    answer = _core.solve_costs(
        problem.X,
        costs,
        **limits(problem),
        n_threads=threads,
        switches=switches,
        simd=simd,
        prices=None if prices is None else prices.arrays(),
    )
    tolerance = 1e-9 * (1 + np.abs(costs).max(axis=1).sum() + problem.branch_cost)
    expected = twin(problem, lambda rows: float(costs[rows].sum(axis=0).min()), prices)
    assert answer["optimal"]
    assert answer["objective"] == pytest.approx(expected, abs=tolerance)
    counted = cost_of(problem, answer, lambda rows, label: float(costs[rows, label].sum()), prices)
    assert counted == pytest.approx(expected, abs=tolerance)


@settings(max_examples=EXAMPLES // 2)
@given(SEEDS, st.sampled_from([41, 64, 70]), st.integers(20, 150), LEVELS, st.booleans())
def test_label_costs_of_many_features(seed: int, n_features: int, n: int, simd: str, whole: bool) -> None:
    """Tables of wide numbers are filled four rows at a time there, and half of them is mirrored."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n, n_features)) < rng.choice([0.1, 0.5, 0.9], size=n_features)).astype(np.uint8)
    X[:, 3] = 1  # idle lanes
    costs = rng.integers(-500, 900, (n, 3)).astype(float) if whole else rng.normal(size=(n, 3))
    problem = Problem(X, np.zeros(n, np.int32), np.ones(n), 1, 2, 3, 1, 0.0)
    answer = _core.solve_costs(X, costs, **limits(problem), n_threads=1, simd=simd)
    expected = twin(problem, lambda rows: float(costs[rows].sum(axis=0).min()), None)
    assert answer["objective"] == pytest.approx(expected, abs=1e-9 * np.abs(costs).sum())


@settings(max_examples=EXAMPLES)
@given(SEEDS, st.integers(30, 90), LEVELS, st.integers(1, 3), st.integers(2, 4), st.booleans())
def test_sparse_rows(seed: int, n: int, simd: str, least: int, labels: int, whole: bool) -> None:
    """Rows with few features, some as their opposites, and features that are common on one side only."""
    rng = np.random.default_rng(seed)
    X = np.concatenate([rng.integers(8, size=(n, 1)) == np.arange(8) for _ in range(5)], axis=1)
    X = X.astype(np.uint8)
    X[:, 1] |= X[:, 9]
    X[X[:, 0] == 1, 20:30] = rng.integers(2, size=(int(X[:, 0].sum()), 10))
    X[:, rng.random(40) < 0.3] ^= 1
    costs = rng.integers(-500, 900, (n, labels)).astype(float) if whole else rng.normal(size=(n, labels))
    tolerance = 1e-9 * np.abs(costs).sum()
    problem = Problem(X, np.zeros(n, np.int32), np.ones(n), 1, 2, 3, least, 0.0)
    expected = twin(problem, lambda rows: float(costs[rows].sum(axis=0).min()), None)
    for depth in (2, 4):
        options = limits(problem) | {"max_depth": depth, "max_nodes": 2**depth - 1, "n_threads": 1}
        answer = _core.solve_costs(X, costs, **options, simd=simd)
        dense = _core.solve_costs(X, costs, **options, simd=simd, switches={"sparse_rows": False})
        assert answer["objective"] == pytest.approx(dense["objective"], abs=tolerance)
        if depth == 2:
            assert answer["objective"] == pytest.approx(expected, abs=tolerance)


@settings(max_examples=2 * EXAMPLES)
@given(SMALL, st.data(), SWITCHES)
def test_class_errors_with_prices(problem: Problem, data: st.DataObject, switches: Any) -> None:
    prices = data.draw(price_lists(problem.X.shape[1]))
    answer = _core.solve(
        problem.X,
        problem.y,
        problem.w,
        problem.n_labels,
        **limits(problem),
        n_threads=1,
        switches=switches,
        prices=prices.arrays(),
    )
    weights = np.zeros((len(problem.y), problem.n_labels))
    weights[np.arange(len(problem.y)), problem.y] = problem.w
    expected = twin(
        problem, lambda rows: float(problem.w[rows].sum() - weights[rows].sum(axis=0).max()), prices
    )
    assert answer["objective"] == pytest.approx(
        expected, abs=1e-9 * (1 + problem.w.sum() + problem.branch_cost)
    )
    wrong = cost_of(
        problem, answer, lambda rows, label: float(problem.w[rows][problem.y[rows] != label].sum()), prices
    )
    assert wrong == pytest.approx(expected, abs=1e-9 * (1 + problem.w.sum() + problem.branch_cost))


def squared_error(sums: np.ndarray) -> np.ndarray:
    n, total, squares = sums
    costs: np.ndarray = squares - total**2 / n
    return costs


def entropy(sums: np.ndarray) -> np.ndarray:
    """Concave, with several labels: a multiple of the entropy, dearer for the second label."""
    share = sums[1] / sums[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = -sums[0] * np.nan_to_num(share * np.log2(share) + (1 - share) * np.log2(1 - share))
    return np.stack([bits, bits + sums[2]])


def wild(sums: np.ndarray) -> np.ndarray:
    """Neither concave nor positive."""
    return np.stack([np.sin(3 * sums[0]) * 4 - sums[1], np.cos(sums[1]) * 5 + sums[2], -np.sqrt(sums[0])])


def shifted(sums: np.ndarray) -> np.ndarray:
    """Squared error and a number of its own for each row, of either sign."""
    costs: np.ndarray = squared_error(sums[:3]) + sums[3]
    return costs


def impurity(sums: np.ndarray) -> np.ndarray:
    """Of rows of several kinds, which the engine counts as bits."""
    costs: np.ndarray = np.sqrt(sums).sum(axis=0) - np.sqrt(sums.sum(axis=0))
    return costs


FUNCTIONS = {
    "squared error": (squared_error, 1),
    "shifted": (shifted, 1),
    "entropy": (entropy, 2),
    "wild": (wild, 3),
    "impurity": (impurity, 1),
}


@settings(max_examples=2 * EXAMPLES)
@given(SMALL, st.sampled_from(list(FUNCTIONS)), st.data(), SWITCHES, st.integers(1, 2))
def test_leaf_functions(
    problem: Problem, name: str, data: st.DataObject, switches: Any, threads: int
) -> None:
    function, n_labels = FUNCTIONS[name]
    n = len(problem.y)
    rng = np.random.default_rng(data.draw(SEEDS))
    value = rng.integers(0, 2, n) if name == "entropy" else np.round(rng.normal(size=n), 2)
    statistics = np.column_stack([np.ones(n), value, value**2]).astype(float)
    if name == "impurity":
        statistics = np.eye(4)[rng.integers(data.draw(st.sampled_from([2, 4])), size=n)]
    prices = data.draw(st.none() | price_lists(problem.X.shape[1]))
    offset = np.zeros(n)
    if name == "shifted":
        offset = np.round(rng.normal(size=n), 1)
        statistics = np.column_stack([statistics, offset])
    squared = name in ("squared error", "shifted")
    bounds = data.draw(st.sampled_from(["none", "least", "both", "rough"])) if squared else "none"
    worst = offset + float(np.ptp(value)) ** 2
    if bounds == "rough":
        worst += rng.integers(0, 3, size=n)
    answer = _core.solve_function(
        problem.X,
        statistics,
        function,
        n_labels,
        least_row=None if bounds == "none" else offset,
        worst_row=worst if bounds in ("both", "rough") else None,
        **limits(problem),
        n_threads=threads,
        switches=switches,
        prices=None if prices is None else prices.arrays(),
    )

    def leaf(rows: Rows, label: int | None = None) -> float:
        costs = np.reshape(function(statistics[rows].sum(axis=0)[:, None]), n_labels)
        return float(costs.min() if label is None else costs[label])

    expected = twin(problem, leaf, prices)
    tolerance = 1e-7 * (1 + abs(expected) + answer["magnitude"] + problem.branch_cost)
    assert answer["optimal"]
    assert answer["objective"] == pytest.approx(expected, abs=tolerance)
    assert cost_of(problem, answer, leaf, prices) == pytest.approx(expected, abs=tolerance)
