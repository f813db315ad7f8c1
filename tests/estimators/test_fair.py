"""FairTreeClassifier: tables, groups, rates, metadata routing, errors."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import streed
from streed import FairTreeClassifier
from streed.fairness import CONSTRAINTS, group_rates


@pytest.fixture(name="people")
def make_people() -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Income depends on school and age; group b went to school less often."""
    rng = np.random.default_rng(0)
    group = rng.choice(["a", "b"], 300)
    school = rng.random(300) < np.where(group == "a", 0.7, 0.4)
    age = rng.integers(20, 60, 300)
    rich = (school & (age > 30)) ^ (rng.random(300) < 0.1)
    return pd.DataFrame({"school": school, "age": age}), np.where(rich, "rich", "poor"), group


@pytest.mark.parametrize("constraint", list(CONSTRAINTS))
def test_rates_are_within_the_limit(constraint: str, people: Any) -> None:
    X, y, group = people
    model = FairTreeClassifier(constraint, max_difference=0.05, max_depth=2).fit(
        X, y, sensitive_features=group
    )
    assert model.result_.optimal
    assert model.difference_ <= 0.05
    assert model.group_rates_ == group_rates(y, model.predict(X), group)
    assert model.result_.objective == np.sum(model.predict(X) != y)
    assert model.score(X, y) == pytest.approx(1 - model.result_.objective / 300)
    assert model.result_.statistics["difference"] == model.difference_


def test_fairness_costs_accuracy_and_the_front_says_how_much(people: Any) -> None:
    X, y, group = people
    free = FairTreeClassifier(None, max_depth=2).fit(X, y, sensitive_features=group)
    fair = FairTreeClassifier(max_difference=0.02, max_depth=2).fit(X, y, sensitive_features=group)
    assert np.isnan(free.difference_)
    assert free.group_rates_ is not None
    assert free.result_.objective < fair.result_.objective
    front = FairTreeClassifier(max_depth=2).fairness_front(X, y, group)
    assert front.complete
    assert front[0].error == free.result_.objective
    best = min(point.error for point in front if point.difference <= 0.02)
    assert best == fair.result_.objective


def test_the_sensitive_attribute_is_a_feature_only_if_it_is_a_column(people: Any) -> None:
    X, y, group = people
    without = FairTreeClassifier(max_difference=0.02, max_depth=3).fit(X, y, sensitive_features=group)
    both = X.assign(group=group)
    inside = FairTreeClassifier(max_difference=0.02, max_depth=3).fit(
        both, y, sensitive_features=both["group"]
    )
    assert not any("group" in name for name in without.tree_.feature_names or [])
    assert inside.result_.objective <= without.result_.objective


def test_several_columns_and_the_positive_class(people: Any) -> None:
    X, y, group = people
    groups = pd.DataFrame({"group": group, "old": X["age"] > 40})
    model = FairTreeClassifier("equal_opportunity", min_ratio=0.8, positive="poor", max_depth=2)
    model.fit(X, y, sensitive_features=groups)
    assert model.ratio_ >= 0.8
    assert model.group_rates_ is not None
    assert set(model.group_rates_) == {("a", False), ("a", True), ("b", False), ("b", True)}
    rates = [rates["true_positive_rate"] for rates in model.group_rates_.values()]
    assert min(rates) / max(rates) == pytest.approx(model.ratio_)


def test_weights_of_rows_are_repetitions(people: Any) -> None:
    X, y, group = people
    weights = np.arange(300) % 3
    weighted = FairTreeClassifier(max_depth=2).fit(X, y, sensitive_features=group, sample_weight=weights)
    rows = np.repeat(np.arange(300), weights)
    repeated = FairTreeClassifier(max_depth=2, binarizer=weighted.binarizer_)
    repeated.fit(X.iloc[rows], y[rows], sensitive_features=group[rows])
    assert weighted.result_.objective == pytest.approx(repeated.result_.objective)


def test_metadata_routing(people: Any) -> None:
    X, y, group = people
    X = X.astype(float)
    with sklearn.config_context(enable_metadata_routing=True):
        model = FairTreeClassifier(max_depth=2, max_difference=0.1).set_fit_request(sensitive_features=True)
        pipeline = make_pipeline(StandardScaler(), model)
        pipeline.fit(X, y, sensitive_features=group)
        scores = cross_validate(model, X, y, params={"sensitive_features": group}, cv=3)
        assert scores["test_score"].min() > 0.5
        search = GridSearchCV(model, {"max_difference": [0.0, 0.5]}, cv=3)
        search.fit(X, y, sensitive_features=group)
        assert search.best_params_ == {"max_difference": 0.5}


def test_trees_of_the_front_speak_of_columns(people: Any) -> None:
    X, y, group = people
    front = streed.fairness_front(X, y, group, max_depth=2)
    model = FairTreeClassifier(max_depth=2, cuts="binned").fit(X, y, sensitive_features=group)
    assert all(point.tree.conditions == model.tree_.conditions for point in front)
    assert "age" in front[0].tree.to_sql()
    result = front.to_result()
    assert [solution.values for solution in result.front] == [(p.error, p.difference) for p in front]
    assert result.objectives == ("errors", "difference (demographic parity)")
    assert result.optimal
    assert result.summary().startswith("errors, difference (demographic parity): (")


def test_clones_and_pickles(people: Any) -> None:
    X, y, group = people
    model = FairTreeClassifier("equalized_odds", max_difference=0.1, max_depth=2)
    assert clone(model).get_params() == model.get_params()
    model.fit(X, y, sensitive_features=group)
    assert (pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X)).all()


@pytest.mark.parametrize(
    ("parameters", "arguments", "error", "message"),
    [
        ({}, {}, ValueError, r"'demographic_parity' needs groups: fit\(X, y, sensitive_features=...\)"),
        ({}, {"sensitive_features": ["a"] * 300}, ValueError, "at least two groups"),
        ({}, {"sensitive_features": [np.nan] * 300}, ValueError, "missing values, got nan in row 0"),
        ({"max_difference": -1}, {"sensitive_features": [0, 1] * 150}, ValueError, "from 0 to 1, got -1"),
        (
            {"constraint": "justice"},
            {"sensitive_features": [0, 1] * 150},
            ValueError,
            "must be one of 'demographic",
        ),
    ],
)
def test_bad_input(
    people: Any, parameters: dict[str, Any], arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    X, y, _ = people
    with pytest.raises(error, match=message):
        FairTreeClassifier(**parameters).fit(X, y, **arguments)


def test_limits_on_time_hold_for_the_front(people: Any) -> None:
    X, y, group = people
    front = FairTreeClassifier(max_depth=4, time_limit=1e-9).fairness_front(X, y, group)
    assert not front.complete
    assert front.status == "time_limit"


def test_progress_and_stopping() -> None:
    rng = np.random.default_rng(3)
    X, y, group = (
        rng.integers(0, 2, (2000, 60)).astype(bool),
        rng.random(2000) < 0.4,
        rng.integers(0, 2, 2000),
    )
    seen: list[streed.Progress] = []

    def watch(progress: streed.Progress) -> bool:
        seen.append(progress)
        return len(seen) == 3

    model = FairTreeClassifier(max_depth=6, progress=watch).fit(X, y, sensitive_features=group)
    assert model.result_.status == "interrupted"
    assert model.difference_ <= 0.01
    assert all(0 <= one.lower_bound <= one.objective for one in seen)
