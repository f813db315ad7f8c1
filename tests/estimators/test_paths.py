"""`path` and `tune` of the estimators against fits of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit

import streed
from streed.survival import survival_target

RNG = np.random.default_rng(11)
BITS = RNG.integers(2, size=(120, 6))
LABELS = np.where((BITS[:, 0] & BITS[:, 1]) ^ (RNG.random(120) < 0.15), "yes", "no")
NUMBERS = BITS[:, 0] * 2.0 + BITS[:, 1] + RNG.normal(size=120)
GROUPS = RNG.choice(["a", "b"], size=120)
PRICES = streed.FeatureCosts([k / 20 for k in range(6)])
COSTS = RNG.integers(9, size=(120, 3)).astype(float)

CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "accuracy": (streed.OptimalTreeClassifier(max_depth=3), {"y": LABELS}),
    "priced": (streed.OptimalTreeClassifier(max_depth=3, cost_complexity=0.02), {"y": LABELS}),
    "leaf size": (streed.OptimalTreeClassifier(max_depth=3, min_samples_leaf=7), {"y": LABELS}),
    "f1": (streed.OptimalTreeClassifier("f1", max_depth=2), {"y": LABELS}),
    "costs": (streed.CostSensitiveTreeClassifier(max_depth=3), {"costs": COSTS}),
    "tests": (
        streed.CostSensitiveTreeClassifier(
            max_depth=3, misclassification_costs=[[0, 2], [3, 0]], feature_costs=PRICES
        ),
        {"y": LABELS},
    ),
    "fair": (
        streed.FairTreeClassifier(max_difference=0.1, max_depth=2),
        {"y": LABELS, "sensitive_features": GROUPS},
    ),
    "policy": (streed.PolicyTree(max_depth=2), {"rewards": COSTS}),
    "regression": (streed.OptimalTreeRegressor(max_depth=2), {"y": NUMBERS}),
    "survival": (
        streed.SurvivalTree(max_depth=2),
        {"y": survival_target(RNG.random(120) < 0.7, np.abs(NUMBERS) + 0.1)},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_every_size_is_a_fit_of_its_own(name: str) -> None:
    model, data = CASES[name]
    path = model.path(BITS, **data)
    assert not hasattr(model, "tree_")
    assert path.optimal
    assert len(path) == 2**model.max_depth
    for k, result in enumerate(path):
        own = clone(model).set_params(max_nodes=k).fit(BITS, **data)
        assert result.objective == pytest.approx(own.result_.objective)
        fitted = path.estimator(k)
        assert fitted.tree_ is result.tree
        assert fitted.tree_.n_nodes <= k
        assert fitted.max_nodes == k
        assert fitted.tree_.conditions == own.tree_.conditions
        assert len(fitted.predict(BITS)) == 120
    assert len(path.table().splitlines()) == 1 + len(path.sizes)
    assert "<html" in path.to_html()


def test_fair_paths_know_the_rates_of_each_tree() -> None:
    model, data = CASES["fair"]
    path = model.path(BITS, **data)
    for k in range(len(path)):
        fitted = path.estimator(k)
        own = clone(fitted).fit(BITS, **data)
        if own.tree_.to_text() == fitted.tree_.to_text():
            assert fitted.difference_ == own.difference_
        assert fitted.difference_ <= 0.1


def test_numbers_are_cut_anew_for_every_size() -> None:
    X = np.column_stack([NUMBERS, RNG.normal(size=120)])
    model = streed.OptimalTreeClassifier(max_depth=2)
    path = model.path(X, LABELS)
    for k, result in enumerate(path):
        own = clone(model).set_params(max_nodes=k).fit(X, LABELS)
        assert result.objective == own.result_.objective
        errors = np.count_nonzero(path.estimator(k).predict(X) != LABELS)
        assert errors == result.objective
    binned = model.set_params(cuts="binned").path(X, LABELS)
    assert all(exact.objective <= cut.objective for exact, cut in zip(path, binned, strict=True))


def test_complexity_from_an_estimator() -> None:
    path = CASES["accuracy"][0].path(BITS, LABELS)
    steps = path.complexity()
    assert steps.total == 120
    for step in steps:
        price = (step.low + min(step.high, step.low + 1)) / 2
        own = streed.OptimalTreeClassifier(max_depth=3, cost_complexity=price / 120).fit(BITS, LABELS)
        assert step.cost(price) == pytest.approx(own.result_.objective)


@pytest.mark.parametrize("name", CASES)
def test_tuned_estimators_are_ordinary_ones(name: str) -> None:
    model, data = CASES[name]
    model = clone(model).set_params(tune=3)
    before = model.get_params()
    model.fit(BITS, **data)
    assert model.get_params() == before
    assert len(model.predict(BITS)) == 120
    chosen = model.tuned_.params["max_nodes"]
    own = clone(model).set_params(tune=None, max_nodes=chosen).fit(BITS, **data)
    assert model.tree_.to_text() == own.tree_.to_text()
    assert len(model.tuned_.results["mean_score"]) == 2**model.max_depth


def test_hold_outs_choose_what_a_grid_search_does() -> None:
    model = streed.OptimalTreeClassifier(max_depth=3, tune="holdout").fit(BITS, LABELS)
    folds = StratifiedShuffleSplit(5, test_size=0.2, random_state=0)
    grid = GridSearchCV(streed.OptimalTreeClassifier(max_depth=3), {"max_nodes": range(8)}, cv=folds)
    grid.fit(BITS, LABELS)
    assert model.tuned_.score == pytest.approx(grid.best_score_)


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="tune must be 'holdout'"):
        streed.OptimalTreeClassifier(tune=True).fit(BITS, LABELS)
    with pytest.raises(ValueError, match="tune must have keys among"):
        streed.OptimalTreeClassifier(tune={"folds": 3}).fit(BITS, LABELS)
    with pytest.raises(ValueError, match="tune must be 'holdout'"):
        streed.OptimalTreeClassifier(tune="twice").fit(BITS, LABELS)
    with pytest.raises(ValueError, match="a size path needs max_depth"):
        streed.OptimalTreeClassifier(max_depth=None, cost_complexity=0.1).path(BITS, LABELS)
    with pytest.raises(ValueError, match="size must be from 0 to 1"):
        streed.OptimalTreeClassifier(max_depth=1).path(BITS, LABELS).estimator(2)
    with pytest.raises(ValueError, match="max_depth must be"):
        streed.OptimalTreeClassifier(max_depth=21).path(BITS, LABELS)
