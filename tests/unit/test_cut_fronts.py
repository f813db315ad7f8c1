"""Fronts of searches that were cut short: what they call proven is on the whole front."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import streed
from streed import tasks
from streed.solver.fairness import trade_off
from streed.solver.fairness.trade_off import search
from streed.tasks import Accuracy

CONSTRAINTS = ["demographic_parity", "equal_opportunity", "equalized_odds"]


def problem(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (20, 6)).astype(np.uint8)
    return X, np.append(rng.integers(0, 2, 18), [0, 1]), np.append(rng.integers(0, 3, 17), [0, 1, 2])


def pairs(points: Any) -> list[tuple[float, float]]:
    return [(point.error, point.difference) for point in points]


def stop(after: int) -> Callable[[object], bool]:
    """A progress function that ends the search when it is called for the given time."""
    calls = iter(range(after))
    return lambda _: next(calls, None) is None


LIMITS: list[Callable[[], dict[str, Any]]] = [
    *(lambda s=s: {"time_limit": s} for s in (1e-4, 3e-4, 1e-3, 3e-3, 1e-2)),
    *(lambda m=m: {"memory_limit": m} for m in (1000, 100_000)),
    *(lambda k=k: {"progress": stop(k)} for k in (0, 1, 2)),
]


@pytest.mark.parametrize("constraint", CONSTRAINTS)
@pytest.mark.parametrize("ended", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("seed", range(6))
def test_a_trade_off_whose_searches_end_early(
    monkeypatch: pytest.MonkeyPatch, constraint: str, ended: int, seed: int
) -> None:
    """The first searches end, the next one has a tree without a proof."""
    X, y, groups = problem(seed)
    whole = streed.fairness_front(X, y, groups, constraint=constraint, max_depth=2)
    assert (whole.complete, whole.proven) == (True, whole.points)
    left = iter(range(ended))

    def hurried(*arguments: Any) -> dict[str, Any]:
        answer = search(*arguments)
        return answer if next(left, None) is not None else {**answer, "feasible": True, "optimal": False}

    monkeypatch.setattr(trade_off, "search", hurried)
    front = streed.fairness_front(X, y, groups, constraint=constraint, max_depth=2)
    if front.complete:
        assert pairs(front) == pairs(whole)
        return
    assert len(front.proven) == max(0, min(ended, len(front)) - 1)
    assert pairs(front.proven) == pairs(whole)[: len(front.proven)]
    assert [point.values for point in front.to_result().proven] == pairs(front.proven)
    if ended > 0:  # of the last point the error is proven
        assert front[-1].error == whole[len(front) - 1].error
        assert front[-1].difference >= whole[len(front) - 1].difference


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("seed", range(10))
def test_limits_of_a_trade_off(seed: int, limits: Callable[[], dict[str, Any]]) -> None:
    X, y, groups = problem(seed)
    constraint = CONSTRAINTS[seed % 3]
    whole = streed.fairness_front(X, y, groups, constraint=constraint, max_depth=3)
    front = streed.fairness_front(X, y, groups, constraint=constraint, max_depth=3, **limits())
    assert front.complete == (front.status == "optimal")
    assert pairs(front.proven) == pairs(whole)[: len(front.proven)]
    assert len(front.proven) == len(front) if front.complete else len(front.proven) < len(front)


@pytest.mark.parametrize("limits", LIMITS)
@pytest.mark.parametrize("seed", range(10))
def test_limits_of_a_front(seed: int, limits: Callable[[], dict[str, Any]]) -> None:
    X, y, groups = problem(seed)
    parts = [Accuracy(y), Accuracy(groups % 2), tasks.CostMatrix(y, [[0, 2], [1, 0]])]
    task = streed.combine(*parts[: 2 + seed % 2])
    whole = streed.solve(task, X, max_depth=3)
    assert whole.proven == whole.front
    cut = streed.solve(task, X, max_depth=3, **limits())
    known = {point.values for point in whole.front}
    assert {point.values for point in cut.proven} <= known
    assert not cut.optimal or {point.values for point in cut.front} == known
    for point in cut.front:
        assert any(all(a <= b for a, b in zip(best, point.values, strict=True)) for best in known)


PRICED: dict[str, Callable[[np.ndarray, np.ndarray], tasks.Task]] = {
    "squared error": lambda y, value: tasks.SquaredError(value, cost_complexity=0.03),
    "gini": lambda y, value: tasks.Gini(y, cost_complexity=0.03),
    "accuracy": lambda y, value: Accuracy(y, cost_complexity=0.01),
}


@pytest.mark.parametrize("kind", PRICED)
@pytest.mark.parametrize("memory_limit", [200_000, 1_000_000])
def test_a_search_without_a_depth_ends_when_its_memory_is_used_up(kind: str, memory_limit: int) -> None:
    rng = np.random.default_rng(0)
    X = (rng.random((700, 12)) < 0.5).astype(np.uint8)
    value = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=700) * 0.5
    task = PRICED[kind]((value > 0.5).astype(int), value)
    whole = streed.solve(task, X, max_depth=None)
    tight = streed.solve(task, X, max_depth=None, memory_limit=memory_limit)
    assert whole.optimal
    assert tight.status == ("optimal" if tight.optimal else "memory_limit")
    assert tight.lower_bound <= whole.objective * (1 + 1e-9)
    assert whole.objective <= tight.objective * (1 + 1e-9)
    if kind == "squared error":
        assert tight.status == "memory_limit"
        assert memory_limit < 10**6 or tight.statistics["peak_memory"] <= memory_limit
