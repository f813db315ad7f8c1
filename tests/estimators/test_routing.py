"""Groups, costs, outcomes and rewards of rows arrive through pipelines, searches and cross-validation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from streed import (
    Binarizer,
    CostSensitiveTreeClassifier,
    FairTreeClassifier,
    OptimalTreeRegressor,
    PolicyTree,
    SurvivalTree,
)
from streed.survival import survival_target

COLUMNS, LABELS = load_breast_cancer(return_X_y=True)
N = 240
X, y = COLUMNS[:N, [0, 1, 20, 24, 27]], LABELS[:N]
WEIGHTS = np.random.default_rng(0).integers(1, 5, N).astype(float)
GROUPS = np.where(np.arange(N) % 3 > 0, "a", "b")
COSTS = pd.DataFrame({"cut": np.where(y == 0, 0.0, 5.0), "wait": np.where(y == 0, 9.0, 0.0)})
REWARDS = -COSTS.to_numpy()
TREATMENT = np.arange(N) % 2
POLICY = PolicyTree(outcome_model=LinearRegression(), propensity_model=DummyClassifier(), cv=2)


@dataclass(frozen=True)
class Case:
    """An estimator, what belongs to its rows, and what of it `score` takes, too."""

    model: Any
    labels: Any
    given: dict[str, Any]
    scored: tuple[str, ...] = field(default=())

    def __str__(self) -> str:
        return f"{type(self.model).__name__} {' '.join(self.given)}"

    def asking(self) -> Any:
        """The estimator, asking for all of it."""
        model = clone(self.model).set_params(max_depth=2).set_fit_request(**dict.fromkeys(self.given, True))
        return model.set_score_request(**dict.fromkeys(self.scored, True)) if self.scored else model

    def part(self, rows: Any) -> tuple[Any, dict[str, Any]]:
        """What belongs to some of the rows: labels and the rest."""
        labels = None if self.labels is None else self.labels[rows]
        return labels, {
            name: value.iloc[rows] if hasattr(value, "iloc") else value[rows]
            for name, value in self.given.items()
        }


CASES = [
    Case(FairTreeClassifier(max_difference=0.05), y, {"sensitive_features": GROUPS}),
    Case(
        FairTreeClassifier("equalized_odds", max_difference=0.05),
        y,
        {"sensitive_features": pd.DataFrame({"group": GROUPS, "large": X[:, 0] > 14})},
    ),
    Case(
        FairTreeClassifier(),
        y,
        {"sensitive_features": GROUPS, "sample_weight": WEIGHTS},
        ("sample_weight",),
    ),
    Case(CostSensitiveTreeClassifier(), None, {"costs": COSTS}, ("costs",)),
    Case(
        CostSensitiveTreeClassifier(),
        None,
        {"costs": COSTS.to_numpy(), "sample_weight": WEIGHTS},
        ("costs", "sample_weight"),
    ),
    Case(POLICY, TREATMENT, {"outcome": REWARDS[np.arange(N), TREATMENT]}, ("outcome",)),
    Case(POLICY, None, {"rewards": REWARDS}, ("rewards",)),
    Case(OptimalTreeRegressor(), X[:, 4] * X[:, 0], {"sample_weight": WEIGHTS}, ("sample_weight",)),
    Case(SurvivalTree(), survival_target(np.arange(N) % 4 > 0, X[:, 0]), {"sample_weight": WEIGHTS}),
]
each_case = pytest.mark.parametrize("case", CASES, ids=str)


@pytest.fixture(autouse=True)
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


@each_case
def test_they_matter(case: Case) -> None:
    """Of other rows they make another tree, so that the other tests can tell whether they arrived."""
    _, shuffled = case.part(np.random.default_rng(0).permutation(N))
    direct = case.asking().fit(X, case.labels, **case.given)
    assert direct.tree_ != case.asking().fit(X, case.labels, **shuffled).tree_


@each_case
def test_pipelines(case: Case) -> None:
    first = Binarizer().set_fit_request(sample_weight=False)
    pipeline = make_pipeline(first, case.asking()).fit(X, case.labels, **case.given)
    alone = case.asking().fit(Binarizer().fit_transform(X), case.labels, **case.given)
    assert pipeline[-1].tree_ == alone.tree_


@each_case
def test_searches(case: Case) -> None:
    search = GridSearchCV(case.asking(), {"max_depth": [1, 2]}, cv=3).fit(X, case.labels, **case.given)
    best = case.asking().set_params(**search.best_params_).fit(X, case.labels, **case.given)
    assert search.best_estimator_.tree_ == best.tree_


@each_case
def test_cross_validation(case: Case) -> None:
    found = cross_validate(
        case.asking(), X, case.labels, params=case.given, cv=KFold(3), return_estimator=True
    )
    for fold, (train, test) in enumerate(KFold(3).split(X)):
        labels, given = case.part(train)
        own = case.asking().fit(X[train], labels, **given)
        assert found["estimator"][fold].tree_ == own.tree_
        labels, given = case.part(test)
        score = own.score(X[test], labels, **{name: given[name] for name in case.scored})
        assert found["test_score"][fold] == pytest.approx(score)


@each_case
def test_what_nobody_asked_for_is_an_error(case: Case) -> None:
    with pytest.raises(ValueError, match="are passed but are not explicitly set as requested or not"):
        make_pipeline(StandardScaler(), clone(case.model)).fit(X, case.labels, **case.given)
