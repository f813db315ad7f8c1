"""The cost-sensitive classifier: costs of errors and tests, per class or per row, and what it reports."""

from __future__ import annotations

import inspect
import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.preprocessing import OneHotEncoder

from streed import CostSensitiveTreeClassifier, FeatureCosts, OptimalTreeClassifier, PolicyTree
from streed.datasets import read_cost_file
from streed.limits import share
from tests.rescore import rescore
from tests.support import DATA, read_dataset

rng = np.random.default_rng(3)
FRAME = pd.DataFrame(
    {"age": rng.integers(20, 80, 60), "test": rng.normal(size=60), "sex": rng.choice(["f", "m"], 60)}
)
Y = np.where((FRAME["age"] > 50) & (FRAME["test"] > 0), "ill", "well")
MATRIX = np.array([[0.0, 8.0], [2.0, 0.0]])
PRICES = FeatureCosts({"age": 0.1, "test": 1.5}, discounted={"test": 1.0}, groups={"age": "g", "test": "g"})


def test_without_costs_it_is_the_accuracy_tree() -> None:
    costs = CostSensitiveTreeClassifier(max_depth=2).fit(FRAME, Y)
    assert costs.result_.objective == OptimalTreeClassifier(max_depth=2).fit(FRAME, Y).result_.objective


def test_reports_split_and_normalised_costs() -> None:
    model = CostSensitiveTreeClassifier(misclassification_costs=MATRIX, feature_costs=PRICES).fit(FRAME, Y)
    prediction, codes = model.predict(FRAME), (Y == "well").astype(int)
    errors = MATRIX[codes, (prediction == "well").astype(int)].mean()
    tests = model.test_costs(FRAME)
    report = model.expected_costs_
    assert report.misclassification == pytest.approx(errors)
    assert report.tests == pytest.approx(tests.mean())
    assert report.total == pytest.approx(model.result_.objective / len(Y))
    standard = 0.1 + 1.0 + min(codes.mean(), 1 - codes.mean()) * 8.0
    assert report.normalized == pytest.approx(report.total / standard)
    assert model.expected_costs(FRAME, Y) == report
    assert model.score(FRAME, Y) == -report.total
    assert set(np.round(tests, 9)) <= {0.0, 0.1, 1.1, 1.5, 1.6}


def test_text_shows_prices_along_the_path() -> None:
    model = CostSensitiveTreeClassifier(misclassification_costs=9 * MATRIX, feature_costs=PRICES).fit(
        FRAME, Y
    )
    text = model.tree_.to_text()
    assert "[0.1]" in text
    assert "[1]" in text  # the discounted price of the test, once the age is known
    assert "tests 1.1" in text
    again = type(model.tree_).from_dict(model.tree_.to_dict(keep_unused=True))
    assert again == model.tree_
    assert again.to_text() == text


def test_trees_of_all_forms_speak_of_columns() -> None:
    for model in (
        CostSensitiveTreeClassifier(feature_costs=PRICES, max_depth=2).fit(FRAME, Y),
        CostSensitiveTreeClassifier(max_depth=2).fit(FRAME, costs=MATRIX[(Y == "well").astype(int)]),
        PolicyTree(max_depth=2).fit(FRAME, rewards=-MATRIX[(Y == "well").astype(int)]),
        PolicyTree(max_depth=2, capacity={1: 30}).fit(FRAME, rewards=-MATRIX[(Y == "well").astype(int)]),
    ):
        assert model.tree_.conditions == tuple(model.binarizer_.conditions_)
        assert "if age > " in model.tree_.to_rules()


def test_columns_that_give_several_features_share_one_price() -> None:
    """Two cuts of one column cost as much as one: 60 rows pay the price once."""
    y = pd.cut(FRAME["age"], [0, 40, 60, 100], labels=["young", "middle", "old"]).to_numpy().astype(str)
    model = CostSensitiveTreeClassifier(
        misclassification_costs=100 * (1 - np.eye(3)), feature_costs=FeatureCosts({"age": 2.0}), max_depth=2
    ).fit(FRAME[["age"]], y)
    assert model.expected_costs_.tests == pytest.approx(2.0)
    assert model.tree_.n_nodes == 2


def test_costs_per_row_with_names_of_labels() -> None:
    costs = pd.DataFrame({"wait": np.where(Y == "ill", 5.0, 0.0), "treat": np.where(Y == "ill", -1.0, 1.0)})
    model = CostSensitiveTreeClassifier(max_depth=2).fit(FRAME, costs=costs)
    assert model.classes_.tolist() == ["wait", "treat"]
    assert set(model.predict(FRAME)) == {"wait", "treat"}
    assert model.expected_costs_.normalized is None
    assert model.score(FRAME, costs=costs) == pytest.approx(-model.result_.objective / len(Y))
    assert model.score(FRAME, costs=costs[["treat", "wait"]]) == model.score(FRAME, costs=costs)
    assert not hasattr(model, "predict_proba")
    assert pickle.loads(pickle.dumps(model)).predict(FRAME).tolist() == model.predict(FRAME).tolist()


def test_row_costs_of_a_matrix_give_the_same_optimum() -> None:
    codes = (Y == "well").astype(int)
    by_class = CostSensitiveTreeClassifier(misclassification_costs=MATRIX, feature_costs=PRICES)
    by_row = CostSensitiveTreeClassifier(feature_costs=PRICES).fit(FRAME, costs=MATRIX[codes])
    assert by_class.fit(FRAME, Y).result_.objective == pytest.approx(by_row.result_.objective)


def test_sample_weight() -> None:
    weights = np.random.default_rng(0).integers(0, 4, len(Y))
    model = CostSensitiveTreeClassifier(misclassification_costs=MATRIX, max_depth=2)
    weighted = clone(model).fit(FRAME, Y, sample_weight=weights).result_.objective
    repeated = np.repeat(np.arange(len(Y)), weights)
    assert weighted == clone(model).fit(FRAME.iloc[repeated], Y[repeated]).result_.objective
    zero_or_one = (weights > 0).astype(float)
    priced = CostSensitiveTreeClassifier(misclassification_costs=MATRIX, feature_costs=PRICES)
    left = priced.fit(FRAME, Y, sample_weight=zero_or_one)
    assert left.expected_costs_.total == pytest.approx(left.result_.objective / zero_or_one.sum())
    assert left.expected_costs(FRAME, Y, sample_weight=zero_or_one) == left.expected_costs_
    assert left.score(FRAME, Y, sample_weight=zero_or_one) == -left.expected_costs_.total
    assert left.score(FRAME, Y) != -left.expected_costs_.total


def test_grid_search_and_routing_of_costs() -> None:
    model = CostSensitiveTreeClassifier(misclassification_costs=MATRIX, feature_costs=PRICES)
    search = GridSearchCV(model, {"max_depth": [0, 2]}, cv=3).fit(FRAME, Y)
    assert search.best_params_ == {"max_depth": 2}
    costs = MATRIX[(Y == "well").astype(int)]
    with sklearn.config_context(enable_metadata_routing=True):
        routed = CostSensitiveTreeClassifier(max_depth=1)
        routed.set_fit_request(costs=True).set_score_request(costs=True)
        scores = cross_validate(routed, FRAME, cv=3, params={"costs": costs})["test_score"]
    assert (scores <= 0).all()


def test_own_binarizer_must_say_where_features_come_from() -> None:
    prices = FeatureCosts({"sex": 1.0})
    encoder = OneHotEncoder(categories=[["f", "m", "x"]], dtype=bool)
    model = CostSensitiveTreeClassifier(feature_costs=prices, binarizer=encoder)
    with pytest.raises(ValueError, match="feature_columns_"):
        model.fit(FRAME[["sex"]], Y)


@pytest.mark.parametrize("level", ["low", "middle", "high"])
def test_cost_files(level: str) -> None:
    """A file's prices fit the binary columns, also through the estimator."""
    X, y = read_dataset("cost-sensitive/hepatitis")
    matrix, prices = read_cost_file(Path(DATA) / f"cost-sensitive/hepatitis-{level}-costs.csv")
    model = CostSensitiveTreeClassifier(misclassification_costs=matrix, feature_costs=prices, max_depth=2)
    model.fit(X.astype(bool), y)
    tests = [
        (t.name, t.group, t.full, t.discounted) for t in prices.tests([f"x{j}" for j in range(X.shape[1])])
    ]
    codes = np.unique(y, return_inverse=True)[1]
    total = rescore(model.tree_, X, matrix[codes], tests)
    assert model.result_.objective == pytest.approx(total)
    assert model.expected_costs_.total == pytest.approx(total / len(y))
    assert model.expected_costs_.normalized == pytest.approx(
        total
        / len(y)
        / (
            prices.total([f"x{j}" for j in range(19 + 1)])
            + (1 - np.bincount(codes).max() / len(y)) * matrix.max()
        )
    )


BAD = [
    ({"misclassification_costs": np.eye(3)}, {"y": Y}, ValueError, "shape (2, 2) for the labels"),
    (
        {"feature_costs": FeatureCosts({"weight": 1})},
        {"y": Y},
        ValueError,
        "costs has 'weight', which is none",
    ),
    ({"feature_costs": FeatureCosts([1, 2])}, {"y": Y}, ValueError, "each of the 3 columns, got 2"),
    ({"feature_costs": "age"}, {"y": Y}, TypeError, "must be a streed.FeatureCosts"),
    ({}, {"y": Y, "costs": np.ones((60, 2))}, ValueError, "not both"),
    ({"misclassification_costs": MATRIX}, {"costs": np.ones((60, 2))}, ValueError, "must be None"),
    ({}, {"costs": np.ones((59, 2))}, ValueError, "inconsistent numbers of samples"),
    ({}, {"costs": np.full((60, 2), np.nan)}, ValueError, "costs must be finite"),
    ({"max_depth": -1}, {"y": Y}, ValueError, "max_depth"),
]


@pytest.mark.parametrize(("parameters", "data", "error", "message"), BAD)
def test_bad_input(
    parameters: dict[str, Any], data: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        CostSensitiveTreeClassifier(**parameters).fit(FRAME, **data)


def test_bad_input_after_fitting() -> None:
    model = CostSensitiveTreeClassifier(max_depth=1).fit(FRAME, Y)
    with pytest.raises(ValueError, match="y is needed here"):
        model.score(FRAME)
    with pytest.raises(ValueError, match=re.escape("labels ['dead'] that were not there")):
        model.score(FRAME, ["dead"] * len(Y))
    by_row = CostSensitiveTreeClassifier(max_depth=1).fit(FRAME, costs=np.ones((60, 2)))
    with pytest.raises(ValueError, match="costs are needed here too"):
        by_row.score(FRAME, Y)
    with pytest.raises(ValueError, match="costs must have 2 columns, got 3"):
        by_row.score(FRAME, costs=np.ones((60, 3)))


def test_expected_costs_are_those_of_the_training_rows() -> None:
    costs = np.where(Y == "ill", 5.0, 0.25)[:, None] * [0.0, 1.0] + (Y == "well")[:, None] * [2.0, 0.0]
    weights, some = np.arange(len(Y)) % 3 + 0.5, np.arange(len(Y)) % 3 != 0
    cases: list[tuple[FeatureCosts | None, dict[str, Any]]] = [
        (PRICES, {"y": Y}),
        (PRICES, {"y": Y, "sample_weight": some}),
        (None, {"y": Y, "sample_weight": weights}),
        (None, {"costs": costs}),
        (None, {"costs": costs, "sample_weight": weights}),
        (PRICES, {"costs": costs, "sample_weight": some}),
    ]
    for prices, given in cases:
        model = CostSensitiveTreeClassifier(max_depth=2, feature_costs=prices)
        assert not hasattr(model, "expected_costs_")
        model.fit(FRAME, **given)
        slow = model.expected_costs(FRAME, **given)
        fast = pickle.loads(pickle.dumps(model)).expected_costs_
        for name in ("total", "misclassification", "tests", "normalized"):
            assert getattr(fast, name) == pytest.approx(getattr(slow, name))
        model.set_params(feature_costs=None)
        assert model.expected_costs_ == fast


def test_a_fit_with_prices_repeated_and_cloned() -> None:
    model = CostSensitiveTreeClassifier(feature_costs=PRICES, max_depth=2).fit(FRAME, Y)
    other = FRAME.rename(columns={"age": "years"})
    with pytest.raises(ValueError, match="none of the columns"):
        clone(model).fit(other, Y)
    assert clone(model).fit(FRAME, Y).tree_ == model.fit(FRAME, Y).tree_
    assert clone(model).get_params()["feature_costs"] == PRICES


def test_a_capacity_is_a_limit_or_a_policy() -> None:
    made: Any = CostSensitiveTreeClassifier
    with pytest.raises(TypeError, match=r"constraints=\[streed.limits.share.*PolicyTree\(capacity"):
        made(capacity={"check": 6})
    with pytest.raises(TypeError, match="unexpected keyword argument 'capacities'"):
        made(capacities=1)
    assert "max_depth" in inspect.signature(CostSensitiveTreeClassifier).parameters
    amounts = FRAME["age"] * (FRAME["test"] > 0.3)
    costs = pd.DataFrame({"pay": amounts, "check": np.full(60, 15.0)})
    few = [share("check") <= 0.1]
    limited = CostSensitiveTreeClassifier(max_depth=2, constraints=few).fit(FRAME, costs=costs)
    policy = PolicyTree(max_depth=2, capacity={"check": 6}).fit(FRAME, rewards=-costs)
    assert (limited.predict(FRAME) == "check").sum() <= 6
    assert limited.result_.objective == pytest.approx(-60 * policy.result_.objective)
