"""Tools with an environment of their own (``make interop``): dtreeviz, supertree, treelite, notebooks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from tests.interop.test_tools import KINDS, exported

if os.environ.get("STREED_INTEROP") != "1":
    pytest.skip("make interop runs these tests", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("default")


@pytest.mark.parametrize("kind", KINDS)
def test_treelite(kind: str) -> None:
    import treelite

    tree, columns, _ = exported(kind)
    forest = (RandomForestClassifier if kind == "classifier" else RandomForestRegressor)(n_estimators=1)
    forest.estimators_, forest.n_outputs_, forest.n_features_in_ = [tree], 1, tree.n_features_in_
    predicted = tree.predict(columns)
    if kind == "classifier":
        forest.classes_, forest.n_classes_ = tree.classes_, tree.n_classes_
        predicted = tree.predict_proba(columns)
    found = treelite.gtil.predict(treelite.sklearn.import_model(forest), columns.to_numpy())
    np.testing.assert_allclose(np.squeeze(found), predicted, atol=1e-6)


def test_a_notebook_with_five_outputs() -> None:
    import nbconvert
    import nbformat

    setup = """
import streed
from tests.interop.tables import fitted, people
rows = people(200)
model = fitted("classifier", "side", 2)
bits = rows[["member", "owner"]].to_numpy(float) > 0
"""
    shown = [
        "model",
        "model.tree_",
        "model.result_",
        "streed.size_path(streed.tasks.Accuracy(bits[:, 0] & bits[:, 1]), bits, max_depth=2)",
        "streed.fairness_front(bits, bits[:, 0], bits[:, 1], max_depth=1)",
    ]
    cells = [nbformat.v4.new_code_cell(source) for source in (setup, *shown)]
    book = nbformat.v4.new_notebook(cells=cells)
    nbconvert.preprocessors.ExecutePreprocessor(timeout=300).preprocess(book, {})
    for cell in book.cells[1:]:
        (output,) = cell.outputs
        assert output.data["text/html"].count("<iframe") == 1
        assert output.data["text/plain"]
    page, _ = nbconvert.HTMLExporter().from_notebook_node(book)
    assert page.count('sandbox="allow-scripts"') == 5


@pytest.mark.parametrize("kind", KINDS)
def test_supertree(kind: str, tmp_path: Path) -> None:
    from supertree import SuperTree

    tree, columns, y = exported(kind)
    numbers = np.searchsorted(tree.classes_, y) if kind == "classifier" else y
    names = list(map(str, tree.classes_)) if kind == "classifier" else "target"
    page = SuperTree(tree, columns.to_numpy(), numbers, list(columns.columns), names)
    page.save_html(str(tmp_path / "tree.html"))
    text = (tmp_path / "tree.html").read_text(encoding="utf-8")
    assert "income" in text


@pytest.mark.parametrize("kind", KINDS)
def test_dtreeviz(kind: str) -> None:
    import dtreeviz

    tree, columns, y = exported(kind)
    known = columns.fillna(40.0)
    is_classifier = kind == "classifier"
    options: dict[str, Any] = {"class_names": list(tree.classes_)} if is_classifier else {}
    numbers = np.searchsorted(tree.classes_, y) if is_classifier else y
    if is_classifier:
        tree.classes_ = np.arange(len(tree.classes_))  # dtreeviz takes integers only
    found = dtreeviz.model(
        tree, X_train=known, y_train=numbers, feature_names=list(known.columns), target_name="y", **options
    )
    assert columns.columns[tree.tree_.feature[0]] in str(found.explain_prediction_path(known.to_numpy()[0]))
    view = found.view(fontname="monospace")
    assert "<svg" in view.svg()
