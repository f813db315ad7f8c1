"""Stored models: what is in the file, and that predictions are those of the estimator."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import KBinsDiscretizer

from streed import Binarizer, Condition, OptimalTreeClassifier
from streed.model.holds import holds
from streed.model.model import Model
from streed.table.columns import read_columns

TABLE = pd.DataFrame(
    {
        "age": [20.0, 35.0, np.nan, 50.0, 65.0, 41.5] * 4,
        "colour": ["red", "blue", None, "green", "red", "teal"] * 4,
        "member": [True, False, True, True, False, False] * 4,
        "smoker": [0, 1, 1, 0, 0, 1] * 4,
    }
)
LABELS = np.array(["yes", "no", "yes", "no", "no", "yes"] * 4)


def fitted(**options: Any) -> OptimalTreeClassifier:
    binarizer = Binarizer(missing="indicator", max_categories=3)
    return OptimalTreeClassifier(max_depth=3, binarizer=binarizer, **options).fit(TABLE, LABELS)


def test_the_file_gives_the_model_back(tmp_path: Path) -> None:
    model = Model.from_estimator(fitted(), target="answer")
    model.save(tmp_path / "model.json")
    again = Model.load(tmp_path / "model.json")
    assert again.to_dict() == model.to_dict()
    assert (again.tree, tuple(again.conditions)) == (model.tree, tuple(model.conditions))
    assert again.summary().startswith("errors: 0, proven optimal")
    assert (again.target, again.columns) == ("answer", tuple(TABLE.columns))


def by_polars(table: pd.DataFrame) -> pl.DataFrame:
    """Return the table in polars, without pyarrow, which `from_pandas` would ask for."""
    return pl.DataFrame({name: [None if pd.isna(v) else v for v in table[name]] for name in table})


@pytest.mark.parametrize("kind", [pd.DataFrame, by_polars, np.asarray, lambda table: table.values.tolist()])
def test_tables_of_all_kinds(kind: Any) -> None:
    estimator = fitted()
    model = Model.from_dict(json.loads(json.dumps(Model.from_estimator(estimator).to_dict())))
    assert model.predict(kind(TABLE)).tolist() == estimator.predict(TABLE).tolist() == LABELS.tolist()
    assert np.array_equal(model.predict_proba(kind(TABLE)), estimator.predict_proba(TABLE))


def test_reading_and_predicting_need_no_scikit_learn(tmp_path: Path) -> None:
    Model.from_estimator(fitted()).save(tmp_path / "model.json")
    code = (
        "import sys; sys.modules['sklearn'] = None; from streed.model.model import Model\n"
        f"model = Model.load({str(tmp_path / 'model.json')!r})\n"
        f"print(*model.predict({TABLE.fillna(np.nan).replace({np.nan: None}).values.tolist()!r}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == LABELS.tolist()


@given(
    ages=st.lists(st.none() | st.floats(-1e6, 1e6) | st.sampled_from([1.5, 2.5]), min_size=3, max_size=30),
    data=st.data(),
)
def test_conditions_hold_as_the_binarizer_says(ages: list[Any], data: st.DataObject) -> None:
    n = len(ages)
    colours = data.draw(
        st.lists(st.sampled_from(["red", "blue", "green", "teal", None]), min_size=n, max_size=n)
    )
    flags = data.draw(st.lists(st.sampled_from([True, False, None]), min_size=n, max_size=n))
    bits = data.draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    table = np.array(list(zip(ages, colours, flags, bits, strict=True)), dtype=object)
    binarizer = Binarizer(missing="indicator", n_thresholds=5, max_categories=3).fit(table)
    other = table[data.draw(st.permutations(range(n)))]
    expected = binarizer.transform(other)
    columns = {column.name: column for column in read_columns(other, ["x0", "x1", "x2", "x3"])}
    for feature, condition in enumerate(binarizer.conditions_):
        stored = Condition.from_dict(json.loads(json.dumps(condition.to_dict())))
        assert stored == condition
        found = holds(stored, columns[condition.column], "indicator")
        assert found.tolist() == expected[:, feature].tolist()


def test_dates_are_compared_as_dates() -> None:
    condition = Condition("day", "<=", "2024-03-05")
    texts = np.array(
        [["2024-03-04 23:59"], [None], ["2024-03-05"], ["2024-03-05T00:00:01"], ["2024-03-05T01:00+02:00"]]
    )
    column = next(read_columns(texts, ["day"]))
    assert holds(condition, column, "indicator").tolist() == [True, False, True, False, True]
    for wrong, message in (("tomorrow", "now it holds 'tomorrow'"), (3.5, "now it holds numbers")):
        column = next(read_columns(np.array([[wrong]], dtype=object), ["day"]))
        with pytest.raises(TypeError, match=f"column 'day' held dates when fitted, {message}"):
            holds(condition, column, "indicator")


@pytest.mark.filterwarnings("ignore::streed.MissingAtPredictWarning")
def test_missing_values_are_refused_if_they_were() -> None:
    X, y = np.array([[1.0], [2.0]]), [0, 1]
    refusing = OptimalTreeClassifier(max_depth=1, binarizer=Binarizer(missing="error")).fit(X, y)
    model = Model.from_estimator(refusing)
    assert model.predict([[1.2], [1.8]]).tolist() == [0, 1]
    with pytest.raises(ValueError, match="column 'x0' has missing values, the first in row 1"):
        model.predict([[1.0], [None]])
    usual = OptimalTreeClassifier(max_depth=1).fit(X, y)
    later = usual.predict([[1.0], [np.nan]])
    assert Model.from_estimator(usual).predict([[1.0], [None]]).tolist() == later.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "streed.tree"}, "its format is 'streed.tree'"),
        ({"format": None}, "it has no format"),
        ({"version": 99}, "this release reads the versions 1 and 2 of streed.model, got version 99"),
        ({"columns": None}, "the entry 'columns' of the model is missing or of the wrong type"),
        ({"columns": []}, "there is a condition on '.*', but no such column"),
        ({"conditions": []}, "conditions"),
        ({"conditions": [3]}, "a condition is described by column, operator, value"),
        (
            {"conditions": [Condition("age", "<=", 3).to_dict() | {"operator": "<"}]},
            "a condition has a column and one of <=",
        ),
        ({"tree": {}}, "a description of a tree is a mapping"),
    ],
)
def test_files_that_are_no_models(change: dict[str, Any], message: str, tmp_path: Path) -> None:
    content = Model.from_estimator(fitted()).to_dict()
    path = tmp_path / "model.json"
    path.write_text(json.dumps(content | change))
    with pytest.raises(ValueError, match=message) as caught:
        Model.load(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe\x00", b"[]", b"3"])
def test_files_that_are_something_else(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"model\.json"):
        Model.load(path)


def test_a_bound_that_json_does_not_have(tmp_path: Path) -> None:
    model = Model.from_estimator(fitted())
    unproven = {
        **model.proof,
        "lower_bound": -np.inf,
        "optimal": False,
        "status": "time_limit",
        "gap": np.float64(1),
    }
    Model(model.tree, model.conditions, model.columns, proof=unproven).save(tmp_path / "m.json")
    again = Model.load(tmp_path / "m.json")
    assert again.proof["lower_bound"] is None
    assert "not proven optimal, time_limit" in again.summary()


def test_what_cannot_be_stored() -> None:
    with pytest.raises(ValueError, match="must be fitted"):
        Model.from_estimator(OptimalTreeClassifier())
    bins = KBinsDiscretizer(2, encode="onehot-dense", strategy="uniform")
    other = OptimalTreeClassifier(binarizer=bins).fit(np.array([[1.0], [2.0]]), [0, 1])
    with pytest.raises(TypeError, match=r"only models with a streed\.Binarizer"):
        Model.from_estimator(other)
    with pytest.raises(TypeError, match="only strings and numbers can be stored, got b'red'"):
        Condition("colour", "=", b"red").to_dict()


def test_only_tested_columns_matter_and_none_may_be_absent() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": list("xyxy"), "c": [0, 0, 1, 1]})
    estimator = OptimalTreeClassifier(max_depth=1).fit(frame, [0, 0, 1, 1])
    model = Model.from_estimator(estimator)
    (tested,) = model.tested_columns
    expected = estimator.predict(frame).tolist()
    assert model.predict(frame[[tested]]).tolist() == expected
    others = frame.rename(columns={tested: tested, "b": "more", "c": "less"})[["more", tested, "less"]]
    for other in (others, by_polars(others)):
        with pytest.raises(ValueError, match="that the fit did not have: 'more', 'less'; leave them out"):
            model.predict(other)
    with pytest.raises(ValueError, match=f"no column '{tested}', which the tree tests; it has 'b'"):
        model.predict(frame[["b"]])
    with pytest.raises(ValueError, match="a table of 3 columns is needed"):
        model.predict(frame[[tested]].to_numpy())
    for other in (frame[[tested]], frame.assign(more="?")):
        with pytest.raises(ValueError, match="feature names"):
            estimator.predict(other)


def test_columns_that_the_fit_did_not_have_are_refused_by_files_that_know() -> None:
    """The target may be there; models of trees alone, and files of version 0.2, do not know all columns."""
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": list("xyxy")})
    estimator = OptimalTreeClassifier(max_depth=1).fit(frame, [0, 0, 1, 1])
    model = Model.from_estimator(estimator, target="y")
    expected = estimator.predict(frame).tolist()
    described = model.to_dict()
    again = Model.from_dict(json.loads(json.dumps(described)))
    assert again == replace(model, verified=again.verified)
    assert again.predict(frame.assign(y=0)).tolist() == expected
    with pytest.raises(ValueError, match="'key'"):
        again.predict(frame.assign(key=0))
    with pytest.raises(ValueError, match="'key'"):
        again.apply(frame.assign(key=0))
    old = {name: entry for name, entry in described.items() if name != "all_columns"}
    for lenient in (Model.from_dict(old), Model.from_tree(estimator.tree_)):
        assert lenient.predict(frame.assign(key=0)).tolist() == expected
