"""Survival on real data: an independent evaluation, and never worse than a greedy tree of the same depth."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import streed
from streed.survival import concordance_index, survival_target
from tests.support import DATA


def read(name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    path = DATA / "survival" / f"{name}_binary.txt"
    if not path.exists():
        pytest.skip(f"no data set {name} in {DATA} (set STREED_DATA)")
    table = np.loadtxt(path)
    return table[:, 2:].astype(bool), table[:, 1].astype(bool), table[:, 0]


def deviance(leaf: np.ndarray, event: np.ndarray, time: np.ndarray) -> float:
    """The formula, row by row, with a cumulative hazard that is added up in a loop."""
    n = len(time)
    hazard, total = np.full(n, 1 / (n + 1)), 0.0
    for t in np.unique(time):
        deaths = np.count_nonzero(event & (time == t))
        total += deaths / np.count_nonzero(time >= t)
        if total > 0:
            hazard[time == t] = total
    value = 0.0
    for node in np.unique(leaf):
        own = leaf == node
        events = np.count_nonzero(event & own)
        value -= np.log(hazard[own & event]).sum()
        if events:
            value -= events * np.log(events / hazard[own].sum())
    return float(value)


@pytest.mark.parametrize("name", ["colon", "acath"])
@pytest.mark.parametrize("depth", [2, 3])
def test_real_data(name: str, depth: int) -> None:
    X, event, time = read(name)
    model = streed.SurvivalTree(max_depth=depth).fit(X, survival_target(event, time))
    assert model.result_.optimal
    assert model.result_.objective == pytest.approx(deviance(model.apply(X), event, time), rel=1e-10)
    assert model.score(X, survival_target(event, time)) > 0.55


@pytest.mark.parametrize("name", ["colon", "acath"])
@pytest.mark.parametrize("depth", [2, 3])
def test_never_worse_than_a_greedy_tree(name: str, depth: int) -> None:
    tree = pytest.importorskip("sksurv.tree", reason="scikit-survival is not installed")
    X, event, time = read(name)
    y = survival_target(event, time)
    greedy = tree.SurvivalTree(max_depth=depth).fit(X.astype(float), y)
    model = streed.SurvivalTree(max_depth=depth).fit(X, y)
    assert model.result_.objective <= deviance(greedy.apply(X.astype(np.float32)), event, time) * (1 + 1e-10)


@pytest.mark.parametrize("name", ["gbsg2", "whas500", "veterans_lung_cancer", "breast_cancer"])
@pytest.mark.parametrize("depth", [2, 3])
def test_data_sets_of_scikit_survival(name: str, depth: int) -> None:
    """Both trees get the same binary features: columns cut at four quantiles, categories one by one."""
    tree = pytest.importorskip("sksurv.tree", reason="scikit-survival is not installed")
    table, outcome = getattr(pytest.importorskip("sksurv.datasets"), f"load_{name}")()
    event, time = (np.asarray(outcome[field]) for field in outcome.dtype.names)
    columns = []
    for column in list(table.columns)[:25]:
        values = np.asarray(table[column])
        if values.dtype.kind in "fiu":
            columns += [values <= cut for cut in np.unique(np.quantile(values, [0.2, 0.4, 0.6, 0.8]))]
        else:
            columns += [values == value for value in sorted(set(values.tolist()))]
    X, y = np.column_stack(columns), survival_target(event, time)
    model = streed.SurvivalTree(max_depth=depth).fit(X, y)
    assert model.result_.optimal
    assert model.result_.objective == pytest.approx(deviance(model.apply(X), event, time), rel=1e-10)
    greedy = tree.SurvivalTree(max_depth=depth).fit(X.astype(float), y)
    assert model.result_.objective <= deviance(greedy.apply(X.astype(np.float32)), event, time) * (1 + 1e-10)


def test_its_metrics_take_our_predictions() -> None:
    metrics = pytest.importorskip("sksurv.metrics", reason="scikit-survival is not installed")
    X, event, time = read("colon")
    y = survival_target(event, time)
    model = streed.SurvivalTree(max_depth=2).fit(X, y)
    expected = metrics.concordance_index_censored(event, time, model.predict(X))[0]
    assert model.score(X, y) == pytest.approx(expected)
    times = np.quantile(time, [0.2, 0.4, 0.6])
    curves = np.array([curve(times) for curve in model.predict_survival_function(X)])
    assert 0 < metrics.integrated_brier_score(y, y, curves, times) < 0.25


def naive_concordance(event: Any, time: Any, risk: Any) -> float:
    good = pairs = 0.0
    for i in range(len(time)):
        for j in range(len(time)):
            if event[i] and (time[i] < time[j] or (time[i] == time[j] and not event[j])):
                pairs += 1
                good += 1.0 if risk[i] > risk[j] else 0.5 if risk[i] == risk[j] else 0.0
    return good / pairs


def test_concordance_equals_its_definition() -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        event, time, risk = rng.random(25) < 0.6, rng.integers(0, 8, 25), rng.integers(0, 5, 25)
        event[0], time[0] = True, 0
        assert concordance_index(event, time, risk) == pytest.approx(naive_concordance(event, time, risk))
