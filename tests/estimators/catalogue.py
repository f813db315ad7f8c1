"""The estimators that are tested, in one place.

A new estimator gets one or more entries in `CATALOGUE`; scikit-learn's checks and the tests of life among its
tools are parametrised over them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from streed import (
    Binarizer,
    CostSensitiveTreeClassifier,
    FairTreeClassifier,
    FeatureCosts,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    PolicyTree,
    SurvivalTree,
)
from streed.survival import survival_target


def fit_by_labels(model: Any, X: Any, y: Any) -> Any:
    """Fit a model that takes a table and labels, as nearly all do."""
    return model.fit(X, y)


class WithGroups(FairTreeClassifier):
    """A fair tree for tests that know nothing of groups: rows (that have a weight) are of two in turn."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> WithGroups:  # type: ignore[override]
        n = np.asarray(y).shape[0] if y is not None else 1
        weights = np.ones(n) if sample_weight is None else np.asarray(sample_weight)
        groups = np.cumsum(weights > 0) % 2 if weights.shape == (n,) else np.arange(n) % 2
        super().fit(X, y, sensitive_features=groups, sample_weight=sample_weight)
        return self


class AsClassifier(ClassifierMixin, PolicyTree):  # type: ignore[misc]
    """A policy that is rewarded for the right label, for checks that know neither treatments nor outcomes."""

    def fit(self, X: Any, y: Any) -> AsClassifier:  # type: ignore[override]
        y = validate_data(self, y=y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        return super().fit(X, rewards=np.eye(self.classes_.size)[codes])

    def predict(self, X: Any) -> Any:
        codes = super().predict(X)
        return self.classes_[codes]

    score = ClassifierMixin.score


class TimesToEvents(RegressorMixin, SurvivalTree):  # type: ignore[misc]
    """A survival tree for checks that know numbers only: each is the time of an event, the largest the last.

    Predictions are median times, so that they say what the numbers say.
    """

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, client: Any = None) -> TimesToEvents:
        y = validate_data(self, y=y, y_numeric=True)
        self._least = float(y.min())
        times = y - self._least
        target = survival_target(np.ones(len(times), bool), times)
        return super().fit(X, target, sample_weight, client=client)

    def predict(self, X: Any) -> Any:
        survival = self.predict_survival_function(X, return_array=True)
        return (
            self._least
            + self.unique_times_[(survival > 0.5).sum(axis=1).clip(max=self.unique_times_.size - 1)]
        )

    score = RegressorMixin.score


def fit_survival(model: SurvivalTree, X: Any, y: Any) -> Any:
    """Fit times to events: later ones for the second class, a fifth of the rows censored."""
    times = 1 + 10 * np.asarray(y) + np.arange(len(y)) % 7
    return model.fit(X, survival_target(np.arange(len(y)) % 5 > 0, times))


def fit_policy(model: PolicyTree, X: Any, y: Any) -> Any:
    """Fit a policy: the labels are treatments, which help those whose first column is above the middle."""
    column = np.asarray(X[X.columns[0]] if hasattr(X, "columns") else X[:, 0])
    return model.fit(X, y, np.where(column > np.median(column), y, 1 - np.asarray(y)).astype(float))


def fit_by_costs(model: CostSensitiveTreeClassifier, X: Any, y: Any) -> Any:
    """Fit to costs of every row instead of labels."""
    return model.fit(X, costs=np.array([[0.0, 3.0], [1.0, 0.0]])[np.asarray(y)])


@dataclass(frozen=True, slots=True)
class Entry:
    """An estimator, and what tests must know about it."""

    estimator: Any
    is_classifier: bool = False
    """Whether ``fit(X, y)`` takes labels and there are ``predict`` and ``predict_proba``."""
    takes_weights: bool = False
    """Whether ``fit`` takes ``sample_weight``."""
    fit: Callable[[Any, Any, Any], Any] = fit_by_labels
    """How a clone of it is fitted to a table (of five columns) and two classes, 0 and 1."""
    takes_any_data: bool = True
    """Whether ``fit(X, y)`` works for whatever scikit-learn's checks come with; else they are not run."""
    least_score: float = 0.7
    """What ``score`` exceeds in the tests."""
    expected_failures: dict[str, str] = field(default_factory=dict)
    """scikit-learn's checks that it cannot pass, and why; docs/scikit-learn.md explains them at length."""


LIGHT_ROWS = {
    "check_class_weight_classifiers": "an optimal tree also gets light rows right where that costs nothing"
}
NO_METRIC_WEIGHT = {"check_class_weight_classifiers": "class weights would change what a metric means"}
NO_CLASS_WEIGHT = {"check_class_weight_classifiers": "balanced accuracy weighs all classes the same"}

CATALOGUE = [
    Entry(OptimalTreeClassifier(), is_classifier=True, takes_weights=True, expected_failures=LIGHT_ROWS),
    Entry(OptimalTreeClassifier(cost_complexity=1e-6), is_classifier=True, takes_weights=True),
    Entry(
        OptimalTreeClassifier("balanced_accuracy", max_depth=2, n_jobs=2),
        is_classifier=True,
        takes_weights=True,
        expected_failures=NO_CLASS_WEIGHT,
    ),
    Entry(
        OptimalTreeClassifier("f1", max_depth=2),
        is_classifier=True,
        takes_weights=True,
        expected_failures=NO_METRIC_WEIGHT,
    ),
    Entry(FairTreeClassifier(None, cost_complexity=1e-6), is_classifier=True, takes_weights=True),
    Entry(
        WithGroups("equal_opportunity", max_difference=0.2, max_depth=2),
        is_classifier=True,
        takes_weights=True,
        expected_failures=LIGHT_ROWS,
    ),
    Entry(
        CostSensitiveTreeClassifier(),
        is_classifier=True,
        takes_weights=True,
        expected_failures=LIGHT_ROWS,
        least_score=-0.3,
    ),
    Entry(
        CostSensitiveTreeClassifier(cost_complexity=1e-6, max_depth=2),
        is_classifier=True,
        takes_weights=True,
        least_score=-0.3,
    ),
    Entry(
        CostSensitiveTreeClassifier(
            misclassification_costs=[[0, 3], [1, 0]], feature_costs=FeatureCosts([0.1, 0.2, 0.1, 0.3, 0.2])
        ),
        takes_any_data=False,
    ),
    Entry(CostSensitiveTreeClassifier(max_depth=2), fit=fit_by_costs, takes_any_data=False),
    Entry(AsClassifier()),
    Entry(
        PolicyTree(outcome_model=LinearRegression(), propensity_model=DummyClassifier(), max_depth=2, cv=2),
        fit=fit_policy,
        takes_any_data=False,
    ),
    Entry(
        OptimalTreeClassifier(binarizer=Binarizer(n_thresholds=4, missing="indicator")),
        is_classifier=True,
        takes_weights=True,
        expected_failures=LIGHT_ROWS,
    ),
    Entry(
        OptimalTreeClassifier("gini", max_depth=2),
        is_classifier=True,
        takes_weights=True,
        expected_failures=LIGHT_ROWS,
    ),
    Entry(
        OptimalTreeClassifier("log_loss", max_depth=2),
        is_classifier=True,
        takes_weights=True,
        expected_failures=LIGHT_ROWS,
    ),
    Entry(OptimalTreeRegressor(), takes_weights=True, least_score=0.3),
    Entry(
        OptimalTreeRegressor(cost_complexity=1e-4, max_depth=2, n_jobs=2), takes_weights=True, least_score=0.3
    ),
    Entry(OptimalTreeRegressor("absolute_error", max_depth=2), takes_weights=True, least_score=0.0),
    Entry(OptimalTreeRegressor("quantile", quantile=0.5, max_depth=2), takes_weights=True, least_score=0.0),
    Entry(OptimalTreeRegressor("poisson", max_depth=2), takes_weights=True, least_score=0.3),
    Entry(OptimalTreeRegressor("tweedie", max_depth=2), takes_weights=True, least_score=0.1),
    Entry(OptimalTreeRegressor(leaf_model="linear", max_depth=1), takes_weights=True, least_score=0.3),
    Entry(OptimalTreeRegressor(leaf_model="simple_linear", max_depth=2), takes_weights=True, least_score=0.3),
    Entry(TimesToEvents(), takes_weights=True),
    Entry(SurvivalTree(max_depth=2), takes_weights=True, fit=fit_survival, takes_any_data=False),
    Entry(Binarizer(), takes_weights=True),
    Entry(Binarizer(n_thresholds=None, missing="indicator"), takes_weights=True),
    Entry(Binarizer(strategy="uniform", unknown="error"), takes_weights=True),
    Entry(Binarizer(strategy="tree", n_thresholds=3), takes_weights=True),
]


def parametrized(entries: list[Entry]) -> pytest.MarkDecorator:
    """Parametrise a test over entries."""
    return pytest.mark.parametrize("entry", entries, ids=[repr(entry.estimator) for entry in entries])


CLASSIFIERS = [entry for entry in CATALOGUE if entry.is_classifier]
