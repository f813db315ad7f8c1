"""Tuning against scikit-learn's grid search, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, KFold

import streed
from streed.estimators.choosing.scores import own_score
from streed.tuning import fits, tune
from streed.tuning.clock import Clock
from streed.tuning.fits import FoldSearch, Scorer
from streed.tuning.folds import make_folds

RNG = np.random.default_rng(4)
X = RNG.integers(2, size=(150, 6))
Y = np.where((X[:, 0] & X[:, 1]) ^ (RNG.random(150) < 0.15), "yes", "no")


def test_equals_grid_search() -> None:
    folds = KFold(4, shuffle=True, random_state=1)
    ours = tune(streed.OptimalTreeClassifier(max_depth=2), X, Y, cv=folds, min_samples_leaf=[1, 5])
    grid = {"max_depth": [2], "min_samples_leaf": [1, 5], "max_nodes": [0, 1, 2, 3]}
    theirs = GridSearchCV(streed.OptimalTreeClassifier(), grid, cv=folds).fit(X, Y)
    by_params = {
        (p["min_samples_leaf"], p["max_nodes"]): score
        for p, score in zip(theirs.cv_results_["params"], theirs.cv_results_["mean_test_score"], strict=True)
    }
    results = ours.results
    for k, score in enumerate(results["mean_score"]):
        assert score == pytest.approx(by_params[results["min_samples_leaf"][k], results["max_nodes"][k]])
    assert ours.score == pytest.approx(theirs.best_score_)
    assert ours.trees < 4 * 8 + 1
    assert ours.estimator.predict(X[:3]).shape == (3,)
    assert ours.estimator.max_nodes == ours.params["max_nodes"]


def test_prices_come_from_the_sizes() -> None:
    prices, model = [0.0, 0.01, 0.03, 0.2], streed.OptimalTreeClassifier(max_depth=2)
    folds = KFold(3, shuffle=True, random_state=1)
    ours = tune(model, X, Y, cv=folds, cost_complexity=prices)
    assert list(ours.results["mean_nodes"]) == sorted(ours.results["mean_nodes"], reverse=True)
    for fold in folds.split(X):
        scorer = Scorer("accuracy", own_score, lambda fitted, rows: rows)
        search = FoldSearch(model, {"X": X, "y": Y}, scorer, candidates=True, clock=Clock.start(None, 1, 1))
        answer = search.fit_sizes({"max_depth": 2}, [0, 1, 2, 3], fold, 0, progress=False)
        assert answer is not None
        assert answer.ended == ""
        sizes = answer.fitted
        for price in prices:
            own = streed.OptimalTreeClassifier(max_depth=2, cost_complexity=price).fit(X[fold[0]], Y[fold[0]])
            least = min(f.value + price * f.total * f.nodes for f in sizes.values())
            assert least == pytest.approx(own.result_.objective)


def test_short_time_limits_read_fewer_rows_of_large_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of the rows can be read in the time: these are fitted, and every class is among them."""
    labels = np.zeros(1000, np.int64)
    labels[17] = 1
    fold = np.arange(800), np.arange(800, 1000)
    monkeypatch.setattr(fits, "LEAST_ROWS", 50)
    (few, scored), share = fits.thinned(fold, 10, 0.5 * 800 * 10 * fits.SECONDS_PER_CELL / 2.5, labels)
    assert share == pytest.approx(0.1)
    assert 17 in few
    assert 80 <= few.size <= 82
    assert scored.size == 20
    assert set(few) <= set(fold[0])
    assert set(scored) <= set(fold[1])
    assert fits.thinned(fold, 10, 100.0, labels) == (fold, 1.0)


def test_tuning_says_that_folds_had_fewer_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fits, "LEAST_ROWS", 50)
    monkeypatch.setattr(fits, "SECONDS_PER_CELL", 1.0)
    found = tune(streed.OptimalTreeClassifier(max_depth=2, time_limit=100), X, Y, random_state=0)
    assert "with 0.42 of their rows" in found.folds
    assert found.complete


def test_one_standard_error_chooses_no_larger_tree() -> None:
    estimator = streed.OptimalTreeClassifier(max_depth=3)
    best = tune(estimator, X, Y, cv=5, random_state=0)
    small = tune(estimator, X, Y, cv=5, random_state=0, one_standard_error=True)
    k, j = small.index, best.index
    assert small.results["mean_nodes"][k] <= best.results["mean_nodes"][j]
    assert small.score >= best.score - best.results["standard_error"][j]
    assert "*" in small.table()


def test_random_state_jobs_and_progress(capsys: pytest.CaptureFixture[str]) -> None:
    estimator = streed.OptimalTreeClassifier(max_depth=2)
    a = tune(estimator, X, Y, random_state=3, progress=True)
    assert capsys.readouterr().err.count("fold") == 5
    b = tune(estimator, X, Y, random_state=3, n_jobs=2)
    assert a.params == b.params
    assert np.array_equal(a.results["mean_score"], b.results["mean_score"])
    assert "Tuned" in repr(a)


def test_costs_and_scoring() -> None:
    costs = RNG.integers(0, 9, size=(150, 3)).astype(float)
    model = streed.CostSensitiveTreeClassifier(max_depth=2)
    tuned = tune(model, X, cv=3, random_state=0, fit_params={"costs": costs})
    assert tuned.estimator.predict(X).shape == (150,)
    scored = tune(
        streed.OptimalTreeClassifier(max_depth=1), X, Y, scoring="balanced_accuracy", random_state=0
    )
    assert 0 <= scored.score <= 1


def test_prices_without_a_depth() -> None:
    free = streed.OptimalTreeClassifier(max_depth=None, cost_complexity=0.1)
    tuned = tune(free, X, Y, cost_complexity=[0.2, 0.02], cv=3, random_state=0)
    assert tuned.params["max_depth"] is None
    assert tuned.params["cost_complexity"] in (0.02, 0.2)
    assert tuned.results["mean_nodes"][0] >= tuned.results["mean_nodes"][1]
    sized = tune(free, X, Y, max_nodes=[1, 3], cv=3, random_state=0)
    assert sized.params["max_nodes"] in (1, 3)


def test_bad_arguments() -> None:
    model = streed.OptimalTreeClassifier(max_depth=2)
    with pytest.raises(ValueError, match="no size of max_nodes is possible at depth 2"):
        tune(model, X, Y, max_nodes=[7, 9])
    with pytest.raises(ValueError, match="at least one value"):
        tune(model, X, Y, max_nodes=[])
    with pytest.raises(ValueError, match="not both"):
        tune(model, X, Y, max_nodes=[1], cost_complexity=[0.1])
    with pytest.raises(ValueError, match="must be 'holdout'"):
        tune(model, X, Y, cv="loo")
    with pytest.raises(ValueError, match="from 2 to the number of rows"):
        tune(model, X, Y, cv=1)
    with pytest.raises(ValueError, match="no row of the class"):
        tune(model, X, np.where(np.arange(150) == 0, "rare", Y), cv=KFold(3))
    with pytest.raises(ValueError, match="tune max_nodes instead"):
        tune(streed.OptimalTreeClassifier("f1"), X, Y, cost_complexity=[0.1])
    free = streed.OptimalTreeClassifier(max_depth=None, cost_complexity=0.1)
    with pytest.raises(ValueError, match="cost_complexity must be above zero where max_depth is None"):
        tune(free, X, Y, cost_complexity=[0.1, 0.0])
    with pytest.raises(ValueError, match="max_depth=None: give a max_depth"):
        tune(free, X, Y)
    with pytest.raises(ValueError, match="without a max_depth: 20 at most"):
        tune(free, X, Y, max_nodes=[30])
    with pytest.raises(TypeError, match="one of streed's"):
        tune(KFold(3), X, Y)


@pytest.mark.parametrize("cv", ["holdout", 2, 5])
@pytest.mark.parametrize("rare", [[1], [1, 1], [2, 3, 1]])
def test_rare_classes_are_in_every_fit(cv: int | str, rare: list[int]) -> None:
    names = [f"rare {k}" for k, count in enumerate(rare) for _ in range(count)]
    target = np.array([*Y.tolist(), *names])
    for seed in range(10):
        folds = make_folds(cv, np.zeros((target.size, 1)), target, seed, stratify=True)
        for fit, test in folds:
            assert set(target[fit]) == set(target)
            assert np.intersect1d(fit, test).size == 0
            assert sorted([*fit, *test]) == list(range(target.size))
        if cv != "holdout":  # each other row is held out once
            held = np.concatenate([test for _, test in folds])
            assert np.unique(held).size == held.size
            assert set(np.flatnonzero(np.isin(target, ["yes", "no"]))) <= set(held)


def test_a_class_of_one_row_is_tuned() -> None:
    target = Y.copy().astype(object)
    target[0] = "once"
    model = streed.OptimalTreeClassifier(max_depth=2, tune=5).fit(X, target)
    assert model.classes_.tolist() == ["no", "once", "yes"]
    assert model.tuned_.score > 0.5


def test_folds_of_a_splitter_are_refused_without_a_class() -> None:
    target = Y.copy().astype(object)
    target[0] = "once"
    with pytest.raises(ValueError, match="'once' to fit on: give a number of folds"):
        tune(streed.OptimalTreeClassifier(max_depth=1), X, target, cv=KFold(3))
    with pytest.raises(ValueError, match="every class has a single row"):
        tune(streed.OptimalTreeClassifier(max_depth=1), X, np.arange(150), cv=3)
