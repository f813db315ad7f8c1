"""Metrics, fairness and capacities over every threshold equal brute force, or give up and say so."""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import f1_score, jaccard_score, matthews_corrcoef

from streed import (
    Binarizer,
    CutsWarning,
    FairTreeClassifier,
    InfeasibleError,
    NotProvenWarning,
    OptimalTreeClassifier,
    PolicyTree,
)
from streed.estimators.fitting import plan
from tests.estimators.hurry import hurry
from tests.properties.thresholds_twin import splits
from tests.support import one_cut


def answers(ranks: np.ndarray, depth: int) -> set[bytes]:
    """Return what trees can predict: the label 0 or 1 of each row, for all trees over all thresholds."""
    n = ranks.shape[1]

    def below(rows: np.ndarray, levels: int) -> set[int]:
        whole = sum(1 << int(row) for row in rows)
        found = {0, whole}
        if levels:
            for mask in splits(ranks, rows):
                left, right = below(rows[~mask], levels - 1), below(rows[mask], levels - 1)
                found |= {a | b for a in left for b in right}
        return found

    masks = below(np.arange(n), depth)
    return {np.array([mask >> row & 1 for row in range(n)], np.uint8).tobytes() for mask in masks}


def predictions(X: np.ndarray, depth: int) -> list[np.ndarray]:
    columns = [np.unique(column, return_inverse=True)[1] for column in X.T]
    found = answers(np.array(columns, np.int32), depth)
    return [np.frombuffer(one, np.uint8).astype(int) for one in found]


@st.composite
def tables(draw: st.DrawFn, least: int = 2) -> tuple[np.ndarray, np.ndarray]:
    n, width = draw(st.integers(least, 9)), draw(st.integers(1, 2))
    values = st.sampled_from([0.5, 1.5, 2.5, 4.0, 7.0, 9.0])
    X = np.array(draw(st.lists(st.lists(values, min_size=width, max_size=width), min_size=n, max_size=n)))
    y = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)))
    y[:2] = 0, 1  # both classes
    return X, y


def g_mean(y: np.ndarray, said: np.ndarray) -> float:
    return float(np.sqrt((said[y == 1] == 1).mean() * (said[y == 0] == 0).mean()))


def min_recall(y: np.ndarray, said: np.ndarray) -> float:
    return float(min((said[y == 1] == 1).mean(), (said[y == 0] == 0).mean()))


def f1(y: np.ndarray, said: np.ndarray) -> float:
    return float(f1_score(y, said, zero_division=0.0))


def jaccard(y: np.ndarray, said: np.ndarray) -> float:
    return float(jaccard_score(y, said, zero_division=0.0))


METRICS = {"f1": f1, "jaccard": jaccard, "mcc": matthews_corrcoef, "g_mean": g_mean, "min_recall": min_recall}


@settings(max_examples=120)
@given(tables(), st.sampled_from(sorted(METRICS)), st.integers(1, 2))
def test_metrics_equal_brute_force(data: tuple[np.ndarray, np.ndarray], name: str, depth: int) -> None:
    X, y = data
    with warnings.catch_warnings(record=True) as said, one_cut():
        warnings.simplefilter("always")
        model = OptimalTreeClassifier(name, max_depth=depth, cuts="exact").fit(X, y)
    best = max(float(METRICS[name](y, one)) for one in predictions(X, depth))
    gave_up = any(issubclass(one.category, CutsWarning) for one in said)
    if (np.ptp(X, axis=0) > 0).any():  # else there are no cuts
        assert gave_up != (model.result_.note == plan.ALL)
    assert not (gave_up and name in ("f1", "jaccard"))
    assert METRICS[name](y, model.predict(X)) == pytest.approx(model.result_.objective)
    if not gave_up:
        assert model.result_.optimal
        assert model.result_.objective == pytest.approx(best)
    else:
        assert model.result_.objective <= best + 1e-12


def test_f1_of_real_data_is_that_of_all_cuts() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X = X[:, :4].round(1)
    for depth in (1, 2):
        exact = OptimalTreeClassifier("f1", max_depth=depth).fit(X, y)
        every = OptimalTreeClassifier("f1", max_depth=depth, binarizer=Binarizer(strategy="all")).fit(X, y)
        assert exact.result_.note == plan.ALL
        assert exact.result_.objective == every.result_.objective == f1_score(y, exact.predict(X))


def test_metrics_give_up_after_the_same_work() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.MonkeyPatch.context() as patch:
        hurry(patch, 1e4)
        model = OptimalTreeClassifier("f1", max_depth=2).fit(X, y)
    assert "all thresholds would take long" in model.result_.note
    assert "quantiles and those of a greedy tree" in model.result_.note


def test_a_time_limit_leaves_a_tree_and_a_bound() -> None:
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(2000, 8)), rng.integers(0, 2, 2000)
    with pytest.warns(NotProvenWarning):
        result = OptimalTreeClassifier("f1", max_depth=4, cuts="exact", time_limit=0.3).fit(X, y).result_
    assert result.status == "time_limit"
    assert 0.5 < result.objective <= result.lower_bound <= 1


@settings(max_examples=120)
@given(tables(4), st.sampled_from([0.0, 0.3, 0.6]), st.integers(1, 2), st.integers(0, 2**9 - 1))
def test_fairness_equals_brute_force(
    data: tuple[np.ndarray, np.ndarray], limit: float, depth: int, groups: int
) -> None:
    X, y = data
    group = np.array([groups >> row & 1 for row in range(y.size)])
    group[:2] = 0, 1
    model = FairTreeClassifier("demographic_parity", max_difference=limit, max_depth=depth, cuts="exact")
    with warnings.catch_warnings(record=True) as said, one_cut():
        warnings.simplefilter("always")
        model.fit(X, y, sensitive_features=group)
    fair = [one for one in predictions(X, depth) if difference(one, group) <= limit]
    best = min(int((one != y).sum()) for one in fair)
    assert difference(model.predict(X), group) <= limit
    assert model.result_.objective == (model.predict(X) != y).sum()
    if any(issubclass(one.category, CutsWarning) for one in said):
        assert model.result_.note != plan.ALL
        assert model.result_.objective >= best
    else:
        assert model.result_.optimal
        assert model.result_.objective == best


def difference(said: np.ndarray, group: np.ndarray) -> float:
    rates = [Fraction(int(said[group == g].sum()), int((group == g).sum())) for g in (0, 1)]
    return float(abs(rates[0] - rates[1]))


def test_limits_that_do_not_bind_and_limits_that_do() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)
    group = rng.integers(0, 2, 60)
    loose = FairTreeClassifier("demographic_parity", max_difference=1.0, max_depth=2, cuts="exact")
    plain = OptimalTreeClassifier(max_depth=2, cuts="exact").fit(X, y)
    assert loose.fit(X, y, sensitive_features=group).result_.objective == plain.result_.objective
    assert loose.result_.note.startswith(plan.ALL)
    said: list[str] = []
    for most in (0.2, 0.1, 0.05, 0.02):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            tight = FairTreeClassifier("demographic_parity", max_difference=most, max_depth=2, cuts="exact")
            tight.fit(X, y, sensitive_features=group)
        said += [str(one.message) for one in found if issubclass(one.category, CutsWarning)]
        assert tight.result_.objective >= plain.result_.objective
    assert all("only a front closes" in text for text in said)


def test_capacities_equal_brute_force_where_no_front_is_needed() -> None:
    proven = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, rewards = rng.integers(0, 6, (8, 2)) + 0.5, rng.integers(-5, 6, (8, 2)).astype(float)
        capacity = int(rng.integers(2, 7))
        with warnings.catch_warnings(record=True) as found, one_cut():
            warnings.simplefilter("always")
            try:
                model = PolicyTree(max_depth=2, cuts="exact", capacity={1: capacity}).fit(X, rewards=rewards)
            except InfeasibleError:
                continue
        values: list[Any] = [
            rewards[np.arange(8), one].mean() for one in predictions(X, 2) if one.sum() <= capacity
        ]
        gave_up = any(issubclass(one.category, CutsWarning) for one in found)
        assert model.predict(X).sum() <= capacity
        if gave_up:
            assert model.result_.objective <= max(values) + 1e-12
        else:
            proven += 1
            assert model.result_.objective == pytest.approx(max(values))
    assert proven >= 4
