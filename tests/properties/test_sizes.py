"""The vector of all sizes from one search, against a search for every size."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import streed
from streed import _core
from streed.options import check_limits
from streed.solver import greedy
from streed.solver.engines.all_sizes import MOST_SIZES
from tests.properties.naive import Problem
from tests.properties.problems import EXAMPLES, SEEDS, problems

LIMITS: dict[str, Any] = {"time_limit": math.inf, "memory_limit": 0, "n_threads": 1}


def vector(answer: dict[str, Any], most: int) -> list[float]:
    """Value with at most 0, 1, ... nodes."""
    trees = [(len(tree["feature"]) // 2, tree["objective"]) for tree in answer["trees"]]
    return [min(value for nodes, value in trees if nodes <= k) for k in range(most + 1)]


def check(problem: Problem, **more: Any) -> None:
    """Compare all sizes with searches of their own."""
    data = (problem.X, problem.y, problem.w, problem.n_labels)
    options = {**LIMITS, **problem.options(), **more}
    most = min(options["max_nodes"], 2 ** options["max_depth"] - 1, MOST_SIZES)
    options["max_nodes"] = most
    together = _core.sizes.solve(*data, **options)
    assert together["optimal"]
    values = vector(together, most)
    assert len(together["lower_bounds"]) <= most + 1
    for k, value in enumerate(values):
        own = _core.solve(*data, **{**options, "max_nodes": k})
        assert value == pytest.approx(own["objective"], rel=1e-12, abs=1e-12)
    for k, bound in enumerate(together["lower_bounds"]):
        assert bound == pytest.approx(values[k], rel=1e-9, abs=1e-9)


@given(problem=problems())
@settings(max_examples=max(20, EXAMPLES))
def test_equal_to_a_search_for_every_size(problem: Problem) -> None:
    check(problem)


def shapes(answer: dict[str, Any]) -> list[list[list[int]]]:
    """Trees of all sizes as lists."""
    return [[tree[part].tolist() for part in ("feature", "left", "label")] for tree in answer["trees"]]


@given(seed=SEEDS, rows=st.integers(20, 120), depth=st.integers(3, 5), n_threads=st.integers(2, 3))
@settings(max_examples=max(20, EXAMPLES))
def test_no_number_of_threads_changes_a_tree(seed: int, rows: int, depth: int, n_threads: int) -> None:
    """Few labels and rows: many trees are equally good, and threads meet them in another order."""
    rng = np.random.default_rng(seed)
    X = rng.integers(2, size=(rows, 9)).astype(np.uint8)
    data = (X, rng.integers(2, size=rows).astype(np.int32), np.ones(rows), 2)
    options: dict[str, Any] = {**LIMITS, "min_samples_leaf": 1, "branch_cost": 0.0, "max_depth": depth}
    options["max_nodes"] = 2**depth - 1
    alone = _core.sizes.solve(*data, **options)
    for _ in range(3):
        together = _core.sizes.solve(*data, **{**options, "n_threads": n_threads})
        assert together["optimal"]
        assert together["lower_bounds"] == alone["lower_bounds"]
        assert shapes(together) == shapes(alone)


@given(
    problem=problems(), off=st.sampled_from(_core.switch_names()), simd=st.sampled_from(_core.simd_levels())
)
@settings(max_examples=max(20, EXAMPLES))
def test_no_switch_changes_a_value(problem: Problem, off: str, simd: str) -> None:
    check(problem, switches={off: False}, simd=simd)


@given(seed=SEEDS, depth=st.integers(3, 4), limit=st.sampled_from([1, 3000, 100_000]))
@settings(max_examples=max(5, EXAMPLES // 4))
def test_little_memory(seed: int, depth: int, limit: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(2, size=(90, 7), dtype=np.uint8)
    y = ((X[:, 0] & X[:, 1]) ^ X[:, 2] ^ (rng.random(90) < 0.2)).astype(np.int32)
    check(Problem(X, y, np.ones(90), 2, max_depth=depth, max_nodes=15), memory_limit=limit)


@given(
    seed=SEEDS, n=st.integers(2, 60), f=st.integers(1, 6), depth=st.integers(1, 5), most=st.integers(0, 12)
)
@settings(max_examples=max(10, EXAMPLES // 2))
def test_deeper_trees_of_few_nodes(seed: int, n: int, f: int, depth: int, most: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(2, size=(n, f), dtype=np.uint8)
    y = rng.integers(2, size=n).astype(np.int32)
    check(Problem(X, y, np.ones(n), 2, max_depth=depth, max_nodes=most))


def tasks(rng: np.random.Generator, n: int) -> dict[str, Any]:
    """One task of every leaf model, with and without a price per node."""
    y, numbers = np.append(rng.integers(3, size=n - 3), [0, 1, 2]), rng.normal(size=n).round(2)
    costs = rng.integers(9, size=(n, 3)).astype(float)
    prices = streed.FeatureCosts(
        [0.1, 0.4, 0.2, 0.0], discounted=[0.0, 0.1, 0.2, 0.0], groups=["g", "g", None, None]
    )
    return {
        "weights": streed.tasks.Accuracy(y, sample_weight=rng.integers(1, 5, size=n)),
        "balanced": streed.tasks.BalancedAccuracy(y),
        "price": streed.tasks.Accuracy(y, cost_complexity=0.01),
        "costs": streed.tasks.LabelCosts(costs),
        "matrix": streed.tasks.CostMatrix(y, [[0, 2, 5], [1, 0, 3], [4, 1, 0]]),
        "tests": streed.tasks.CostMatrix(y, [[0, 2, 5], [1, 0, 3], [4, 1, 0]], feature_costs=prices),
        "tests of rows": streed.tasks.LabelCosts(costs, feature_costs=prices),
        "rewards": streed.tasks.PolicyReward(costs),
        "squares": streed.tasks.SquaredError(numbers),
        "gini": streed.tasks.Gini(y),
    }


@given(
    seed=SEEDS,
    name=st.sampled_from(sorted(tasks(np.random.default_rng(0), 9))),
    least=st.sampled_from([1, 1, 4]),
)
@settings(max_examples=max(20, EXAMPLES // 2))
def test_every_leaf_model(seed: int, name: str, least: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 60))
    X = rng.integers(2, size=(n, 4))
    task = tasks(rng, n)[name]
    depth = int(rng.integers(1, 5))
    path = streed.size_path(task, X, max_depth=depth, min_samples_leaf=min(least, n))
    assert path.searches == 1
    assert path.optimal
    for k, result in enumerate(path):
        own = streed.solve(task, X, max_depth=depth, max_nodes=k, min_samples_leaf=min(least, n))
        assert result.objective == pytest.approx(own.objective, rel=1e-9, abs=1e-9)
        assert result.tree.n_nodes <= k


def test_most_sizes_is_that_of_the_engine() -> None:
    X, y = np.zeros((2, 1), np.uint8), np.array([0, 1], np.int32)
    options = {**LIMITS, "min_samples_leaf": 1, "branch_cost": 0.0, "max_depth": 20}
    _core.sizes.solve(X, y, np.ones(2), 2, **options, max_nodes=MOST_SIZES)
    with pytest.raises(ValueError, match=f"up to {MOST_SIZES} nodes"):
        _core.sizes.solve(X, y, np.ones(2), 2, **options, max_nodes=MOST_SIZES + 1)
    with pytest.raises(ValueError, match="a maximum"):
        _core.sizes.solve(X, y, np.ones(2), 2, **options, max_nodes=3, combination="max")


def test_time_limit_and_progress() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(2000, 60))
    y = (X[:, :7].sum(axis=1) % 2) ^ (rng.random(2000) < 0.2)
    seen: list[float] = []
    path = streed.size_path(
        streed.tasks.Accuracy(y), X, max_depth=6, time_limit=0.5, progress=lambda p: seen.append(p.objective)
    )
    assert not path.optimal
    assert seen
    values = path.objectives
    assert (np.diff(values) <= 0).all()
    for k, result in enumerate(path):
        assert result.lower_bound <= result.objective
        assert result.tree.n_nodes <= k
        assert np.count_nonzero(result.tree.predict(X) != y) == result.objective
    assert check_limits(max_depth=6).max_nodes == len(path) - 1


def test_a_limit_that_ends_a_first_tree_leaves_no_part_of_it() -> None:
    """Trees of regression begin with greedy ones; the clock is asked at each of their nodes."""
    rng = np.random.default_rng(1)
    X = rng.integers(2, size=(400, 120))
    y = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=400)
    task = streed.tasks.SquaredError(y)
    for seconds in np.geomspace(1e-3, 2e-2, 30).tolist():
        path = streed.size_path(task, X, max_depth=6, time_limit=seconds)
        for k, result in enumerate(path):
            assert result.tree.n_nodes <= k
            assert ((result.tree.predict(X) - y) ** 2).sum() == pytest.approx(result.objective)


@pytest.mark.parametrize("seed", range(6))
def test_greedy_trees_are_cut_back_to_the_best_parts(seed: int) -> None:
    """Against all ways to make inner nodes leaves, for labels and for numbers."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(2, size=(80, 6)).astype(np.uint8)
    y = rng.integers(3, size=80) if seed % 2 else bits[:, 0] * bits[:, 1] + rng.normal(size=80).round(1)
    task = streed.tasks.Accuracy(y) if seed % 2 else streed.tasks.SquaredError(y)
    form = task.lower()
    target = greedy.target_of(form)
    assert target is not None
    limits = check_limits(max_depth=3, min_samples_leaf=3)
    whole = greedy.grow_on_bits(bits, target, limits)
    inner = np.flatnonzero(whole["feature"] >= 0).tolist()
    best: dict[int, float] = {}
    for cut in itertools.product([False, True], repeat=len(inner)):
        feature = whole["feature"].copy()
        feature[[node for node, leaf in zip(inner, cut, strict=True) if leaf]] = -1
        leaf = _core.route(bits, feature, whole["left"], whole["right"])
        reached = {0}
        for node in range(feature.size):
            if node in reached and feature[node] >= 0:
                reached |= {int(whole["left"][node]), int(whole["right"][node])}
        nodes = sum(feature[node] >= 0 for node in reached)
        cost = 0.0
        for at in set(leaf.tolist()):
            part = target.costs[leaf == at].sum(axis=0)
            cost += part.min() if seed % 2 else part[2] - part[1] ** 2 / part[0]
        best[nodes] = min(best.get(nodes, math.inf), cost + 0.25 * nodes)
    parts = greedy.prune(whole, bits, target, 0.25)
    assert len(parts) == len(inner) + 1
    for k, part in enumerate(parts):
        assert part["feature"].size == 2 * k + 1
        assert part["objective"] == pytest.approx(best[k])
        assert greedy.label_leaves(dict(part), bits, target, 0.25) == pytest.approx(best[k])


def test_sizes_that_are_cut_off_are_no_worse_than_parts_of_a_greedy_tree() -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(2, size=(3000, 200)).astype(np.uint8)
    y = (X[:, 0] & X[:, 1]) ^ (rng.random(3000) < 0.2)
    task = streed.tasks.Accuracy(y)
    limits = check_limits(max_depth=6)
    target = greedy.target_of(task.lower())
    assert target is not None
    parts = greedy.prune(greedy.grow_on_bits(X, target, limits), X, target, 0.0)
    path = streed.size_path(task, X, max_depth=6, time_limit=0.001)
    assert not path.optimal
    for part in parts:
        assert path[len(part["feature"]) // 2].objective <= task.report(part["objective"])
