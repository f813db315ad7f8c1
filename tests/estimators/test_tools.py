"""Life among scikit-learn's tools: copies, searches, pipelines, scorers, routing of weights, pickles."""

from __future__ import annotations

import copy
import io
import pickle
import warnings
from collections.abc import Iterator
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import get_scorer, roc_auc_score
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_validate
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import streed
from streed import Binarizer, InconsistentVersionWarning, OptimalTreeClassifier
from streed.table.columns import Kind
from tests.estimators.catalogue import CATALOGUE, CLASSIFIERS, Entry, parametrized

FRAME, LABELS = load_breast_cancer(return_X_y=True, as_frame=True)
X = FRAME.iloc[:240, [0, 1, 20, 24, 27]]
y = LABELS.iloc[:240].to_numpy()
WEIGHTS = np.random.default_rng(0).integers(1, 5, 240).astype(float)


def outcome(model: Any, rows: Any = X) -> np.ndarray:
    """What a fitted model makes of rows."""
    return np.asarray(model.transform(rows) if hasattr(model, "transform") else model.predict(rows))


@parametrized(CATALOGUE)
def test_clones_have_equal_parameters_and_no_fit(entry: Entry) -> None:
    model = entry.fit(clone(entry.estimator), X, y)
    fresh = clone(model)
    assert repr(fresh) == repr(entry.estimator)
    assert not any(name.endswith("_") for name in vars(fresh))
    assert np.array_equal(outcome(entry.fit(fresh, X, y)), outcome(model))


@parametrized(CATALOGUE)
def test_names_of_columns(entry: Entry) -> None:
    for frame in (X, pl.DataFrame({name: X[name].to_numpy() for name in X.columns})):
        model = entry.fit(clone(entry.estimator), frame, y)
        assert model.feature_names_in_.tolist() == list(X.columns)
        assert model.n_features_in_ == 5
        if hasattr(model, "binarizer_"):
            assert model.binarizer_.feature_names_in_.tolist() == list(X.columns)
    entry.fit(model, X.to_numpy(), y)
    assert not hasattr(model, "feature_names_in_")
    shuffled = X[X.columns[::-1]]
    named = entry.fit(clone(entry.estimator), X, y)
    assert np.array_equal(outcome(named, shuffled), outcome(named))
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        named.predict(X.to_numpy()) if hasattr(named, "predict") else named.transform(X.to_numpy())


def round_trips(model: Any) -> Iterator[Any]:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        yield pickle.loads(pickle.dumps(model, protocol))
    yield copy.copy(model)
    yield copy.deepcopy(model)
    file = io.BytesIO()
    joblib.dump(model, file)
    yield joblib.load(io.BytesIO(file.getvalue()))


@parametrized(CATALOGUE)
def test_copies_and_pickles(entry: Entry) -> None:
    model = entry.fit(clone(entry.estimator), X, y)
    for other in round_trips(model):
        assert repr(other) == repr(model)
        assert np.array_equal(outcome(other), outcome(model))
        assert vars(other).keys() == vars(model).keys()
    for other in round_trips(clone(model)):
        assert repr(other) == repr(model)


@parametrized(CATALOGUE)
def test_workers(entry: Entry) -> None:
    model = entry.fit(clone(entry.estimator), X, y)
    for prefer in ("threads", "processes"):
        parallel = joblib.Parallel(n_jobs=2, prefer=prefer)
        parts = parallel(joblib.delayed(outcome)(model, X[start : start + 120]) for start in (0, 120))
        assert np.array_equal(np.concatenate(list(parts)), outcome(model))


@parametrized(CATALOGUE)
def test_pickles_of_another_version(entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    model = entry.fit(clone(entry.estimator), X, y)
    with monkeypatch.context() as patch:
        patch.setattr(streed, "__version__", "0.0.7")
        old = pickle.dumps(model)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read = pickle.loads(old)
    assert all(warning.category is InconsistentVersionWarning for warning in caught)
    expected = f"this {type(model).__name__} was pickled by streed 0.0.7, while this is version"
    assert str(caught[-1].message).startswith(expected)
    assert np.array_equal(outcome(read), outcome(model))


@parametrized(CATALOGUE)
def test_pickles_that_lack_something(entry: Entry) -> None:
    model = entry.fit(clone(entry.estimator), X, y)
    state = model.__getstate__()
    lacking = type(model)._fitted[0]
    old = {key: value for key, value in state.items() if key not in (lacking, "_streed_version")}
    with pytest.raises(
        ValueError, match=f"by streed 0.1 or older and cannot be read .* no {lacking}: fit it"
    ):
        clone(entry.estimator).__setstate__(old)


def test_pickles_without_later_parameters_get_their_defaults() -> None:
    state = {"n_thresholds": 4, "max_categories": 16, "missing": "error"}
    old = Binarizer.__new__(Binarizer)
    with pytest.warns(InconsistentVersionWarning, match="0.1 or older"):
        old.__setstate__(state)
    assert old.get_params() == Binarizer(n_thresholds=4).get_params()
    fitted = {**state, "_names": ["x0"], "_kinds": [Kind.NUMBER], "conditions_": [], "n_features_in_": 1}
    with pytest.raises(ValueError, match="cannot be read"):
        old.__setstate__(fitted)


@parametrized(CLASSIFIERS)
def test_grid_search(entry: Entry) -> None:
    grid = {"max_depth": [1, 2], "binarizer": [Binarizer(n_thresholds=k) for k in (2, 4)]}
    search = GridSearchCV(clone(entry.estimator), grid, cv=3, scoring="roc_auc", n_jobs=2).fit(X, y)
    assert search.best_score_ > 0.8
    assert search.best_estimator_.tree_.depth <= 2
    nested = clone(entry.estimator).set_params(binarizer=Binarizer(), binarizer__n_thresholds=3)
    assert nested.fit(X, y).tree_.n_features == 15


@parametrized(CLASSIFIERS)
@pytest.mark.parametrize(
    "scoring", ["accuracy", "balanced_accuracy", "roc_auc", "average_precision", "f1", "neg_log_loss"]
)
def test_scorers(entry: Entry, scoring: str) -> None:
    labels = np.array(["ill", "well"])[y] if scoring in ("accuracy", "balanced_accuracy", "roc_auc") else y
    model = entry.fit(clone(entry.estimator), X, labels)
    score = get_scorer(scoring)(model, X, labels)
    assert np.isfinite(score)
    if scoring == "roc_auc":
        assert score == roc_auc_score(y, model.predict_proba(X)[:, 1]) > 0.9


@parametrized(CLASSIFIERS)
def test_cross_validation(entry: Entry) -> None:
    shares = cross_val_predict(clone(entry.estimator), X, y, cv=3, method="predict_proba")
    labels = cross_val_predict(clone(entry.estimator), X, y, cv=3)
    assert shares.shape == (240, 2)
    assert shares.sum(axis=1) == pytest.approx(1)
    assert np.mean(labels == y) > 0.8
    found = cross_validate(clone(entry.estimator), X, y, cv=3, return_estimator=True, scoring="roc_auc")
    assert len({id(model.tree_) for model in found["estimator"]}) == 3


@parametrized(CLASSIFIERS)
def test_inside_other_estimators(entry: Entry) -> None:
    model = clone(entry.estimator)
    for wrapped in (
        make_pipeline(StandardScaler(), model),
        make_pipeline(Binarizer(n_thresholds=5), model),
        make_pipeline(Binarizer(n_thresholds=5).set_output(transform="pandas"), model),
        make_pipeline(
            make_column_transformer((Binarizer(n_thresholds=5), [0, 2]), (StandardScaler(), [1])), model
        ),
        CalibratedClassifierCV(model, cv=3),
        OneVsRestClassifier(model),
    ):
        fitted = clone(wrapped).fit(X, y)
        assert np.mean(fitted.predict(X) == y) > 0.85
        assert fitted.predict_proba(X).shape == (240, 2)


@parametrized([entry for entry in CLASSIFIERS if entry.takes_weights])
def test_weights_are_routed(entry: Entry) -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        model = (
            clone(entry.estimator).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        )
        direct = clone(model).fit(X, y, sample_weight=WEIGHTS)
        search = GridSearchCV(model, {"max_depth": [direct.max_depth]}, cv=3)
        search.fit(X, y, sample_weight=WEIGHTS)
        assert search.best_estimator_.tree_ == direct.tree_
        first = Binarizer().set_fit_request(sample_weight=True)
        pipeline = make_pipeline(first, model).fit(X, y, sample_weight=WEIGHTS)
        assert pipeline[0].conditions_ == Binarizer().fit(X, sample_weight=WEIGHTS).conditions_
        assert pipeline[0].conditions_ != Binarizer().fit(X).conditions_
        again = clone(model).fit(pipeline[0].transform(X), y, sample_weight=WEIGHTS)
        assert pipeline[1].tree_ == again.tree_
        scores = cross_validate(model, X, y, params={"sample_weight": WEIGHTS}, cv=3)["test_score"]
        assert (scores > entry.least_score).all()
        deaf = (
            clone(entry.estimator).set_fit_request(sample_weight=False).set_score_request(sample_weight=False)
        )
        deaf_search = GridSearchCV(deaf, {"max_depth": [direct.max_depth]}, cv=3).fit(X, y)
        assert deaf_search.best_estimator_.tree_ == clone(entry.estimator).fit(X, y).tree_
        with pytest.raises(ValueError, match=r"sample_weight.* are passed but are not explicitly set"):
            GridSearchCV(clone(entry.estimator), {"max_depth": [1]}).fit(X, y, sample_weight=WEIGHTS)


@pytest.mark.parametrize(("library", "kind"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_set_output(library: str, kind: Any) -> None:
    binarizer = Binarizer(n_thresholds=2).set_output(transform=library)
    for features in (binarizer.fit_transform(X), binarizer.transform(X)):
        assert isinstance(features, kind)
        assert list(features.columns) == binarizer.get_feature_names_out().tolist()
    assert np.array_equal(np.asarray(features), Binarizer(n_thresholds=2).fit_transform(X))
    with sklearn.config_context(transform_output=library):
        model = OptimalTreeClassifier(max_depth=1).fit(X, y)
        assert model.tree_ == OptimalTreeClassifier(max_depth=1).fit(X, y).tree_
        assert isinstance(Binarizer().fit_transform(X), kind)


def test_scikit_learn_tags() -> None:
    tags = sklearn.utils.get_tags
    assert tags(Binarizer(missing="indicator")).input_tags.allow_nan
    assert not tags(Binarizer()).input_tags.allow_nan
    assert tags(Binarizer(strategy="tree")).target_tags.required
    assert tags(OptimalTreeClassifier(binarizer=Binarizer(missing="indicator"))).input_tags.allow_nan
    assert tags(OptimalTreeClassifier()).input_tags.allow_nan
    assert not tags(OptimalTreeClassifier(cuts="binned")).input_tags.allow_nan
    assert tags(OptimalTreeClassifier()).estimator_type == "classifier"


def test_the_greedy_cuts_of_an_estimator_see_its_labels() -> None:
    greedy = Binarizer(strategy="tree", n_thresholds=1)
    model = OptimalTreeClassifier(max_depth=1, binarizer=greedy).fit(X, y)
    exact = OptimalTreeClassifier(max_depth=1, binarizer=Binarizer(strategy="all")).fit(X, y)
    assert model.tree_.n_features == 5
    assert exact.result_.objective <= model.result_.objective < (y == 0).sum() / 2
