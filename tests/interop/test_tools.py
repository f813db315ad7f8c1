"""Tools that read trees of scikit-learn, with the real packages; heavier ones are in test_heavy_tools.py."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from sklearn.feature_selection import SelectFromModel
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.tree import export_graphviz, export_text, plot_tree

from tests.interop.tables import fitted, people

mpl.use("Agg")
KINDS = ("classifier", "regressor")


def exported(kind: str) -> tuple[Any, Any, Any]:
    """A tree of scikit-learn, the columns that it reads, and what is to be predicted."""
    estimator = fitted(kind, "side", 3)
    pipeline, rows = estimator.to_sklearn(pipeline=True), people(200, seed=5)
    return pipeline[-1], pipeline[:-1].transform(rows), estimator.predict(rows)


@pytest.mark.parametrize("kind", KINDS)
def test_texts_and_pictures(kind: str) -> None:
    tree, columns, _ = exported(kind)
    text = export_text(tree, feature_names=list(columns.columns))
    assert "member" in text
    assert len(plot_tree(tree)) >= tree.tree_.node_count
    assert "digraph" in export_graphviz(tree)
    mpl.pyplot.close("all")


@pytest.mark.parametrize("kind", KINDS)
def test_selection_and_inspection(kind: str) -> None:
    tree, columns, y = exported(kind)
    importances = tree.feature_importances_
    np.testing.assert_allclose(importances.sum(), 1)
    used = {columns.columns[f] for f in tree.tree_.feature if f >= 0}
    assert set(columns.columns[importances > 0]) <= used
    selected = SelectFromModel(tree, prefit=True, threshold=1e-9).fit(columns).transform(columns)
    assert selected.shape[1] == np.count_nonzero(importances > 0)
    found = permutation_importance(tree, columns, y, n_repeats=2, random_state=0)
    assert set(columns.columns[found.importances_mean != 0]) <= used
    known = columns.fillna(40.0)
    for method in ("brute", "recursion") if kind == "regressor" else ("brute",):
        curve = partial_dependence(tree, known, ["income"], method=method, grid_resolution=5)
        assert np.isfinite(curve["average"]).all()


@pytest.mark.parametrize("kind", KINDS)
def test_shap(kind: str) -> None:
    shap = pytest.importorskip("shap")
    tree, columns, _ = exported(kind)
    explainer = shap.TreeExplainer(tree)
    values = np.asarray(explainer.shap_values(columns))
    predicted = tree.predict_proba(columns) if kind == "classifier" else tree.predict(columns)
    np.testing.assert_allclose(values.sum(axis=1) + explainer.expected_value, predicted, atol=1e-9)
    unused = [j for j, importance in enumerate(tree.feature_importances_) if importance == 0]
    assert (values[:, unused] == 0).all()
