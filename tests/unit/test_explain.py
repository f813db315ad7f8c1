"""Explanations beside their slow twin: all subsets of tests, and all rows that a tree tells apart."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from streed import Condition, ExportError, OptimalTreeClassifier, OptimalTreeRegressor
from streed.explain.explanations import Explainer, Explanations
from streed.model import Model
from streed.reasons.fewest import Leaves, same_prediction
from streed.tree.walk import paths
from tests.interop.tables import CONDITIONS, fitted, people, random_model
from tests.views.trees import grow

pytestmark = pytest.mark.filterwarnings("ignore::streed.MissingAtPredictWarning")

VALUES: dict[str, list[Any]] = {
    "age": [0.1, 30.0, 42.0, 50.0, None],
    "colour": ["red", "green", "blue", "grey", "violet", None],
    "member": [True, False, None],
    "owner": [1, 0, None],
    "number": [3, 2, 5, 0.5, 1.0, None],
    "day": [*pd.to_datetime(["2024-03-05", "2024-03-06 12:30:00.5", "2025-01-01"], format="ISO8601"), None],
    "size": ["s", "m", "l", None],
}
"""A value of every sort that the conditions of `random_model` tell apart."""


def universe(model: Model, values: dict[str, list[Any]]) -> tuple[pd.DataFrame, Any]:
    """All combinations of values of the columns that a model tests, also as positions in `values`."""
    tested = {name: values[name] for name in model.tested_columns}
    places = np.array(list(itertools.product(*(range(len(own)) for own in tested.values()))), dtype=int)
    table = {
        name: pd.Series([own[i] for i in places[:, j]], dtype=None if name in ("day", "age") else object)
        for j, (name, own) in enumerate(tested.items())
    }
    return pd.DataFrame(table), places


def fewest(held: Any, steps: list[tuple[int, bool]], predictions: Any) -> int:
    """The size of the smallest set of tests of a path that decides: the twin tries them all."""
    for size in range(len(steps) + 1):
        for chosen in itertools.combinations(steps, size):
            rows = np.all([held[:, f] == holds for f, holds in chosen], axis=0) if chosen else slice(None)
            if len(set(predictions[rows])) == 1:
                return size
    raise AssertionError("the whole path decides")


@pytest.mark.parametrize("seed", range(12))
def test_the_fewest_tests_are_those_of_the_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = random_model(seed, n_labels=int(rng.integers(2, 4)), depth=4)
    table, _ = universe(model, VALUES)
    leaves = Leaves(model.tree, model.conditions, same_prediction(model.tree))
    features = np.unique(model.tree.feature[model.tree.feature >= 0])
    found, bits = model.evaluate(table)
    held = np.zeros((len(table), len(CONDITIONS)), bool)
    held[:, features] = bits
    ends, predictions = found.apply(bits), model.predict(table)
    assert set(leaves.by_node) == set(ends.tolist())  # exactly the leaves that a row can end in
    for node, path in paths(model.tree):
        if node in leaves.by_node:
            steps = list(dict.fromkeys(path))
            reasons = leaves.reasons(node)
            assert len(reasons) == fewest(held, steps, predictions)
            rows = np.all([held[:, f] == holds for f, holds in reasons], axis=0) if reasons else slice(None)
            assert set(predictions[rows]) == {model.tree.classes[model.tree.label[node]]}


@pytest.mark.parametrize("seed", range(12))
def test_changes_are_those_of_the_twin(seed: int) -> None:
    model = random_model(seed + 100, n_labels=3, depth=3)
    table, places = universe(model, VALUES)
    predictions = model.predict(table)
    absent = np.array([[len(VALUES[name]) - 1 for name in model.tested_columns]]) == places
    rows = np.random.default_rng(seed).choice(len(table), min(40, len(table)), replace=False)
    sample = table.iloc[rows].reset_index(drop=True)
    for row, explained in zip(range(len(rows)), model.explain(sample), strict=True):
        own = places[rows[row]]
        assert explained.prediction == predictions[rows[row]]
        changed = places != own
        possible = ~(changed & absent).any(axis=1)
        found = {change.prediction: change for change in explained.changes}
        for label in {str(label) for label in predictions} | set(found):
            other = possible & (predictions == label)
            if label == explained.prediction or not other.any():
                assert label not in found
                continue
            assert len(found[label].values) == changed[other].sum(axis=1).min()
            after = sample.iloc[[row]].astype(object)
            for value in found[label].values:
                assert value.old == sample.at[row, value.column] or (
                    value.old is None and pd.isna(sample.at[row, value.column])
                )
                new = {"colour": "violet", "owner": 0, "number": 9.0, "size": "l"}.get(value.column, 1.0)
                after[value.column] = pd.Series([new if value.new is None else value.new], after.index)
            assert model.predict(after.infer_objects()).tolist() == [label]


def test_the_nearest_numbers() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        cuts = np.sort(rng.choice(np.arange(-20, 60) / 2, 7, replace=False))
        tests = [Condition("x", "<=", float(cut)) for cut in cuts]
        labels = rng.integers(0, 3, 8).tolist()
        shape = (3, (5, (6, labels[7], labels[6]), (4, labels[5], labels[4])),
                 (1, (2, labels[3], labels[2]), (0, labels[1], labels[0])))  # fmt: skip
        model = Model(grow(shape, tests, classes=list("abc")), tests, ("x",), missing="side")
        near = np.concatenate([cuts, np.nextafter(cuts, 99)])
        x = rng.uniform(-15, 40, 30)
        for old, explained in zip(x, model.explain(x[:, None]), strict=True):
            for change in explained.changes:
                (value,) = change.values
                assert model.predict([[value.new]]).tolist() == [change.prediction]
                same = near[model.predict(near[:, None]) == change.prediction]
                assert abs(value.new - old) <= np.abs(same - old).min(initial=math.inf)
        whole = np.arange(-12, 40)
        for old, explained in zip(whole, model.explain(whole[:, None]), strict=True):
            for change in explained.changes:
                same = whole[model.predict(whole[:, None].astype(float)) == change.prediction]
                assert isinstance(change.values[0].new, int)
                assert change.values[0].new in same or change.values[0].new not in whole
                assert abs(change.values[0].new - old) <= np.abs(same - old).min(initial=99)


def test_groups_of_categories_are_taken_together() -> None:
    """Any two of the three groups overlap, all three do not: test by test two answers would not decide."""
    groups = [Condition("k", "in", own) for own in (("a", "b"), ("b", "c"), ("a", "c"))]
    tree = grow((0, 1, (1, 1, (2, 0, 1))), groups)  # both of the first two: b, which is not in the third
    model = Model(tree, groups, ("k",))
    explained = model.explain(pd.DataFrame({"k": list("abcd")}))
    assert [each.prediction for each in explained] == ["yes", "no", "yes", "yes"]
    assert [each.n_tests for each in explained] == [1, 2, 1, 1]
    assert explained[1].reasons == ("k in {a, b}", "k in {b, c}")
    assert explained[1].n_path == 3


def test_redundant_tests_are_left_out() -> None:
    tests = [Condition("x", "<=", 1.0), Condition("y", "<=", 1.0), Condition("x", "<=", 5.0)]
    tree = grow((0, (1, (2, 0, 1), (2, 0, 1)), 1), tests)  # yes if x <= 5, whatever y is
    explained = Model(tree, tests, ("x", "y")).explain(np.array([[3.0, 0.0], [0.0, 0.0], [9.0, 9.0]]))
    assert [each.reasons for each in explained] == [("x <= 5",), ("x <= 1",), ("x > 5",)]
    assert [(each.n_path, each.n_tests) for each in explained] == [(3, 1), (1, 1), (3, 1)]
    assert str(explained[2]) == "no, because x > 5\n  yes, if 1 < x <= 5 (now 9)"
    assert explained[2].changes[0].values[0].new == 5.0


def test_forms() -> None:
    estimator, rows = fitted("classifier", "side", 3), people(30, seed=3)
    explained = estimator.explain(rows)
    assert isinstance(explained, Explanations)
    frame = explained.to_frame()
    assert frame["prediction"].tolist() == estimator.predict(rows).tolist()
    assert (frame["n_tests"] <= frame["n_path"]).all()
    for each in explained:
        assert len(each.codes) == each.n_tests
        assert all(code in explained.codes for code in each.codes)
    assert explained.to_text().count(", because ") == 30
    assert repr(explained).endswith("... and 20 more")
    assert isinstance(explained[:3], Explanations)
    assert [each.leaf for each in explained[:3]] == estimator.apply(rows)[:3].tolist()
    assert len(explained.records()) == 30


def test_columns_that_cannot_change() -> None:
    estimator, rows = fitted("classifier", "side", 3), people(50, seed=3)
    kept = ["member", "colour"]
    for free, tied in zip(estimator.explain(rows), estimator.explain(rows, fixed=kept), strict=True):
        assert not {value.column for change in tied.changes for value in change.values} & set(kept)
        if tied.changes:
            assert len(tied.changes[0].values) >= len(free.changes[0].values)
    assert estimator.explain(rows, fixed=list(rows.columns))[0].changes == ()


def test_predictions_that_hardly_differ() -> None:
    X = np.arange(8.0)[:, None]
    model = OptimalTreeRegressor(max_depth=2, cuts="exact").fit(X, [0, 0, 1, 1, 50, 50, 51, 51])
    assert [each.n_tests for each in model.explain(X[[0, 7]])] == [1, 1]
    assert model.explain(X[[2]])[0].n_tests == 2
    near = model.explain(X[[2]], tolerance=2)[0]
    assert near.n_tests == 1
    assert [round(change.prediction) for change in near.changes] == [50]


def test_bad_arguments() -> None:
    model = Model.from_estimator(fitted("classifier", "side", 3))
    rows = people(3)
    with pytest.raises(ValueError, match="fixed names the column 'height'; the model has 'age'"):
        model.explain(rows, fixed=["height"])
    with pytest.raises(TypeError, match="fixed must be a list of names of columns, got 'age'"):
        model.explain(rows, fixed="age")
    with pytest.raises(ValueError, match="tolerance must be a number >= 0, got -1"):
        model.explain(rows, tolerance=-1)
    with pytest.raises(ValueError, match="tolerance is for predictions that are numbers, got"):
        model.explain(rows, tolerance=1)
    odd: Any = Condition("day", "weekday", 3)  # type: ignore[arg-type]
    part = Condition("day", "<=", 3, part="weekday")
    for test, name in ((odd, "day weekday 3"), (part, "weekday of day <= Wednesday")):
        with pytest.raises(ExportError, match=f"'{name}' is of a kind that explanations do not know"):
            Explainer(Model(grow((0, 0, 1), [test]), [test], ("day",)))


def test_a_deep_tree_is_quick() -> None:
    """A path of twenty columns has a million subsets of tests, which are not tried."""
    tests = [Condition(f"x{j}", "<=", 0.0) for j in range(20)]
    shape: Any = 1
    for j in range(20):
        shape = (j, j % 2, shape)
    explained = Model(grow(shape, tests), tests, [f"x{j}" for j in range(20)]).explain(-np.ones((1, 20)))
    assert explained[0].n_tests == 10


def test_a_leaf_alone_needs_no_reason() -> None:
    model = OptimalTreeClassifier(max_depth=0).fit([[1.0], [2.0]], ["a", "a"])
    assert model.explain([[1.0]]).to_text() == "a, always"
