"""`path` and `tune` of the estimators against fits of their own."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit

import streed
from streed.survival import survival_target
from tests.estimators.hurry import hurry

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


REAL = np.column_stack([NUMBERS, RNG.normal(size=(120, 2)).round(2)])
THRESHOLDS: dict[str, tuple[Any, Any]] = {
    "labels": (streed.OptimalTreeClassifier(max_depth=3), {"y": LABELS}),
    "numbers": (streed.OptimalTreeRegressor(max_depth=3, min_samples_leaf=4), {"y": NUMBERS + GROUPS.size}),
    "f1": (streed.OptimalTreeClassifier("f1", max_depth=2), {"y": LABELS}),
    "fair": (
        streed.FairTreeClassifier(max_difference=0.3, max_depth=2),
        {"y": LABELS, "sensitive_features": GROUPS},
    ),
    "rewards": (streed.PolicyTree(max_depth=2), {"rewards": COSTS}),
    "survival": (
        streed.SurvivalTree(max_depth=2),
        {"y": survival_target(RNG.random(120) < 0.7, np.abs(NUMBERS) + 0.1)},
    ),
}
EVERY = "every threshold was considered"


@pytest.mark.parametrize("name", THRESHOLDS)
def test_thresholds_are_proven_size_by_size(name: str) -> None:
    model, data = THRESHOLDS[name]
    path = model.path(REAL, **data)
    assert path.optimal
    assert ("cuts were considered" in path[-1].note) == (name == "survival")
    for k, result in enumerate(path):
        own = clone(model).set_params(max_nodes=k).fit(REAL, **data)
        note = own.result_.note.partition("; the limits cost")[0]  # which paths do not search for
        assert result.note == note or k == 0 or name == "survival"
        if result.note == note:
            assert result.objective == pytest.approx(own.result_.objective)
        fitted = path.estimator(k)
        counted = np.bincount(fitted.apply(REAL), minlength=fitted.tree_.node_count)
        leaves = fitted.tree_.feature < 0
        assert np.array_equal(counted[leaves], fitted.tree_.n_samples[leaves])
        assert fitted.tree_.conditions == tuple(fitted.binarizer_.conditions_)


def test_sizes_that_are_not_cheap_have_good_trees_and_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small sizes are proven over all thresholds, larger ones keep the best trees that were found."""
    X, y = RNG.normal(size=(150, 4)), RNG.integers(2, size=150)
    model = streed.OptimalTreeClassifier(max_depth=3)
    full = clone(model).set_params(cuts="exact").path(X, y)
    hurry(monkeypatch, 3e4)
    path = model.path(X, y)
    assert 0 < sum(result.optimal for result in path) < 8
    for k in range(8):
        assert path[k].lower_bound <= full[k].objective <= path[k].objective
        assert path[k].optimal <= (path[k].note == EVERY)
        assert np.count_nonzero(path.estimator(k).predict(X) != y) == path[k].objective
    assert (np.diff(path.objectives) <= 0).all()
    assert path[7].objective <= model.fit(X, y).result_.objective


def test_metrics_that_are_not_cheap_leave_the_rest_to_chosen_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = RNG.normal(size=(150, 4)), RNG.integers(2, size=150)
    hurry(monkeypatch, 3e4)
    path = streed.OptimalTreeClassifier("f1", max_depth=3).path(X, y)
    notes = [result.note for result in path]
    last = max(k for k, note in enumerate(notes) if note == EVERY)
    assert 0 <= last < 7
    assert "cuts were considered: quantiles and those of a greedy tree (all thresholds" in notes[-1]
    assert path.table().splitlines()[-1] == f"{last + 1} to 7 nodes: {notes[-1]}"
    assert (np.diff(path.objectives) >= 0).all()


@pytest.mark.parametrize("name", ["labels", "numbers", "f1"])
@pytest.mark.parametrize("seconds", [1e-4, 0.01, 0.05])
def test_a_time_limit_keeps_candidates_and_bounds(name: str, seconds: float) -> None:
    model, data = THRESHOLDS[name]
    full = clone(model).set_params(cuts="exact").path(REAL, **data)
    model = clone(model).set_params(time_limit=seconds, cuts="exact")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", streed.NotProvenWarning)
        path = model.path(REAL, **data)
    sign = -1 if path.maximize else 1
    assert len(path) == len(full)
    for k, result in enumerate(path):
        assert sign * result.objective >= sign * full[k].objective - 1e-9
        assert sign * result.lower_bound <= sign * full[k].objective + 1e-9
        assert result.status in ("optimal", "time_limit")
        assert result.optimal == (result.status == "optimal")
        if result.optimal:
            assert result.objective == pytest.approx(full[k].objective)
        assert len(path.estimator(k).predict(REAL)) == 120
    assert (sign * np.diff(path.objectives) <= 0).all()


def test_candidates_that_are_done_early_let_the_largest_size_come_first() -> None:
    """One search proves that two nodes are enough for all larger sizes."""
    X = RNG.normal(size=(200, 3))
    y = (X[:, 0] > 0.2) & (X[:, 1] > -0.3)
    path = streed.OptimalTreeClassifier(max_depth=4).path(X, y)
    assert path.optimal
    assert (path[15].objective, path[15].tree.n_nodes) == (0, 2)
    assert path.searches == 2  # 15 nodes, which settle 2 to 14, and one


def test_progress_shows_candidates_and_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    streed.OptimalTreeRegressor(max_depth=2, progress=True).path(REAL, NUMBERS)
    shown = capsys.readouterr().err.splitlines()
    assert shown[0].startswith("path: candidates: ")
    assert [line.split(":")[1].strip() for line in shown[1:]] == ["size 1", "size 2", "size 3"]
    assert all("proven" in line for line in shown[1:])


def test_a_function_stops_a_path_with_its_candidates() -> None:
    X, y = RNG.normal(size=(900, 9)), RNG.normal(size=900)
    calls: list[float] = []

    def stop(progress: streed.Progress) -> bool:
        calls.append(progress.elapsed)
        return len(calls) > 2

    path = streed.OptimalTreeRegressor(max_depth=4, cuts="exact", progress=stop).path(X, y)
    assert not path.optimal
    assert path[15].status == "interrupted"
    assert path[15].objective < path[0].objective
    assert path[15].lower_bound <= path[15].objective
