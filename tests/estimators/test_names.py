"""Names and words of other packages are answered by ours; attributes of a fit say that it is missing."""

from __future__ import annotations

import inspect
import re
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import streed
from streed.estimators.parameters.names import FOREIGN

ESTIMATORS = [
    streed.OptimalTreeClassifier,
    streed.CostSensitiveTreeClassifier,
    streed.FairTreeClassifier,
    streed.PolicyTree,
    streed.OptimalTreeRegressor,
    streed.SurvivalTree,
]
BITS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3)
LABELS = np.array(["a", "b", "b", "b"] * 3)


def parameters(estimator: Any) -> list[str]:
    return list(inspect.signature(estimator).parameters)


@pytest.mark.parametrize("name", FOREIGN)
def test_every_name_of_the_table_is_answered(name: str) -> None:
    """Each entry serves at least one estimator, and names only parameters that some estimator has."""
    every = {each for estimator in ESTIMATORS for each in parameters(estimator)}
    ours = FOREIGN[name].names.split()
    assert set(ours) <= every
    answers = 0
    for estimator in ESTIMATORS:
        if name in parameters(estimator):
            continue
        here = next((each for each in ours if each in parameters(estimator)), None)
        with pytest.raises(TypeError) as caught:
            estimator(**{name: 1})
        message = str(caught.value)
        if here is None and ours:
            continue
        answers += 1
        assert message.startswith(f"{estimator.__name__} has no parameter {name!r}: ")
        assert here is None or f"it is {here} here" in message
    assert answers


@pytest.mark.parametrize("tree", [DecisionTreeClassifier, DecisionTreeRegressor])
def test_all_parameters_of_scikit_learns_trees_are_known(tree: type) -> None:
    ours = {"max_depth", "min_samples_leaf", "class_weight"}
    waiting = {"monotonic_cst"}  # nothing here is like it
    assert set(parameters(tree)) <= ours | waiting | set(FOREIGN)


def test_misspelt_and_unknown_names() -> None:
    with pytest.raises(TypeError, match=r"has no parameter 'max_dpeth'; did you mean 'max_depth'\?"):
        streed.SurvivalTree(max_dpeth=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'banana'"):
        streed.SurvivalTree(banana=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="positional argument"):
        streed.OptimalTreeClassifier("f1", 3)  # type: ignore[call-arg]


def test_set_params_and_searches_answer_too() -> None:
    model = streed.OptimalTreeClassifier()
    with pytest.raises(ValueError, match="it is max_nodes here"):
        model.set_params(max_leaf_nodes=3)
    with pytest.raises(ValueError, match="it is cost_complexity here"):
        GridSearchCV(model, {"ccp_alpha": [0.1]}, cv=2).fit(BITS, LABELS)
    with pytest.raises(ValueError, match="Invalid parameter 'banana'"):
        model.set_params(banana=3)
    assert model.set_params(max_depth=2) is model
    assert clone(model).max_depth == 2


def test_subclasses_answer_for_their_own_parameters() -> None:
    class Mine(streed.OptimalTreeClassifier):
        def __init__(self, *, max_leaf_nodes: int = 3) -> None:
            super().__init__(max_nodes=max_leaf_nodes - 1)
            self.max_leaf_nodes = max_leaf_nodes

    assert Mine(max_leaf_nodes=4).max_nodes == 3
    with pytest.raises(TypeError, match="parameter 'max_leaf_node'; did you mean 'max_leaf_nodes'"):
        Mine(max_leaf_node=4)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (streed.OptimalTreeClassifier("acuracy"), "got 'acuracy'; did you mean 'accuracy'?"),
        (streed.OptimalTreeClassifier("Log-Loss"), "did you mean 'log_loss'?"),
        (streed.OptimalTreeClassifier("mse"), "'squared_error'? It is for streed.OptimalTreeRegressor"),
        (streed.OptimalTreeClassifier("nothing like it"), "a metric, or a Task class, got 'nothing like it'"),
        (streed.OptimalTreeRegressor("mse"), "got 'mse'; did you mean 'squared_error'?"),
        (streed.OptimalTreeRegressor("MAE"), "did you mean 'absolute_error'?"),
        (streed.OptimalTreeRegressor(leaf_model="lines"), "did you mean 'linear'?"),
        (streed.FairTreeClassifier("equalised_odds"), "did you mean 'equalized_odds'?"),
        (streed.OptimalTreeClassifier("balanced"), "got 'balanced'; did you mean 'balanced_accuracy'?"),
        (streed.OptimalTreeClassifier(tune="yes"), "tune must be 'holdout', a number of folds"),
        (streed.OptimalTreeClassifier(tune=1), "tune must be 'holdout', a number of folds (from 2 to the"),
        (streed.OptimalTreeClassifier(tune=13), "tune must be 'holdout', a number of folds (from 2 to the"),
    ],
)
def test_words_that_are_nearly_right(model: Any, message: str) -> None:
    y = np.arange(12.0) if isinstance(model, streed.OptimalTreeRegressor) else LABELS
    groups = {"sensitive_features": LABELS} if isinstance(model, streed.FairTreeClassifier) else {}
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        model.fit(BITS, y, **groups)
    assert str(caught.value).endswith(message) or "tune" in message


def test_teachers_and_metrics_that_are_nearly_right() -> None:
    with pytest.raises(ValueError, match="did you mean 'doubly_robust'"):
        streed.PolicyTree("double_robust").fit(BITS, LABELS, np.arange(12.0))
    with pytest.raises(ValueError, match="did you mean 'macro_f1'"):
        streed.metrics.as_metric("macrof1")


FITTED: dict[Any, str] = {
    streed.OptimalTreeClassifier: "classes_",
    streed.CostSensitiveTreeClassifier: "expected_costs_",
    streed.FairTreeClassifier: "group_rates_ difference_ ratio_ classes_",
    streed.PolicyTree: "treatments_",
    streed.OptimalTreeRegressor: "n_outputs_ leaf_columns_",
    streed.SurvivalTree: "unique_times_",
}


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_attributes_before_fit(estimator: Any) -> None:
    model = estimator()
    for name in ("tree_", "result_", "binarizer_", *FITTED[estimator].split()):
        assert not hasattr(model, name)
        with pytest.raises(NotFittedError, match="fit"):
            getattr(model, name)
    with pytest.raises(NotFittedError, match=rf"{estimator.__name__} has no tree_ yet: it is not fitted"):
        _ = model.tree_
    with pytest.raises(AttributeError, match="has no attribute 'coef_'"):
        _ = model.coef_
    assert vars(model) == vars(clone(model))


def test_what_users_of_scikit_learn_ask_of_a_tree() -> None:
    model = streed.OptimalTreeClassifier(max_depth=2, smoothing=None).fit(BITS, LABELS)
    twin = DecisionTreeClassifier(max_depth=2, random_state=0).fit(BITS, LABELS)
    assert (model.get_depth(), model.get_n_leaves()) == (twin.get_depth(), twin.get_n_leaves()) == (2, 3)
    assert model.n_leaves_ == 3
    with np.errstate(divide="ignore"):
        assert np.array_equal(model.predict_log_proba(BITS), twin.predict_log_proba(BITS))
    leaf = streed.OptimalTreeRegressor(max_depth=0).fit(BITS, np.arange(12.0))
    assert (leaf.get_depth(), leaf.get_n_leaves(), leaf.n_leaves_) == (0, 1, 1)
    assert not hasattr(leaf, "predict_log_proba")


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_asking_before_fit(estimator: Any) -> None:
    model = estimator()
    with pytest.raises(NotFittedError, match="not fitted"):
        model.get_depth()
    with pytest.raises(NotFittedError, match="not fitted"):
        model.get_n_leaves()
    assert not hasattr(model, "n_leaves_")
