"""`OptimalTreeClassifier`: labels, weights, tables, parameters, and life among scikit-learn's tools."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import DataConversionWarning, NotFittedError
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer, StandardScaler

import streed
from streed import Binarizer, OptimalTreeClassifier
from streed.tasks import Accuracy, BalancedAccuracy

IRIS_X, IRIS_Y = load_iris(return_X_y=True)
X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=bool)
XOR = np.array([0, 1, 1, 0])


def test_the_signature_is_the_documented_one() -> None:
    parameters = inspect.signature(OptimalTreeClassifier).parameters
    defaults = {name: parameter.default for name, parameter in parameters.items()}
    expected = {"objective": "accuracy", "max_depth": 3, "max_nodes": None, "min_samples_leaf": 1}
    expected |= {"cost_complexity": None, "class_weight": None, "time_limit": None, "memory_limit": None}
    expected |= {"n_jobs": None, "binarizer": None, "cuts": "auto", "dates": "date"}
    expected |= {"identifiers": "drop", "smoothing": "auto", "constraints": None, "exclude": ()}
    expected |= {"missing_at_predict": "warn", "tune": None, "progress": False}
    assert list(defaults.items()) == list(expected.items())
    kinds = [parameter.kind for parameter in parameters.values()]
    assert kinds == [inspect.Parameter.POSITIONAL_OR_KEYWORD] + [inspect.Parameter.KEYWORD_ONLY] * 18


def test_iris() -> None:
    model = OptimalTreeClassifier(max_depth=2).fit(IRIS_X, IRIS_Y)
    assert is_classifier(model)
    assert (model.result_.objective, model.result_.optimal) == (6, True)
    assert model.score(IRIS_X, IRIS_Y) == 144 / 150
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.n_features_in_ == 4
    assert model.tree_ is model.result_.tree
    assert (model.predict(IRIS_X) != IRIS_Y).sum() == model.result_.objective


def test_views_of_rows() -> None:
    model = OptimalTreeClassifier().fit(IRIS_X, IRIS_Y)
    leaves, paths, shares = model.apply(IRIS_X), model.decision_path(IRIS_X), model.predict_proba(IRIS_X)
    assert (model.tree_.feature[leaves] == -1).all()
    assert paths.shape == (150, model.tree_.node_count)
    assert (paths[np.arange(150), leaves] == 1).all()
    assert np.array_equal(np.asarray(paths.sum(axis=0)).ravel(), model.tree_.n_samples)
    assert shares.sum(axis=1) == pytest.approx(1)
    assert np.array_equal(model.classes_[shares.argmax(axis=1)], model.predict(IRIS_X))
    features = model.binarizer_.transform(IRIS_X)
    assert np.array_equal(model.tree_.predict(features), model.predict(IRIS_X))
    assert np.array_equal(model.tree_.predict_proba(features), shares)


@pytest.mark.parametrize(
    "labels",
    [["no", "yes"], [-1, 1], [-1000, 10**9], [False, True], [0.0, 1.0], np.array(["a", "b"], dtype=object)],
)
def test_labels_of_any_type(labels: Any) -> None:
    y = np.asarray(labels)[XOR]
    model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    predicted = model.predict(X)
    assert predicted.tolist() == y.tolist()
    assert predicted.dtype == y.dtype
    assert model.classes_.tolist() == list(labels)


def test_labels_in_lists_and_series() -> None:
    for y in (
        ["a", "b", "b", "a"],
        pd.Series(["a", "b", "b", "a"]),
        pd.Categorical(["a", "b", "b", "a"]),
        pl.Series(["a", "b", "b", "a"]),
    ):
        assert OptimalTreeClassifier(max_depth=2).fit(X, y).predict(X).tolist() == ["a", "b", "b", "a"]
    with pytest.warns(DataConversionWarning):
        OptimalTreeClassifier().fit(X, XOR[:, None])


def test_one_class_is_a_leaf() -> None:
    model = OptimalTreeClassifier().fit(IRIS_X, ["same"] * 150)
    assert (model.tree_.n_nodes, model.result_.objective) == (0, 0)
    assert set(model.predict(IRIS_X)) == {"same"}
    assert (model.predict_proba(IRIS_X) == 1).all()


def test_columns_without_information_give_a_leaf() -> None:
    model = OptimalTreeClassifier().fit(np.full((4, 2), 3.5), XOR)
    assert model.tree_.n_nodes == 0
    assert model.predict([[1, 2]]).tolist() == [0]


def test_objectives_as_names_classes_and_factories() -> None:
    y = IRIS_Y > 1
    by_name = OptimalTreeClassifier("balanced_accuracy", max_depth=1).fit(IRIS_X, y)
    by_class = OptimalTreeClassifier(BalancedAccuracy, max_depth=1).fit(IRIS_X, y)
    by_factory = clone(OptimalTreeClassifier(lambda *a, **k: BalancedAccuracy(*a, **k), max_depth=1)).fit(
        IRIS_X, y
    )
    assert by_name.tree_ == by_class.tree_ == by_factory.tree_
    assert by_name.result_.objective == pytest.approx(balanced_accuracy_score(y, by_name.predict(IRIS_X)))
    assert OptimalTreeClassifier(Accuracy).fit(IRIS_X, y).result_.task == "accuracy"


def test_balanced_accuracy_serves_the_small_class() -> None:
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, size=(400, 5)).astype(bool)
    y = (rows[:, 0] & (rng.random(400) < 0.2)).astype(int)
    plain = OptimalTreeClassifier(max_depth=1).fit(rows, y)
    balanced = OptimalTreeClassifier("balanced_accuracy", max_depth=1).fit(rows, y)
    assert balanced_accuracy_score(y, plain.predict(rows)) == 0.5
    score = balanced_accuracy_score(y, balanced.predict(rows))
    assert balanced.result_.objective == pytest.approx(score)
    assert score > 0.7


def test_weights_act_like_repeated_rows() -> None:
    rng = np.random.default_rng(1)
    weights = rng.integers(0, 4, size=150)
    noisy = np.where(rng.random(150) < 0.2, rng.integers(0, 3, size=150), IRIS_Y)
    weighted = OptimalTreeClassifier().fit(IRIS_X, noisy, sample_weight=weights)
    repeated = OptimalTreeClassifier().fit(np.repeat(IRIS_X, weights, axis=0), np.repeat(noisy, weights))
    assert weighted.result_.objective == repeated.result_.objective
    assert np.array_equal(weighted.predict_proba(IRIS_X), repeated.predict_proba(IRIS_X))


def test_class_weights_act_like_sample_weights() -> None:
    y = np.array(["a", "b", "c"])[IRIS_Y]
    rows = IRIS_X.mean(axis=0) < IRIS_X
    by_class = OptimalTreeClassifier(max_depth=1, class_weight={"c": 2.5}).fit(rows, y)
    by_row = OptimalTreeClassifier(max_depth=1).fit(rows, y, sample_weight=np.where(y == "c", 2.5, 1))
    assert by_class.tree_.to_text() == by_row.tree_.to_text()
    assert np.array_equal(by_class.tree_.class_weights, by_row.tree_.class_weights)
    assert by_class.result_.objective == (np.where(y == "c", 2.5, 1) * (by_class.predict(rows) != y)).sum()
    balanced = OptimalTreeClassifier(max_depth=1, class_weight="balanced").fit(IRIS_X[:120], y[:120])
    assert balanced.tree_.class_weights[0] == pytest.approx([40, 40, 40])


def test_cost_complexity_prunes() -> None:
    sizes = [
        OptimalTreeClassifier(cost_complexity=c).fit(IRIS_X, IRIS_Y).tree_.n_nodes
        for c in (0, 0.01, 0.1, 0.5)
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > sizes[1] > sizes[2] > sizes[3] == 0
    model = OptimalTreeClassifier(cost_complexity=0.1).fit(IRIS_X, IRIS_Y)
    wrong = (model.predict(IRIS_X) != IRIS_Y).sum()
    assert model.result_.objective == pytest.approx(wrong + 0.1 * 150 * model.tree_.n_nodes)


def test_limits_are_kept() -> None:
    model = OptimalTreeClassifier(max_depth=4, max_nodes=3, min_samples_leaf=20).fit(IRIS_X, IRIS_Y)
    assert model.tree_.n_nodes <= 3
    assert model.tree_.n_samples.min() >= 20


def table() -> tuple[dict[str, list[Any]], list[str]]:
    """Columns of all kinds; the label is "late" for far red orders and for those by post."""
    rng = np.random.default_rng(0)
    columns: dict[str, list[Any]] = {
        "colour": rng.choice(["red", "green", "blue"], 200).tolist(),
        "distance": rng.normal(100, 30, 200).round(1).tolist(),
        "post": (rng.random(200) < 0.3).tolist(),
        "items": rng.integers(1, 6, 200).tolist(),
    }
    late = [
        post or (colour == "red" and distance > 100)
        for colour, distance, post in zip(
            columns["colour"], columns["distance"], columns["post"], strict=True
        )
    ]
    return columns, ["late" if is_late else "in time" for is_late in late]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_with_columns_of_all_kinds(frame: Any) -> None:
    columns, y = table()
    data = frame(columns)
    model = OptimalTreeClassifier(binarizer=Binarizer(n_thresholds=None)).fit(data, y)
    assert model.score(data, y) == 1
    assert model.feature_names_in_.tolist() == list(columns)
    text = model.tree_.to_text()
    assert "post?" in text
    assert "colour = red?" in text
    assert "distance <= " in text
    assert model.predict(data[:3]).tolist() == y[:3]


def test_pandas_polars_and_arrays_agree() -> None:
    columns, y = table()
    trees = [
        OptimalTreeClassifier().fit(data, y).tree_
        for data in (
            pd.DataFrame(columns),
            pl.DataFrame(columns),
            pd.DataFrame(columns).to_numpy(dtype=object),
        )
    ]
    assert trees[0] == trees[1]
    assert np.array_equal(trees[0].class_weights, trees[2].class_weights)


def test_column_names_must_match_when_predicting() -> None:
    columns, y = table()
    model = OptimalTreeClassifier().fit(pd.DataFrame(columns), y)
    shuffled = pd.DataFrame(columns)[["post", "colour", "items", "distance"]]
    assert model.predict(shuffled).tolist() == model.predict(pd.DataFrame(columns)).tolist()
    with pytest.raises(ValueError, match="yet now missing:\n- post"):
        model.predict(shuffled.drop(columns="post"))
    with pytest.raises(
        TypeError, match="column 'distance' held numbers when fitted, now it holds categories"
    ):
        model.predict(pd.DataFrame(columns | {"distance": ["far"] * 200}))


def test_boolean_features_are_taken_as_they_are() -> None:
    model = OptimalTreeClassifier(max_depth=2).fit(X, XOR)
    assert model.tree_.n_features == 2
    assert model.tree_.feature_names == ("x0", "x1")
    assert model.predict(X.astype(float)).tolist() == XOR.tolist()


def test_other_binarizers() -> None:
    bins = KBinsDiscretizer(n_bins=4, encode="onehot", strategy="uniform")
    model = OptimalTreeClassifier(binarizer=bins).fit(IRIS_X, IRIS_Y, sample_weight=np.ones(150))
    assert model.tree_.n_features == 16
    assert model.score(IRIS_X, IRIS_Y) > 0.9
    assert not hasattr(bins, "n_bins_")
    nameless = OptimalTreeClassifier(binarizer=FunctionTransformer(lambda a: a > 2)).fit(IRIS_X, IRIS_Y)
    assert nameless.tree_.feature_names is None or len(nameless.tree_.feature_names) == 4
    with pytest.raises(ValueError, match="must hold only 0 and 1"):
        OptimalTreeClassifier(binarizer=StandardScaler()).fit(IRIS_X, IRIS_Y)


def test_missing_values_as_a_feature() -> None:
    rows = np.where(IRIS_X > 6, np.nan, IRIS_X)
    with pytest.raises(ValueError, match="contains NaN"):
        OptimalTreeClassifier(cuts="binned").fit(rows, IRIS_Y)
    model = OptimalTreeClassifier(binarizer=Binarizer(missing="indicator")).fit(rows, IRIS_Y)
    assert model.score(rows, IRIS_Y) > 0.9


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"objective": "precision"},
            ValueError,
            "one of 'accuracy', 'balanced_accuracy', 'f1', .* or a Task class, got 'precision'",
        ),
        ({"objective": 7}, TypeError, "objective must be"),
        ({"max_depth": -1}, ValueError, "max_depth must be an integer from 0 to 20 or None, got -1"),
        ({"max_depth": None, "cost_complexity": 0}, ValueError, "max_depth=None needs a price per branching"),
        ({"max_nodes": 1.5}, TypeError, "max_nodes must be"),
        ({"min_samples_leaf": 0}, ValueError, "min_samples_leaf must be an integer >= 1, or a share"),
        ({"min_samples_leaf": 151}, ValueError, "at most the number of rows, 150, got 151"),
        ({"cost_complexity": -1}, ValueError, "cost_complexity must be a number from 0 to 1e30, got -1"),
        ({"class_weight": "even"}, ValueError, "class_weight must be None, 'balanced' or a dict"),
        ({"objective": "balanced_accuracy", "class_weight": "balanced"}, ValueError, "takes no class_weight"),
        ({"time_limit": 0}, ValueError, "time_limit must be"),
        ({"memory_limit": -1}, ValueError, "memory_limit must be"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be"),
        ({"binarizer": "quantiles"}, TypeError, "binarizer must be a transformer"),
        ({"progress": "yes"}, TypeError, "progress must be False, True or a function"),
    ],
)
def test_bad_parameters(options: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        OptimalTreeClassifier(**options).fit(IRIS_X, IRIS_Y)


@pytest.mark.parametrize(
    ("rows", "y", "message"),
    [
        (IRIS_X, None, "requires y to be passed, but the target y is None"),
        (IRIS_X, IRIS_Y[:10], "inconsistent numbers of samples"),
        (IRIS_X, IRIS_Y + 0.5, "Unknown label type"),
        (IRIS_X, np.where(IRIS_Y == 1, np.nan, IRIS_Y), "contains NaN"),
        (IRIS_X[:0], IRIS_Y[:0], "0 sample"),
        (IRIS_X[:, :0], IRIS_Y, "0 feature"),
        (IRIS_X[:, 0], IRIS_Y, "Expected 2D array"),
        (np.where(IRIS_X > 7, np.inf, IRIS_X), IRIS_Y, "contains infinity: inf in column 'x0'"),
    ],
)
def test_bad_data(rows: Any, y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        OptimalTreeClassifier().fit(rows, y)


@pytest.mark.parametrize("weights", [np.zeros(150), -np.ones(150), np.full(150, np.nan), np.ones(3)])
def test_bad_weights(weights: Any) -> None:
    with pytest.raises(ValueError, match="sample_weight"):
        OptimalTreeClassifier().fit(IRIS_X, IRIS_Y, sample_weight=weights)


@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply", "decision_path"])
def test_nothing_works_before_fitting(method: str) -> None:
    with pytest.raises(NotFittedError):
        getattr(OptimalTreeClassifier(), method)(IRIS_X)


def test_copies_predict_the_same() -> None:
    columns, y = table()
    data = pd.DataFrame(columns)
    model = OptimalTreeClassifier(binarizer=Binarizer(max_categories=2)).fit(data, y)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert np.array_equal(other.predict(data), model.predict(data))
        assert other.tree_.to_dict() == model.tree_.to_dict()
        assert other.result_.objective == model.result_.objective
    fresh = clone(model)
    assert not hasattr(fresh, "tree_")
    assert fresh.binarizer is not model.binarizer


def test_training_data_are_not_kept() -> None:
    rows = np.random.default_rng(0).random((5000, 20)) > 0.5
    model = OptimalTreeClassifier(max_depth=1).fit(rows, rows[:, 3])
    assert len(pickle.dumps(model)) < 10_000


def test_parameters_are_left_alone() -> None:
    binarizer = Binarizer()
    model = OptimalTreeClassifier(binarizer=binarizer, class_weight={0: 2}).fit(IRIS_X, IRIS_Y)
    assert model.binarizer is binarizer
    assert not hasattr(binarizer, "conditions_")
    assert model.class_weight == {0: 2}


def test_grid_search_and_friends() -> None:
    grid = GridSearchCV(
        OptimalTreeClassifier(), {"max_depth": [1, 2], "binarizer": [None, Binarizer(n_thresholds=4)]}, cv=3
    )
    grid.fit(IRIS_X, IRIS_Y)
    assert grid.best_params_["max_depth"] == 2
    nested = OptimalTreeClassifier(binarizer=Binarizer()).set_params(binarizer__n_thresholds=5)
    assert nested.fit(IRIS_X, IRIS_Y).tree_.n_features == 20
    assert (
        cross_val_score(
            OptimalTreeClassifier(), *load_breast_cancer(return_X_y=True), scoring="roc_auc", cv=3
        ).min()
        > 0.85
    )
    assert cross_val_predict(OptimalTreeClassifier(), IRIS_X, IRIS_Y, method="predict_proba", cv=3).shape == (
        150,
        3,
    )
    assert (
        make_pipeline(StandardScaler(), OptimalTreeClassifier()).fit(IRIS_X, IRIS_Y).score(IRIS_X, IRIS_Y)
        > 0.95
    )
    assert (
        make_pipeline(Binarizer(), OptimalTreeClassifier()).fit(IRIS_X, IRIS_Y).score(IRIS_X, IRIS_Y) > 0.95
    )
    assert (
        CalibratedClassifierCV(OptimalTreeClassifier(), cv=3).fit(IRIS_X, IRIS_Y).score(IRIS_X, IRIS_Y) > 0.9
    )


def test_progress_is_passed_on(capsys: pytest.CaptureFixture[str]) -> None:
    OptimalTreeClassifier(progress=True).fit(IRIS_X, IRIS_Y)
    out, err = capsys.readouterr()
    assert out == ""
    assert "root 100 %" in err
    OptimalTreeClassifier(progress=lambda progress: None).fit(IRIS_X, IRIS_Y)


def test_the_tree_does_not_depend_on_threads() -> None:
    rows, y = load_breast_cancer(return_X_y=True)
    trees = [OptimalTreeClassifier(n_jobs=n).fit(rows, y).tree_ for n in (1, 2, -1)]
    assert trees[0] == trees[1] == trees[2]


def test_solve_and_the_estimator_agree() -> None:
    model = OptimalTreeClassifier(cuts="binned").fit(IRIS_X, IRIS_Y)
    features = Binarizer().fit_transform(IRIS_X)
    result = streed.solve(Accuracy(IRIS_Y), features, max_depth=3)
    assert result.objective == model.result_.objective
    assert np.array_equal(result.tree.predict(features), model.predict(IRIS_X))


class LikeliestByCounts(streed.tasks.StatisticsTask):
    """Errors of the likeliest class, whose label is computed from the counts of a leaf."""

    name = "likeliest_by_counts"
    summary = "errors of the likeliest class (minimised)"

    def __init__(self, y: Any) -> None:
        self.known, codes = np.unique(y, return_inverse=True)
        super().__init__(np.eye(len(self.known))[codes], least_row=0, worst_row=1)

    def leaf_costs(self, sums: Any) -> Any:
        return sums.sum(axis=0) - sums.max(axis=0)

    def leaf_label(self, sums: Any) -> Any:
        return self.known[sums.argmax()]


@pytest.mark.parametrize("names", [[0, 1, 2], ["setosa", "versicolor", "virginica"], [7, 5, 3]])
def test_labels_that_a_task_computes_from_its_leaves(names: list[Any]) -> None:
    """Leaves have labels of their own then, which are no positions among the classes."""
    y = np.array(names)[IRIS_Y]
    model = OptimalTreeClassifier(LikeliestByCounts, max_depth=3).fit(IRIS_X, y)
    plain = OptimalTreeClassifier(max_depth=3).fit(IRIS_X, y)
    assert model.classes_.tolist() == sorted(names)
    assert model.result_.objective == plain.result_.objective
    assert (model.predict(IRIS_X) != y).sum() == plain.result_.objective
    assert model.predict(IRIS_X).tolist() == model.tree_.predict(model.binarizer_.transform(IRIS_X)).tolist()
    assert model.score(IRIS_X, y) == plain.score(IRIS_X, y)
    assert not hasattr(model, "predict_proba")
    assert hasattr(plain, "predict_proba")


def test_an_objective_given_by_its_components() -> None:
    class Errors(streed.tasks.GeneralTask):
        name = "errors_by_components"

        def __init__(self, y: Any) -> None:
            self.y, self.n_rows = np.asarray(y), len(y)

        def components(self, X: Any, *, min_samples_leaf: int = 1) -> Any:
            return replace(Accuracy(self.y).components(X), labels=["no", "yes"], cost_leaf=self._errors)

        def _errors(self, rows: tuple[int, ...], label: str) -> int:
            return int((self.y[list(rows)] != label).sum())

    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], bool), ["no", "yes", "yes", "yes"]
    model = OptimalTreeClassifier(Errors, max_depth=2).fit(X, y)
    assert model.result_.engine == "general"
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.predict(X).tolist() == y
