"""Files of models of every kind, each value of them replaced: refused with a ValueError, or they predict.

The table is the one that the model was fitted to. A changed condition or name may not fit the table any more:
the error is then the one of any table that does not fit its model.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streed.model import Model
from tests.support import ROOT
from tests.unit.kinds_of_models import TABLE, described, models
from tests.unit.test_hostile_files import JSON

MODELS = models()
FILES = {name: described(model) for name, model in MODELS.items()}
SCHEMA = json.loads((ROOT / "docs" / "model.schema.json").read_text(encoding="utf-8"))
OTHERS: list[Any] = [None, True, -1, 3, 10**400, 1e308, float("inf"), "x", [], [1.0], [["age", 10**400]], {}]
TABLE_DOES_NOT_FIT = (
    "when fitted", "the table has no column", "that the fit did not have", "the model was made to refuse them"
)  # fmt: skip

Path = tuple[Any, ...]


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every entry of a description, also those that hold others; of lists the first two and the last one."""
    if path:
        yield path
    if isinstance(value, dict):
        steps: set[Any] = set(value)
    else:
        steps = {0, 1, len(value) - 1} & set(range(len(value))) if isinstance(value, list) else set()
    for step in sorted(steps):
        yield from places(value[step], (*path, step))


def holder(description: Any, path: Path) -> Any:
    for step in path[:-1]:
        description = description[step]
    return description


def loads_and_predicts(description: dict[str, Any], views: bool = False) -> bool:
    """Whether a description is a model; then it must predict, or say why the table does not fit."""
    try:
        model = Model.from_dict(description)
    except ValueError as error:
        refusal = str(error)
    else:
        refusal = ""
    if refusal:
        assert len(refusal) < 1000
        return False
    try:
        with np.errstate(all="ignore"):
            assert len(model.predict(TABLE)) == len(TABLE)
            if model.tree.class_weights is not None:
                assert np.isfinite(model.predict_proba(TABLE)).all()
    except (TypeError, ValueError) as error:
        refusal = str(error)
    assert not refusal or any(reason in refusal for reason in TABLE_DOES_NOT_FIT)
    if views:
        show(model)
    return True


def show(model: Model) -> None:
    tree = copy.copy(model.tree)
    tree.conditions = tuple(model.conditions)
    compile(tree.to_python(), "tree", "exec")
    assert tree.to_text()
    assert tree.to_rules()
    assert tree.to_dot()
    assert tree.to_html()
    assert model.summary()
    Model.from_dict(json.loads(json.dumps(model.to_dict())))


@pytest.mark.parametrize("name", FILES)
def test_files_of_all_kinds(name: str) -> None:
    again = Model.from_dict(FILES[name])
    assert again.tree == MODELS[name].tree
    assert np.array_equal(again.predict(TABLE), MODELS[name].predict(TABLE))
    jsonschema.validate(FILES[name], SCHEMA)
    show(again)


@pytest.mark.parametrize("name", FILES)
def test_each_value_replaced(name: str) -> None:
    description = copy.deepcopy(FILES[name])
    loaded = 0
    for path in list(places(description)):
        within, last = holder(description, path), path[-1]
        before = within[last]
        for value in OTHERS:
            within[last] = value
            loaded += loads_and_predicts(description)
        if isinstance(within, dict):
            del within[last]
            loads_and_predicts(description)
            within[last] = before
        else:
            within.pop(last)
            loads_and_predicts(description)
            within.insert(last, before)
    assert loads_and_predicts(FILES[name] | {"proof": {}})
    assert loaded > 0


@settings(max_examples=300)
@given(st.data())
def test_any_value_anywhere(data: st.DataObject) -> None:
    description = copy.deepcopy(FILES[data.draw(st.sampled_from(sorted(FILES)))])
    path = data.draw(st.sampled_from(list(places(description))))
    holder(description, path)[path[-1]] = data.draw(JSON | st.sampled_from(OTHERS))
    loads_and_predicts(description, views=True)


LINE = {"intercept": 1.0, "terms": [["age", 2.0]]}
REFUSED: list[tuple[str, Path, Any, str]] = [
    ("numbers", ("tree", "details", "counts", 0, 0), 10**400, "details of a tree must be arrays of numbers"),
    ("numbers", ("tree", "details", "counts", 0, 0), -1.0, "must be means and spreads of one shape"),
    ("numbers", ("tree", "details", "edges"), [], "must be means and spreads of one shape"),
    ("numbers", ("tree", "details", "kind"), [], "of one of the kinds numbers, curves"),
    ("curves", ("tree", "details", "times"), [1.0], "must be increasing times, survival from 0 to 1"),
    ("curves", ("tree", "details", "survival", 0, 0), 2.0, "must be increasing times, survival from 0 to 1"),
    ("integers", ("tree", "smoothing"), 10**400, "must be a number that doubles can hold"),
    ("integers", ("tree", "smoothing"), 1e308, "must have finite sums"),
    ("line", ("tree", "classes", 0), "text", "all of one kind, got constants and linear functions"),
    ("line", ("tree", "classes", 0), [1.0], "all of one kind, got 1 values each and linear functions"),
    ("lines", ("tree", "classes", 0), LINE | {"terms": [["age", 10**400]]}, "the classes cannot be read"),
    ("lines", ("tree", "classes", 0), LINE | {"terms": [["height", 1.0]]}, "a function of 'height', but no"),
    ("vectors", ("tree", "classes", 0, 1), 10**400, "the classes cannot be read: int too large"),
    ("vectors", ("tree", "classes", 0), [1.0], "all of one kind, got 1 values each and 2 values each"),
    ("integers", ("conditions", 0, "operator"), ["<="] * 1000, "a condition has a column and one of"),
    ("integers", ("conditions", 0), ["<="] * 1000, "a condition is described by"),
    ("vectors", ("tree", "classes", 0), 3.0, "all of one kind, got 2 values each and constants"),
]


@pytest.mark.parametrize(("name", "path", "value", "message"), REFUSED, ids=range(len(REFUSED)))
def test_what_the_error_says(name: str, path: Path, value: Any, message: str) -> None:
    description = copy.deepcopy(FILES[name])
    holder(description, path)[path[-1]] = value
    with pytest.raises(ValueError, match=message) as caught:
        Model.from_dict(description)
    assert len(str(caught.value)) < 1000


def test_a_leaf_without_weight_has_equal_shares() -> None:
    description = copy.deepcopy(FILES["texts"]) | {"proof": {}}
    for node in description["tree"]["nodes"]:
        node["class_weights"] = [0.0, 0.0]
    assert Model.from_dict(description).predict_proba(TABLE).tolist() == [[0.5, 0.5]] * len(TABLE)
