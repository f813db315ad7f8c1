"""Models of ONNX run by onnxruntime: every row gets what `predict` says, from the columns of the table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from streed import (
    Binarizer,
    Condition,
    ExportError,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    PolicyTree,
    SurvivalTree,
    Tree,
)
from streed.interop import onnx_graph
from streed.interop.onnx_graph import onnx_inputs
from streed.model import Model
from streed.survival import survival_target
from tests.interop.tables import fitted, people, random_model, random_rows, with_cuts
from tests.views.trees import grow

pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")
pytestmark = pytest.mark.filterwarnings("ignore::streed.MissingAtPredictWarning")


def run(found: Any, table: Any) -> list[Any]:
    session = ort.InferenceSession(found.SerializeToString(), providers=["CPUExecutionProvider"])
    outputs: list[Any] = session.run(None, onnx_inputs(found, table))
    return outputs


@pytest.mark.parametrize("kind", ["classifier", "regressor"])
@pytest.mark.parametrize("missing", ["side", "indicator"])
def test_a_frame_with_everything(kind: str, missing: str) -> None:
    estimator = fitted(kind, missing)
    rows = with_cuts(people(10_000, seed=8), estimator.tree_)
    from_file = Model.from_dict(Model.from_estimator(estimator).to_dict())
    for found in (estimator.to_onnx(), from_file.to_onnx()):
        outputs = run(found, rows)
        assert np.count_nonzero(outputs[0] != estimator.predict(rows)) == 0
        if kind == "classifier":
            np.testing.assert_array_equal(outputs[1], estimator.predict_proba(rows))
        assert len(found.SerializeToString()) < 4000


@pytest.mark.parametrize("seed", range(40))
def test_random_trees(seed: int) -> None:
    model, rows = random_model(seed), random_rows(2000, seed)
    labels, shares = run(model.to_onnx(), rows)
    assert (labels == model.predict(rows)).all()
    np.testing.assert_array_equal(shares, model.predict_proba(rows))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_numbers_without_names_are_one_matrix(dtype: Any) -> None:
    rng = np.random.default_rng(3)
    X = (rng.integers(0, 60, (400, 4)) / 10).astype(dtype)
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.nan_to_num(X[:, 0]) + 2 * (X[:, 1] > 2.3) - X[:, 2] * (X[:, 3] <= 0.7)
    estimator = OptimalTreeRegressor(max_depth=4, binarizer=Binarizer(missing="side")).fit(
        X, np.nan_to_num(y)
    )
    cuts = np.array(
        [each.value for each in estimator.binarizer_.conditions_ if each.value is not None], dtype
    )
    rows = (rng.integers(0, 120, (10_000, 4)) / 20).astype(dtype)
    near = np.concatenate([cuts, np.nextafter(cuts, dtype(9)), np.nextafter(cuts, dtype(-9)), [np.nan]])
    rows.ravel()[rng.integers(0, rows.size, 8000)] = rng.choice(near, 8000)
    found = estimator.to_onnx()
    assert [each.name for each in found.graph.input] == ["X"]
    assert np.count_nonzero(run(found, rows)[0] != estimator.predict(rows)) == 0


@pytest.mark.parametrize("n", [40, 100])
def test_large_groups_of_categories(n: int) -> None:
    groups = [tuple(f"k{i}" for i in range(start, n, 3)) for start in range(3)]
    tests = [Condition("k", "in", group) for group in groups] + [Condition("m", "in", (0.5, *range(0, n, 2)))]
    tests = [*tests, Condition("m", "in", (1, 3, 5), missing=True)]
    shape = (0, (1, (4, 0, 3), (3, 1, 2)), (3, (4, 2, 0), (2, 3, 1)))
    model = Model(grow(shape, tests, classes=list("abcd")), tests, ("k", "m"), missing="side")
    rng = np.random.default_rng(n)
    rows = pd.DataFrame({"k": [f"k{i}" for i in rng.integers(0, n + 9, 999)]})
    rows["m"] = rng.integers(-4, n + 4, 999) + rng.choice([0, 0.5], 999)
    rows.loc[::7, "m"] = np.nan
    assert (run(model.to_onnx(), rows)[0] == model.predict(rows)).all()
    numbers = [Condition("x1", "in", (2.0, 0.5)), Condition("x0", "in", (3.0, 4.0), missing=True)]
    model = Model(grow((0, (1, 0, 1), (1, 1, 0)), numbers), numbers, ("x0", "x1"))
    X = rng.choice([0, 0.5, 2, 2.5, 3, 3.5, np.nan], (500, 2))
    assert (run(model.to_onnx(), X)[0] == replace(model, missing="side").predict(X)).all()


def test_all_labels_and_leaves(tmp_path: Path) -> None:
    table = people(300).drop(columns=["day", "age", "colour"])
    y = np.random.default_rng(1).random((300, 2)) + table[["member"]].to_numpy()
    fits: list[Any] = [
        OptimalTreeClassifier(max_depth=2).fit(table, table.member & (table.owner > 0)),
        OptimalTreeClassifier(max_depth=2).fit(table, table.owner + 2 * table.member),
        OptimalTreeRegressor(max_depth=2).fit(table, y),
        SurvivalTree(max_depth=2).fit(table, survival_target(table.owner > 0, 1 + y[:, 0])),
        PolicyTree(max_depth=1).fit(table, rewards=y),
    ]
    for number, estimator in enumerate(fits):
        path = tmp_path / f"{number}.onnx"
        found = estimator.to_onnx(path)
        assert path.read_bytes() == found.SerializeToString()
        outputs = run(found, table)
        assert (outputs[0] == estimator.predict(table)).all()
        assert outputs[0].dtype == estimator.predict(table).dtype


def test_trees_without_conditions_and_leaves_alone() -> None:
    X = np.random.default_rng(0).random((50, 3)) < 0.5
    tree = grow((0, (2, 0, 1), (1, 1, 0)))
    assert (run(tree.to_onnx(), X)[0] == tree.predict(X)).all()
    leaf = Tree([-1], [-1], [-1], [0], n_samples=[3], classes=["yes"], n_features=3)
    assert run(leaf.to_onnx(), X)[0].tolist() == ["yes"] * 50
    with pytest.raises(ExportError, match="a single leaf"):
        OptimalTreeClassifier(max_depth=0).fit(people(20), ["a", "b"] * 10).to_onnx()


def test_what_has_no_equal_is_refused() -> None:
    odd: Any = Condition("day", "weekday", 3)  # type: ignore[arg-type]
    line = OptimalTreeRegressor(leaf_model="linear", leaf_columns=["income"], max_depth=1)
    table = people(100).drop(columns=["age"])
    refused: list[tuple[Any, str]] = [
        (grow((0, 0, 1), [odd]), "'day weekday 3' is of a kind that this export does not know"),
        (grow((0, 0, 1), [Condition("label", "<=", 1.0)]), "the name of the column 'label': rename"),
        (grow((0, 0, 1), [Condition("x", "=", "")]), "names '', but texts of ONNX are not empty"),
        (grow((0, 0, 1), [Condition("x", "<=", 2**53 + 1)]), "a number that no double holds"),
        (grow((0, 0, 1), [Condition("x", "in", (2**53 + 1, 2))]), "a number that no double holds"),
        (line.fit(table, table.income + table.member), "a linear function"),
    ]
    for what, message in refused:
        with pytest.raises(ExportError, match=message):
            what.to_onnx()


def test_inputs_are_checked() -> None:
    found = grow((0, (1, 0, 1), 1), [Condition("m", "is", True), Condition("k", "=", "a")]).to_onnx()
    with pytest.raises(ValueError, match="'m' has missing values, which Booleans of ONNX cannot have"):
        onnx_inputs(found, pd.DataFrame({"m": [True, None], "k": ["a", "b"]}))
    with pytest.raises(TypeError, match="'k' held strings when fitted, now it holds numbers"):
        onnx_inputs(found, pd.DataFrame({"m": [True, False], "k": [1.0, 2.0]}))


def test_the_package_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'streed\[onnx\]'"):
        onnx_graph.onnx_module()
