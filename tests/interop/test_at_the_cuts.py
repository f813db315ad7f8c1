"""10,000 rows with values at the thresholds and missing ones: the exports differ from `predict` in none.

Tables of 64 and of 32 bits are fitted and asked apart, since scikit-learn and `predict` of 64-bit numbers
round differently; each export gets its rows in the type of the fit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from streed import Binarizer, OptimalTreeClassifier, OptimalTreeRegressor
from streed.interop.onnx_graph import onnx_inputs

ROWS, COLUMNS = 10_000, 4
BINARIZERS = {
    "all": None,
    "side": Binarizer(missing="side", n_thresholds=20),
    "indicator": Binarizer(missing="indicator", n_thresholds=20),
}
pytestmark = pytest.mark.filterwarnings("ignore::streed.MissingAtPredictWarning")


def fitted(dtype: Any, regress: bool, binarizer: str) -> tuple[Any, NDArray[Any]]:
    """A tree of tenths with missing values: float32(0.1) is above 0.1, other tenths are below."""
    rng = np.random.default_rng(11)
    X = (rng.integers(0, 60, (400, COLUMNS)) / 10).astype(dtype)
    X[rng.random(X.shape) < 0.1] = np.nan
    known = np.nan_to_num(X, nan=4.0)
    y = known[:, 0] + 2 * (known[:, 1] > 2.3) - known[:, 2] * (known[:, 3] <= 0.7) + rng.normal(0, 0.3, 400)
    kind = OptimalTreeRegressor if regress else OptimalTreeClassifier
    model = kind(max_depth=3, binarizer=BINARIZERS[binarizer])
    return model.fit(X, y if regress else np.where(y > 2.5, "high", "low")), X


def rows_at_the_cuts(model: Any, X: NDArray[Any]) -> NDArray[Any]:
    """Rows of which each has at least one value at a threshold of the tree, in the type of the table."""
    rng = np.random.default_rng(12)
    rows = np.take_along_axis(X, rng.integers(0, len(X), (ROWS, COLUMNS)), axis=0)
    conditions = model.binarizer_.conditions_
    tested = [conditions[f] for f in model.tree_.feature.tolist() if f >= 0]
    places = [(int(test.column[1:]), test.value) for test in tested if test.operator == "<="]
    assert places
    for which in (np.arange(ROWS), rng.permutation(ROWS)[: ROWS // 2]):
        chosen = rng.integers(0, len(places), len(which))
        for number, (column, value) in enumerate(places):
            rows[which[chosen == number], column] = value
    if X.dtype == np.float32:  # what is one step beside a threshold is seen as such
        some = rng.random(rows.shape) < 0.2
        rows[some] = np.nextafter(rows, rng.choice(np.array([-9, 9], np.float32), rows.shape))[some]
    rows[rng.random(rows.shape) < 0.05] = np.nan
    return rows


@pytest.mark.parametrize("binarizer", BINARIZERS)
@pytest.mark.parametrize("regress", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_no_row_differs(dtype: Any, regress: bool, binarizer: str) -> None:
    model, X = fitted(dtype, regress, binarizer)
    rows = rows_at_the_cuts(model, X)
    assert rows.shape == (ROWS, COLUMNS)
    assert rows.dtype == dtype
    assert np.isnan(rows).any(axis=0).all()
    expected = model.predict(rows)
    assert np.count_nonzero(model.to_sklearn(X, pipeline=True).predict(rows) != expected) == 0
    ort = pytest.importorskip("onnxruntime")
    found = model.to_onnx()
    session = ort.InferenceSession(found.SerializeToString(), providers=["CPUExecutionProvider"])
    assert np.count_nonzero(session.run(None, onnx_inputs(found, rows))[0] != expected) == 0
