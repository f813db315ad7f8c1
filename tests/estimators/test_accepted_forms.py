"""Forms of data whose meaning is clear give the same tree as the usual form; others are refused in words."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score

import streed
from streed import (
    CostSensitiveTreeClassifier,
    FairTreeClassifier,
    FeatureCosts,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    PolicyTree,
    SurvivalTree,
)
from streed.survival import event_and_time, survival_target

RNG = np.random.default_rng(4)
N = 80
SEX = RNG.choice(["f", "m"], N)
RACE = RNG.choice(["x", "y"], N)
FRAME = pd.DataFrame(
    {"age": RNG.integers(20, 60, N), "bmi": RNG.normal(25, 4, N).round(1), "sex": SEX, "race": RACE}
)
LABELS = np.where((FRAME["age"] > 40) ^ (RNG.random(N) < 0.2), "ill", "well")
THREE = np.where(FRAME["age"] < 30, "young", LABELS)
EVENT = RNG.random(N) < 0.7
TIME = RNG.exponential(size=N) + FRAME["age"].to_numpy() / 40

# misclassification costs by name

TABLE = [[0.0, 10.0], [1.0, 0.0]]
NAMED: dict[str, Any] = {
    "nested": {"well": {"ill": 1}, "ill": {"well": 10}},
    "nested, with a diagonal": {"ill": {"ill": 0.0, "well": 10.0}, "well": {"ill": 1.0, "well": 0.0}},
    "pairs": {("well", "ill"): 1, ("ill", "well"): 10},
    "frame": pd.DataFrame(TABLE, index=["ill", "well"], columns=["ill", "well"]),
    "frame in another order": pd.DataFrame(
        [[0.0, 1.0], [10.0, 0.0]], index=["well", "ill"], columns=["well", "ill"]
    ),
    "frame with other names": pd.DataFrame(TABLE, columns=["says ill", "says well"]),
}


@pytest.mark.parametrize("name", NAMED)
def test_cost_matrices_by_name(name: str) -> None:
    model = CostSensitiveTreeClassifier(misclassification_costs=NAMED[name], max_depth=2).fit(FRAME, LABELS)
    plain = CostSensitiveTreeClassifier(misclassification_costs=TABLE, max_depth=2).fit(FRAME, LABELS)
    assert model.result_.objective == plain.result_.objective
    assert model.tree_ == plain.tree_
    assert clone(model).fit(FRAME, LABELS).expected_costs_ == plain.expected_costs_
    assert streed.tasks.CostMatrix(LABELS, NAMED[name]).matrix.tolist() == TABLE


WRONG: list[tuple[Any, type[Exception], str]] = [
    ({"ill": {"well": 10}}, ValueError, "has no cost for 'well' taken for 'ill'"),
    ({"ill": {"good": 10}, "well": {"ill": 1}}, ValueError, "has labels ['good'] that are not in y"),
    ({"ill": 10, "well": 1}, TypeError, "{true: {predicted: cost}} or {(true, predicted): cost}, got"),
    ({"ill": {"well": "much"}, "well": {"ill": 1}}, TypeError, "must hold numbers"),
    (
        {("ill", "well"): -1, ("well", "ill"): 1},
        ValueError,
        "not negative, got -1.0 for 'ill' taken for 'well'",
    ),
    (
        pd.DataFrame(TABLE, columns=["well", "ill"]),
        ValueError,
        "must have the labels ['ill', 'well'] as index and as columns, got the index [0, 1]",
    ),
]


@pytest.mark.parametrize(("costs", "error", "message"), WRONG)
def test_named_costs_that_are_refused(costs: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        CostSensitiveTreeClassifier(misclassification_costs=costs).fit(FRAME, LABELS)


# prices of tests


@pytest.mark.parametrize(
    "prices", [{"age": 0.1, "bmi": 0.5}, {0: 0.1, "bmi": 0.5}, [0.1, 0.5, 0, 0], np.array([0.1, 0.5, 0, 0])]
)
def test_prices_without_an_object(prices: Any) -> None:
    plain = CostSensitiveTreeClassifier(feature_costs=FeatureCosts({"age": 0.1, "bmi": 0.5}), max_depth=2)
    model = CostSensitiveTreeClassifier(feature_costs=prices, max_depth=2).fit(FRAME, LABELS)
    plain.fit(FRAME, LABELS)
    assert model.tree_ == plain.tree_
    assert model.expected_costs_ == plain.expected_costs_
    assert clone(model).get_params()["feature_costs"] is not None


def test_tasks_take_prices_without_an_object() -> None:
    bits, columns = RNG.integers(2, size=(N, 3)), ["age", "bmi", "age"]
    prices = {"age": 0.1, "bmi": 0.5}
    for given in (prices, FeatureCosts(prices)):
        task = streed.tasks.CostMatrix(LABELS, TABLE, feature_costs=given, columns=columns)
        by_row = streed.tasks.LabelCosts(np.ones((N, 2)), feature_costs=given, columns=columns)
        assert streed.solve(task, bits, max_depth=2).objective == priced(bits)
        assert streed.solve(by_row, bits, max_depth=2).objective == N
    plain = streed.tasks.CostMatrix(LABELS, TABLE, feature_costs=[0.1, 0.5, 0.3])
    assert streed.solve(plain, bits, max_depth=1).optimal


def priced(bits: Any) -> float:
    task = streed.tasks.CostMatrix(LABELS, TABLE, feature_costs=FeatureCosts([0.1, 0.5]), columns=[0, 1, 0])
    return float(streed.solve(task, bits, max_depth=2).objective)


@pytest.mark.parametrize("prices", ["age", 3, {"age"}, object()])
def test_what_are_no_prices(prices: Any) -> None:
    with pytest.raises(TypeError, match="a dict from columns to prices, or one price per column, got"):
        CostSensitiveTreeClassifier(feature_costs=prices).fit(FRAME, LABELS)


# survival

TARGETS: dict[str, Any] = {
    "pair": (EVENT, TIME),
    "pair of lists": (EVENT.astype(int).tolist(), TIME.tolist()),
    "swapped pair": (TIME, EVENT),
    "frame": pd.DataFrame({"time": TIME, "event": EVENT.astype(int)}),
    "frame with other columns": pd.DataFrame({"id": range(N), "event": EVENT, "time": TIME}),
    "frame by kinds": pd.DataFrame({"days": TIME, "died": EVENT}),
    "polars": pl.DataFrame({"died": EVENT, "days": TIME}),
}


@pytest.mark.parametrize("name", TARGETS)
def test_times_to_events(name: str) -> None:
    plain = SurvivalTree(max_depth=2).fit(FRAME, survival_target(EVENT, TIME))
    model = SurvivalTree(max_depth=2).fit(FRAME, TARGETS[name])
    assert model.tree_ == plain.tree_
    assert model.score(FRAME, TARGETS[name]) == plain.score(FRAME, survival_target(EVENT, TIME))
    assert [part.tolist() for part in event_and_time(TARGETS[name])] == [EVENT.tolist(), TIME.tolist()]


def test_times_to_events_with_folds() -> None:
    pairs = SurvivalTree(max_depth=2, tune=2).fit(FRAME[["age"]], (EVENT, TIME))
    plain = SurvivalTree(max_depth=2, tune=2).fit(FRAME[["age"]], survival_target(EVENT, TIME))
    assert pairs.tuned_.params == plain.tuned_.params
    scores = [
        cross_val_score(SurvivalTree(max_depth=1), FRAME[["age"]], y, cv=2).tolist()
        for y in (TARGETS["frame"], survival_target(EVENT, TIME))
    ]
    assert scores[0] == scores[1]


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        ((TIME, TIME), ValueError, "event must be Boolean, or 0 and 1, got"),
        ((TIME, EVENT.astype(int)), ValueError, "a pair (event, time), or a frame"),
        ((EVENT, -TIME), ValueError, "time must not be negative"),
        ((EVENT, TIME[1:]), ValueError, "must have the same rows"),
        (
            pd.DataFrame({"a": TIME, "b": TIME}),
            ValueError,
            "one of them Boolean), got the columns ['a', 'b']",
        ),
        (np.column_stack([EVENT, TIME]), TypeError, f"got an array of shape ({N}, 2)"),
        ([1, 2], TypeError, "got list"),
        (None, ValueError, "requires y to be passed"),
    ],
)
def test_what_are_no_times(y: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        SurvivalTree().fit(FRAME, y)


# fairness


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
@pytest.mark.parametrize(
    ("names", "groups"),
    [
        ("sex", SEX),
        (["sex"], SEX),
        (["sex", "race"], FRAME[["sex", "race"]]),
        (("race", "sex"), FRAME[["race", "sex"]]),
    ],
)
def test_groups_by_the_name_of_a_column(library: Any, names: Any, groups: Any) -> None:
    frame = library(FRAME.to_dict("list"))
    model = FairTreeClassifier(max_depth=2, max_difference=0.2)
    named = clone(model).fit(frame, LABELS, sensitive_features=names)
    given = clone(model).fit(frame, LABELS, sensitive_features=groups)
    assert named.tree_ == given.tree_
    assert named.group_rates_ == given.group_rates_
    assert clone(model).set_params(tune=2).fit(frame, LABELS, sensitive_features=names).tuned_.params
    fronts = [streed.fairness_front(frame, LABELS, g, max_depth=1) for g in (names, groups)]
    assert [(p.error, p.difference) for p in fronts[0]] == [(p.error, p.difference) for p in fronts[1]]


def test_a_list_with_an_entry_per_row_has_groups() -> None:
    """Even if the groups have the names of columns."""
    rows = ["sex", "race", "sex", "race"]
    model = FairTreeClassifier(max_depth=1, max_difference=1).fit(FRAME[:4], LABELS[:4], rows)
    assert model.group_rates_ is not None
    assert set(model.group_rates_) == {"sex", "race"}


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (
            FRAME,
            "'Sex' is to be a column of X, whose columns are ['age', 'bmi', 'sex', 'race']",
        ),
        (FRAME, "did you mean 'sex'?"),
        (FRAME[["age"]].to_numpy(), "but a ndarray has no names"),
    ],
)
def test_names_of_groups_that_are_no_columns(X: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        FairTreeClassifier().fit(X, LABELS, sensitive_features="Sex")


# policies

TREATMENT = RNG.choice(["drug", "none"], N)
OUTCOME = RNG.normal(size=N)


@pytest.mark.parametrize("treatment", [TREATMENT, (TREATMENT == "drug").astype(int)])
@pytest.mark.parametrize("outcome", [OUTCOME, RNG.permutation(N)])
def test_swapped_treatments_and_outcomes_are_noticed(treatment: Any, outcome: Any) -> None:
    message = (
        f"treatment has {N} different values in {N} rows, and outcome 2: the order is fit(X, treatment, out"
    )
    with pytest.raises(ValueError, match=re.escape(message)):
        PolicyTree(max_depth=1).fit(FRAME, outcome, treatment)


def test_many_treatments_are_none_the_less_treatments() -> None:
    few = FRAME[["age"]][:12]
    model = PolicyTree("inverse_propensity", max_depth=1, cv=None, propensity_model=Uniform())
    assert model.fit(few, np.arange(12) % 10, np.arange(12.0)).treatments_.size == 10


class Uniform:
    """A propensity model that knows nothing."""

    def fit(self, X: Any, y: Any) -> Uniform:
        self.classes_ = np.unique(y)
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {}

    def set_params(self) -> Uniform:
        return self

    def predict_proba(self, X: Any) -> Any:
        return np.full((len(X), self.classes_.size), 1 / self.classes_.size)


def test_texts_as_outcomes() -> None:
    with pytest.raises(TypeError, match=re.escape("after the treatment in fit(X, treatment, outcome)")):
        PolicyTree().fit(FRAME, np.arange(N) % 3, TREATMENT)


# labels


@pytest.mark.parametrize(
    "y",
    [
        [None, *LABELS[1:].tolist()],
        pd.Series([None, *LABELS[1:].tolist()]),
        pd.Series([None, *LABELS[1:].tolist()], dtype="string"),
        np.array([None, *[1] * (N - 1)], dtype=object),
    ],
)
@pytest.mark.parametrize(
    "model", [OptimalTreeClassifier(), CostSensitiveTreeClassifier(), FairTreeClassifier()]
)
def test_missing_labels(y: Any, model: Any) -> None:
    groups = {"sensitive_features": SEX} if isinstance(model, FairTreeClassifier) else {}
    with pytest.raises(ValueError, match=r"y must not contain missing values, got (None|nan|<NA>) in row 0$"):
        clone(model).fit(FRAME, y, **groups)


def test_missing_labels_are_counted() -> None:
    y = [*LABELS[:-2].tolist(), None, None]
    with pytest.raises(ValueError, match=f"got None in row {N - 2} and 1 more"):
        OptimalTreeClassifier().fit(FRAME, y)


def test_numbers_for_a_classifier_and_texts_for_a_regressor() -> None:
    with pytest.raises(ValueError, match=r"Unknown label type: continuous.* streed\.OptimalTreeRegressor"):
        OptimalTreeClassifier().fit(FRAME, OUTCOME)
    with pytest.raises(TypeError, match=r"streed\.OptimalTreeClassifier predicts"):
        OptimalTreeRegressor().fit(FRAME, LABELS)
    with pytest.raises(ValueError, match="got nan in row 0"):
        OptimalTreeRegressor().fit(FRAME, [None, *OUTCOME[1:].tolist()])


def test_searches_take_the_new_forms() -> None:
    model = CostSensitiveTreeClassifier(max_depth=1)
    grid = {"misclassification_costs": [NAMED["nested"], TABLE], "feature_costs": [{"age": 0.1}]}
    search = GridSearchCV(model, grid, cv=2).fit(FRAME, LABELS)
    assert search.cv_results_["mean_test_score"][0] == search.cv_results_["mean_test_score"][1]
