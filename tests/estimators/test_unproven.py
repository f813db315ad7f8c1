"""A fit that a limit ended says so, once; paths and tuning report their fits themselves."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

import streed
import streed.survival
from streed import NotProvenWarning

RNG = np.random.default_rng(5)
BITS = RNG.integers(2, size=(1500, 60))
LABELS = RNG.integers(2, size=1500)
REAL = RNG.normal(size=(1500, 6))
NUMBERS = RNG.normal(size=1500)
SHORT: dict[str, Any] = {"max_depth": 6, "time_limit": 0.01}


def warned(model: Any, *data: Any) -> list[str]:
    """Messages of a fit that nobody but a limit ended."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(*data)
    assert all(one.category is NotProvenWarning for one in caught), [str(one.message) for one in caught]
    assert all(one.filename == __file__ for one in caught)
    assert model.result_.optimal == (not caught)
    return [str(one.message) for one in caught]


CASES: dict[str, tuple[Any, Any]] = {
    "bits": (streed.OptimalTreeClassifier(**SHORT), (BITS, LABELS)),
    "thresholds": (streed.OptimalTreeClassifier(**SHORT, cuts="exact"), (REAL, LABELS)),
    "chosen cuts": (streed.OptimalTreeClassifier("mcc", **SHORT), (REAL, LABELS)),
    "costs": (streed.CostSensitiveTreeClassifier(**SHORT), (BITS, LABELS)),
    "fairness": (streed.FairTreeClassifier(**SHORT, max_difference=0.9), (BITS, LABELS, BITS[:, 0])),
    "policy": (streed.PolicyTree(**SHORT), (BITS, None, None, RNG.normal(size=(1500, 2)))),
    "numbers": (streed.OptimalTreeRegressor(**SHORT), (BITS, NUMBERS)),
    "survival": (
        streed.SurvivalTree(**SHORT),
        (BITS, streed.survival.survival_target(LABELS == 1, np.exp(NUMBERS))),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_one_warning_with_gap_and_advice(name: str) -> None:
    (message,) = warned(*CASES[name][:1], *CASES[name][1])
    result = CASES[name][0].result_
    assert f"gap {result.gap:.2%}" in message
    assert "time_limit=0.01; raise time_limit" in message
    assert "max_depth=5" in message
    assert "n_jobs=-1" in message


def test_a_proven_tree_says_nothing() -> None:
    assert warned(streed.OptimalTreeClassifier(max_depth=2, time_limit=60), BITS, LABELS) == []


def test_a_memory_limit_and_levels_have_their_own_advice() -> None:
    free = streed.OptimalTreeClassifier(max_depth=None, cost_complexity=0.004, memory_limit=1e5)
    (message,) = warned(free, BITS, LABELS)
    assert "memory_limit=100000; raise memory_limit" in message
    assert "a larger cost_complexity" in message
    assert "max_depth=" not in message
    assert "n_jobs" not in message


def test_a_stop_by_hand_is_no_limit() -> None:
    model = streed.OptimalTreeClassifier(max_depth=6, progress=lambda progress: True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(BITS, LABELS)
    assert model.result_.status == "interrupted"


def test_a_grid_search_is_noticed() -> None:
    """There is a warning for each fit that is not proven, the last one on all rows included."""
    proven: list[bool] = []

    def seen(model: Any, X: Any, y: Any) -> float:
        proven.append(model.result_.optimal)
        return 0.0

    model = streed.OptimalTreeClassifier(time_limit=0.01)
    search = GridSearchCV(model, {"max_depth": [6, 1]}, cv=2, scoring=seen)
    with pytest.warns(NotProvenWarning) as caught:
        search.fit(BITS, LABELS)
    proven.append(search.best_estimator_.result_.optimal)
    assert len(caught) == proven.count(False) > 0


@pytest.mark.parametrize("table", [BITS, REAL])
def test_a_path_warns_once_and_names_the_sizes(table: Any) -> None:
    with pytest.warns(NotProvenWarning) as caught:
        path = streed.OptimalTreeClassifier(max_depth=6, time_limit=0.005, max_nodes=12).path(table, LABELS)
    (message,) = [str(one.message) for one in caught]
    unproven = [k for k, result in enumerate(path) if not result.optimal]
    assert re.match(rf"{len(unproven)} of 13 sizes \({unproven[0]} to {unproven[-1]} nodes\)", message)
    assert "gap" in path.table()


@pytest.mark.parametrize("seconds", [0.001, 0.01, 60])
def test_tuning_warns_once_of_folds_and_last_fit(seconds: float) -> None:
    model = streed.OptimalTreeClassifier(max_depth=4, time_limit=seconds)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tuned = streed.tune(model, BITS, LABELS, cv=3, max_nodes=[4, 12], random_state=0)
    assert len(caught) == (not (tuned.complete and tuned.optimal))
    assert all(one.category is NotProvenWarning and one.filename == __file__ for one in caught)
    if seconds == 0.001:
        assert not tuned.complete
    if not tuned.complete:
        assert "of 3 over 25 candidate features" in tuned.folds or "ended early" in tuned.folds
        assert f"tuning reached time_limit={seconds:g}" in str(caught[0].message)
    assert tuned.estimator.time_limit == seconds


def test_solve_returns_its_status_instead() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = streed.solve(streed.tasks.Accuracy(LABELS), BITS, **SHORT)
    assert result.status == "time_limit"
