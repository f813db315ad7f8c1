"""Neighbourhoods and stages beside a search: better trees and bounds early, and the same tree at the end."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from streed import _core
from tests.properties.engine import same_tree
from tests.properties.problems import EXAMPLES, SEEDS
from tests.rescore import rescore

LIMITS: dict[str, Any] = {"memory_limit": 0, "n_threads": 1, "min_samples_leaf": 1, "branch_cost": 0.0}
"""Options that all searches here have in common."""


def table(seed: int, n: int, f: int, labels: int) -> tuple[Any, Any]:
    """Random rows with labels that some features explain."""
    rng = np.random.default_rng(seed)
    X = rng.integers(2, size=(n, f), dtype=np.uint8)
    y = (X[:, : f // 2].sum(axis=1) + (rng.random(n) < 0.2)) % labels
    return X, y.astype(np.int32)


@given(
    seed=SEEDS,
    n=st.integers(1, 120),
    f=st.integers(3, 9),
    depth=st.integers(3, 5),
    labels=st.integers(2, 4),
    kind=st.sampled_from(["labels", "weights", "weights by label"]),
    price=st.sampled_from([0.0, 0.5]),
    least=st.sampled_from([1, 3]),
    steps=st.integers(1, 30),
)
@settings(max_examples=max(20, EXAMPLES // 2))
def test_steps_change_neither_optimum_nor_tree(
    seed: int,
    n: int,
    f: int,
    depth: int,
    labels: int,
    kind: str,
    price: float,
    least: int,
    steps: int,
) -> None:
    X, y = table(seed, n, f, labels)
    rng = np.random.default_rng(seed)
    w = {
        "labels": np.ones(n),
        "weights": rng.integers(1, 6, size=n).astype(float),
        "weights by label": 1.0 + 2.0 * (y == 0),
    }[kind]
    options = LIMITS | {
        "max_depth": depth,
        "max_nodes": 2**depth - 1,
        "branch_cost": price,
        "min_samples_leaf": min(least, n),
        "time_limit": math.inf,
    }
    plain = _core.solve(X, y, w, labels, **options)
    found = _core.solve(X, y, w, labels, **options, neighbourhood_steps=steps)
    assert found["optimal"]
    assert found["objective"] == plain["objective"]
    assert same_tree(found, plain)


@given(seed=SEEDS, n=st.integers(20, 80), f=st.integers(4, 8), steps=st.integers(1, 20))
@settings(max_examples=max(10, EXAMPLES // 4))
def test_steps_change_no_optimum_of_squares(seed: int, n: int, f: int, steps: int) -> None:
    X, y = table(seed, n, f, 7)
    options = LIMITS | {"max_depth": 4, "max_nodes": 15, "time_limit": math.inf}
    statistics = np.stack([np.ones(n), y, y**2], axis=1).astype(float)
    solve: Any = _core.solve_function
    plain = solve(X, statistics, "squares", 1, **options)
    found = solve(X, statistics, "squares", 1, **options, neighbourhood_steps=steps)
    assert found["optimal"]
    assert found["objective"] == pytest.approx(plain["objective"], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("switches", [{}, {"stages": False}, {"neighbourhoods": False}])
def test_what_is_known_early_is_true(threads: int, switches: dict[str, bool]) -> None:
    """Trees cost what they are said to, none is better than a bound, and bounds only rise."""
    X, y = table(3, 400, 30, 2)
    seen: list[tuple[float, float]] = []

    def poll(progress: dict[str, float]) -> bool:
        seen.append((progress["objective"], progress["lower_bound"]))
        return False

    options = LIMITS | {"max_depth": 6, "max_nodes": 63, "n_threads": threads}
    found = _core.solve(
        X, y, np.ones(400), 2, **options, time_limit=1.0, poll=poll, switches=switches, neighbourhood_steps=3
    )
    errors = (y[:, None] != np.arange(2)).astype(float)
    tree = type("Flat", (), {name: found[name] for name in ("feature", "left", "right", "label")})
    assert rescore(tree, X, errors) == found["objective"]
    objectives = [objective for objective, _ in seen] + [found["objective"]]
    bounds = [bound for _, bound in seen] + [found["lower_bound"]]
    assert sorted(objectives, reverse=True) == objectives
    assert sorted(bounds) == bounds
    assert bounds[-1] <= objectives[-1]


def test_neighbourhoods_find_better_trees_than_greedy_ones() -> None:
    X, y = table(5, 1500, 40, 2)
    cart = DecisionTreeClassifier(max_depth=8, random_state=0).fit(X, y)
    enough = 0.9 * float((cart.predict(X) != y).sum())
    options = LIMITS | {"max_depth": 8, "max_nodes": 255, "time_limit": 60.0}
    found = _core.solve(
        X, y, np.ones(1500), 2, **options, poll=lambda progress: progress["objective"] <= enough
    )
    assert found["status"] == "interrupted"
    assert found["objective"] <= enough


def test_without_memory_there_are_none() -> None:
    X, y = table(7, 300, 12, 2)
    options = LIMITS | {"max_depth": 4, "max_nodes": 15, "time_limit": math.inf}
    plain = _core.solve(X, y, np.ones(300), 2, **options)
    tables = [
        _core.solve(X, y, np.ones(300), 2, **options | {"memory_limit": memory}, neighbourhood_steps=20)
        for memory in (1, 2**30)
    ]
    assert all(same_tree(found, plain) for found in tables)
    assert tables[0]["statistics"]["peak_memory"] < tables[1]["statistics"]["peak_memory"]
