"""Model files that somebody else has written: refused with a ValueError, or harmless in every view."""

from __future__ import annotations

import ast
import copy
import json
import sqlite3
import tracemalloc
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import streed
from streed import Tree
from streed.model import Model
from tests.support import ROOT

SCHEMA = json.loads((ROOT / "docs" / "model.schema.json").read_text(encoding="utf-8"))
EVIL = [
    "x\nimport os\nos.abort()",
    "x\rimport os\ros.abort()",
    "'); os.abort() #",
    '"""\nos.abort()\n"""',
    "\\",
    "\\'",
    "a`b",
    '"; DROP TABLE t; --',
    "'; DROP TABLE t; --",
    "]]; DROP TABLE t; --",
    "</script><script>alert(1)</script>",
    "{{script}}",
    "\x1b[31mred",
    "\u2028line",
    "$\\frac{$",
    "\ud800",
]


def stored(name: str = "optimal.json") -> dict[str, Any]:
    description: dict[str, Any] = json.loads((ROOT / "tests" / "stored" / name).read_text(encoding="utf-8"))
    return description


def small(text: str) -> dict[str, Any]:
    """A model with one text everywhere: columns, categories, labels, the name of values, the objective."""
    conditions = [
        {"column": text, "operator": "<=", "value": 2.5, "ordered": False},
        {"column": f"{text} 2", "operator": "=", "value": text, "ordered": False},
        {"column": f"{text} 3", "operator": "in", "value": [text, "b"], "ordered": False},
    ]
    nodes: list[dict[str, Any]] = [
        {"feature": 0, "condition": text, "left": 1, "right": 4},
        {"feature": 1, "condition": text, "left": 2, "right": 3},
        {"label": 0},
        {"label": 1},
        {"feature": 2, "condition": text, "left": 5, "right": 6},
        {"label": 0},
        {"label": 1},
    ]
    for node, n_samples in zip(nodes, (4, 2, 1, 1, 2, 1, 1), strict=True):
        node.update(n_samples=n_samples, value=1.0)
    return {
        "format": "streed.model",
        "version": 1,
        "objective": text,
        "target": text,
        "parameters": {text: text},
        "proof": {"measure": text, "status": text, "optimal": False},
        "missing": "indicator",
        "columns": [text, f"{text} 2", f"{text} 3"],
        "conditions": conditions,
        "tree": {
            "format": "streed.tree",
            "version": 1,
            "n_features": 3,
            "feature_names": [text, f"{text} 2", f"{text} 3"],
            "classes": [text, f"{text}!"],
            "classes_dtype": "|O",
            "value_name": text,
            "nodes": nodes,
        },
    }


def explained(text: str) -> tuple[Model, Tree]:
    model = Model.from_dict(small(text))
    tree = copy.copy(model.tree)
    tree.conditions = tuple(model.conditions)
    return model, tree


@pytest.mark.parametrize("text", EVIL)
def test_python_code_holds_texts_as_constants(text: str) -> None:
    model, tree = explained(text)
    source = tree.to_python()
    module = ast.parse(source)
    assert [type(part) for part in module.body] == [ast.FunctionDef]
    nodes = list(ast.walk(module))
    assert not any(isinstance(node, ast.Import | ast.ImportFrom) for node in nodes)
    assert {ast.unparse(node.func) for node in nodes if isinstance(node, ast.Call)} <= {"missing", "type"}
    names: dict[str, Any] = {}
    exec(source, names)
    if "\ud800" in text:  # no table can have such a name
        assert names["predict"]({text: 1.0, f"{text} 3": "b"}) == f"{text}!"
        return
    table = pd.DataFrame({text: [1.0, 3.0], f"{text} 2": [text, text], f"{text} 3": ["b", "c"]})
    says = [names["predict"](row) for row in table.to_dict("records")]
    assert says == model.predict(table).tolist() == [f"{text}!", f"{text}!"]


@pytest.mark.parametrize("text", [text for text in EVIL if "\ud800" not in text])
def test_sql_holds_texts_as_constants(text: str) -> None:
    _, tree = explained(text)
    name = '"' + text.replace('"', '""') + '"'
    rest = [f'"{text.replace(chr(34), chr(34) * 2)} {k}"' for k in (2, 3)]
    base = sqlite3.connect(":memory:")
    base.execute(f"CREATE TABLE t ({name} REAL, {rest[0]} TEXT, {rest[1]} TEXT)")
    base.execute("INSERT INTO t VALUES (?, ?, ?), (?, ?, ?)", (1.0, text, "b", 3.0, text, "c"))
    assert [row[0] for row in base.execute(f"SELECT {tree.to_sql()} FROM t")] == [f"{text}!", f"{text}!"]


@pytest.mark.parametrize("quote", ["`", "["])
@pytest.mark.parametrize("text", EVIL)
def test_sql_of_other_databases(text: str, quote: str) -> None:
    _, tree = explained(text)
    if quote == "`" and "\\" in text:  # an escape for some of them, and none for others
        with pytest.raises(ValueError, match="cannot be quoted by `"):
            tree.to_sql(quote=quote)
        return
    sql = tree.to_sql(quote=quote)
    closing = {"`": "`", "[": "]"}[quote]
    assert f"{quote}{text.replace(closing, 2 * closing)}{closing} <= 2.5" in sql


@pytest.mark.parametrize("view", ["to_text", "to_rules", "to_dot"])
@pytest.mark.parametrize("text", EVIL)
def test_lines_of_texts_stay_lines(text: str, view: str) -> None:
    """No text begins a line of its own, and none speaks to the terminal."""
    _, tree = explained(text)
    plain = explained("plain")[1]
    lines = getattr(tree, view)().split("\n")
    assert len(lines) == len(getattr(plain, view)().split("\n"))
    assert all(line.isprintable() for line in lines)
    if view == "to_dot":
        assert all(line.count('"') - 2 * line.count('\\\\"') >= 0 for line in lines)


@pytest.mark.parametrize("text", [text for text in EVIL if "\ud800" not in text])
def test_pages_and_plots(text: str) -> None:
    _, tree = explained(text)
    page = tree.to_html(title=text)
    assert page.count("<script") == explained("plain")[1].to_html(title="plain").count("<script")
    assert "alert(1)</script>" not in page
    axes = tree.plot()
    axes.figure.canvas.draw()


HUGE = 10**400
CONDITIONS: list[dict[str, Any]] = [
    {"value": {}},
    {"value": HUGE},
    {"value": -HUGE},
    {"value": None},
    {"value": True},
    {"value": [1.0]},
    {"value": "no date"},
    {"value": []},
    {"operator": "=", "value": {}},
    {"operator": "=", "value": [1]},
    {"operator": "=", "value": None},
    {"operator": "in", "value": []},
    {"operator": "in", "value": "abc"},
    {"operator": "in", "value": [[1]]},
    {"operator": "in", "value": [None]},
    {"operator": "in", "value": [HUGE]},
    {"operator": "is", "value": False},
    {"operator": "is", "value": 1.0},
    {"operator": "<", "value": 1.0},
    {"operator": ["<="], "value": 1.0},
    {"column": 7},
    {"ordered": 1},
    {"ordered": True},
    {"more": 1},
]


@pytest.mark.parametrize("change", CONDITIONS, ids=str)
def test_conditions(change: dict[str, Any]) -> None:
    description = small("a")
    description["conditions"][0] |= change
    with pytest.raises(ValueError, match="condition"):
        Model.from_dict(description)
    with pytest.raises(ValueError, match="condition"):
        Tree.from_dict({**description["tree"], "conditions": description["conditions"]})


def put(description: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    inner: Any = description
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return description


ENTRIES: list[tuple[tuple[Any, ...], Any]] = [
    (("columns",), [1, 2, 3]),
    (("columns",), ["a", {}]),
    (("missing",), "perhaps"),
    (("tree", "value_name"), 7),
    (("tree", "value_name"), ["x"]),
    (("tree", "n_features"), HUGE),
    (("tree", "n_features"), -1),
    (("tree", "classes_dtype"), "<U100000000"),
    (("tree", "classes_dtype"), "(100000000,)f8"),
    (("tree", "classes_dtype"), "f8,f8"),
    (("tree", "classes_dtype"), "M8[s]"),
    (("tree", "classes_dtype"), "no type"),
    (("tree", "classes"), [HUGE, {}]),
    (("tree", "nodes", 0, "value"), HUGE),
    (("tree", "nodes", 0, "value"), [1.0]),
    (("tree", "nodes", 0, "n_samples"), HUGE),
    (("tree", "nodes", 0, "left"), HUGE),
    (("tree", "nodes", 0, "class_weights"), [1.0]),
    (("tree", "nodes"), [[[]]]),
]


@pytest.mark.parametrize(("path", "value"), ENTRIES, ids=str)
def test_entries(path: tuple[Any, ...], value: Any) -> None:
    description = put(small("a"), path, value)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r".") as caught:
            Model.from_dict(description)
        assert tracemalloc.get_traced_memory()[1] < 2**25
    finally:
        tracemalloc.stop()
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("opening", ["[", '{"a":', '{"format":"streed.model","version":1,"parameters":{"a":'])
def test_deep_nesting(opening: str, tmp_path: Path) -> None:
    path = tmp_path / "deep.json"
    path.write_text(opening * 200_000, encoding="utf-8")
    with pytest.raises(ValueError, match=r"deep\.json"):
        Model.load(path)
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for name in ("classes", "nodes", "conditions", "n_features"):
        with pytest.raises(ValueError, match=r"."):
            Tree.from_dict({**small("a")["tree"], name: deep})
    while deep:  # taken apart by hand: the interpreter would do it recursively
        deep = deep[0]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1" + "0" * 5000])
def test_numbers_that_json_does_not_have(number: str, tmp_path: Path) -> None:
    text = json.dumps(small("a")).replace("2.5", number, 1)
    path = tmp_path / "model.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="cannot be read as a model"):
        Model.load(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)
PLACES = st.sampled_from(
    [("columns",), ("conditions",), ("missing",), ("tree",), ("conditions", 0), ("conditions", 1, "value"),
     ("conditions", 0, "value"), ("conditions", 2, "value"), ("tree", "nodes"), ("tree", "nodes", 0),
     ("tree", "nodes", 2), ("tree", "nodes", 0, "value"), ("tree", "classes"), ("tree", "classes_dtype"),
     ("tree", "feature_names"), ("tree", "value_name"), ("proof",), ("parameters",), ("target",)]
)  # fmt: skip


@pytest.mark.filterwarnings("ignore::streed.MissingAtPredictWarning")
@given(PLACES, JSON)
def test_whatever_loads_predicts(path: tuple[Any, ...], value: Any) -> None:
    """Anything anywhere: it is refused, or it is a model, with all its views."""
    description = put(small("a"), path, value)
    try:
        model = Model.from_dict(description)
    except ValueError:
        return
    table = pd.DataFrame({"a": [1.0, np.nan], "a 2": ["a", None], "a 3": ["b", "c"]})
    kind = ""
    try:
        assert model.predict(table).shape == (2,)
    except TypeError as error:  # the column holds another kind of values than the condition
        kind = str(error)
    assert not kind or "when fitted" in kind
    tree = copy.copy(model.tree)
    tree.conditions = tuple(model.conditions)
    compile(tree.to_python(), "tree", "exec")
    assert tree.to_rules()
    assert model.summary()
    Model.from_dict(json.loads(json.dumps(model.to_dict())))


@pytest.mark.parametrize(
    "name", ["optimal.json", "policy.json", "classes_0_2.json", "numbers_0_2.json", "curves_0_2.json"]
)
def test_stored_files_are_of_the_schema(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(stored(name), SCHEMA)


def test_models_are_of_the_schema() -> None:
    table = pd.DataFrame(
        {
            "age": [20.0, 30, None, 50],
            "city": ["a", "b", "c", "a"],
            "size": pd.Categorical(["s", "m", "l", "m"], ["s", "m", "l"], ordered=True),
            "day": pd.to_datetime(["2020-01-01", "2020-02-01", "2020-03-01", "2020-04-01"]),
            "is": [True, False, True, False],
            "big": [2**60, 2**60 + 1, 2**60 + 2, 2**60 + 3],
        }
    )
    binarizer = streed.Binarizer(missing="indicator", min_frequency=2)
    for y in ([0, 1, 1, 0], ["n", "y", "y", "n"], [True, False, False, True], [2.0, 1.0, 1.0, 2.0]):
        estimator = streed.OptimalTreeClassifier(binarizer=binarizer, max_depth=2).fit(table, y)
        model = Model.from_estimator(estimator)
        jsonschema.validate(json.loads(json.dumps(model.to_dict())), SCHEMA)


@pytest.mark.parametrize("change", CONDITIONS, ids=str)
def test_the_schema_refuses_what_loading_refuses(change: dict[str, Any]) -> None:
    description = small("a")
    jsonschema.validate(description, SCHEMA)
    description["conditions"][0] |= change
    if change.get("value") in (HUGE, -HUGE, "no date", [HUGE]):  # beyond what a schema can say
        return
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(description, SCHEMA)
