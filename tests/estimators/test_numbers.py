"""Regression and survival estimators: predictions, scores, pipelines, copies, files, and bad input."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.metrics import (
    brier_score_loss,
    log_loss,
    mean_pinball_loss,
    mean_poisson_deviance,
    mean_tweedie_deviance,
)
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeRegressor

import streed
from streed import Binarizer, OptimalTreeClassifier, OptimalTreeRegressor, SurvivalTree
from streed.model.model import Model
from streed.survival import StepFunction, survival_target

FRAME = load_diabetes(as_frame=True, scaled=False)
X, y = FRAME.data, FRAME.target
RNG = np.random.default_rng(0)
WEIGHTS = RNG.integers(0, 4, len(y)).astype(float)
EVENT, TIME = RNG.random(len(y)) < 0.7, y.to_numpy()
SURVIVAL = survival_target(EVENT, TIME)


def test_means_and_scores() -> None:
    model = OptimalTreeRegressor(max_depth=2).fit(X, y, sample_weight=WEIGHTS)
    predicted = model.predict(X)
    leaf = model.apply(X)
    for node in np.unique(leaf):
        rows = leaf == node
        assert predicted[rows][0] == pytest.approx(np.average(y[rows], weights=WEIGHTS[rows]))
    assert model.result_.objective == pytest.approx(float(WEIGHTS @ (y - predicted) ** 2))
    assert model.n_outputs_ == 1


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_never_worse_than_a_greedy_tree(depth: int) -> None:
    features = Binarizer().fit_transform(X)
    greedy = DecisionTreeRegressor(max_depth=depth, random_state=0).fit(features, y)
    model = OptimalTreeRegressor(max_depth=depth).fit(features, y)
    assert model.result_.objective <= float(((y - greedy.predict(features)) ** 2).sum()) * (1 + 1e-10)


def test_reported_values_are_those_of_scikit_learn() -> None:
    counts = np.rint(y / 50)
    model = OptimalTreeRegressor("poisson", max_depth=2).fit(X, counts)
    deviance = len(y) * mean_poisson_deviance(counts, model.predict(X))
    assert model.result_.objective == pytest.approx(deviance)
    for loss, power in (("gamma", 2), ("tweedie", 1.3)):
        amounts = y if loss == "gamma" else np.where(y < 90, 0, y)
        model = OptimalTreeRegressor(loss, max_depth=2, power=1.3).fit(X, amounts)
        deviance = len(y) * mean_tweedie_deviance(amounts, model.predict(X), power=power)
        assert model.result_.objective == pytest.approx(deviance)
    rounded = np.round(y, -1)
    model = OptimalTreeRegressor("quantile", quantile=0.8, max_depth=1).fit(X, rounded)
    pinball = len(y) * mean_pinball_loss(rounded, model.predict(X), alpha=0.8)
    assert model.result_.objective == pytest.approx(pinball)
    model = OptimalTreeRegressor("absolute_error", max_depth=1).fit(X, rounded)
    assert model.result_.objective == pytest.approx(float(np.abs(rounded - model.predict(X)).sum()))


@pytest.mark.parametrize("ridge", [0.0, 5.0])
def test_linear_leaves_are_ridge_regressions(ridge: float) -> None:
    columns = ["bmi", "bp"]
    model = OptimalTreeRegressor(leaf_model="linear", leaf_columns=columns, ridge=ridge, max_depth=1)
    leaf, total = model.fit(X, y).apply(X), 0.0
    for node in np.unique(leaf):
        own = X[columns][leaf == node]
        fitted = Ridge(alpha=max(ridge, 1e-12)).fit(own, y[leaf == node])
        np.testing.assert_allclose(model.predict(X)[leaf == node], fitted.predict(own), rtol=1e-6)
        total += float(((y[leaf == node] - fitted.predict(own)) ** 2).sum() + ridge * (fitted.coef_**2).sum())
    assert model.result_.objective == pytest.approx(total)
    assert model.leaf_columns_ == columns


def test_losses_of_shares() -> None:
    labels = np.digitize(y, [100, 200])
    model = OptimalTreeClassifier("log_loss", max_depth=2, smoothing=None).fit(X, labels)
    assert model.result_.objective == pytest.approx(len(y) * log_loss(labels, model.predict_proba(X)))
    assert model.predict_proba(X).min() > 0
    two = (y > 150).to_numpy()
    model = OptimalTreeClassifier("gini", max_depth=2, smoothing=None).fit(X, two)
    brier = 2 * len(y) * brier_score_loss(two, model.predict_proba(X)[:, 1])
    assert model.result_.objective == pytest.approx(brier)
    assert (model.predict(X) == (model.predict_proba(X)[:, 1] > 0.5)).mean() == 1
    with pytest.raises(ValueError, match="gini cannot be part of a combination"):
        streed.combine(streed.tasks.Gini(two), streed.tasks.Accuracy(two))


MODELS = [
    OptimalTreeRegressor(max_depth=2),
    OptimalTreeRegressor("poisson", max_depth=1),
    OptimalTreeRegressor(leaf_model="linear", leaf_columns=["bmi"], max_depth=1),
    OptimalTreeRegressor(leaf_model="simple_linear", max_depth=1),
]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_copies_and_files(model: Any, tmp_path: Path) -> None:
    fitted = clone(model).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert (again.predict(X) == fitted.predict(X)).all()
    assert again.tree_.to_dict() == fitted.tree_.to_dict()
    Model.from_estimator(fitted).save(tmp_path / "model.json")
    stored = Model.load(tmp_path / "model.json")
    np.testing.assert_allclose(stored.predict(X), fitted.predict(X))
    assert stored.tree.to_text() == fitted.tree_.to_text()
    namespace: dict[str, Any] = {}
    exec(fitted.tree_.to_python(), namespace)
    rows = X.head(40).to_dict("records")
    np.testing.assert_allclose([namespace["predict"](row) for row in rows], fitted.predict(X.head(40)))
    assert fitted.tree_.to_sql().startswith("CASE WHEN")


def test_searches_and_pipelines() -> None:
    pipeline = make_pipeline(Binarizer(n_thresholds=4), OptimalTreeRegressor())
    search = GridSearchCV(pipeline, {"optimaltreeregressor__max_depth": [1, 2]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.2
    trees = GridSearchCV(SurvivalTree(binarizer=Binarizer(n_thresholds=4)), {"max_depth": [1, 2]}, cv=3)
    assert trees.fit(X, SURVIVAL).best_score_ > 0.4


def test_several_targets() -> None:
    both = np.column_stack([y, -2 * y])
    model = OptimalTreeRegressor(max_depth=2).fit(X, both)
    assert model.predict(X).shape == both.shape
    assert model.result_.objective == pytest.approx(float(((both - model.predict(X)) ** 2).sum()))
    with pytest.raises(ValueError, match="the leaves of this tree predict 2"):
        model.tree_.to_sql()


@pytest.mark.parametrize(
    ("model", "target", "message"),
    [
        (OptimalTreeRegressor("huber"), y, "loss must be one of 'squared_error'"),
        (OptimalTreeRegressor(leaf_model="tree"), y, "leaf_model must be one of 'constant'"),
        (OptimalTreeRegressor("poisson", leaf_model="linear"), y, "goes with loss='squared_error'"),
        (OptimalTreeRegressor("quantile", quantile=1.0), y, "quantile must be a number between 0 and 1"),
        (OptimalTreeRegressor("quantile", quantile=0.0), y, "quantile must be a number between 0 and 1"),
        (OptimalTreeRegressor("poisson"), y - 100, "y must not be negative for the Poisson loss"),
        (OptimalTreeRegressor("poisson"), 0 * y, "needs a y above zero"),
        (OptimalTreeRegressor("gamma"), np.where(y > 300, 0, y), "y must be above zero for the gamma loss"),
        (OptimalTreeRegressor("tweedie"), y - 100, "y must not be negative for the tweedie loss"),
        (OptimalTreeRegressor("tweedie", power=2), y, "power must be a number above 1 and below 2"),
        (OptimalTreeRegressor("tweedie"), 0 * y, "needs a y above zero"),
        (OptimalTreeRegressor(), np.where(y > 300, np.nan, y), "NaN"),
        (OptimalTreeRegressor(leaf_model="linear", ridge=-1), y, "ridge must be a finite number >= 0"),
        (OptimalTreeRegressor(leaf_model="linear", leaf_columns=["weight"]), y, "leaf_columns must be names"),
        (OptimalTreeRegressor("absolute_error"), np.column_stack([y, y]), "1d array"),
        (SurvivalTree(), y, "y must be events and times"),
        (SurvivalTree(), None, "requires y to be passed"),
    ],
)
def test_bad_input(model: Any, target: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        model.fit(X, target)


@pytest.mark.parametrize(
    "loss", ["squared_error", "absolute_error", "quantile", "poisson", "gamma", "tweedie"]
)
@pytest.mark.parametrize("value", [1e-7, 1 / 3, 7.3, 1e9])
def test_constant_targets_without_a_depth(loss: str, value: float) -> None:
    """The price is a share of nothing there, but a single leaf is the best tree all the same."""
    rng = np.random.default_rng(0)
    model = OptimalTreeRegressor(loss, max_depth=None, cost_complexity=0.01)
    for n in (1, 2, 19, 38):
        X = rng.integers(0, 2, (n, 25)).astype(bool)
        model.fit(X, np.full(n, value), sample_weight=rng.random(n) + 0.1)
        assert (model.result_.optimal, model.tree_.n_nodes) == (True, 0)


@pytest.mark.parametrize(("leaf_model", "most"), [("linear", 88), ("simple_linear", 1364)])
def test_linear_leaves_take_only_so_many_columns(leaf_model: str, most: int) -> None:
    wide = np.random.default_rng(0).integers(0, 2, (6, most + 1)).astype(float)
    model = OptimalTreeRegressor(leaf_model=leaf_model, max_depth=0)
    assert model.fit(wide[:, :most], wide[:, 0]).result_.optimal  # the engine takes that many sums
    with pytest.raises(ValueError, match=f"linear in at most {most} columns, got {most + 1}; choose some"):
        model.fit(wide, wide[:, 0])


@pytest.mark.parametrize(
    ("event", "time", "message"),
    [
        ([1, 0], [1, -1], "time must not be negative, got -1.0 in row 1"),
        ([1, 0], [1, np.nan], "time must not contain NaN or infinity, got nan in row 1"),
        ([1, 2], [1, 1], "event must be Boolean, or 0 and 1, got 2 in row 1"),
        ([1, 0], [1, 1, 1], "event and time must have the same rows"),
    ],
)
def test_bad_times(event: Any, time: Any, message: str) -> None:
    for make in (survival_target, streed.tasks.Survival):
        with pytest.raises(ValueError, match=message):
            make(event, time)


def test_no_events_at_all() -> None:
    with pytest.warns(streed.NoEventsWarning, match="no event was observed"):
        model = SurvivalTree().fit(X, survival_target(np.zeros(len(y)), y))
    assert model.tree_.n_nodes == 0
    assert model.predict_survival_function(X, return_array=True).shape == (len(y), 0)
    assert "0 events" in model.tree_.to_text()
    model.tree_.to_html()


def test_survival_predictions() -> None:
    model = SurvivalTree(max_depth=2, smoothing=None).fit(X, SURVIVAL)
    leaf = model.apply(X)
    survival, hazard = (
        method(X, return_array=True)
        for method in (model.predict_survival_function, model.predict_cumulative_hazard_function)
    )
    assert (np.diff(survival, axis=1) <= 0).all()
    assert (np.diff(hazard, axis=1) >= 0).all()
    for node in np.unique(leaf):
        rows = leaf == node
        alive = 1.0
        for k, t in enumerate(model.unique_times_):
            at_risk = int(np.count_nonzero(rows & (t <= TIME)))
            alive *= 1 - np.count_nonzero(rows & EVENT & (t == TIME)) / max(1, at_risk)
            assert survival[rows][0, k] == pytest.approx(alive, abs=1e-12)
    curve = model.predict_survival_function(X.head(1))[0]
    assert isinstance(curve, StepFunction)
    assert curve(0.0) == 1.0
    assert curve(model.unique_times_)[-1] == survival[0, -1]
    with pytest.raises(ValueError, match="times must lie between"):
        curve(1e9)
    assert pickle.loads(pickle.dumps(model)).score(X, SURVIVAL) == model.score(X, SURVIVAL) > 0.6


def test_frames_keep_their_names() -> None:
    model = SurvivalTree(max_depth=1).fit(pd.DataFrame(X), SURVIVAL)
    assert model.tree_.conditions is not None
    assert model.feature_names_in_.tolist() == list(X.columns)
