"""scikit-learn's callbacks: a fit is a root step with a hundred steps below it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from streed import OptimalTreeClassifier
from streed.estimators.parameters.callbacks import STEPS

callback = pytest.importorskip("sklearn.callback", reason="scikit-learn has callbacks from version 1.9 on")

RNG = np.random.default_rng(0)
X, Y = RNG.integers(0, 2, (400, 20)).astype(bool), RNG.integers(0, 2, 400)


class Recorder:
    """Writes down what happens, and stops the search if it is told to."""

    max_propagation_depth = None

    def __init__(self, *, stop: bool = False) -> None:
        self.stop = stop
        self.events: list[tuple[str, str]] = []
        self.scores: list[float] = []

    def setup(self, estimator: Any, context: Any) -> None:
        self.events.append(("setup", context.task_name))

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        self.events.append(("begin", context.task_name))

    def on_fit_task_end(self, estimator: Any, context: Any, *, X: Any, y: Any, fitted_estimator: Any) -> bool:
        self.events.append(("end", context.task_name))
        if fitted_estimator is not None:
            self.scores.append(fitted_estimator.score(X, y))
        return self.stop

    def teardown(self, estimator: Any, context: Any) -> None:
        self.events.append(("teardown", context.task_name))


def test_the_steps_of_a_fit() -> None:
    recorder = Recorder()
    model = OptimalTreeClassifier(max_depth=3).set_callbacks(recorder).fit(X, Y)
    steps = [("begin", "search"), ("end", "search")] * STEPS
    assert recorder.events == [
        ("setup", "fit"),
        ("begin", "fit"),
        *steps,
        ("end", "fit"),
        ("teardown", "fit"),
    ]
    assert recorder.scores == [model.score(X, Y)]


def test_callbacks_do_not_change_the_tree() -> None:
    plain = OptimalTreeClassifier().fit(X, Y)
    watched = clone(OptimalTreeClassifier().set_callbacks(Recorder())).fit(X, Y, sample_weight=np.ones(400))
    assert watched.tree_ == plain.tree_


def test_a_callback_stops_a_long_search() -> None:
    rng = np.random.default_rng(1)
    features, labels = rng.integers(0, 2, (3000, 60)).astype(bool), rng.integers(0, 2, 3000)
    recorder = Recorder(stop=True)
    model = OptimalTreeClassifier(max_depth=6, time_limit=60).set_callbacks(recorder).fit(features, labels)
    assert model.result_.status == "interrupted"
    assert recorder.events[-2:] == [("end", "fit"), ("teardown", "fit")]


def test_progress_and_callbacks_together() -> None:
    seen: list[Any] = []
    recorder = Recorder()
    OptimalTreeClassifier(progress=seen.append).set_callbacks(recorder).fit(X, Y)
    assert seen
    assert recorder.events.count(("end", "search")) == STEPS


def test_callbacks_are_torn_down_after_errors() -> None:
    recorder = Recorder()
    with pytest.raises(ValueError, match="min_samples_leaf"):
        OptimalTreeClassifier(min_samples_leaf=1000).set_callbacks(recorder).fit(X, Y)
    assert recorder.events[-1] == ("teardown", "fit")


def test_inside_pipelines_and_grid_searches() -> None:
    recorder = Recorder()
    search = GridSearchCV(OptimalTreeClassifier(), {"max_depth": [1, 2]}, cv=2)
    search.set_callbacks(recorder).fit(X, Y)
    assert recorder.events.count(("end", "search")) >= 5 * STEPS
    recorder = Recorder()
    make_pipeline(OptimalTreeClassifier()).set_callbacks(recorder).fit(X, Y)
    assert recorder.events.count(("end", "search")) == STEPS
