"""What `Result.summary` says beside value and proof: accuracy, confusion, simpler models, the next step."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, r2_score
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import streed
from streed.tree.baseline import Baseline


def people(n: int = 240, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {"age": rng.integers(18, 80, n), "income": rng.normal(50, 15, n), "own": rng.random(n) < 0.4}
    )
    y = np.select([X["age"] > 60, X["own"] & (X["income"] > 45)], ["old", "rich"], "other")
    return X, np.where(rng.random(n) < 0.15, rng.choice(["old", "rich", "other"], n), y)


def line_with(text: str, word: str) -> str:
    return next(line for line in text.splitlines() if word in line)


def test_accuracy_is_counted() -> None:
    X, y = people()
    model = streed.OptimalTreeClassifier(max_depth=2).fit(X, y)
    summary = model.result_.summary()
    right = int((model.predict(X) == y).sum())
    most = pd.Series(y).value_counts()
    said = line_with(summary, "accuracy")
    assert f"accuracy {100 * right / len(y):.1f} % ({right} of {len(y)} rows right)" in said
    assert f"always {most.index[0]}: {100 * most.iloc[0] / len(y):.1f} %" in said
    table = confusion_matrix(y, model.predict(X), labels=model.classes_)
    rows = summary.splitlines()
    at = next(k for k, line in enumerate(rows) if line.endswith("predicted"))
    assert rows[at + 1].split() == list(model.classes_)
    for name, row, line in zip(model.classes_, table, rows[at + 2 :], strict=False):
        assert line.split() == [name, *map(str, row)]


@pytest.mark.parametrize("cuts", ["auto", "binned"])
@pytest.mark.parametrize("seed", range(4))
def test_the_greedy_tree_is_like_that_of_scikit_learn(cuts: str, seed: int) -> None:
    """On columns of two values there is nothing to choose but the columns."""
    rng = np.random.default_rng(seed)
    X, y = rng.random((200, 6)) < 0.5, rng.integers(0, 3, 200)
    model = streed.OptimalTreeClassifier(max_depth=3, cuts=cuts).fit(X, y)
    theirs = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    errors = 200 - int(accuracy_score(y, theirs.predict(X), normalize=False))
    assert model.result_.baseline is not None
    assert model.result_.baseline.greedy is not None
    assert model.result_.objective <= model.result_.baseline.greedy
    assert abs(model.result_.baseline.greedy - errors) <= 6  # equally good splits are chosen differently


def test_thresholds_have_a_greedy_tree_too() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    y = 3 * (X[:, 0] > 0.2) + np.where(X[:, 1] > 0, X[:, 2] > 0, 0) + rng.normal(0, 0.2, 300)
    model = streed.OptimalTreeRegressor(max_depth=2).fit(X, y)
    theirs = DecisionTreeRegressor(max_depth=2).fit(X, y)
    assert model.result_.baseline is not None
    assert model.result_.baseline.greedy == pytest.approx(((y - theirs.predict(X)) ** 2).sum())
    said = line_with(model.result_.summary(), "R2")
    assert f"R2 {r2_score(y, model.predict(X)):.3f}: typical error" in said
    assert f"a greedy tree of the same limits: R2 {theirs.score(X, y):.3f}" in said


def test_single_leaves() -> None:
    X, y = people()
    costs = [[0, 2, 5], [1, 0, 3], [4, 1, 0]]
    make = streed.CostSensitiveTreeClassifier
    model = make(misclassification_costs=costs, max_depth=2).fit(X, y)
    alone = make(misclassification_costs=costs, max_depth=0).fit(X, y)
    assert model.result_.baseline is not None
    assert model.result_.baseline.single_leaf == pytest.approx(alone.result_.objective)
    assert "cost per row" in model.result_.summary()
    rewards = np.random.default_rng(0).random((len(y), 2)) + (y == "old")[:, None] * [0.0, 1.0]
    policy = streed.PolicyTree(max_depth=2).fit(X, rewards=rewards)
    best = streed.PolicyTree(max_depth=0).fit(X, rewards=rewards)
    assert policy.result_.baseline is not None
    assert policy.result_.baseline.single_leaf == pytest.approx(best.result_.objective)
    assert "reward per row" in policy.result_.summary()


def test_every_kind_of_number_has_a_name() -> None:
    X, _ = people()
    numbers = (X["income"] * 1000).to_numpy()
    assert "typical error ± " in streed.OptimalTreeRegressor(max_depth=1).fit(X, numbers).result_.summary()
    other = streed.OptimalTreeRegressor("absolute_error", max_depth=1).fit(X[["age"]], X["age"] % 9)
    assert "absolute error per row" in other.result_.summary()
    survival = streed.SurvivalTree(max_depth=1).fit(X, (X["own"], X["age"]))
    assert "times the average" in survival.result_.summary()
    assert "of average" in survival.tree_.to_text()
    assert "of average" in survival.tree_.to_html()
    large = streed.OptimalTreeRegressor(max_depth=1).fit(X, numbers * 100)
    assert "e+" not in large.result_.summary() + large.tree_.to_text()


def test_weights_are_called_weights() -> None:
    X, y = people()
    model = streed.OptimalTreeClassifier(max_depth=1, class_weight="balanced").fit(X, y)
    said = line_with(model.result_.summary(), "accuracy")
    right = int((model.predict(X) == y).sum())
    balanced = np.mean([(model.predict(X) == y)[y == label].mean() for label in model.classes_])
    assert f"({right} of {len(y)} rows right), weighted {100 * balanced:.1f} %" in said


def test_copies_keep_what_the_fit_knew() -> None:
    X, y = people()
    result = streed.OptimalTreeClassifier(max_depth=2).fit(X, y).result_
    for other in (pickle.loads(pickle.dumps(result)), copy.deepcopy(result)):
        assert other.summary() == result.summary()
        assert isinstance(other.baseline, Baseline)
        assert isinstance(result.baseline, Baseline)
        assert other.baseline.greedy == result.baseline.greedy
    assert result == copy.copy(result)


def test_large_tables_have_a_greedy_tree_where_it_is_cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streed.estimators.fitted.baseline.FEW_CELLS", 10)
    monkeypatch.setattr("streed.estimators.fitted.baseline.SHARE", 1e9)
    X, y = people()
    eager = streed.OptimalTreeClassifier(max_depth=2).fit(X, y).result_.baseline
    assert isinstance(eager, Baseline)
    assert eager.greedy is not None
    monkeypatch.setattr("streed.estimators.fitted.baseline.SHARE", 0.0)
    assert streed.OptimalTreeClassifier(max_depth=2).fit(X, y).result_.baseline is None


def test_the_next_step() -> None:
    X, y = people()
    perfect = streed.OptimalTreeClassifier(max_depth=2).fit(X[["own"]], X["own"])
    assert "no row is wrong" in perfect.result_.advice
    bits = np.random.default_rng(0).random((200, 12)) < 0.5
    further = streed.OptimalTreeClassifier(max_depth=3).fit(bits, np.arange(200) % 2)
    assert "max_depth=4 takes about" in further.result_.advice
    tuned = streed.OptimalTreeClassifier(max_depth=2, tune="holdout").fit(X, y).result_
    assert "tuned size: 1 branching node" in tuned.advice
    assert "takes about" not in tuned.advice
