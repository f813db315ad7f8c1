"""Leaf functions that the engine knows: equal to the same functions in Python, whatever the switches.

No switch may change the optimum; instruction sets and threads may not change the tree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streed import _core
from streed.leaves import LeafFunction
from streed.tasks import Poisson, SquaredError, Survival
from tests.properties.problems import SEEDS

SWITCHES = list(_core.switch_names())
EXAMPLES = max(10, settings().max_examples // 3)


def model(kind: str, rng: np.random.Generator, X: np.ndarray) -> LeafFunction:
    n = len(X)
    weights: Any = [None, rng.integers(1, 4, n).astype(float), rng.random(n)][rng.integers(3)]
    y = rng.normal(size=n) + X[:, 0] - 2 * (X[:, 1] & X[:, -1])
    if kind == "squares":
        leaf = SquaredError(y, weights).leaf()
    elif kind == "whole squares":
        leaf = SquaredError(np.rint(3 * y)).leaf()
    elif kind == "several":
        leaf = SquaredError(np.column_stack([y, rng.normal(size=(n, 2))]), weights).leaf()
    elif kind == "poisson":
        leaf = Poisson(rng.poisson(np.exp(y)) + (np.arange(n) == 0), weights).leaf()
    else:
        leaf = Survival(rng.random(n) < 0.6, np.rint(5 * rng.exponential(size=n)), weights).leaf()
    assert leaf.native is not None
    return leaf


def solve(leaf: LeafFunction, X: np.ndarray, native: bool, **options: Any) -> dict[str, Any]:
    limits: dict[str, Any] = {
        "max_depth": 4, "max_nodes": 15, "min_samples_leaf": 1, "branch_cost": 0.0,
        "time_limit": np.inf, "memory_limit": 0, "n_threads": 1,
    }  # fmt: skip

    def function(sums: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(leaf.function(sums))

    assert leaf.native is not None
    return _core.solve_function(
        np.ascontiguousarray(X, np.uint8),
        leaf.statistics,
        leaf.native if native else function,
        1,
        least_row=leaf.least_row,
        worst_row=leaf.worst_row,
        **(limits | options),
    )


def tree(answer: dict[str, Any]) -> list[list[int]]:
    return [np.asarray(answer[name]).tolist() for name in ("feature", "left", "right")]


KINDS = ["squares", "whole squares", "several", "poisson", "survival"]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=EXAMPLES)
@given(seed=SEEDS, switch=st.sampled_from(SWITCHES))
def test_equal_to_a_function_in_python(kind: str, seed: int, switch: str) -> None:
    rng = np.random.default_rng(seed)
    n, f = int(rng.integers(2, 90)), int(rng.integers(2, 12))
    X = rng.random((n, f)) < rng.choice([0.2, 0.5, 0.8])
    leaf = model(kind, rng, X)
    root = float(np.ravel(leaf.function(leaf.statistics.sum(axis=0)[:, None]))[0])
    depth = int(rng.integers(1, 5))
    options: dict[str, Any] = {
        "max_depth": depth,
        "max_nodes": int(rng.choice([2**depth - 1, max(1, 2**depth - 3)])),
        "min_samples_leaf": int(rng.choice([1, 1, 2, 5])) if n >= 5 else 1,
        "branch_cost": float(rng.choice([0, 0, 0.01, 0.1])) * root,
    }
    expected = solve(leaf, X, False, **options)
    found = solve(leaf, X, True, **options)
    off = solve(leaf, X, True, **options, switches={switch: False})
    size = root + 1e-9 * float(np.abs(leaf.statistics).sum())
    assert abs(found["objective"] - expected["objective"]) <= 1e-9 * size
    assert abs(off["objective"] - found["objective"]) <= 1e-9 * size
    assert found["optimal"]
    assert off["optimal"]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=EXAMPLES)
@given(seed=SEEDS)
def test_instruction_sets_and_threads_give_the_same_tree(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.random((int(rng.integers(20, 300)), int(rng.integers(3, 25)))) < 0.5
    leaf = model(kind, rng, X)
    options = {"max_depth": 3, "max_nodes": 7, "min_samples_leaf": int(rng.choice([1, 3]))}
    first = solve(leaf, X, True, **options)
    for level in _core.simd_levels():
        again = solve(leaf, X, True, **options, simd=level)
        assert tree(again) == tree(first)
        assert again["objective"] == first["objective"]
    assert tree(solve(leaf, X, True, **options, n_threads=3)) == tree(first)


@pytest.mark.parametrize(
    ("name", "columns", "message"),
    [("cubes", 3, "'squares' or 'log_ratio'"), ("squares", 2, "3 to 60"), ("log_ratio", 4, "3 statistics")],
)
def test_unknown_forms(name: str, columns: int, message: str) -> None:
    leaf = LeafFunction(np.ones((4, columns)), np.sum, 1, native=name)
    with pytest.raises(ValueError, match=message):
        solve(leaf, np.eye(4), True)
