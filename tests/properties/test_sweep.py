"""Thousands of small problems: the engine with every technique against the engine with none.

With all switches off the engine is a plain recursion, which `test_engine.py` holds against the naive twin. It
is fast enough to look at far more problems than Hypothesis does, and rare mistakes need many: one in several
hundred ordinary-looking problems is a typical rate for a wrong bound.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from streed import _core
from tests.properties.engine import run
from tests.properties.naive import Problem
from tests.properties.problems import EXAMPLES, categories_and_thresholds

ALL_OFF = dict.fromkeys(_core.switch_names(), False)
KINDS = ["random", "constants", "complements", "copies", "categories and thresholds"]


def columns(rng: np.random.Generator, kind: str, n_rows: int, n_features: int) -> np.ndarray:
    if kind == "categories and thresholds":
        return categories_and_thresholds(rng, n_rows, n_features).astype(np.uint8)
    X: np.ndarray = (rng.random((n_rows, n_features)) < rng.choice([0.2, 0.5])).astype(np.uint8)
    half = n_features // 2
    if kind == "constants":
        X[:, rng.permutation(n_features)[:half]] = rng.integers(0, 2, half)
    elif kind == "complements":
        X[:, :half] = 1 - X[:, n_features - half :]
    elif kind == "copies":
        X[:, :half] = X[:, n_features - half :]
    return X


def problem(rng: np.random.Generator, kind: str) -> Problem:
    """A random problem; few features where the plain recursion would split a large budget in all ways."""
    n_rows, n_labels, depth = int(rng.integers(3, 40)), int(rng.integers(2, 5)), int(rng.integers(3, 6))
    full, limited = 2**depth - 1, rng.random() < 0.2
    n_features = int(rng.integers(2, 7 if limited and depth == 5 else 12))
    return Problem(
        X=np.ascontiguousarray(columns(rng, kind, n_rows, n_features)),
        y=rng.integers(n_labels, size=n_rows).astype(np.int32),
        w=rng.integers(1, 5, size=n_rows).astype(float) if rng.random() < 0.3 else np.ones(n_rows),
        n_labels=n_labels,
        max_depth=depth,
        max_nodes=int(rng.integers(3, full + 1)) if limited else full,
        min_samples_leaf=int(rng.integers(1, 4)) if rng.random() < 0.2 else 1,
        branch_cost=float(rng.choice([0.5, 1.0])) if rng.random() < 0.2 else 0.0,
    )


@pytest.mark.parametrize("kind", KINDS)
def test_all_techniques_against_none(kind: str) -> None:
    for seed in range(10 * EXAMPLES):
        small = problem(np.random.default_rng(seed), kind)
        options = {"simd": _core.simd_levels()[seed % len(_core.simd_levels())]}
        plain, fast = run(small, switches=ALL_OFF), run(small, **options)
        assert plain["objective"] == fast["objective"], f"seed {seed}: {small}"
        without_dropping = run(small, switches={"drop_features": False}, **options)
        assert plain["objective"] == without_dropping["objective"], f"seed {seed}, nothing dropped: {small}"


def prices(rng: np.random.Generator, n_features: int) -> tuple[np.ndarray, ...]:
    """Several features per test, groups with discounts; from dear to nearly free."""
    n_tests = int(rng.integers(1, n_features + 1))
    test = rng.integers(n_tests, size=n_features).astype(np.int32)
    group = rng.integers(-1, 2, size=n_tests).astype(np.int32)
    full = rng.integers(0, 5, size=n_tests) * rng.choice([1.0, 0.25, 0.0625])
    discounted = full * rng.choice([0.0, 0.5, 1.0], size=n_tests)
    return test, group[test], full[test], discounted[test]


@pytest.mark.parametrize("kind", KINDS)
def test_all_techniques_against_none_with_prices(kind: str) -> None:
    """Weights by label, as in cost matrices: rows are counted, and the similarity bound allows for prices."""
    for seed in range(10 * EXAMPLES):
        rng = np.random.default_rng(seed)
        small = problem(rng, kind)
        weight = rng.integers(1, 9, small.n_labels).astype(float)[small.y]
        options = {
            **small.options(),
            "max_depth": min(small.max_depth, 4),
            "prices": prices(rng, small.X.shape[1]),
            "time_limit": math.inf,
            "memory_limit": 0,
            "n_threads": 1,
        }
        answers = [
            _core.solve(small.X, small.y, weight, small.n_labels, **options, switches=switches)["objective"]
            for switches in (ALL_OFF, {}, {"similarity": False}, {"drop_features": False})
        ]
        assert answers == pytest.approx(answers[:1] * 4, abs=1e-9 * weight.sum()), f"seed {seed}: {small}"


@pytest.mark.parametrize("kind", KINDS)
def test_threads_against_one(kind: str) -> None:
    """Threads build the tree from proven values alone, so that a bound above a value ends the search."""
    for seed in range(10 * EXAMPLES):
        rng = np.random.default_rng(seed)
        small = problem(rng, kind)
        weight = rng.integers(1, 9, small.n_labels).astype(float)[small.y]
        chosen = seed % 3
        options = {
            **small.options(),
            "max_depth": min(small.max_depth, 4),
            "prices": prices(rng, small.X.shape[1]) if chosen < 2 else None,
            "time_limit": math.inf,
            "memory_limit": 0,
        }
        one, two, three = (
            _core.solve(
                small.X, small.y, weight if chosen else small.w, small.n_labels, **options, n_threads=threads
            )
            for threads in (1, 2, 3)
        )
        for other in (two, three):
            assert other["optimal"]
            for name in ("objective", "feature", "left", "right", "label"):
                assert np.array_equal(one[name], other[name]), f"seed {seed}, {name}: {small}"
