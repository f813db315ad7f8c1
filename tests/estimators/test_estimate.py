"""Forecasts: what `streed.estimate` says before a fit, and what a fit says that a limit ended."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

import streed
from streed import NotProvenWarning
from streed.estimators.estimate import Estimate, Step, _Probe
from streed.solver.forecast import Pace, whole_seconds
from streed.tree.durations import duration
from streed.tree.result import Progress


def hard(n: int = 400, columns: int = 60) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    return rng.random((n, columns)) < 0.5, rng.integers(0, 2, n)


def easy() -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"age": rng.integers(20, 60, 80), "home": rng.choice(["rent", "own"], 80)})
    return X, np.where((X["age"] > 40) ^ (X["home"] == "own"), "yes", "no")


def test_a_short_fit_is_measured() -> None:
    X, y = easy()
    model = streed.OptimalTreeClassifier(max_depth=3)
    found = streed.estimate(model, X, y)
    assert not hasattr(model, "tree_")
    assert found.measured
    assert found.low == found.seconds == found.high == found.steps[-1].seconds
    assert [step.max_depth for step in found.steps] == [2, 3]
    fitted = [streed.OptimalTreeClassifier(max_depth=depth).fit(X, y) for depth in (2, 3)]
    assert [step.objective for step in found.steps] == [model.result_.objective for model in fitted]
    assert found.advice == ""
    assert "measured" in str(found)
    assert found.memory == fitted[-1].result_.statistics["peak_memory"]


def test_a_long_fit_is_forecast_and_the_probe_is_short() -> None:
    X, y = hard()
    found = streed.estimate(streed.OptimalTreeClassifier(max_depth=10), X, y, probe_seconds=0.05)
    assert not found.measured
    assert found.seconds > 60
    assert found.low == found.seconds / 3
    assert found.high == found.seconds * 3
    assert found.probe < 2
    seconds = [step.seconds for step in found.steps]
    assert seconds[3:] == sorted(seconds[3:])
    assert found.steps[-1].max_depth == 10
    assert not found.steps[-1].measured
    assert math.isnan(found.steps[-1].objective)
    text = str(found)
    assert "max_depth=10" in text
    assert "(forecast)" in text
    assert "time_limit ends a longer search" in found.advice


def test_a_deeper_fit_takes_longer() -> None:
    X, y = hard()
    times = [
        streed.estimate(streed.OptimalTreeClassifier(max_depth=d), X, y, probe_seconds=0.05).seconds
        for d in (6, 7, 9)
    ]
    assert times[0] < times[1] < times[2]


def test_large_tables_are_probed_by_some_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streed.estimators.estimate.MOST_CELLS", 4000)
    X, y = hard(3000, 4)
    found = streed.estimate(streed.OptimalTreeClassifier(max_depth=2), X, y, sample_weight=np.ones(3000))
    assert found.rows == 1000
    assert not any(step.measured for step in found.steps)
    assert found.low == found.seconds / 3


def test_other_estimators_and_their_data() -> None:
    X, y = easy()
    rewards = np.column_stack([y == "no", y == "yes"]).astype(float)
    assert streed.estimate(streed.PolicyTree(max_depth=2), X, rewards=rewards).measured
    assert streed.estimate(streed.FairTreeClassifier(max_depth=2), X, y, sensitive_features="home").measured
    times = (np.arange(80) % 3 > 0, np.arange(80) + 1.0)
    assert streed.estimate(streed.SurvivalTree(max_depth=2), X, times).measured
    free = streed.OptimalTreeClassifier(max_depth=None, cost_complexity=0.05)
    assert streed.estimate(free, X, y).steps[0].max_depth is None
    tuned = streed.OptimalTreeClassifier(max_depth=2, tune="holdout")
    assert streed.estimate(tuned, X, y).measured


@pytest.mark.parametrize("probe", [0, -1, "1", math.nan])
def test_a_wrong_probe_is_refused(probe: Any) -> None:
    with pytest.raises(ValueError, match="probe_seconds must be"):
        streed.estimate(streed.OptimalTreeClassifier(), *easy(), probe_seconds=probe)


def test_what_is_no_estimator_of_streed_is_refused() -> None:
    with pytest.raises(TypeError, match="an estimator of streed"):
        streed.estimate(object(), *easy())


def test_nothing_known_is_said() -> None:
    unknown = Estimate(math.nan, 0.5, math.inf, math.nan, False, (), 0.5, 10)
    assert str(unknown).startswith("longer than 0.5 s")
    assert "time_limit" in unknown.advice
    limited = Estimate(90, 30, 270, 2e6, False, (Step(2, 90, 2e6, False, math.nan),), 0.5, 10, 60.0)
    assert "time_limit=60 will end" in limited.advice


def test_the_pace_of_a_search() -> None:
    assert math.isnan(whole_seconds(1.0, 0.0, even=True))
    assert whole_seconds(1.0, 0.1, even=True) == pytest.approx(10)
    assert 1.0 < whole_seconds(1.0, 0.1, even=False) < 10
    assert whole_seconds(3.0, 1.0, even=False) == 3.0
    shares = np.linspace(0.01, 1, 50)
    times = [whole_seconds(share, share, even=False) for share in shares]  # at an even pace it rises to 1
    assert (np.diff(times) >= 0).all()
    pace = Pace(most=0.0)
    assert pace(Progress(0.1, 5, 1, 0.8, 0.2, 1e6, 0.4))
    assert pace.total == 0.4
    assert pace.memory(math.nan) == 1e6


def test_a_limit_says_how_long_the_search_would_have_taken() -> None:
    X, y = hard(600, 90)
    with pytest.warns(NotProvenWarning, match="raise time_limit"):
        model = streed.OptimalTreeClassifier(max_depth=6, time_limit=0.6).fit(X, y)
    assert "max_depth=5" in model.result_.advice
    assert model.result_.summary().endswith(f"next: {model.result_.advice}")


def test_progress_knows_the_whole_time() -> None:
    X, y = hard(600, 90)
    seen: list[Progress] = []

    def watch(progress: Progress) -> bool:
        seen.append(progress)
        return len(seen) > 20 or (progress.total > progress.elapsed and progress.root_done > 0)

    streed.OptimalTreeClassifier(max_depth=4, progress=watch).fit(X, y)
    known = [p for p in seen if not math.isnan(p.total)]
    assert all(p.total >= p.elapsed for p in known)


def test_times_in_words() -> None:
    assert [duration(s) for s in (5e-4, 0.02, 59, 61, 7200, 3e5)] == [
        "less than 1 ms",
        "0.02 s",
        "59 s",
        "1 min",
        "2 h",
        "3.5 days",
    ]


def test_default_fits_over_all_thresholds_end_by_themselves() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(500, 4)), rng.integers(0, 2, 500)
    found = streed.estimate(streed.OptimalTreeClassifier(max_depth=4), X, y, probe_seconds=0.001)
    assert found.measured
    exact = streed.OptimalTreeClassifier(max_depth=5, cuts="exact")
    assert not streed.estimate(exact, X, y, probe_seconds=0.05).measured


def test_searches_over_bins_grow_by_the_root_of_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streed.estimators.many.MANY_CELLS", 2000)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1000, 4)), rng.integers(0, 2, 1000)
    model = streed.OptimalTreeClassifier(max_depth=4)
    probe = _Probe(model, model._limits(), [X, y], {}, 60.0, 9.0)
    probe.run()
    assert probe.bins
    assert [step.max_depth for step in probe.steps] == [2, 3, 4]
    found, last = probe.answer(), probe.steps[-1]
    assert found.seconds == pytest.approx(3 * last.seconds)
    assert found.memory == last.memory
    assert not found.measured
    bits = _Probe(model, model._limits(), [X > 0, y], {}, 60.0, 9.0)
    bits.run()
    assert not bits.bins
    assert bits.answer().seconds == pytest.approx(9 * bits.steps[-1].seconds)


def test_threads_divide_the_forecast() -> None:
    X, y = easy()
    model = streed.OptimalTreeClassifier(max_depth=2, n_jobs=2)
    probe = _Probe(model, model._limits(), [X, y], {}, 0.5, 1.0)
    probe.run()
    assert probe.answer().seconds == probe.steps[-1].seconds / 2


@pytest.mark.parametrize("numbers", [False, True])
def test_large_tables_of_bins_are_probed_by_few_rows_and_one_fit(
    numbers: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a table that default fits search by bins some rows do, whatever their number."""
    monkeypatch.setattr("streed.estimators.many.MANY_CELLS", 12_000)
    monkeypatch.setattr("streed.estimators.estimate.BIN_CELLS", 6_000)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 4))
    y = (X[:, 0] > 0) ^ (X[:, 1] > 0) ^ (rng.random(4000) < 0.2)
    model = streed.OptimalTreeRegressor(max_depth=3) if numbers else streed.OptimalTreeClassifier(max_depth=3)
    found = streed.estimate(model, X, y.astype(int))
    assert found.rows == 1500
    assert [step.max_depth for step in found.steps] == [3]
    assert not found.measured
    assert found.seconds > 0
    exact = streed.estimate(model.set_params(max_depth=2), X, y.astype(int))
    assert exact.rows == 4000
