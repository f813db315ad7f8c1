"""OptimalTreeClassifier with metrics: names, objects, functions, limits, progress, interrupts."""

from __future__ import annotations

import functools
import signal
import threading
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sklearn_metrics
from sklearn.datasets import load_breast_cancer

import streed
from streed import InterruptedWarning, NotProvenWarning, OptimalTreeClassifier, Progress, TaskError, metrics


@pytest.fixture(name="cancer")
def load_cancer() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_breast_cancer(return_X_y=True)
    return X[:, :8], y


@pytest.fixture(name="noise")
def make_noise() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(1)
    return rng.integers(0, 2, (3000, 100)).astype(bool), rng.random(3000) < 0.3


@pytest.mark.parametrize(
    ("objective", "score"),
    [
        ("f1", sklearn_metrics.f1_score),
        ("jaccard", sklearn_metrics.jaccard_score),
        ("mcc", sklearn_metrics.matthews_corrcoef),
        (metrics.FBeta(2), lambda y, z: sklearn_metrics.fbeta_score(y, z, beta=2)),
        (metrics.BalancedAccuracy(), sklearn_metrics.balanced_accuracy_score),
        (
            functools.partial(streed.tasks.F1Score, positive=0),
            lambda y, z: sklearn_metrics.f1_score(y, z, pos_label=0),
        ),
    ],
)
def test_objectives(objective: Any, score: Any, cancer: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = cancer
    model = OptimalTreeClassifier(objective, max_depth=2).fit(X, y)
    assert model.result_.optimal
    assert model.result_.objective == model.result_.lower_bound == pytest.approx(score(y, model.predict(X)))
    accurate = OptimalTreeClassifier(max_depth=2, binarizer=model.binarizer_).fit(X, y)
    assert model.result_.objective >= score(y, accurate.predict(X)) - 1e-12


@pytest.mark.usefixtures("fronts")
def test_functions_of_four_arguments() -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]], ["n", "y", "n", "y", "n"]

    def cost(tp: float, fp: float, fn: float, tn: float) -> float:
        return -(3 * fn + fp)

    model = OptimalTreeClassifier(cost, max_depth=1).fit(X, y, sample_weight=[1, 1, 1, 1, 2])
    assert (model.result_.objective, model.result_.task) == (-2, "cost")
    with pytest.raises(TaskError, match="falls from"):
        OptimalTreeClassifier(lambda tp, fp, fn, tn: fp, max_depth=1).fit(X, y)


def test_balanced_accuracy_is_the_same_by_name_and_by_object(cancer: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = cancer
    values = [
        OptimalTreeClassifier(objective, max_depth=2, cuts="binned").fit(X, y).result_.objective
        for objective in ("balanced_accuracy", metrics.BalancedAccuracy())
    ]
    assert values[0] == pytest.approx(values[1])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"class_weight": "balanced"}, "class_weight would change"), ({"cost_complexity": 0.1}, "must be 0")],
)
def test_what_metrics_refuse(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        OptimalTreeClassifier("f1", **parameters).fit([[0], [1]], [0, 1])


@pytest.mark.parametrize("objective", ["f1", "mcc"])
def test_time_limits_hold_over_all_searches(objective: str, noise: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = noise
    with pytest.warns(NotProvenWarning, match="n_jobs=-1"):
        model = OptimalTreeClassifier(objective, max_depth=5, time_limit=0.4).fit(X, y)
    result = model.result_
    assert (result.status, result.optimal) == ("time_limit", False)
    assert 0 < result.objective < result.lower_bound <= 1
    assert result.gap == pytest.approx(1 - result.objective / result.lower_bound)
    assert (
        result.objective
        >= OptimalTreeClassifier(objective, max_depth=2, cuts="binned").fit(X, y).result_.objective
    )


def test_progress_tells_of_the_whole_solve(noise: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = noise
    seen: list[Progress] = []

    def watch(progress: Progress) -> bool:
        seen.append(progress)
        return len(seen) == 4

    result = streed.solve(streed.tasks.F1Score(y), X, max_depth=5, progress=watch)
    assert result.status == "interrupted"
    assert all(0 <= one.objective <= one.lower_bound <= 1 for one in seen)
    assert [one.elapsed for one in seen] == sorted(one.elapsed for one in seen)


def test_ctrl_c_ends_all_searches(noise: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = noise
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.warns(InterruptedWarning, match="the search was interrupted"):
        result = streed.solve(streed.tasks.F1Score(y), X, max_depth=6)
    timer.join()
    assert result.status == "interrupted"
    assert result.objective > 0
