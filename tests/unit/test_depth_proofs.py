"""What a search by depth has proven of trees of fewer levels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import streed
from streed.tree.result import DepthProof


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.01]), st.sampled_from([None, 9]), st.integers(1, 2))
def test_smaller_depths_have_their_own_optimum_or_a_bound(
    seed: int, price: float, max_nodes: int | None, n_jobs: int
) -> None:
    """Under a limit of time depth 3 is searched to its own end; of the next ones there is a bound."""
    rng = np.random.default_rng(seed)
    X = rng.integers(2, size=(120, 9))
    task = streed.tasks.Accuracy(rng.integers(3, size=120), cost_complexity=price)
    options: dict[str, Any] = {"max_nodes": max_nodes, "n_jobs": n_jobs}
    result = streed.solve(task, X, max_depth=5, time_limit=1000, **options)
    assert result.optimal
    assert result.objective == pytest.approx(streed.solve(task, X, max_depth=5, **options).objective)
    depths = [each.depth for each in result.depths]
    assert depths == list(range(3, 3 + len(depths)))
    for each in result.depths:
        best = streed.solve(task, X, max_depth=each.depth, **options).objective
        assert each.bound == pytest.approx(best) if each.attained else each.bound <= best + 1e-9
        assert each.attained or each.depth > 3


def test_without_a_limit_of_time_nothing_is_searched_for_its_own_sake() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(2, size=(150, 12)), rng.integers(2, size=150)
    result = streed.solve(streed.tasks.Accuracy(y), X, max_depth=5)
    assert [each.attained for each in result.depths] == [False] * len(result.depths)


def test_what_is_proven_is_said_where_the_search_has_ended() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.integers(2, size=(150, 12)), rng.integers(2, size=150)
    model = streed.OptimalTreeClassifier(max_depth=5, time_limit=1000).fit(X, y)
    result = model.result_
    best = streed.solve(streed.tasks.Accuracy(y), X, max_depth=3).objective
    said = f"depth 3 is proven: {best:g} errors"
    assert said not in result.summary()
    known: dict[str, Any] = {"optimal": False, "status": "time_limit", "lower_bound": 0.0, "gap": 1.0}
    cut = replace(result, **known, depths=(DepthProof(3, best, True), DepthProof(4, best - 1, False)))
    assert f"{said}; no tree of depth 4 has less than {best - 1:g}" in cut.summary()
    assert said in cut.to_html()
    assert cut.depths[0] == (3, best, True)


def test_policies_say_more() -> None:
    rng = np.random.default_rng(2)
    X = rng.integers(2, size=(100, 8))
    rewards = rng.normal(size=(100, 2))
    task = streed.tasks.PolicyReward(rewards)
    result = streed.solve(task, X, max_depth=5, time_limit=1000)
    best = streed.solve(task, X, max_depth=3).objective
    assert result.depths[0].bound == pytest.approx(best)
    cut = replace(result, optimal=False, status="time_limit", lower_bound=result.objective + 1)
    cut = replace(cut, depths=(DepthProof(3, best, False),))
    assert "no tree of depth 3 has more than" in cut.summary()
