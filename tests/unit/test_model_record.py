"""Model files as records: who made them, of which data, what is proven; edited files are refused."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import streed
from streed import (
    CostSensitiveTreeClassifier,
    FairTreeClassifier,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    PolicyTree,
    SurvivalTree,
)
from streed.model import Model
from streed.table.digest import digest

RNG = np.random.default_rng(5)
N = 70
X = pd.DataFrame(
    {"a": RNG.normal(size=N).round(1), "b": RNG.integers(0, 5, N), "c": RNG.choice(["x", "y", "z"], N)}
)
Y = np.where(X.a + RNG.normal(size=N) > 0, "yes", "no")
T = np.exp(RNG.normal(size=N))
W = RNG.uniform(0.5, 2, N)
EVENTS = np.array(list(zip(Y == "yes", T, strict=True)), dtype=[("event", bool), ("time", float)])
METRICS = ("f1", "jaccard", "g_mean", "min_recall", "macro_f1", "balanced_accuracy")


def _priced(objective: str, weight: Any) -> Any:
    model = OptimalTreeClassifier(objective, max_depth=2, cost_complexity=0.01, class_weight=weight)
    return model.fit(X, Y)


VERIFIED: dict[str, Callable[[], Any]] = {
    **{
        name: partial(lambda name: OptimalTreeClassifier(name, max_depth=2).fit(X, Y, W), name)
        for name in METRICS
    },
    **{
        f"{name} {weight}": partial(_priced, name, weight)
        for name in ("accuracy", "gini", "entropy", "log_loss")
        for weight in (None, "balanced")
    },
    **{
        name: partial(lambda name: OptimalTreeRegressor(name, max_depth=2).fit(X, T, W), name)
        for name in ("squared_error", "absolute_error", "quantile", "poisson", "gamma", "tweedie")
    },
    "priced": lambda: OptimalTreeRegressor(max_depth=2, cost_complexity=0.02).fit(X, T, W),
    "several": lambda: OptimalTreeRegressor(max_depth=2).fit(X, np.column_stack([T, W])),
    "fair": lambda: FairTreeClassifier(max_depth=2, max_difference=0.3).fit(X, Y, sensitive_features=X.c),
    "policy": lambda: PolicyTree(max_depth=2).fit(X, rewards=np.column_stack([T, W])),
}
RECORDED: dict[str, Callable[[], Any]] = {
    "mcc": lambda: OptimalTreeClassifier("mcc", max_depth=2).fit(X, Y),
    "survival": lambda: SurvivalTree(max_depth=2).fit(X, EVENTS),
    "linear": lambda: OptimalTreeRegressor(leaf_model="linear", max_depth=1).fit(X[["a", "b"]], T),
    "costs": lambda: CostSensitiveTreeClassifier(max_depth=2, misclassification_costs=[[0, 5], [1, 0]]).fit(
        X, Y
    ),
}


def stored(estimator: Any) -> dict[str, Any]:
    description: dict[str, Any] = json.loads(json.dumps(Model.from_estimator(estimator).to_dict()))
    return description


@pytest.mark.parametrize("name", VERIFIED)
def test_values_are_counted_anew_from_the_leaves(name: str) -> None:
    description = stored(VERIFIED[name]())
    model = Model.from_dict(description)
    assert model.verified == ("objective",)
    assert "the value was counted anew from the leaves" in model.summary()
    for wrong in (-5.0, description["proof"]["objective"] * 1.01 + 0.01):
        proof = {**description["proof"], "objective": wrong, "lower_bound": wrong}
        with pytest.raises(ValueError, match="contradicts itself: the objective is recorded as"):
            Model.from_dict({**description, "proof": proof})


@pytest.mark.parametrize("name", RECORDED)
def test_what_does_not_follow_from_the_leaves_is_called_recorded(name: str) -> None:
    model = Model.from_dict(stored(RECORDED[name]()))
    assert model.verified == ()
    assert "value and proof are recorded, not verified" in model.summary()


def test_relabelled_leaves_are_refused() -> None:
    description = stored(OptimalTreeClassifier(max_depth=2).fit(X, Y))
    leaf = next(node for node in description["tree"]["nodes"] if "label" in node)
    leaf["label"] = 1 - leaf["label"]
    with pytest.raises(ValueError, match="contradicts itself"):
        Model.from_dict(description)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lower_bound": 0.0}, "recorded as optimal, with the objective"),
        ({"status": "time_limit"}, "recorded as optimal, with status 'time_limit'"),
    ],
)
def test_proofs_that_contradict_themselves(change: dict[str, Any], message: str) -> None:
    description = stored(OptimalTreeClassifier(max_depth=2).fit(X, Y))
    description["proof"] |= change
    with pytest.raises(ValueError, match=message):
        Model.from_dict(description)


@pytest.mark.parametrize("entry", ["n_samples", "class_weights"])
def test_nodes_that_are_not_the_sum_of_their_children(entry: str) -> None:
    description = stored(OptimalTreeClassifier(max_depth=2).fit(X, Y))
    node = description["tree"]["nodes"][0]
    node[entry] = node[entry] + 1 if entry == "n_samples" else [each + 1 for each in node[entry]]
    with pytest.raises(ValueError, match=f"contradicts itself: {entry} of node 0"):
        Model.from_dict(description)


def test_the_record_says_who_what_and_when(tmp_path: Path) -> None:
    estimator = OptimalTreeClassifier(
        "log_loss", max_depth=2, min_samples_leaf=5, class_weight={"yes": 3, "no": 1}
    ).fit(X, Y, W)
    Model.from_estimator(estimator).save(tmp_path / "model.json")
    record = Model.load(tmp_path / "model.json").record
    assert record == json.loads(json.dumps(estimator.result_.record))
    assert record["made_by"]["version"] == streed.__version__
    assert record["parameters"]["class_weight"] == {"yes": 3, "no": 1}
    assert set(record["parameters"]) == set(estimator.get_params()) - {"progress"}
    assert record["data"]["rows"] == N
    assert [each["kind"] for each in record["data"]["columns"]] == ["numbers", "numbers", "categories"]
    assert record["data"]["sha256"] == {
        "X": digest(X, "X"), "y": digest(Y, "y"), "sample_weight": digest(W, "sample_weight"),
    }  # fmt: skip
    assert record["covers"].startswith(
        "not proven" if not estimator.result_.optimal else "proven: of all trees"
    )
    assert "with at least 5 rows in each leaf" in record["covers"]
    assert estimator.result_.note in record["covers"]


def test_the_record_of_a_tuned_tree_has_what_was_chosen() -> None:
    estimator = OptimalTreeClassifier(max_depth=3, tune=2).fit(X, Y)
    record = estimator.result_.record
    assert record["parameters"]["max_nodes"] == estimator.tuned_.params["max_nodes"]
    assert record["parameters"]["tune"] == 2
    size = OptimalTreeClassifier(max_depth=2).path(X, Y).estimator(1)
    assert size.result_.record["parameters"]["max_nodes"] == 1
    assert size.result_.record["data"]["sha256"]["X"] == digest(X, "X")


def test_parameters_of_every_kind() -> None:
    from streed.estimators.fitted.record import plain

    large = np.arange(1000.0)
    found = plain({"matrix": np.eye(2), "large": large, "binarizer": streed.Binarizer(), "function": np.mean})
    assert found["matrix"] == [[1.0, 0.0], [0.0, 1.0]]
    assert found["large"]["shape"] == [1000]
    assert found["binarizer"]["type"] == "Binarizer"
    assert found["function"] == "numpy.mean"
    json.dumps(found, allow_nan=False)


@given(
    st.lists(st.none() | st.floats(-1e6, 1e6), min_size=1, max_size=8),
    st.data(),
)
def test_digests_depend_on_what_a_table_says(numbers: list[Any], data: st.DataObject) -> None:
    n = len(numbers)
    words = data.draw(st.lists(st.none() | st.sampled_from(["u", "v", "ü\0"]), min_size=n, max_size=n))
    table = pl.DataFrame(
        {"number": pl.Series(numbers, dtype=pl.Float64), "word": pl.Series(words, dtype=pl.String)}
    )
    frame = pd.DataFrame({"number": np.array(numbers, float), "word": pd.Series(words, dtype=object)})
    assert digest(table, "X") == digest(frame, "X")
    changed = frame.copy()
    changed.loc[0, "number"] = 17.25 if frame.loc[0, "number"] != 17.25 else 3.0
    assert digest(changed, "X") != digest(frame, "X")
    assert digest(frame[["word", "number"]], "X") != digest(frame, "X")


def test_digests_of_arrays() -> None:
    assert digest(np.array([[1, 2], [3, 4]]), "X") == digest(np.array([[1.0, 2.0], [3.0, 4.0]]), "X")
    assert digest(np.array([[True, False]]), "X") != digest(np.array([[1, 0]]), "X")
    assert digest([0.0, np.nan]) == digest([-0.0, -np.nan])
    wide = 2**60 + np.arange(3)
    assert digest(wide) != digest(wide + 1) != digest(wide.astype(float))
    assert digest(EVENTS) != digest(EVENTS[::-1])


def test_check_counts_on_data() -> None:
    estimator = OptimalTreeClassifier(max_depth=2).fit(X, Y)
    model = Model.from_dict(stored(estimator))
    assert model.check(X, Y).passed
    assert model.check(X, Y).same_data == {"X": True, "y": True}
    fewer = model.check(X[:-1], Y[:-1])
    assert not fewer.passed
    assert not fewer.same_leaves
    other = model.check(X, Y[::-1].copy())
    assert other.same_leaves
    assert other.same_targets is False
    assert other.same_data == {"X": True, "y": False}
    with pytest.raises(ValueError, match="y must have one entry for each of 70 rows"):
        model.check(X, Y[:3])


def test_check_of_weights_and_numbers() -> None:
    weighted = Model.from_estimator(OptimalTreeClassifier(max_depth=2).fit(X, Y, np.where(X.a > 1, 0, W)))
    assert weighted.check(X, Y, np.where(X.a > 1, 0, W)).passed
    assert not weighted.check(X, Y).passed
    numbers = Model.from_estimator(OptimalTreeRegressor(max_depth=2).fit(X, T, W))
    assert numbers.check(X, T, W).passed
    assert numbers.check(X, T + 1, W).same_targets is False
    assert (
        Model.from_estimator(SurvivalTree(max_depth=1).fit(X, EVENTS)).check(X, EVENTS).same_targets is None
    )


def test_weighted_shares_have_their_name() -> None:
    estimator = OptimalTreeClassifier(max_depth=1, class_weight={"yes": 10, "no": 1}).fit(X, Y)
    tree = estimator.tree_
    assert tree.class_counts is not None
    leaf = int(tree.left[0])
    share = 100 * tree.class_counts[leaf, tree.label[leaf]] / tree.n_samples[leaf]
    by_weight = 100 * tree.class_weights[leaf, tree.label[leaf]] / tree.class_weights[leaf].sum()
    assert abs(share - by_weight) > 5
    said = f"{share:.1f} %, weighted {by_weight:.1f} %"
    loaded = Model.from_dict(stored(estimator)).readable_tree()
    assert loaded.class_counts is not None
    assert np.array_equal(loaded.class_counts, tree.class_counts)
    for view in (
        tree.to_text(),
        tree.to_rules(),
        tree.to_dot(),
        tree.to_python(),
        tree.to_html(),
        loaded.to_text(),
    ):
        assert said in view
    labels = estimator.apply(X)
    for node in np.flatnonzero(tree.feature < 0).tolist():
        counted = [int(np.sum((labels == node) & (c == Y))) for c in tree.classes]
        assert tree.class_counts[node].tolist() == counted
    unnamed = copy.copy(tree)
    unnamed.class_counts = None
    assert f"weighted {by_weight:.1f} %" in unnamed.to_text()
    assert OptimalTreeClassifier(max_depth=1).fit(X, Y).tree_.class_counts is None


def test_weighted_shares_in_pictures() -> None:
    tree = OptimalTreeClassifier(max_depth=1, class_weight={"yes": 10, "no": 1}).fit(X, Y).tree_
    texts = [text.get_text() for text in tree.plot().texts]
    assert sum("weighted" in text for text in texts) == 2


@pytest.mark.parametrize("counts", [[1], [1, -1], [1, 0.5], "12", [[1], [2]], [10**400, 1]])
def test_class_counts_of_files_are_checked(counts: Any) -> None:
    description = stored(OptimalTreeClassifier(max_depth=1, class_weight={"yes": 10, "no": 1}).fit(X, Y))
    description["tree"]["nodes"][1]["class_counts"] = counts
    with pytest.raises(ValueError, match="class_counts"):
        Model.from_dict(description)


HOLES = pd.DataFrame({"age": [20.0, 30, 40, 50, 60, 70], "city": list("aabbbb")})
ANSWERS = [0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize("column", ["age", "city"])
def test_missing_values_where_the_fit_had_none(column: str) -> None:
    rows = HOLES[[column]].copy()
    usual = OptimalTreeClassifier(max_depth=1).fit(rows, ANSWERS)
    rows.loc[[1, 4], column] = None
    for model in (usual, Model.from_dict(stored(usual))):
        with pytest.warns(
            streed.MissingAtPredictWarning, match=f"missing values in '{column}', where the fit"
        ):
            model.predict(rows)
    routed = OptimalTreeClassifier(max_depth=1, missing_at_predict="route").fit(HOLES[[column]], ANSWERS)
    for model in (routed, Model.from_dict(stored(routed))):
        assert model.predict(rows).tolist() == [0, 1, 1, 1, 1, 1]
    refusing = OptimalTreeClassifier(max_depth=1, missing_at_predict="error").fit(HOLES[[column]], ANSWERS)
    for model in (refusing, Model.from_dict(stored(refusing))):
        with pytest.raises(
            ValueError, match=f"column '{column}' has missing values, the first in row 1, but"
        ):
            model.predict(rows)
    with pytest.raises(ValueError, match="missing_at_predict must be 'warn', 'route' or 'error', got 'left'"):
        OptimalTreeClassifier(missing_at_predict="left").fit(HOLES, ANSWERS)


def test_routed_rows_go_the_heavier_way_at_each_test() -> None:
    """Against a walk down the tree, row by row."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(80, 3))
    y = (table[:, 0] > 0).astype(int) + 2 * (table[:, 1] > 0.3)
    model = OptimalTreeClassifier(max_depth=3, missing_at_predict="route").fit(table, y)
    holes = np.where(rng.random(table.shape) < 0.4, np.nan, table)
    tree, names = model.tree_, ["x0", "x1", "x2"]
    weight = tree.class_weights.sum(axis=1)
    assert tree.conditions is not None
    for row, found in zip(holes, model.apply(holes).tolist(), strict=True):
        node = 0
        while tree.feature[node] >= 0:
            test = tree.conditions[tree.feature[node]]
            value = row[names.index(test.column)]
            left, right = int(tree.left[node]), int(tree.right[node])
            goes = weight[right] > weight[left] if np.isnan(value) else value <= test.value
            node = right if goes else left
        assert found == node
    assert np.array_equal(Model.from_dict(stored(model)).apply(holes), model.apply(holes))


def test_columns_that_had_missing_values_are_not_warned_of() -> None:
    rows = HOLES.copy()
    rows.loc[[1, 4], "age"] = None
    model = OptimalTreeClassifier(max_depth=2).fit(rows, ANSWERS)
    assert model.predict(rows).tolist() == Model.from_dict(stored(model)).predict(rows).tolist()


def test_models_refuse_infinities() -> None:
    model = Model.from_estimator(OptimalTreeClassifier(max_depth=1).fit(HOLES[["age"]], ANSWERS))
    with pytest.raises(ValueError, match="column 'age' contains infinity in row 1"):
        model.predict(pd.DataFrame({"age": [1.0, np.inf]}))


def test_leaves_that_are_labelled_against_their_rows_say_so() -> None:
    cells = [(0, 0, 60, 0), (1, 0, 0, 40), (1, 1, 10, 0), (0, 1, 30, 20)]  # group, x, rows of 0, rows of 1
    rows = [(g, x, label) for g, x, *n in cells for label in (0, 1) for _ in range(n[label])]
    group, x, y = np.array(rows).T
    table = np.column_stack([group, x])
    fair = FairTreeClassifier("demographic_parity", max_depth=2, max_difference=0.4)
    fair.fit(table, y, sensitive_features=group)
    tree = fair.tree_
    assert tree.class_weights is not None
    leaves = np.flatnonzero(tree.feature < 0)
    weights = tree.class_weights[leaves]
    lost = weights.max(axis=1) - weights[np.arange(leaves.size), tree.label[leaves]]
    n_against = int((lost > 0).sum())
    assert n_against > 0
    assert tree.to_text().count("labelled against most rows") == n_against
    assert tree.to_html().count("labelled against most rows") >= n_against
    assert (
        f"labelled against most rows to keep the limit, which costs {lost.sum():g} errors"
        in fair.result_.note
    )
    assert fair.result_.note in fair.result_.record["covers"]
    usual = OptimalTreeClassifier(max_depth=2).fit(table, y)
    assert "against" not in usual.tree_.to_text()


def test_what_is_proven_names_the_limits() -> None:
    policy = PolicyTree(max_depth=1, capacity={1: 20}).fit(X, rewards=np.column_stack([T, W]))
    assert "with capacity={'1': 20}" in policy.result_.record["covers"]
    fair = FairTreeClassifier(max_depth=1, max_difference=0.25).fit(X, Y, sensitive_features=X.c)
    assert "max_difference=0.25" in fair.result_.record["covers"]


def test_a_record_is_of_the_fit_whenever_it_is_asked_for() -> None:
    """It is written late, and what is changed after the fit does not get into it."""
    rows, labels = np.array(X[["a", "b"]]), np.array(Y == "yes")
    weights = {False: 1.0, True: 2.0}
    early = OptimalTreeClassifier(max_depth=2, class_weight=dict(weights)).fit(rows, labels)
    expected = dict(early.result_.record)
    late = OptimalTreeClassifier(max_depth=2, class_weight=weights).fit(rows, labels)
    copies = copy.deepcopy(late.result_), pickle.loads(pickle.dumps(late)).result_
    late.set_params(max_depth=5)
    weights[True] = 7.0
    rows += 1
    labels[:] = False
    for result in (late.result_, *copies):
        for name in ("parameters", "data", "covers", "estimator", "note"):
            assert result.record[name] == expected[name], name
    assert late.result_ == late.result_


def test_results_have_no_attributes_but_their_own() -> None:
    result = streed.solve(streed.tasks.Accuracy([0, 1]), [[0], [1]], max_depth=1)
    assert result.record == {}
    with pytest.raises(AttributeError, match="no attribute 'recorded'"):
        _ = result.recorded  # type: ignore[attr-defined]
