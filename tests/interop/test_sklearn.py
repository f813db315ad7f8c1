"""Trees of scikit-learn made of ours: every row ends where it did, or the export is refused."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from streed import (
    Condition,
    CostSensitiveTreeClassifier,
    ExportError,
    FairTreeClassifier,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    PolicyTree,
    SurvivalTree,
    Tree,
    solve,
)
from streed.interop.sklearn_tree import threshold
from streed.model import Model
from streed.survival import survival_target
from streed.tasks import Accuracy
from tests.interop.tables import fitted, people, random_model, random_rows, with_cuts
from tests.views.trees import grow


@pytest.mark.parametrize("kind", ["classifier", "regressor"])
@pytest.mark.parametrize("missing", ["side", "indicator"])
def test_a_frame_with_everything(kind: str, missing: str) -> None:
    estimator = fitted(kind, missing)
    rows = with_cuts(people(10_000, seed=7), estimator.tree_)
    expected = estimator.predict(rows)
    from_file = Model.from_dict(Model.from_estimator(estimator).to_dict())
    for pipeline in (estimator.to_sklearn(rows, pipeline=True), from_file.to_sklearn(pipeline=True)):
        assert isinstance(pipeline, Pipeline)
        assert np.count_nonzero(pipeline.predict(rows) != expected) == 0
        if kind == "classifier":
            np.testing.assert_allclose(
                pipeline.predict_proba(rows), estimator.predict_proba(rows), rtol=1e-15
            )
    tree = estimator.to_sklearn()
    encoded = estimator.to_sklearn(pipeline=True)[:-1].transform(rows)
    assert type(tree) is (DecisionTreeClassifier if kind == "classifier" else DecisionTreeRegressor)
    assert np.count_nonzero(pickle.loads(pickle.dumps(tree)).predict(encoded) != expected) == 0
    assert {"age", "member", "income"} <= set(tree.feature_names_in_)
    assert "colour" not in encoded


@pytest.mark.filterwarnings("ignore::streed.MissingAtPredictWarning")
@pytest.mark.parametrize("seed", range(40))
def test_random_trees(seed: int) -> None:
    model, rows = random_model(seed), random_rows(2000, seed)
    rows.loc[rows.age == np.float32(0.1), "age"] = 0.2  # 64 bits and 32 bits apart; see the tests of numbers
    pipeline = model.to_sklearn(rows, pipeline=True)
    assert (pipeline.predict(rows) == model.predict(rows)).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("regress", [False, True])
def test_numbers_at_the_cuts(dtype: Any, regress: bool) -> None:
    rng = np.random.default_rng(3)
    X = (rng.integers(0, 60, (400, 4)) / 10).astype(dtype)  # 0.1, 0.2, ...: float32(0.1) > 0.1, others below
    y = X[:, 0] + 2 * (X[:, 1] > 2.3) - X[:, 2] * (X[:, 3] <= 0.7) + rng.normal(0, 0.3, 400)
    kind = OptimalTreeRegressor if regress else OptimalTreeClassifier
    estimator = kind(max_depth=4, cuts="binned").fit(X, y if regress else y > 1.5)
    cuts = [each.value for each in estimator.binarizer_.conditions_]
    rows = (rng.integers(0, 120, (10_000, 4)) / 20).astype(dtype)
    near = np.array(cuts, dtype)
    if dtype == np.float32:
        near = np.concatenate([near, np.nextafter(near, dtype(9)), np.nextafter(near, dtype(-9))])
    rows.ravel()[rng.integers(0, rows.size, 8000)] = rng.choice(near, 8000)
    assert any(float(np.float32(cut)) > cut for cut in cuts)
    assert np.count_nonzero(estimator.to_sklearn(X).predict(rows) != estimator.predict(rows)) == 0


def test_the_type_can_be_said_where_it_is_not_known() -> None:
    tree = grow((0, 0, 1), [Condition("x", "<=", 0.1)])
    both = pd.DataFrame({"x": [0.1, float(np.float32(0.1))]})
    assert tree.to_sklearn(both[:1]).predict(both[:1]).tolist() == ["yes"]
    assert tree.to_sklearn(dtype="float32").predict(both[1:].astype("float32")).tolist() == ["no"]
    assert tree.to_sklearn(dtype="float64").predict(both[:1]).tolist() == ["yes"]
    with pytest.raises(ExportError, match=r"1 of 2 rows of X, the first one row 1"):
        tree.to_sklearn(both)


@pytest.mark.parametrize("cuts", ["exact", "binned"])
def test_values_that_32_bits_merge_are_refused(cuts: str) -> None:
    X = 1e9 + np.arange(40.0)[:, None]
    estimator = OptimalTreeClassifier(max_depth=1, cuts=cuts).fit(X, np.arange(40) > 20)
    with pytest.raises(ExportError, match=r"x0 <= 1000000020.* separates 1000000020.0 from 1000000021.0"):
        estimator.to_sklearn()
    assert OptimalTreeClassifier(max_depth=1).fit(X - 1e9, np.arange(40) > 20).to_sklearn() is not None
    model = Model.from_dict(Model.from_estimator(estimator).to_dict())  # knows no training values
    with pytest.raises(ExportError, match="of 40 rows of X"):
        model.to_sklearn(X)


def test_only_the_gap_changes_where_a_cut_is_too_fine() -> None:
    low, high = 1.0, float(np.float32(1.0000001192092896))
    cut = Condition("x", "<=", high - 1e-9)
    found = threshold(cut, (low, high), single=False)
    assert low <= found < high
    with pytest.raises(ExportError, match="separates"):
        threshold(cut, (high - 2e-9, high), single=False)
    with pytest.raises(ExportError, match="no double"):
        threshold(Condition("x", "<=", 2**53 + 1), (0, 2**60), single=False)


def test_numbers_are_the_columns_of_the_table() -> None:
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.random((300, 2)), rng.integers(0, 2, 300), rng.random(300)])
    X[rng.random(300) < 0.2, 1] = np.nan
    y = (np.nan_to_num(X[:, 1], nan=0.9) > 0.6) ^ (X[:, 2] > 0)
    estimator = OptimalTreeClassifier(max_depth=3).fit(X, y)
    tree = estimator.to_sklearn(X)
    assert tree.n_features_in_ == 4
    assert not hasattr(tree, "feature_names_in_")
    assert (tree.predict(X) == estimator.predict(X)).all()
    assert tree.get_depth() == estimator.tree_.depth
    assert tree.get_n_leaves() == estimator.tree_.n_leaves


@pytest.mark.parametrize("kind", [bool, np.uint8])
def test_binary_features_need_no_columns(kind: Any) -> None:
    X = np.random.default_rng(0).random((200, 5)) < 0.4
    y = X[:, 1] ^ X[:, 3]
    found = solve(Accuracy(y), X, max_depth=2).tree
    assert found.conditions is None
    assert (found.to_sklearn().predict(X.astype(kind)) == y).all()
    assert found.to_sklearn().n_features_in_ == 5


def test_several_outputs_and_medians_and_risks() -> None:
    table = people(300).drop(columns=["day"])
    numbers = np.random.default_rng(1).random((300, 2)) + table[["member"]].to_numpy()
    pairs = OptimalTreeRegressor(max_depth=2).fit(table, numbers)
    np.testing.assert_allclose(pairs.to_sklearn(pipeline=True).predict(table), pairs.predict(table))
    medians = OptimalTreeRegressor("absolute_error", max_depth=2).fit(table, numbers[:, 0])
    assert (medians.to_sklearn(pipeline=True).predict(table) == medians.predict(table)).all()
    inner = medians.to_sklearn().tree_
    weights = inner.weighted_n_node_samples
    leaves = inner.children_left < 0
    mean = np.average(inner.value[leaves].ravel(), weights=weights[leaves])
    np.testing.assert_allclose(inner.value[0].ravel(), mean)  # as SHAP expects
    survival = SurvivalTree(max_depth=2).fit(table, survival_target(table.owner > 0, 1 + numbers[:, 0]))
    assert (survival.to_sklearn(pipeline=True).predict(table) == survival.predict(table)).all()


def test_labels_that_are_not_the_most_frequent() -> None:
    table = people(400)
    y = np.where(table.member, "yes", "no")
    y[np.arange(400) % 3 > 0] = "no"
    dear = np.array([[0, 1], [9, 0]])
    estimator = CostSensitiveTreeClassifier(misclassification_costs=dear, max_depth=1).fit(table, y)
    with pytest.raises(ExportError, match=r"leaf \d predicts 'yes', but 'no' is at least as frequent"):
        estimator.to_sklearn()
    exact = estimator.to_sklearn(pipeline=True, leaves="labels")
    assert (exact.predict(table) == estimator.predict(table)).all()


def test_policies_and_fairness() -> None:
    table = people(400).drop(columns=["day", "colour"])
    outcome = np.where(table.member, table.owner, 1 - table.owner)
    policy = PolicyTree(max_depth=2).fit(table, rewards=np.column_stack([outcome, 1 - outcome]))
    with pytest.raises(ExportError, match=r"no shares of classes.*leaves='labels'"):
        policy.to_sklearn()
    assert (policy.to_sklearn(pipeline=True, leaves="labels").predict(table) == policy.predict(table)).all()
    fair = FairTreeClassifier(max_depth=2).fit(table, outcome, sensitive_features=table.member)
    exact = fair.to_sklearn(pipeline=True, leaves="labels")
    assert (exact.predict(table) == fair.predict(table)).all()


def test_a_leaf_alone() -> None:
    tree = Tree([-1], [-1], [-1], [1], n_samples=[3], class_weights=[[1, 2]], classes=[4, 7], n_features=2)
    assert tree.to_sklearn().predict(np.zeros((3, 2))).tolist() == [7, 7, 7]


def test_what_has_no_equal_is_refused() -> None:
    table = people(100).drop(columns=["age"])
    line = OptimalTreeRegressor(leaf_model="linear", leaf_columns=["income"], max_depth=1)
    with pytest.raises(ExportError, match=r"leaf 1 predicts .* income: a linear function"):
        line.fit(table, table.income + table.member).to_sklearn()
    odd: Any = Condition("day", "weekday", 3)  # type: ignore[arg-type]
    with pytest.raises(ExportError, match="the test 'day weekday 3' is of a kind that this export does not"):
        grow((0, 0, 1), [odd]).to_sklearn()
    with pytest.raises(ValueError, match="leaves must be one of 'shares', 'labels', got 'votes'"):
        grow((0, 0, 1)).to_sklearn(leaves="votes")
    with pytest.raises(ValueError, match="dtype must be one of 'float64', 'float32', None, got 'float16'"):
        grow((0, 0, 1)).to_sklearn(dtype="float16")


def test_columns_of_the_encoder_are_checked() -> None:
    estimator, rows = fitted("classifier", "side"), people(50)
    pipeline = estimator.to_sklearn(pipeline=True)
    with pytest.raises(TypeError, match="'age' must hold numbers or Booleans, got categories"):
        pipeline.predict(rows.assign(age="old"))
    strict = OptimalTreeClassifier(max_depth=1, cuts="binned").fit(rows[["income"]], rows.member)
    with pytest.raises(ValueError, match="'income' has missing values, the first in row 0"):
        strict.to_sklearn(pipeline=True).predict(pd.DataFrame({"income": [np.nan]}))
