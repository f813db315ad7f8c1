"""Python code, SQL and DOT: they run, and predict what the tree predicts."""

from __future__ import annotations

import datetime as dt
import json
import pickle
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from streed import Binarizer, Condition, OptimalTreeClassifier, Tree
from tests.unit.test_tree import trees
from tests.views.trees import AGE_42, AGE_MISSING, CONDITIONS, DAY, MEDIUM, MEMBER, RED, SMALL, grow

HOSTILE = [
    "it's",
    'a "b"',
    "c`d",
    "e]f",
    "[g",
    "back\\slash",
    "new\nline",
    "</script>",
    "ünï",
    "%s {x} {{y}}",
]


def compiled(source: str, name: str = "predict") -> Callable[[Any], Any]:
    names: dict[str, Any] = {}
    exec(source, names)
    function: Callable[[Any], Any] = names[name]
    return function


def queried(tree: Tree, table: pd.DataFrame, quote: str) -> list[Any]:
    """The predictions of a database."""
    with sqlite3.connect(":memory:") as connection:
        table.to_sql("t", connection, index=False)
        found = connection.execute(f"SELECT {tree.to_sql(quote=quote)} FROM t").fetchall()
    connection.close()
    return [label for (label,) in found]


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 12, 400).round(1),
            'the "colour"': rng.choice(["red", "it's blue", "back\\slash", "ünï"], 400),
            "member]": rng.random(400) < 0.5,
            "visits": rng.integers(0, 2, 400),
        }
    )
    frame.loc[rng.random(400) < 0.2, "age"] = np.nan
    frame.loc[rng.random(400) < 0.1, 'the "colour"'] = None
    return frame


@pytest.fixture(scope="module")
def model(table: pd.DataFrame) -> OptimalTreeClassifier:
    rng = np.random.default_rng(4)
    likes = (table["age"] < 45) ^ (table['the "colour"'] == "it's blue") ^ table["member]"]
    y = np.where(rng.random(400) < 0.9, likes, table["visits"] == 1)
    labels = np.where(table["age"].isna(), "it's unknown", np.where(y, "yes", "no"))
    return OptimalTreeClassifier(max_depth=4, binarizer=Binarizer(missing="indicator")).fit(table, labels)


def test_the_estimator_hands_its_conditions_to_the_tree(model: OptimalTreeClassifier) -> None:
    assert model.tree_.conditions == tuple(model.binarizer_.conditions_)
    assert model.tree_.depth == 4


def test_python_predicts_what_the_estimator_predicts(
    model: OptimalTreeClassifier, table: pd.DataFrame
) -> None:
    predict = compiled(model.tree_.to_python())
    expected = model.predict(table).tolist()
    rows = table.to_dict("records")
    assert [predict(row) for row in rows] == expected
    with_none = [{name: None if value != value else value for name, value in row.items()} for row in rows]
    assert [predict(row) for row in with_none] == expected


@pytest.mark.filterwarnings("ignore::streed.MissingAtPredictWarning")
def test_python_takes_missing_values_of_pandas(model: OptimalTreeClassifier, table: pd.DataFrame) -> None:
    """NA has no truth value, whatever it is compared with; it may be in columns that had none when fitted."""
    predict = compiled(model.tree_.to_python())
    nullable = table.convert_dtypes()
    for column in table.columns:
        gaps = nullable.copy()
        gaps.loc[::3, column] = pd.NA
        rows = [
            {name: pd.NA if pd.isna(value) else value for name, value in row.items()}
            for row in gaps.to_dict("records")
        ]
        assert [predict(row) for row in rows] == model.predict(gaps).tolist()


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NaT, pd.NA, np.float64("nan")])
def test_what_is_missing_in_python(missing: Any) -> None:
    for number in (AGE_42, AGE_MISSING, RED, MEMBER, MEDIUM, DAY):
        test, right = CONDITIONS[number], number == AGE_MISSING
        predict = compiled(grow((0, 0, 1), [test], classes=["left", "right"]).to_python())
        assert predict({test.column: missing}) == ("right" if right else "left")


@pytest.mark.parametrize("quote", ['"', "[", "`"])
def test_sql_predicts_what_the_estimator_predicts(
    model: OptimalTreeClassifier, table: pd.DataFrame, quote: str
) -> None:
    if quote == "`":  # SQLite reads backticks, but not the escapes of the databases that have them
        table = table[table['the "colour"'] != "back\\slash"]
    if quote == "[":  # SQLite reads brackets, but not a doubled bracket inside them
        table = table.rename(columns={"member]": "member"})
        model = OptimalTreeClassifier(max_depth=4, binarizer=Binarizer(missing="indicator")).fit(
            table, model.predict(table.rename(columns={"member": "member]"}))
        )
    assert queried(model.tree_, table, quote) == model.predict(table).tolist()


@given(trees())
def test_code_of_plain_features(tree: Tree) -> None:
    names = [tree.feature_name(feature) for feature in range(4)]
    rows = np.array([[(number >> k) & 1 for k in range(4)] for number in range(16)])
    predict = compiled(tree.to_python())
    expected = tree.predict(rows).tolist()
    assert [predict(dict(zip(names, row, strict=True))) for row in rows.tolist()] == expected
    assert queried(tree, pd.DataFrame(rows, columns=names), '"') == expected


@pytest.mark.parametrize("name", HOSTILE)
def test_names_and_labels_of_any_kind(name: str) -> None:
    tree = grow((0, 0, 1), [Condition(name, "=", name)], classes=[name, f"{name}!"])
    rows = pd.DataFrame({name: [name, "other"]})
    predict = compiled(tree.to_python())
    assert [predict({name: value}) for value in (name, "other")] == [f"{name}!", name]
    assert queried(tree, rows, '"') == [f"{name}!", name]
    assert tree.to_dot().count("\n") == 10
    if shutil.which("dot"):
        subprocess.run(["dot", "-Tplain"], input=tree.to_dot(), check=True, capture_output=True, text=True)


def test_quotes_are_doubled_in_each_dialect() -> None:
    tree = grow((0, 0, 1), [Condition('a"b`c]d', "=", "x\\y'z")])
    assert tree.to_sql().splitlines()[0] == """CASE WHEN "a""b`c]d" = 'x\\y''z'"""
    assert tree.to_sql(quote="`").splitlines()[0] == """CASE WHEN `a"b``c]d` = 'x\\\\y''z'"""
    assert tree.to_sql(quote="[").splitlines()[0] == """CASE WHEN [a"b`c]]d] = 'x\\y''z'"""


def test_booleans_in_sql() -> None:
    tree = grow((MEMBER, 0, 1), CONDITIONS, classes=[False, True])
    written = [" ".join(tree.to_sql(quote=quote).split()) for quote in ('"', "[")]
    assert written == [
        'CASE WHEN "member" = TRUE THEN TRUE ELSE FALSE END',
        "CASE WHEN [member] = 1 THEN 1 ELSE 0 END",
    ]


def test_python_of_ordered_categories_and_dates() -> None:
    tree = grow((SMALL, (MEDIUM, 0, (DAY, 1, 2)), 3), CONDITIONS, classes=["large", "late", "early", "small"])
    predict = compiled(tree.to_python("sort"), "sort")
    days = [
        "2024-03-05",
        dt.date(2024, 3, 5),
        dt.datetime(2024, 3, 5),
        np.datetime64("2024-03-05T00:00:00.000000000"),
    ]
    assert {predict({"size": "medium", "day": day}) for day in days} == {"early"}
    assert predict({"size": "medium", "day": "2024-03-05T00:00:01"}) == "late"
    assert predict({"size": "medium", "day": "2024-03-05T01:00:00+02:00"}) == "early"
    assert [predict({"size": size}) for size in ("small", "large", "huge")] == ["small", "large", "large"]


def test_missing_dates_and_numbers() -> None:
    dated = [Condition("day", "<=", "2024-03-05"), Condition("day", "is", None)]
    predict = compiled(grow((0, (1, 0, 1), 2), dated, classes=["late", "none", "early"]).to_python())
    days = [None, pd.NaT, "2025-01-01", "2020-01-01"]
    assert [predict({"day": day}) for day in days] == ["none", "none", "late", "early"]
    tree = grow((AGE_42, (AGE_MISSING, 0, 1), 0), CONDITIONS)
    predict = compiled(tree.to_python())
    assert [predict({"age": age}) for age in (None, np.nan, 50, 40)] == ["yes", "yes", "no", "no"]


@pytest.mark.parametrize("name", ["", "1a", "a b", "class", "f(", None])
def test_names_that_no_function_can_have(name: Any) -> None:
    with pytest.raises(ValueError, match="must be a Python identifier, got"):
        grow(0).to_python(name)


def test_quotes_that_no_dialect_has() -> None:
    with pytest.raises(ValueError, match='quote must be one of ", `, \\[, got'):
        grow(0).to_sql(quote="'")


def test_labels_that_cannot_be_written() -> None:
    with pytest.raises(TypeError, match="strings or numbers"):
        grow(0, classes=np.array(["2020", "2021"], dtype="M8[Y]")).to_python()
    with pytest.raises(ValueError, match="no constant for the number inf"):
        grow((RED, 0, 1), CONDITIONS, classes=[0.0, np.inf]).to_sql()


def test_dot() -> None:
    lines = grow((RED, 0, 1), CONDITIONS).to_dot().splitlines()
    assert lines[0] == "digraph tree {"
    assert lines[4:7] == [
        '  0 [label="colour = red?\\n2 rows"];',
        '  0 -> 1 [label="no"];',
        '  0 -> 2 [label="yes"];',
    ]
    assert '1 [label="no\\n1 row, 100.0 %"' in lines[7]


def test_conditions_are_stored() -> None:
    tree = grow((RED, 0, (AGE_42, 0, 1)), CONDITIONS)
    again = Tree.from_dict(json.loads(json.dumps(tree.to_dict(keep_unused=True))))
    assert again == tree
    assert again.conditions == CONDITIONS
    assert again.to_rules() == tree.to_rules()
    assert pickle.loads(pickle.dumps(tree)) == tree


def test_descriptions_and_pickles_from_before_there_were_conditions() -> None:
    tree = grow((0, 0, 1))
    description = tree.to_dict()
    del description["conditions"]
    assert Tree.from_dict(description) == tree
    state = tree.__getstate__()
    del state["conditions"]
    old = Tree.__new__(Tree)
    old.__setstate__(state)
    assert old == tree


def test_conditions_that_are_refused() -> None:
    with pytest.raises(ValueError, match="3 conditions are needed, got 9"):
        grow((2, 0, 1), CONDITIONS, n_features=3)
    description = grow((2, 0, 1), CONDITIONS).to_dict()
    with pytest.raises(ValueError, match="'conditions' must be of type list"):
        Tree.from_dict({**description, "conditions": {}})
    with pytest.raises(ValueError, match="condition"):
        Tree.from_dict({**description, "conditions": [{}] * 9})


@pytest.mark.filterwarnings("ignore::streed.MissingAtPredictWarning")
def test_missing_values_in_columns_that_had_none() -> None:
    """The estimator sends them left at every cut, and so does the code, whatever stands for them."""
    table = pd.DataFrame(
        {
            "age": [20.0, 30.0, 40.0, 50.0, 60.0, 70.0],
            "day": pd.to_datetime([f"2020-0{k}-01" for k in range(1, 7)]),
            "colour": ["red", "red", "blue", "blue", "red", "blue"],
        }
    )
    binarizer = Binarizer(missing="indicator")
    for columns in (["age"], ["day"], ["colour"], ["age", "day", "colour"]):
        for y in ([0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1]):
            model = OptimalTreeClassifier(max_depth=3, binarizer=binarizer).fit(table[columns], y)
            names: dict[str, Any] = {}
            exec(model.tree_.to_python(), names)
            holes = table[columns].copy()
            for column in columns:
                holes.loc[[1, 4], column] = None
            expected = model.predict(holes).tolist()
            rows = holes.to_dict("records")
            assert [names["predict"](row) for row in rows] == expected
            for nothing in (None, pd.NaT) if columns == ["day"] else (None, float("nan")):
                filled = [{name: nothing if pd.isna(v) else v for name, v in row.items()} for row in rows]
                assert [names["predict"](row) for row in filled] == expected
