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
from streed.estimators.many import columns as many_columns
from streed.estimators.many.moves import Branch, Mover
from streed.estimators.policies import teachers
from streed.solver import thresholds as solver_thresholds
from streed.solver.engines import bins, by_depth, thresholds
from streed.thresholds.bins import bin_values
from streed.thresholds.columns import encode_columns
from streed.tuning.clock import Clock
from tests.support import one_cut

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 4))
Y = (X[:, 0] + X[:, 1] * X[:, 2] + RNG.normal(size=400) > 0).astype(int)
READING = 6.0


class Hand:
    """A clock that runs, and jumps ahead where a test says so."""

    def __init__(self) -> None:
        self.gone = 0.0

    def jump(self, function: Callable[..., Any], seconds: float) -> Callable[..., Any]:
        """Let a function take so many seconds more."""

        def slow(*arguments: Any, **named: Any) -> Any:
            self.gone += seconds
            return function(*arguments, **named)

        return slow


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Hand:
    """Fits ask this clock."""
    hand, real = Hand(), time.perf_counter
    monkeypatch.setattr(time, "perf_counter", lambda: real() + hand.gone)
    return hand


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch, clock: Hand) -> Iterator[list[float]]:
    """Let reading a table take long by the clock; returns the time limits that searches are given."""
    found: list[float] = []

    def noted(search: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            found.append(arguments[-1]["time_limit"])
            return search(*arguments)

        return call

    read = clock.jump(columns.FitColumns.__init__, READING)
    monkeypatch.setattr(columns.FitColumns, "__init__", lambda *given, **named: read(*given, **named))
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
    """The table is read once, for 6 s; a search takes 12 s more at least, and so long is its end."""
    model = OptimalTreeClassifier(max_depth=2, cuts="exact", time_limit=17)
    with pytest.warns(NotProvenWarning, match="time_limit=17"):
        path = model.path(X, Y)
    assert not given
    assert [result.status for result in path][-1] == "time_limit"
    assert all(0 <= result.lower_bound <= result.objective for result in path)
    model.set_params(time_limit=100).path(X, Y)
    assert given
    assert max(given) <= 100 - READING - 2 * READING


def test_the_tree_of_a_policy_has_its_time_after_the_teacher(
    given: list[float], clock: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The models take an hour by the clock, of which no time limit of the tree knows."""
    monkeypatch.setattr(policy, "scores_of", clock.jump(teachers.scores_of, 3600.0))
    model = PolicyTree("inverse_propensity", max_depth=2, time_limit=300)
    model.fit(X, RNG.integers(0, 2, len(X)), X[:, 0] * Y)
    assert clock.gone >= 3600.0
    assert given[0] > 100


@pytest.mark.parametrize(
    ("estimator", "merge"), [(OptimalTreeClassifier, "merge_classes"), (OptimalTreeRegressor, "merge_sums")]
)
def test_merging_rows_counts(
    given: list[float], clock: Hand, monkeypatch: pytest.MonkeyPatch, estimator: Any, merge: str
) -> None:
    """Of 60 s 6 are gone for reading and 6 for merging, and 24 are kept for the end."""
    monkeypatch.setattr(solver_thresholds, merge, clock.jump(getattr(solver_thresholds, merge), 6.0))
    estimator(max_depth=2, cuts="exact", time_limit=60).fit(X, Y)
    assert 0 < given[0] <= 60 - 12 - 24


def test_ranks_of_columns_count(given: list[float], clock: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "encode_columns", clock.jump(encode_columns, 6.0))
    OptimalTreeClassifier(max_depth=2, cuts="exact", time_limit=60).fit(X, Y)
    assert 0 < given[0] <= 60 - 12 - 24


def test_cutting_columns_counts(given: list[float], clock: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search over chosen cuts has what reading, the search before, and the cuts have left."""
    monkeypatch.setattr(plan, "CHEAP", 1.0)
    cut = clock.jump(columns.FitColumns.bits, 100.0)
    monkeypatch.setattr(columns.FitColumns, "bits", lambda *given, **named: cut(*given, **named))
    OptimalTreeClassifier("macro_f1", max_depth=2, time_limit=1000).fit(X, Y)
    assert 0 < given[-1] <= 1000 - READING - 100


def test_bins_of_columns_count(given: list[float], clock: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 100 s 6 are gone for reading and 4 times 3 for bins; half of the rest is kept for the end."""
    limits: list[float] = []
    search = bins.search

    def noted(form: Any, codes: Any, options: dict[str, Any]) -> Any:
        limits.append(options["time_limit"])
        return search(form, codes, options)

    monkeypatch.setattr(many, "MANY_CELLS", 1)
    monkeypatch.setattr(many, "SECONDS_PER_CELL", 1.0)
    monkeypatch.setattr(many_columns, "bin_values", clock.jump(bin_values, 3.0))
    monkeypatch.setattr(bins, "search", noted)
    OptimalTreeClassifier(max_depth=3, time_limit=100).fit(X, Y)
    assert 0 < limits[0] <= (100 - 18) / 2
    assert 0 < given[-1] <= 100 - 18


@pytest.mark.parametrize(("n_cells", "seconds"), [(1000, 5.0), (60_000_000, 4.0), (10**9, 1.0)])
def test_folds_leave_time_for_the_last_fit(n_cells: int, seconds: float) -> None:
    """Of 10 s half are for folds, less where the last fit of a large table needs more, at least a tenth."""
    clock = Clock.start(10.0, 5, 1, n_cells)
    assert clock.everything - clock.folds == pytest.approx(10.0 - seconds)
