"""Folds on candidate cuts: what they are, what their trees cost, how they are scored, what ends them."""

from __future__ import annotations

import functools
import pickle
import threading
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import KFold

import streed
from streed.estimators.choosing import candidates
from streed.options import check_limits
from streed.solver import greedy
from streed.survival import survival_target

RNG = np.random.default_rng(17)
N = 160
REAL = RNG.normal(size=(N, 3)).round(2)
CLASSES = np.where((REAL[:, 0] > 0.3) ^ (RNG.random(N) < 0.15), "yes", "no")
NUMBERS = REAL[:, 0] + (REAL[:, 1] > 0) + 0.3 * RNG.normal(size=N)
COUNTS = RNG.poisson(np.exp(REAL[:, 0]))
WEIGHTS = RNG.integers(4, size=N).astype(float)
LIVES = survival_target(RNG.random(N) < 0.7, np.round(np.exp(REAL[:, 0] + RNG.normal(size=N)), 2) + 0.01)
COSTS = RNG.integers(9, size=(N, 3)).astype(float)
TABLE = pd.DataFrame(
    {
        "size": np.where(RNG.random(N) < 0.1, np.nan, REAL[:, 0]),
        "kind": RNG.choice(["a", "b", "c"], size=N),
        "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(RNG.integers(400, size=N), unit="D"),
        "flag": RNG.random(N) < 0.4,
        "other": REAL[:, 1],
    }
)

CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "labels": (streed.OptimalTreeClassifier(max_depth=2), {"y": CLASSES}),
    "weights": (streed.OptimalTreeClassifier(max_depth=2), {"y": CLASSES, "sample_weight": WEIGHTS}),
    "f1": (streed.OptimalTreeClassifier("f1", max_depth=2), {"y": CLASSES}),
    "log loss": (streed.OptimalTreeClassifier("log_loss", max_depth=2), {"y": CLASSES}),
    "numbers": (streed.OptimalTreeRegressor(max_depth=2), {"y": NUMBERS}),
    "targets": (streed.OptimalTreeRegressor(max_depth=2), {"y": np.column_stack([NUMBERS, COUNTS])}),
    "quantile": (streed.OptimalTreeRegressor("quantile", quantile=0.9, max_depth=2), {"y": NUMBERS}),
    "counts": (streed.OptimalTreeRegressor("poisson", max_depth=2), {"y": COUNTS, "sample_weight": WEIGHTS}),
    "costs": (streed.CostSensitiveTreeClassifier(max_depth=2), {"costs": COSTS}),
    "tests": (
        streed.CostSensitiveTreeClassifier(
            max_depth=2, feature_costs=streed.FeatureCosts([0.1, 0.01, 0.2, 0.01, 0.02])
        ),
        {"y": CLASSES},
    ),
    "fair": (
        streed.FairTreeClassifier(max_difference=0.2, max_depth=2),
        {"y": CLASSES, "sensitive_features": TABLE["flag"]},
    ),
    "policy": (streed.PolicyTree(max_depth=2), {"rewards": COSTS}),
    "survival": (streed.SurvivalTree(max_depth=2), {"y": LIVES, "sample_weight": WEIGHTS}),
}
SCORES = {
    "labels": "accuracy", "weights": "accuracy", "f1": "f1", "log loss": "neg_log_loss",
    "numbers": "neg_mean_squared_error", "targets": "neg_mean_squared_error",
    "quantile": "neg_mean_pinball_loss", "counts": "neg_mean_poisson_deviance", "costs": "neg_mean_cost",
    "tests": "neg_mean_cost", "fair": "accuracy", "policy": "estimated_value",
    "survival": "neg_half_deviance",
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_frame_of_all_kinds_is_tuned(name: str) -> None:
    model, data = CASES[name]
    model = clone(model).set_params(tune=3).fit(TABLE, **data)
    tuned = model.tuned_
    assert tuned.scoring == SCORES[name]
    assert tuned.folds.startswith("3 searches on folds over")
    assert tuned.folds.endswith("candidate features, all finished")
    assert tuned.complete
    own = clone(model).set_params(tune=None, max_nodes=tuned.params["max_nodes"]).fit(TABLE, **data)
    assert model.result_.objective == own.result_.objective
    assert tuned.optimal == own.result_.optimal
    back = pickle.loads(pickle.dumps(model))
    assert np.array_equal(back.predict(TABLE), model.predict(TABLE))
    assert back.tuned_.folds == tuned.folds
    assert tuned.scoring in repr(back.tuned_)


@pytest.mark.parametrize("name", CASES)
def test_full_folds_are_paths_of_fits(name: str) -> None:
    model, data = CASES[name]
    exact = clone(model).set_params(tune={"cv": 3, "fold_cuts": "full"}).fit(TABLE, **data)
    quick = clone(model).set_params(tune={"cv": 3}).fit(TABLE, **data)
    assert exact.tuned_.folds == "3 searches on folds over what a fit considers, all finished"
    assert exact.tuned_.scoring == quick.tuned_.scoring
    leaf = 0  # the single leaf has no cuts
    assert exact.tuned_.results["split1_score"][leaf] == quick.tuned_.results["split1_score"][leaf]


@pytest.mark.parametrize("name", ["labels", "weights", "numbers", "counts", "costs", "survival"])
def test_trees_over_candidates_cost_what_their_rows_do(name: str) -> None:
    """No tree is better than the best over all thresholds; estimators have the trees that were counted."""
    model, data = CASES[name]
    quick, full = model._quick_path(X=REAL, **data), clone(model).set_params(cuts="exact")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", streed.CutsWarning)
        best = full.path(REAL, **data)
    for size, result in enumerate(quick):
        assert result.optimal
        if best[size].note == "every threshold was considered":
            assert result.objective >= best[size].objective - 1e-9
        fitted = quick.estimator(size)
        counted = np.bincount(
            fitted.apply(REAL), None if "sample_weight" not in data else WEIGHTS > 0, fitted.tree_.node_count
        )
        leaves = fitted.tree_.feature < 0
        assert np.array_equal(counted[leaves], fitted.tree_.n_samples[leaves])


def test_wide_tables_are_searched_over_their_best_features() -> None:
    """Trees over some of the features test them by their numbers among all."""
    X, y = load_breast_cancer(return_X_y=True)
    bits = streed.Binarizer(n_thresholds=9).fit_transform(X)
    assert bits.shape[1] == 270
    model = streed.OptimalTreeClassifier(max_depth=3, cuts="binned")
    quick = model._quick_path(X=bits, y=y)
    assert quick.n_features == candidates.most_features(3) == 256
    for size, result in enumerate(quick):
        assert np.count_nonzero(quick.estimator(size).predict(bits) != y) == result.objective
    tree = quick[-1].tree
    assert tree.n_features == len(tree.feature_names or ()) == 270
    numbers = streed.OptimalTreeRegressor(max_depth=2, cuts="binned")._quick_path(X=bits, y=X[:, 0])
    assert numbers.n_features == candidates.most_features(2, numbers=True) == 192


def slow_best(features: Any, y: Any, limits: Any, levels: int) -> list[int]:
    """The features that nodes of a tree grown on labels rank best, by sums of squares about means."""

    def spread(rows: Any) -> float:
        return float(((y[rows] - y[rows].mean()) ** 2).sum()) if rows.any() else 0.0

    places, gains = np.full(features.shape[1], np.inf), np.zeros(features.shape[1])

    def visit(rows: Any, depth: int) -> None:
        own = []
        for j in range(features.shape[1]):
            right = rows & (features[:, j] == 1)
            own.append(spread(rows) - spread(right) - spread(rows & ~right))
        order = np.argsort(-np.round(own, 9), kind="stable")
        places[order] = np.minimum(places[order], np.arange(order.size))
        gains[:] = np.maximum(gains, own)
        sides = [rows & (features[:, order[0]] == side) for side in (0, 1)]
        if depth and own[order[0]] > 1e-9 and min(side.sum() for side in sides) >= limits.min_samples_leaf:
            places[order[0]] = -1
            for side in sides:
                visit(side, depth - 1)

    visit(np.ones(y.size, bool), levels)
    most = candidates.most_features(limits.max_depth, numbers=True)
    return sorted(np.lexsort((-gains, places))[:most].tolist())


@pytest.mark.parametrize("seed", range(5))
def test_best_features_have_an_obvious_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    features = rng.integers(2, size=(90, 60)).astype(np.uint8)
    y = features[:, 7] * 2.0 + features[:, 11] + rng.normal(size=90)
    limits = check_limits(max_depth=6)
    target = greedy.Target(
        "squares", None, greedy.centred(y[:, None], np.ones(90)), np.ones(90), np.empty((0, 3))
    )
    found = candidates.best_features(features, target, limits)
    assert found is not None
    assert found.tolist() == slow_best(features, y, limits, candidates.LEVELS)
    assert candidates.best_features(features[:, :24], target, limits) is None


@pytest.mark.parametrize("kind", ["labels", "numbers"])
def test_best_features_of_many_rows_are_those_of_some(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    """Every third row compares features; the rows between do not count."""
    monkeypatch.setattr(candidates, "ROWS", 30)
    rng = np.random.default_rng(3)
    bits = rng.integers(2, size=(90, 60)).astype(np.uint8)
    y, weights = bits[:, 7] ^ (rng.random(90) < 0.2), rng.integers(1, 4, 90).astype(float)

    def target(rows: Any) -> greedy.Target:
        if kind == "labels":
            return greedy.Target("gini", y[rows].astype(np.int32), None, weights[rows], np.empty((0, 2)))
        numbers = np.ascontiguousarray(y[rows, None].astype(float) - 0.5)
        return greedy.Target("squares", None, numbers, weights[rows], np.empty((0, 3)))

    some = np.arange(0, 90, 3)
    found = candidates.best_features(bits, target(np.arange(90)), check_limits(max_depth=6))
    expected = candidates.best_features(bits[some], target(some), check_limits(max_depth=6))
    assert found is not None
    assert expected is not None
    assert found.size == candidates.most_features(6, numbers=kind == "numbers")
    assert np.array_equal(found, expected)
    model = CASES[kind][0].set_params(max_depth=2, tune=3, cuts="binned")
    wide = np.concatenate([bits ^ rng.integers(2, size=bits.shape) for _ in range(5)], axis=1)
    assert clone(model).fit(wide, y if kind == "labels" else y * 1.0).tuned_.complete


LABELLED: dict[str, tuple[Any, Any]] = {
    "accuracy": (streed.OptimalTreeClassifier(max_depth=2), metrics.accuracy_score),
    "balanced_accuracy": (
        streed.OptimalTreeClassifier("balanced_accuracy", max_depth=2),
        metrics.balanced_accuracy_score,
    ),
    "f1": (
        streed.OptimalTreeClassifier(functools.partial(streed.tasks.F1Score, positive="no"), max_depth=2),
        functools.partial(metrics.f1_score, pos_label="no"),
    ),
    "f1_macro": (
        streed.OptimalTreeClassifier("macro_f1", max_depth=1),
        functools.partial(metrics.f1_score, average="macro"),
    ),
    "neg_brier_score": (
        streed.OptimalTreeClassifier("gini", max_depth=2),
        functools.partial(metrics.brier_score_loss, pos_label="yes"),
    ),
    "neg_log_loss": (streed.OptimalTreeClassifier("entropy", max_depth=2), metrics.log_loss),
}


@pytest.mark.parametrize("name", LABELLED)
@pytest.mark.parametrize("weighted", [False, True])
def test_scores_of_labels_are_those_of_scikit_learn(name: str, weighted: bool) -> None:
    model, metric = LABELLED[name]
    fitted = clone(model).fit(REAL, CLASSES)
    rows: dict[str, Any] = {"X": REAL, "y": CLASSES} | ({"sample_weight": WEIGHTS} if weighted else {})
    found = fitted._default_score({"y": CLASSES})
    assert found.name == name
    shares = fitted.predict_proba(REAL) if name.startswith("neg_") else None
    said = fitted.predict(REAL) if shares is None else shares[:, 1]
    expected = metric(CLASSES, said, sample_weight=WEIGHTS if weighted else None)
    assert found.of(fitted, rows) == pytest.approx(expected if shares is None else -expected)


def test_weights_of_classes_are_weights_of_rows_that_are_scored() -> None:
    model = streed.OptimalTreeClassifier(max_depth=1, class_weight={"yes": 5.0}).fit(REAL, CLASSES)
    found = model._default_score({"y": CLASSES})
    assert found.name == "class-weighted accuracy"
    own = np.where(CLASSES == "yes", 5.0, 1.0)
    expected = metrics.accuracy_score(CLASSES, model.predict(REAL), sample_weight=own)
    assert found.of(model, {"X": REAL, "y": CLASSES}) == pytest.approx(expected)
    balanced = clone(model).set_params(class_weight="balanced").fit(REAL, CLASSES)
    expected = metrics.balanced_accuracy_score(CLASSES, balanced.predict(REAL))
    score = balanced._default_score({"y": CLASSES}).of(balanced, {"X": REAL, "y": CLASSES})
    assert score == pytest.approx(expected)


def test_own_functions_of_cells_are_their_own_scores() -> None:
    def specific(tp: float, fp: float, fn: float, tn: float) -> float:
        return tn / (tn + fp) + 0.5 * tp / (tp + fn)

    model = streed.OptimalTreeClassifier(specific, max_depth=1).fit(REAL, CLASSES)
    found = model._default_score({"y": CLASSES})
    assert found.name == "specific"
    assert found.of(model, {"X": REAL, "y": CLASSES}) == pytest.approx(model.result_.objective)


@pytest.mark.parametrize("name", ["numbers", "quantile", "counts", "survival"])
def test_losses_on_the_training_rows_are_what_was_minimised(name: str) -> None:
    model, data = CASES[name]
    fitted = clone(model).fit(REAL, **data)
    score = fitted._default_score(data).of(fitted, {"X": REAL, **data})
    weight = WEIGHTS.sum() if "sample_weight" in data else N
    floor = 0.02 if name == "survival" else 1e-9  # leaves without events count half an event
    assert score == pytest.approx(-fitted.result_.objective / weight, rel=floor)


def test_a_teacher_scores_the_rows_of_a_fold_once() -> None:
    """All trees of a fold share the scores of its held-out rows: models behind them can take seconds."""
    calls: list[int] = []

    def teacher(X: Any, treatment: Any, outcome: Any, names: Any) -> Any:
        calls.append(len(outcome))
        return np.column_stack([np.where(treatment == name, outcome, 0.0) * len(names) for name in names])

    treatment = np.array(["a", "b"])[RNG.integers(2, size=N)]
    model = streed.PolicyTree(teacher, max_depth=2, tune=4)
    model.fit(REAL, treatment, NUMBERS)
    assert calls == [120, 40] * 4 + [N]
    parts = [streed.PolicyTree(teacher, max_depth=2, max_nodes=0)] * 4
    folds = KFold(4, shuffle=True, random_state=0).split(REAL)
    values = [
        clone(part)
        .fit(REAL[fit], treatment[fit], NUMBERS[fit])
        .score(REAL[test], treatment[test], NUMBERS[test])
        for part, (fit, test) in zip(parts, folds, strict=True)
    ]
    assert model.tuned_.results["mean_score"][0] == pytest.approx(np.mean(values))


def test_rows_may_be_given_as_fits_take_them() -> None:
    time = np.round(np.exp(NUMBERS), 2) + 0.01
    pair = (WEIGHTS > 1, time)
    lives = streed.tune(streed.SurvivalTree(max_depth=1), REAL, pair, cv=3, random_state=0)
    same = streed.tune(streed.SurvivalTree(max_depth=1), REAL, survival_target(*pair), cv=3, random_state=0)
    assert lives.params == same.params
    fair = streed.FairTreeClassifier(max_depth=1, max_difference=0.3)
    given: dict[str, Any] = {"cv": 3, "random_state": 0}
    named = streed.tune(fair, TABLE, CLASSES, fit_params={"sensitive_features": "kind"}, **given)
    as_rows = streed.tune(fair, TABLE, CLASSES, fit_params={"sensitive_features": TABLE["kind"]}, **given)
    assert named.score == as_rows.score


def test_folds_run_in_threads() -> None:
    """A process of its own for each fold would take longer to begin than the fold takes."""
    names: set[str] = set()

    def metric(tp: float, fp: float, fn: float, tn: float) -> float:
        names.add(threading.current_thread().name)
        return tp + tn

    model = streed.OptimalTreeClassifier(metric, max_depth=1)
    two = streed.tune(model, REAL, CLASSES, cv=4, random_state=0, n_jobs=2)
    assert len(names) > 1
    one = streed.tune(model, REAL, CLASSES, cv=4, random_state=0)
    assert np.array_equal(one.results["mean_score"], two.results["mean_score"])


def test_quantiles_are_tuned_by_their_pinball_loss() -> None:
    """R2, scikit-learn's score of regressors, asks how well quantiles predict means."""
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(200, 2))
    y = np.where(X[:, 0], 1.0, 5.0) * np.where(X[:, 1], 1.0, 2.0) * rng.exponential(size=200) ** 1.5
    model = streed.OptimalTreeRegressor("quantile", quantile=0.9, max_depth=2, tune=3).fit(X, y)
    by_r2 = clone(model).set_params(tune={"cv": 3, "scoring": "r2"}).fit(X, y)
    assert (model.tuned_.scoring, by_r2.tuned_.scoring) == ("neg_mean_pinball_loss", "r2")
    assert (model.tuned_.params["max_nodes"], by_r2.tuned_.params["max_nodes"]) == (3, 0)


def test_progress_shows_folds_and_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    streed.OptimalTreeClassifier(max_depth=2, tune=3, progress=True).fit(REAL, CLASSES)
    shown = capsys.readouterr().err
    assert shown.count("fold ") == 3
    assert "tune: max_depth=2, min_samples_leaf=1, fold 3 of 3, sizes 0 to 3: " in shown
    assert "tune: chosen max_depth=2" in shown
    assert "best" in shown.splitlines()[-1], "the last fit shows its own line"


def test_a_function_stops_tuning_with_the_best_choice_so_far() -> None:
    X, y = load_diabetes(return_X_y=True)
    calls: list[float] = []

    def stop(progress: streed.Progress) -> bool:
        calls.append(progress.elapsed)
        return True

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = streed.OptimalTreeRegressor(max_depth=6, progress=stop, tune=5).fit(X, y)
    assert calls
    assert model.tuned_.folds.startswith("1 searches on folds of 5")
    assert model.tuned_.folds.endswith("1 ended early")
    assert (model.tuned_.complete, model.result_.status) == (False, "interrupted")


@pytest.mark.parametrize("seconds", [1e-4, 0.02, 0.2])
def test_a_time_limit_bounds_all_of_tuning(seconds: float) -> None:
    X, y = load_diabetes(return_X_y=True)
    grid = {"cv": 5, "max_depth": [3, 4, 5], "min_samples_leaf": [1, 5, 20]}
    model = streed.OptimalTreeRegressor(time_limit=seconds, tune=grid)
    with pytest.warns(streed.NotProvenWarning, match="tuning reached time_limit") as caught:
        model.fit(X, y)
    assert len(caught) == 1
    assert not model.tuned_.complete
    if seconds == 1e-4:
        assert model.tuned_.folds.startswith("1 searches on folds of 45")
        assert "split1_score" not in model.tuned_.results
    assert model.time_limit == model.tuned_.estimator.time_limit == seconds


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="fold_cuts must be 'candidates' or 'full', got 'exact'"):
        streed.OptimalTreeClassifier(tune={"fold_cuts": "exact"}).fit(REAL, CLASSES)
    with pytest.raises(ValueError, match="time_limit must be"):
        streed.OptimalTreeClassifier(tune=3, time_limit=-1).fit(REAL, CLASSES)


def test_the_result_names_the_tuned_size() -> None:
    X = np.random.default_rng(0).random((200, 4))
    model = streed.OptimalTreeClassifier(max_depth=2, tune="holdout").fit(X, X[:, 0] > 0.5)
    score = f"accuracy {model.tuned_.score:.4g} on rows held out"
    assert model.tuned_.params["max_nodes"] == 1
    assert model.result_.advice == f"tuned size: 1 branching node, {score}"
    assert model.result_.summary().endswith(model.result_.advice)
    hard = streed.OptimalTreeClassifier(max_depth=2, tune="holdout").fit(X, (X[:, 0] > 0.5) ^ (X[:, 1] > 0.5))
    assert hard.tuned_.params["max_nodes"] == 3
    assert hard.result_.advice.startswith("tuned size: 3 branching nodes, ")
    assert hard.result_.advice.endswith("it is the largest that was tried: larger ones could do better")
    prices = {"cost_complexity": [0.01, 0.2]}
    priced = streed.OptimalTreeClassifier(max_depth=2, tune=prices).fit(X, X[:, 0] > 0.5)
    assert priced.result_.advice.startswith("tuned size: cost_complexity=")


@pytest.mark.filterwarnings("ignore::streed.NotProvenWarning")
def test_a_tuned_fit_that_a_limit_ended_keeps_its_advice() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((600, 90)) < 0.5, rng.integers(0, 2, 600)
    tune = {"max_nodes": [30, 31], "cv": 2}
    model = streed.OptimalTreeClassifier(max_depth=5, time_limit=0.3, tune=tune).fit(X, y)
    assert not model.result_.optimal
    assert model.result_.advice.startswith("tuned size: 3")
    assert "raise time_limit" in model.result_.advice
