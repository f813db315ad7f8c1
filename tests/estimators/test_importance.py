"""`feature_importances_`: exact drops of the objective, against a twin that looks at all sets of columns."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import RFE, SelectFromModel

import streed

COSTS = [[0, 1, 4], [2, 0, 1], [3, 1, 0]]
MODELS: dict[str, Any] = {
    "accuracy": streed.OptimalTreeClassifier(max_depth=3),
    "balanced": streed.OptimalTreeClassifier("balanced_accuracy", max_depth=2),
    "weights": streed.OptimalTreeClassifier(max_depth=2, class_weight={0: 0.5, 1: 3, 2: 1}),
    "gini": streed.OptimalTreeClassifier("gini", max_depth=2),
    "log_loss": streed.OptimalTreeClassifier("log_loss", max_depth=2),
    "costs": streed.CostSensitiveTreeClassifier(misclassification_costs=COSTS, max_depth=2),
    "squares": streed.OptimalTreeRegressor(max_depth=2),
    "absolute": streed.OptimalTreeRegressor("absolute_error", max_depth=2),
    "poisson": streed.OptimalTreeRegressor("poisson", max_depth=2),
    "lines": streed.OptimalTreeRegressor(max_depth=1, leaf_model="simple_linear"),
}


def table(seed: int, n: int = 40) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.integers(0, 9, n), "b": rng.integers(0, 9, n), "c": rng.random(n) < 0.5})
    y = (X["a"] + 2 * (X["b"] > 4) * X["c"]).to_numpy() % 3
    return X, np.where(rng.random(n) < 0.2, rng.integers(0, 3, n), y)


def single_leaf(model: Any, X: Any, y: Any) -> float:
    """The value of one leaf that predicts a constant."""
    alone = clone(model).set_params(max_depth=0)
    if "leaf_model" in alone.get_params():
        alone.set_params(leaf_model="constant")
    return float(alone.fit(X, y).result_.objective)


@pytest.mark.parametrize("name", MODELS)
def test_drops_add_up_to_what_the_tree_saves(name: str) -> None:
    X, y = table(3)
    model = clone(MODELS[name]).fit(X, y)
    whole = abs(model.result_.objective - single_leaf(model, X, y))
    assert whole > 0
    assert math.isclose(model.feature_drops_.sum(), whole, rel_tol=1e-9)
    assert math.isclose(model.feature_importances_.sum(), 1.0)
    tested = {test.column for test in model.tree_.tests if test is not None}
    worth = set(X.columns[model.feature_importances_ > 0])
    assert worth >= tested
    if name != "lines":
        assert worth == tested


def errors_of(tree: Any, leaf: NDArray[np.int64], y: NDArray[np.int64], columns: set[str]) -> int:
    """Errors of the tree cut back to splits that are reached by tests of some columns alone."""
    parents = {child: node for node, *children in tree.branches() for child in children}

    def cut(node: int) -> int:
        above = []
        while node in parents:
            node = parents[node]
            above.append(node)
        kept = 0
        for node in reversed(above):  # the first split on the way that is not one of these columns' ends it
            if tree.tests[node].column not in columns:
                return node * 2
            kept = node
        return kept * 2 + 1

    groups: dict[int, list[int]] = {}
    for row, end in enumerate(leaf.tolist()):
        place = cut(end)
        groups.setdefault(end + 1000 if place % 2 else place // 2, []).append(y[row])
    return sum(len(rows) - int(np.bincount(rows).max()) for rows in groups.values())


@given(st.integers(0, 10_000))
def test_drops_are_shapley_values(seed: int) -> None:
    X, y = table(seed, n=25)
    model = streed.OptimalTreeClassifier(max_depth=3).fit(X, y)
    leaf, names = model.apply(X), list(X.columns)
    for place, name in enumerate(names):
        others = [other for other in names if other != name]
        expected = 0.0
        for size in range(len(others) + 1):
            for some in itertools.combinations(others, size):
                share = math.factorial(size) * math.factorial(len(others) - size) / math.factorial(len(names))
                without = errors_of(model.tree_, leaf, y, set(some))
                expected += share * (without - errors_of(model.tree_, leaf, y, {*some, name}))
        assert math.isclose(model.feature_drops_[place], expected, abs_tol=1e-9)


def test_a_split_that_prepares_others_counts() -> None:
    X = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1]] * 3)
    model = streed.OptimalTreeClassifier(max_depth=2).fit(X, X[:, 0] ^ X[:, 1])
    assert model.feature_importances_.tolist() == [0.5, 0.5, 0.0]


def test_other_estimators() -> None:
    X, y = table(5)
    rng = np.random.default_rng(0)
    rewards = rng.random((len(y), 3)) + (y[:, None] == np.arange(3))
    policy = streed.PolicyTree(max_depth=2).fit(X, rewards=rewards)
    alone = streed.PolicyTree(max_depth=0).fit(X, rewards=rewards)
    saved = policy.result_.objective - alone.result_.objective
    assert math.isclose(policy.feature_drops_.sum(), saved, rel_tol=1e-9)
    targets = (rng.random(len(y)) < 0.8, X["a"] + 1 + rng.random(len(y)))
    survival = streed.SurvivalTree(max_depth=2).fit(X, targets)
    whole = streed.SurvivalTree(max_depth=0).fit(X, targets).result_.objective - survival.result_.objective
    assert math.isclose(survival.feature_drops_.sum(), whole, rel_tol=1e-9)
    fair = streed.FairTreeClassifier(max_depth=2).fit(X, y > 0, sensitive_features=X["c"])
    assert math.isclose(fair.feature_importances_.sum(), 1.0)
    prices = {"a": 0.01, "b": 0.02, "c": 0.01}
    costs = streed.CostSensitiveTreeClassifier(
        misclassification_costs=COSTS, feature_costs=prices, max_depth=2
    )
    assert math.isclose(costs.fit(X, y).feature_importances_.sum(), 1.0)


@pytest.mark.parametrize("metric", ["f1", "mcc", "min_recall", "g_mean"])
def test_metrics_count_by_their_slopes(metric: str) -> None:
    X, y = table(4)
    model = streed.OptimalTreeClassifier(metric, max_depth=2).fit(X, y > 0)
    tested = {test.column for test in model.tree_.tests if test is not None}
    assert math.isclose(model.feature_importances_.sum(), 1.0)
    assert set(X.columns[model.feature_importances_ > 0]) <= tested


def test_selection_by_importance() -> None:
    X, y = table(1)
    kept = SelectFromModel(streed.OptimalTreeClassifier(max_depth=2), threshold=1e-12).fit(X, y)
    model = streed.OptimalTreeClassifier(max_depth=2).fit(X, y)
    assert list(kept.get_feature_names_out()) == list(X.columns[model.feature_importances_ > 0])
    noisy = X.assign(d=np.arange(len(y)) % 2, e=1.0)
    rest = RFE(streed.OptimalTreeClassifier(max_depth=2), n_features_to_select=2).fit(noisy, y)
    assert rest.support_.sum() == 2
    assert not rest.support_[4]


def test_paths_and_single_leaves() -> None:
    X, y = table(2)
    path = streed.OptimalTreeClassifier("gini", max_depth=2).path(X, y)
    for size in range(len(path)):
        model = path.estimator(size)
        saved = path[0].objective - path[size].objective
        assert math.isclose(model.feature_drops_.sum(), saved, rel_tol=1e-9, abs_tol=1e-12)
    assert path.estimator(0).feature_importances_.tolist() == [0.0, 0.0, 0.0]


def test_what_has_no_importances_says_why() -> None:
    X, y = table(2)
    with pytest.raises(NotFittedError):
        _ = streed.OptimalTreeClassifier().feature_importances_
    worst = streed.OptimalTreeClassifier(
        lambda y: streed.tasks.LabelCosts(1.0 - (np.asarray(y)[:, None] == [0, 1, 2]), combination="max"),
        max_depth=1,
    )
    with pytest.raises(AttributeError, match="worst leaf"):
        _ = worst.fit(X, y).feature_importances_
