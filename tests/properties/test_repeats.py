"""The work of a search on one thread is the same in every run, however fast the clock goes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

from streed import _core
from tests.properties.engine import same_tree

LIMITS: dict[str, Any] = {"time_limit": math.inf, "memory_limit": 0}


def rows(n_features: int, n_rows: int = 300) -> tuple[Any, Any, Any]:
    """Return features, labels and costs in which the first trees of a search are not the best ones."""
    rng = np.random.default_rng(n_features)
    X = rng.integers(2, size=(n_rows, n_features)).astype(np.uint8)
    X[:, 1::2] = X[:, ::2] ^ (rng.random(X[:, ::2].shape) < 0.2)
    y = (X[:, 0] ^ X[:, 2] ^ (X[:, 4] & X[:, 6]) ^ (rng.random(n_rows) < 0.2)).astype(np.int32)
    return X, y, rng.random((n_rows, 3))


def options(max_depth: int) -> dict[str, Any]:
    return {
        "max_depth": max_depth,
        "max_nodes": 2**max_depth - 1,
        "min_samples_leaf": 1,
        "n_threads": 1,
        "branch_cost": 0.0,
        **LIMITS,
    }


def by_depth(max_depth: int, n_features: int, solve: Callable[..., Any], **more: Any) -> Any:
    X, y, _ = rows(n_features)
    return solve(X, y, np.ones(y.size), 2, **options(max_depth), **more)


def of_costs(**more: Any) -> Any:
    X, _, costs = rows(24)
    return _core.solve_costs(X, costs, **options(4), **more)


def of_squares(**more: Any) -> Any:
    X, _, costs = rows(24)
    value = costs[:, 0]
    return _core.solve_function(
        X, np.column_stack([np.ones(value.size), value, value**2]), "squares", 1, **options(4), **more
    )


def priced(**more: Any) -> Any:
    X, y, _ = rows(12)
    return _core.solve_priced(
        X, labels=y, weights=np.ones(y.size), n_labels=2, branch_cost=3.0, **LIMITS, **more
    )


def thresholds(**more: Any) -> Any:
    ranks = np.random.default_rng(0).integers(40, size=(5, 300)).astype(np.int32)
    y = ((ranks[0] > 20) ^ (ranks[1] > 15)).astype(np.int32)
    return _core.solve_thresholds(ranks, y, np.ones(y.size), None, 2, **options(3), **more)


def front(**more: Any) -> Any:
    X, _, costs = rows(12)
    limits = {name: value for name, value in options(3).items() if name != "branch_cost"}
    whole = np.round(4 * np.stack([costs[:, :2], costs[:, 1:]], axis=1))
    return _core.front(
        X,
        whole,
        branch_cost=np.zeros(2),
        upper=np.full(2, math.inf),
        weights=np.ones(2),
        budget=math.inf,
        **limits,
        **more,
    )


SEARCHES: dict[str, Callable[..., Any]] = {
    "accuracy": lambda **more: by_depth(4, 24, _core.solve, **more),
    "greedy trees between the depths": lambda **more: by_depth(6, 16, _core.solve, **more),
    "costs": of_costs,
    "squares": of_squares,
    "sizes": lambda **more: by_depth(5, 16, _core.sizes.solve, **more),
    "priced": priced,
    "thresholds": thresholds,
    "front": front,
}


def work(answer: Mapping[str, Any]) -> dict[str, float]:
    """Return what was counted; buffers may grow in another order, which is part of the peak of memory."""
    return {name: count for name, count in answer["statistics"].items() if name != "peak_memory"}


@pytest.mark.parametrize("search", SEARCHES)
def test_work_does_not_depend_on_the_clock(search: str) -> None:
    """Trees that are built in passing, so that there is one at any time, come later in a fast run."""

    waited: list[float] = []

    def wait(_: Mapping[str, float]) -> bool:  # the first call comes before the search
        if not waited:
            time.sleep(0.2)
            waited.append(0.2)
        return False

    fast, slow = SEARCHES[search](), SEARCHES[search](poll=wait)
    assert waited
    assert work(fast) == work(slow)
    if "feature" in fast:
        assert same_tree(fast, slow)
