"""Policy trees: teachers, cross-fitting, values with standard errors, capacities, bad input."""

from __future__ import annotations

import pickle
import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from streed import Binarizer, InfeasibleError, PolicyTree
from streed.estimators.policies.teachers import Models, Trial, clipped, folds_of, scores_of


def trial(n: int = 600, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Three drugs: "a" helps the old, "b" helps women, "c" does nothing; the old got "a" more often."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"age": rng.integers(20, 90, n), "sex": rng.choice(["f", "m"], n)})
    old, woman = (X["age"] > 60).to_numpy(), (X["sex"] == "f").to_numpy()
    share = np.where(old[:, None], [0.6, 0.2, 0.2], [0.2, 0.4, 0.4])
    given = (rng.random(n)[:, None] > share.cumsum(axis=1)).sum(axis=1)
    effect = np.stack([np.where(old, 2.0, -1.0), np.where(woman, 1.0, -1.0), np.zeros(n)], axis=1)
    outcome = effect[np.arange(n), given] + old + rng.normal(scale=0.3, size=n)
    return X, np.array(["a", "b", "c"])[given], outcome


X, TREATMENT, OUTCOME = trial()
TREE = make_pipeline(
    Binarizer(missing="indicator"), DecisionTreeRegressor(min_samples_leaf=10, random_state=0)
)
QUICK: dict[str, Any] = {"outcome_model": LinearRegression(), "propensity_model": DummyClassifier(), "cv": 3}
NUMBERS = np.stack([X["age"], X["sex"] == "f"], axis=1).astype(float)


@pytest.mark.parametrize(
    ("teacher", "outcome_model"), [("direct", TREE), ("inverse_propensity", None), ("doubly_robust", None)]
)
def test_finds_the_policy(teacher: str, outcome_model: Any) -> None:
    model = PolicyTree(teacher, outcome_model=outcome_model, max_depth=2).fit(X, TREATMENT, OUTCOME)
    assert model.treatments_.tolist() == ["a", "b", "c"]
    best = np.where(X["age"] > 60, "a", np.where(X["sex"] == "f", "b", "c"))
    assert np.mean(model.predict(X) == best) > 0.97
    assert model.result_.optimal


def test_value_is_near_the_truth_and_beats_the_others() -> None:
    model = PolicyTree(outcome_model=TREE, max_depth=2).fit(X, TREATMENT, OUTCOME)
    new, treatment, outcome = trial(seed=1)
    value = model.value(new, treatment, outcome)
    old, woman = new["age"] > 60, new["sex"] == "f"
    prescribed = model.predict(new)
    effect = np.select(
        [prescribed == "a", prescribed == "b"], [np.where(old, 2.0, -1.0), np.where(woman, 1.0, -1.0)], 0.0
    )
    assert abs(value.value - (effect + old).mean()) < 4 * value.standard_error
    assert value.observed is not None
    assert value.observed.value == pytest.approx(outcome.mean())
    assert value.observed.standard_error == pytest.approx(outcome.std(ddof=1) / np.sqrt(len(outcome)))
    assert value.gain_over_observed is not None
    assert value.gain_over_observed.value == pytest.approx(value.value - outcome.mean())
    assert value.gain_over_observed.value > 4 * value.gain_over_observed.standard_error
    assert value.best_constant == max(value.constants, key=lambda name: value.constants[name].value)
    assert value.gain_over_constant.value == pytest.approx(
        value.value - value.constants[value.best_constant].value
    )
    assert model.score(new, treatment, outcome) == value.value
    assert "policy" in value.summary()


def test_value_from_rewards() -> None:
    rewards = pd.DataFrame({"no": [0.0, 1.0, 0.0, 2.0], "yes": [1.0, 0.0, 3.0, 0.0]})
    table = np.array([[0], [1], [0], [1]], dtype=bool)
    model = PolicyTree(max_depth=1).fit(table, rewards=rewards)
    assert model.predict(table).tolist() == ["yes", "no", "yes", "no"]
    value = model.value(table, rewards=rewards)
    assert value.value == model.result_.objective == 7 / 4
    assert value.observed is None
    assert value.best_constant == "yes"
    assert "observed" not in value.summary()
    assert pickle.loads(pickle.dumps(model)).predict(table).tolist() == model.predict(table).tolist()


class Remember(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Predicts what it saw for the rows that it saw, and refuses to see them again."""

    def fit(self, X: Any, y: Any) -> Remember:
        self.seen_ = {tuple(row) for row in np.asarray(X).tolist()}
        return self

    def predict(self, X: Any) -> Any:
        assert not self.seen_ & {tuple(row) for row in np.asarray(X).tolist()}
        return np.zeros(len(X))


class RememberTreatment(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The same for treatments."""

    def fit(self, X: Any, y: Any) -> RememberTreatment:
        self.classes_ = np.unique(y)
        self.seen_ = {tuple(row) for row in np.asarray(X).tolist()}
        return self

    def predict_proba(self, X: Any) -> Any:
        assert not self.seen_ & {tuple(row) for row in np.asarray(X).tolist()}
        return np.full((len(X), self.classes_.size), 1 / self.classes_.size)


@pytest.mark.parametrize("kind", ["array", "pandas"])
def test_no_row_is_scored_by_a_model_that_saw_it(kind: str) -> None:
    table = np.random.default_rng(0).normal(size=(60, 2))
    data = table if kind == "array" else pd.DataFrame(table, columns=["p", "q"])
    model = PolicyTree(outcome_model=Remember(), propensity_model=RememberTreatment(), max_depth=1)
    treatment, outcome = np.arange(60) % 3, np.ones(60)
    model.fit(data, treatment, outcome)
    with pytest.raises(AssertionError):
        model.set_params(cv=None).fit(data, treatment, outcome)


def test_folds_spread_treatments_evenly() -> None:
    codes = np.repeat([0, 1, 2], [50, 7, 3])
    parts = folds_of(Trial(None, codes, np.zeros(60), [0, 1, 2]), Models(None, None, 5, 0.01))
    assert sorted(np.concatenate([scored for _, scored in parts]).tolist()) == list(range(60))
    for fitting, scored in parts:
        assert not set(fitting) & set(scored)
        assert abs(np.bincount(codes[scored], minlength=3)[1] - 7 / 5) < 1


def scores(teacher: Any, **more: Any) -> np.ndarray:
    """Scores of ten rows whose models predict what they see, to be worked out by hand."""
    table, codes = np.arange(10.0)[:, None], np.array([0, 1] * 5)
    outcome = np.arange(10.0)
    settings: dict[str, Any] = {"outcome": LinearRegression(), "propensity": DummyClassifier(), "folds": 1}
    models = Models(**(settings | {"clip": 0.01} | more))
    return scores_of(teacher, Trial(table, codes, outcome, ["no", "yes"]), models)


def test_teachers_by_hand() -> None:
    outcome, given = np.arange(10.0), np.eye(2)[np.array([0, 1] * 5)]
    np.testing.assert_allclose(scores("direct"), np.stack([outcome, outcome], axis=1))
    np.testing.assert_allclose(scores("inverse_propensity"), given * outcome[:, None] / 0.5)
    # The model predicts 4 for "no" and 5 for "yes"; the rest is doubled, since half the rows got each.
    constant = DummyRegressor()
    expected = np.array([[4.0, 5.0]]) + given * (outcome - given @ [4.0, 5.0])[:, None] / 0.5
    np.testing.assert_allclose(scores("doubly_robust", outcome=constant), expected)
    own = scores(lambda table, treatment, outcome, names: np.stack([outcome, treatment == names[1]], axis=1))
    np.testing.assert_allclose(own, np.stack([outcome, given[:, 1]], axis=1))


class DummyRegressor(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """The mean."""

    def fit(self, X: Any, y: Any) -> DummyRegressor:
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.mean_)


def test_a_classifier_can_predict_outcomes() -> None:
    outcome = (OUTCOME > 0).astype(float)
    model = PolicyTree("direct", outcome_model=LogisticRegression(), cv=2, max_depth=1)
    model.fit(NUMBERS, TREATMENT, outcome)
    assert 0 < model.result_.objective < 1


def test_clipping_warns_and_zero_is_refused() -> None:
    with pytest.warns(UserWarning, match="1 of 3 propensities are below clip=0.1, the least is 0.05"):
        assert clipped(np.array([0.05, 0.5, 0.1]), 0.1).tolist() == [0.1, 0.5, 0.1]
    with pytest.raises(ValueError, match="row 1 is 0, so that its weight would be infinite"):
        clipped(np.array([0.5, 0.0]), 0.0)
    with pytest.raises(ValueError, match="between 0 and 1, the model gives nan in row 0"):
        clipped(np.array([np.nan]), 0.1)
    sure = DecisionTreeClassifier(random_state=0)
    model = PolicyTree("inverse_propensity", propensity_model=sure, clip=0.0, cv=2)
    with pytest.raises(ValueError, match="set clip above 0"):
        model.fit(NUMBERS, TREATMENT, OUTCOME)
    with pytest.warns(UserWarning, match="propensities are below clip"):
        model.set_params(clip=0.05).fit(NUMBERS, TREATMENT, OUTCOME)


@pytest.mark.filterwarnings("ignore:1 of 600 propensities")
def test_a_treatment_that_some_part_has_not_seen() -> None:
    treatment = TREATMENT.copy()
    treatment[treatment == "c"] = "a"
    treatment[5] = "c"
    model = PolicyTree(max_depth=1, **QUICK)
    with pytest.warns(UserWarning, match=re.escape("['c'] were given to so few rows")):
        model.fit(NUMBERS, treatment, OUTCOME)
    assert np.isfinite(model.result_.objective)


def test_a_treatment_never_observed_in_held_out_rows() -> None:
    model = PolicyTree(outcome_model=TREE, max_depth=2).fit(X, TREATMENT, OUTCOME)
    without = TREATMENT != "a"
    with pytest.raises(ValueError, match=r"prescribes 'a' for \d+ rows, but none of these rows got it"):
        model.value(X[without], TREATMENT[without], OUTCOME[without])
    young = (model.predict(X) != "a") & without
    value = model.value(X[young], TREATMENT[young], OUTCOME[young])
    assert set(value.constants) == {"b", "c"}


def test_rewards_as_frames_go_by_name() -> None:
    rewards = pd.DataFrame({2: [0.0, 1.0], 1: [3.0, 0.0]})
    table = np.array([[True], [False]])
    model = PolicyTree(max_depth=1).fit(table, rewards=rewards)
    assert model.predict(table).tolist() == [1, 2]
    assert model.value(table, rewards=rewards[[1, 2]]).value == 2.0
    with pytest.raises(ValueError, match=re.escape("columns [2, 1] that were fitted, got [2, 3]")):
        model.value(table, rewards=rewards.rename(columns={1: 3}))


def test_no_reward_is_zero_and_not_minus_zero() -> None:
    model = PolicyTree(max_depth=1).fit(np.eye(2, dtype=bool), rewards=[[0.0, -1.0], [0.0, 2.0]])
    assert "reward 0)" in model.tree_.to_text()


def test_polars_frames() -> None:
    frame, treatment = pl.from_pandas(X), pl.Series(TREATMENT)
    model = PolicyTree("inverse_propensity", max_depth=2).fit(frame, treatment, pl.Series(OUTCOME))
    again = PolicyTree("inverse_propensity", max_depth=2).fit(X, TREATMENT, OUTCOME)
    assert model.predict(frame).tolist() == again.predict(X).tolist()


def test_treatments_keep_their_type_and_reproduce() -> None:
    treatment = (TREATMENT == "a").astype(int) * 10
    models = [PolicyTree(max_depth=1, **QUICK).fit(NUMBERS, treatment, OUTCOME) for _ in range(2)]
    assert models[0].predict(NUMBERS).dtype.kind == "i"
    assert set(models[0].predict(NUMBERS)) <= {0, 10}
    assert models[0].tree_ == models[1].tree_


def test_missing_values_and_strings_reach_the_default_models() -> None:
    table = X.copy()
    table.loc[::7, "age"] = np.nan
    binarizer = Binarizer(missing="indicator")
    model = PolicyTree(outcome_model=TREE, max_depth=1, binarizer=binarizer, cv=2).fit(
        table, TREATMENT, OUTCOME
    )
    assert np.isfinite(model.value(table, TREATMENT, OUTCOME).value)


def test_cross_validation_with_routed_outcomes() -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        model = PolicyTree(max_depth=1, **QUICK)
        model.set_fit_request(outcome=True).set_score_request(outcome=True)
        found = cross_validate(model, NUMBERS, TREATMENT, cv=3, params={"outcome": OUTCOME})
    assert (found["test_score"] > OUTCOME.mean()).all()


BITS = np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)], dtype=bool)
GAINS = np.stack([np.zeros(8), np.arange(8.0) - 2, np.full(8, 0.5)], axis=1)


@pytest.mark.parametrize(
    ("capacity", "expected"), [({1: 2}, (5 + 4 + 6 * 0.5) / 8), ({1: 0.25, 2: 0.0}, 9 / 8)]
)
def test_capacity(capacity: dict[int, float], expected: float) -> None:
    model = PolicyTree(capacity=capacity, max_depth=2).fit(BITS, rewards=GAINS)
    assert model.result_.objective == pytest.approx(expected)
    assert model.result_.optimal
    assert np.sum(model.predict(BITS) == 1) <= 2


def test_budget() -> None:
    model = PolicyTree(treatment_costs={1: 3.0, 2: 0.1}, budget=0.75, max_depth=2).fit(BITS, rewards=GAINS)
    given = np.bincount(model.predict(BITS), minlength=3)
    assert given @ [0, 3.0, 0.1] <= 6 + 1e-9
    assert model.result_.objective == pytest.approx(9 / 8)


def test_infeasible_capacity_says_the_least_that_works() -> None:
    limits = {0: 0, 1: 3, 2: 0}
    message = (
        "no tree keeps 0 for at most 0 rows, 1 for at most 3 rows, 2 for at most 0 rows; the least that works"
    )
    with pytest.raises(InfeasibleError, match=message):
        PolicyTree(capacity=limits, max_depth=2).fit(BITS, rewards=GAINS)
    with pytest.raises(InfeasibleError, match=re.escape("1 for at most 1 of the rows")):
        PolicyTree(capacity={0: 0.0, 1: 0.5}, max_depth=0).fit(BITS, rewards=GAINS[:, :2])


BAD = [
    ({"teacher": "oracle"}, {}, ValueError, "teacher must be one of 'direct', 'inverse_propensity'"),
    ({"cv": 0}, {}, ValueError, "cv must be an integer >= 1 or None"),
    ({"cv": 601}, {}, ValueError, "cv=601 needs at least as many rows, got 600"),
    ({"clip": 1.0}, {}, ValueError, "clip must be a number from 0 to below 1"),
    ({"clip": -0.1}, {}, ValueError, "clip must be"),
    ({"outcome_model": 3}, {}, TypeError, "outcome_model must be an estimator with fit and predict"),
    ({"propensity_model": LinearRegression()}, {}, TypeError, "with fit and predict_proba"),
    ({"capacity": {"d": 0.5}}, {}, ValueError, "none of the treatments ['a', 'b', 'c']"),
    ({"capacity": {"a": 1.01}}, {}, ValueError, "share from 0.0 to 1.0"),
    ({"capacity": {"a": -3}}, {}, ValueError, "not be negative"),
    ({"budget": 3}, {}, ValueError, "need each other"),
    ({}, {"outcome": np.where(np.arange(600) == 7, np.nan, 1.0)}, ValueError, "got nan in row 7"),
    ({}, {"outcome": ["x"] * 600}, TypeError, "outcome must hold numbers"),
    ({}, {"outcome": np.ones((600, 2))}, ValueError, "one-dimensional"),
    ({}, {"outcome": np.ones(599)}, ValueError, "inconsistent numbers of samples"),
    ({}, {"outcome": None}, ValueError, "both treatment and outcome, or rewards"),
    ({}, {"treatment": [None] * 600}, ValueError, "treatment must not contain missing values"),
    ({}, {"treatment": np.ones((600, 2))}, ValueError, "treatment must be one-dimensional"),
    ({}, {"rewards": np.ones((600, 2))}, ValueError, "not both"),
    (
        {"teacher": lambda *data: np.ones(3)},
        {},
        ValueError,
        "scores of shape (600, 3), one per row and treatment, got (3,)",
    ),
]


@pytest.mark.parametrize(("parameters", "data", "error", "message"), BAD)
def test_bad_input(
    parameters: dict[str, Any], data: dict[str, Any], error: type[Exception], message: str
) -> None:
    model = PolicyTree(**(QUICK | {"max_depth": 1} | parameters))
    with pytest.raises(error, match=re.escape(message)):
        model.fit(NUMBERS, **({"treatment": TREATMENT, "outcome": OUTCOME} | data))


def test_bad_input_after_fitting() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = PolicyTree(max_depth=1, **QUICK).fit(NUMBERS, TREATMENT, OUTCOME)
    with pytest.raises(ValueError, match=re.escape("['z'], the policy knows only ['a', 'b', 'c']")):
        model.value(NUMBERS, ["z"] * 600, OUTCOME)
    with pytest.raises(ValueError, match="rewards must have 3 columns, got 2"):
        model.value(NUMBERS, rewards=np.ones((600, 2)))
    with pytest.raises(ValueError, match="value needs both"):
        model.value(NUMBERS, TREATMENT)
    with pytest.raises(ValueError, match="not both"):
        model.value(NUMBERS, TREATMENT, OUTCOME, rewards=np.ones((600, 3)))
