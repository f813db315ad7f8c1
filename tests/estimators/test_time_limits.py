"""The time limit of a fit begins with the fit: what is gone before a search, and what follows it, counts."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score

from streed import NotProvenWarning, OptimalTreeClassifier, OptimalTreeRegressor, PolicyTree
from streed.estimators import many, policy
from streed.estimators.fitting import columns, plan
from streed.estimators.many.moves import Branch, Mover
from streed.estimators.policies import teachers
from streed.solver.engines import bins, by_depth, thresholds
from tests.support import one_cut

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 4))
Y = (X[:, 0] + X[:, 1] * X[:, 2] + RNG.normal(size=400) > 0).astype(int)
READING = 6.0


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """Let reading a table take long by the clock; returns the time limits that searches are given."""
    real, gone, found = time.perf_counter, [0.0], []
    read = columns.FitColumns.__init__

    def slow(*arguments: Any, **named: Any) -> None:
        gone[0] += READING
        read(*arguments, **named)

    def noted(search: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            found.append(arguments[-1]["time_limit"])
            return search(*arguments)

        return call

    monkeypatch.setattr(time, "perf_counter", lambda: real() + gone[0])
    monkeypatch.setattr(columns.FitColumns, "__init__", slow)
    for engine, name in ((thresholds, "search"), (thresholds, "search_squares"), (by_depth, "search")):
        monkeypatch.setattr(engine, name, noted(getattr(engine, name)))
    with one_cut():
        yield found


@pytest.mark.parametrize("cuts", ["exact", "auto"])
@pytest.mark.parametrize("estimator", [OptimalTreeClassifier, OptimalTreeRegressor])
def test_reading_counts_and_the_end_of_a_search_has_its_time(
    given: list[float], estimator: Any, cuts: Any
) -> None:
    """Of 30 s 6 are gone and 12 are kept; of 8 s most of what is left is kept."""
    for limit, most in ((30.0, 12.0), (8.0, 0.4), (math.inf, math.inf)):
        given.clear()
        model = estimator(max_depth=2, cuts=cuts, time_limit=None if limit == math.inf else limit)
        model.fit(X, Y)
        assert model.result_.optimal
        assert len(given) == 1
        assert given[0] == most == math.inf or 0 < given[0] <= most


@pytest.mark.parametrize("objective", ["accuracy", "macro_f1"])
def test_searches_over_binary_features_have_what_is_left(
    given: list[float], objective: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plan, "CHEAP", 1.0)
    OptimalTreeClassifier(objective, max_depth=2, time_limit=1000).fit(X, Y)
    assert 0 < given[-1] <= 1000 - READING


def test_no_other_search_is_begun_with_too_little_time(
    given: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search that ran out of work has a tree; one over chosen cuts would end late, with a worse one."""
    monkeypatch.setattr(plan, "CHEAP", 1.0)
    with pytest.warns(NotProvenWarning, match="time_limit=12"):
        model = OptimalTreeClassifier("f1", max_depth=2, time_limit=12).fit(X, Y)
    assert len(given) == 1
    assert model.result_.status == "time_limit"
    assert "thresholds were searched, but not to the end" in model.result_.note
    assert model.result_.objective == pytest.approx(f1_score(Y, model.predict(X)))
    with_time = OptimalTreeClassifier("f1", max_depth=2, time_limit=100).fit(X, Y)
    assert "would take long" in with_time.result_.note


def test_metrics_stop_between_searches(given: list[float]) -> None:
    """F1 is several searches, of which one that could not end in time is not begun."""
    with pytest.warns(NotProvenWarning):
        model = OptimalTreeClassifier("f1", max_depth=2, time_limit=15).fit(X, Y)
    assert len(given) == 1
    assert model.result_.status == "time_limit"
    given.clear()
    OptimalTreeClassifier("f1", max_depth=2, time_limit=100).fit(X, Y)
    assert len(given) > 1


@pytest.mark.parametrize("estimator", [OptimalTreeClassifier, OptimalTreeRegressor])
def test_a_search_over_bins_leaves_time_for_its_end(
    given: list[float], estimator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 60 s 6 are gone and 18 are kept; of 16 s half of what is left, and no cut is moved."""
    moved: list[object] = []
    search, move = bins.search, Mover.move

    def noted(form: Any, codes: Any, options: dict[str, Any]) -> Any:
        given.append(options["time_limit"])
        return search(form, codes, options)

    def counted(mover: Mover, tree: Branch) -> bool:
        moved.append(tree)
        return move(mover, tree)

    monkeypatch.setattr(many, "MANY_CELLS", 1)
    monkeypatch.setattr(many, "SECONDS_PER_CELL", 1.0)
    monkeypatch.setattr(bins, "search", noted)
    monkeypatch.setattr(Mover, "move", counted)
    for limit, most, moves in ((60.0, 36.0, True), (16.0, 5.0, False)):
        given.clear()
        moved.clear()
        with nullcontext() if moves else pytest.warns(NotProvenWarning):
            result = estimator(max_depth=3, time_limit=limit).fit(X, Y).result_
        assert 0 < given[0] <= most
        assert bool(moved) == moves
        assert result.status == ("work_limit" if moves else "time_limit")


def test_paths_begin_no_search_that_could_not_end(given: list[float]) -> None:
    """The table is read twice, for 12 s; a search takes 12 s more at least, and so long is its end."""
    model = OptimalTreeClassifier(max_depth=2, cuts="exact", time_limit=20)
    with pytest.warns(NotProvenWarning, match="time_limit=20"):
        path = model.path(X, Y)
    assert not given
    assert [result.status for result in path][-1] == "time_limit"
    assert all(0 <= result.lower_bound <= result.objective for result in path)
    model.set_params(time_limit=100).path(X, Y)
    assert given
    assert max(given) <= 100 - 2 * READING - 2 * READING


def test_the_tree_of_a_policy_has_its_time_after_the_teacher(
    given: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The models take an hour by the clock, of which no time limit of the tree knows."""
    real, gone = time.perf_counter, [0.0]

    def slow(*arguments: Any) -> Any:
        gone[0] += 3600.0
        return teachers.scores_of(*arguments)

    monkeypatch.setattr(time, "perf_counter", lambda: real() + gone[0])
    monkeypatch.setattr(policy, "scores_of", slow)
    model = PolicyTree("inverse_propensity", max_depth=2, time_limit=300)
    model.fit(X, RNG.integers(0, 2, len(X)), X[:, 0] * Y)
    assert gone[0] == 3600.0
    assert given[0] > 100
