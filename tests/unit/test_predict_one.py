"""One row of a model: the same answer as for a table of one row, and the same refusals."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import streed
from streed import OptimalTreeClassifier, OptimalTreeRegressor
from streed.model import Model

RNG = np.random.default_rng(3)
N = 90
DAYS = [
    dt.datetime(2020, 1, 1) + dt.timedelta(days=int(k), hours=int(k) % 24) for k in RNG.integers(0, 900, N)
]
TABLE = pd.DataFrame(
    {
        "age": RNG.normal(40, 10, N).round(1),
        "count": RNG.integers(0, 9, N),
        "city": [["Ulm", "Gent", "Delft", None][k] for k in RNG.integers(0, 4, N)],
        "member": RNG.random(N) < 0.5,
        "flag": RNG.integers(0, 2, N),
        "since": DAYS,
        "size": pd.Categorical(RNG.choice(["s", "m", "l"], N), ["s", "m", "l"], ordered=True),
    }
)
TABLE.loc[::7, "age"] = None


def fitted(seed: int, **options: Any) -> Model:
    rng = np.random.default_rng(seed)
    columns = rng.choice(TABLE.columns, 3, replace=False).tolist()
    y = rng.integers(0, 3, N)
    estimator = OptimalTreeClassifier(max_depth=3, dates=["date", "weekday", "hour"], **options)
    return Model.from_dict(
        json.loads(json.dumps(Model.from_estimator(estimator.fit(TABLE[columns], y)).to_dict()))
    )


MODELS = [fitted(seed, missing_at_predict=("warn", "route")[seed % 2]) for seed in range(12)]


@pytest.mark.filterwarnings("ignore::streed.MissingAtPredictWarning")
@pytest.mark.parametrize("model", MODELS, ids=range(len(MODELS)))
def test_every_row_is_predicted_as_in_a_table(model: Model) -> None:
    rows = TABLE[list(model.columns)]
    holes = rows.astype(object).where(RNG.random(rows.shape) < 0.8, None)
    for table in (rows, holes):
        for row in table.to_dict("records"):
            frame = pd.DataFrame([row])
            assert model.predict_one(row) == model.predict(frame).tolist()[0]
            assert model.apply_one(row) == model.apply(frame).tolist()[0]


NUMBERS = Model.from_estimator(OptimalTreeClassifier(max_depth=1).fit(TABLE[["count"]], TABLE["count"] > 4))


@given(
    st.integers(-(2**62), 2**62)
    | st.floats(allow_nan=True, allow_infinity=False)
    | st.floats(width=32, allow_infinity=False).map(np.float32)
    | st.booleans()
    | st.integers(-100, 100).map(np.int8)
)
@pytest.mark.filterwarnings("ignore::streed.MissingAtPredictWarning")
def test_numbers_of_every_type(value: Any) -> None:
    array = np.empty((1, 1), dtype=object)
    array[0, 0] = value
    assert NUMBERS.predict_one({"count": value}) == NUMBERS.predict(array).tolist()[0]


DATED = Model.from_estimator(
    OptimalTreeClassifier(max_depth=1).fit(TABLE[["since"]], np.array(DAYS) > DAYS[3])
)


@pytest.mark.parametrize(
    "value",
    [
        DAYS[3],
        DAYS[5].date(),
        DAYS[6].isoformat(),
        DAYS[3].isoformat() + "+02:00",
        pd.Timestamp(DAYS[3]),
        pd.Timestamp(DAYS[3], tz="Europe/Berlin"),
        np.datetime64(DAYS[8]),
    ],
    ids=str,
)
def test_dates_of_every_type(value: Any) -> None:
    array = np.empty((1, 1), dtype=object)
    array[0, 0] = value
    assert DATED.predict_one({"since": value}) == DATED.predict(array).tolist()[0]


CITIES = Model.from_estimator(OptimalTreeClassifier(max_depth=1).fit(TABLE[["city"]], TABLE["city"] == "Ulm"))
REFUSING = Model.from_estimator(
    OptimalTreeClassifier(max_depth=1, missing_at_predict="error").fit(TABLE[["count"]], TABLE["count"] > 4)
)


@pytest.mark.parametrize(
    ("model", "row", "kind", "message"),
    [
        (NUMBERS, {}, ValueError, "the row has no column 'count'"),
        (NUMBERS, {"count": "many"}, TypeError, "held numbers when fitted, now it holds 'many'"),
        (NUMBERS, {"count": np.inf}, ValueError, "column 'count' contains infinity"),
        (NUMBERS, {"count": DAYS[0]}, TypeError, "held numbers when fitted"),
        (CITIES, {"city": 3}, TypeError, "held strings when fitted, now it holds 3"),
        (DATED, {"since": "soon"}, TypeError, "held dates when fitted, now it holds 'soon'"),
        (DATED, {"since": 7}, TypeError, "held dates when fitted, now it holds 7"),
        (REFUSING, {"count": None}, ValueError, "column 'count' has missing values"),
    ],
)
def test_what_no_row_may_hold(model: Model, row: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        model.predict_one(row)


def test_missing_values_are_named() -> None:
    with pytest.warns(streed.MissingAtPredictWarning, match="missing values in 'count'"):
        NUMBERS.predict_one({"count": None})


@pytest.mark.filterwarnings("ignore::streed.MissingAtPredictWarning")
def test_linear_leaves() -> None:
    table = TABLE[["count", "flag"]].astype(float)
    y = 2.0 * table["count"] + 3.0 * table["flag"]
    model = Model.from_estimator(OptimalTreeRegressor(leaf_model="linear", max_depth=0).fit(table, y))
    for row in table.head(20).to_dict("records"):
        assert model.predict_one(row) == pytest.approx(model.predict(pd.DataFrame([row])).item(), rel=1e-12)
    with pytest.raises(ValueError, match="must be a finite number, got None"):
        model.predict_one({"count": None, "flag": 1.0})


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.from_pandas])
def test_frames_are_told_by_their_type(kind: Any) -> None:
    frame = kind(TABLE[["count"]])
    assert len(NUMBERS.predict(frame)) == N


def test_a_model_loads_without_tasks_and_estimators() -> None:
    parts = ("streed.tasks", "streed.solver", "sklearn")
    code = f"import sys, streed.model\nprint([name for name in sys.modules if name.startswith({parts})])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_lazy_parts_are_there() -> None:
    for name in streed.__all__:
        assert getattr(streed, name) is not None
    assert set(streed.__all__) <= set(dir(streed))
