"""A tree as one graph of ONNX, from the columns of the table to label and shares.

The tree is one `TreeEnsemble` node of ai.onnx.ml 5, the first version with doubles, sets of values and a side
for missing values in one operator. It returns the number of a leaf; tables of labels and shares do the rest.
Before it, texts become numbers by a `LabelEncoder`, and all columns become one matrix of doubles.
skl2onnx was not taken: it writes 32-bit numbers and drops the side that missing values take.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.errors import ExportError
from streed.interop.inputs import check_known, is_cut, is_date, is_missing_test
from streed.interop.leaves import leaf_values
from streed.model.holds import microseconds
from streed.model.model import Model, read_column
from streed.table.columns import Column, Kind, column_names, is_frame, numbered_names
from streed.table.dates import parse_dates
from streed.tree.conditions import Condition
from streed.tree.line import is_linear
from streed.tree.tree import Tree

LEQ, EQ, MEMBER = 0, 4, 6
"""Modes of the nodes of a `TreeEnsemble`."""

NO_DATE = np.iinfo(np.int64).min
"""The integer of NaT, the missing date."""

MATRIX = "X"
"""The input of a model whose columns have no names, and are all numbers."""

INNER = "streed/"
"""Begins the names of everything inside a graph, so that columns may have any other name."""


class Given(StrEnum):
    """The types that columns are given as."""

    TEXTS = "STRING"
    DATES = "INT64"
    BOOLEANS = "BOOL"
    NUMBERS = "DOUBLE"


def onnx_module() -> Any:
    """Return the package onnx, or say how to get it."""
    try:
        import onnx
    except ImportError as error:
        raise ImportError("to_onnx needs the package onnx: pip install 'streed[onnx]'") from error
    return onnx


def to_onnx(model: Model, seen: Mapping[str, Any], path: str | Path | None = None) -> Any:
    """Make a model of ONNX; see `Exports.to_onnx`."""
    onnx = onnx_module()
    graph = Graph(onnx.helper, onnx.TensorProto)
    columns = model.tested_columns
    for feature in model.tree.feature[model.tree.feature >= 0].tolist():
        check_known(model.conditions[feature])
        if model.conditions[feature].part:
            raise ExportError(
                f"the test {str(model.conditions[feature])!r} is about a part of dates, which ONNX cannot "
                "take from them: make the part a column of its own, or export to_python or to_sql"
            )
    given = {name: _given_as(model, name, seen) for name in columns}
    if taken := set(columns) & {"label", "prediction", "probabilities"}:
        raise ExportError(f"an output has the name of the column {min(taken)!r}: rename the column")
    codes = _read_inputs(graph, model, given)
    _tree_node(graph, model, codes)
    _outputs(graph, model.tree)
    found = graph.finish()
    onnx.checker.check_model(found, full_check=True)
    if path is not None:
        Path(path).write_bytes(found.SerializeToString())
    return found


@dataclass
class Graph:
    """The parts of a graph, and the functions of the package onnx that make them."""

    helper: Any
    types: Any
    nodes: list[Any] = field(default_factory=list)
    inputs: list[Any] = field(default_factory=list)
    outputs: list[Any] = field(default_factory=list)
    tables: list[Any] = field(default_factory=list)
    matrix: str = MATRIX
    """The name of the matrix of all columns; `places` has their positions, and those of sets of numbers."""
    places: dict[str | Condition, int] = field(default_factory=dict)

    def add(self, kind: str, inputs: Sequence[str], output: str, **attributes: Any) -> str:
        """Add a node and return the name of its output."""
        self.nodes.append(self.helper.make_node(kind, inputs, [output], **attributes))
        return output

    def tensor(self, name: str, values: Any) -> Any:
        """Return an array as a tensor: doubles, 64-bit integers, small ones, Booleans or texts."""
        array = np.asarray(values)
        if array.dtype.kind in "US":
            texts = [str(value).encode() for value in array.ravel()]
            return self.helper.make_tensor(name, self.types.STRING, array.shape, texts)
        return self.helper.make_tensor(name, self.type_of(array), array.shape, array.ravel().tolist())

    def type_of(self, array: NDArray[Any]) -> int:
        """Return the type of the tensor of an array."""
        if array.dtype == np.uint8:
            return int(self.types.UINT8)
        names = {"f": "DOUBLE", "i": "INT64", "u": "INT64", "b": "BOOL", "U": "STRING"}
        return int(getattr(self.types, names[array.dtype.kind]))

    def constant(self, name: str, values: Any) -> str:
        """Add a table of constants and return its name."""
        self.tables.append(self.tensor(name, values))
        return name

    def finish(self) -> Any:
        """Return the model."""
        graph = self.helper.make_graph(self.nodes, "streed", self.inputs, self.outputs, self.tables)
        opsets = [self.helper.make_opsetid("", 18), self.helper.make_opsetid("ai.onnx.ml", 5)]
        return self.helper.make_model(graph, opset_imports=opsets, ir_version=10, producer_name="streed")


def _given_as(model: Model, name: str, seen: Mapping[str, Any]) -> Given:
    """Return how a column is given to the graph: as it was in the fit, else as its conditions say."""
    known = [condition for condition in model.conditions if condition.column == name]
    kind = getattr(seen.get(name), "kind", None)
    if kind is Kind.DATE or any(map(is_date, known)):
        return Given.DATES
    categories = getattr(seen.get(name), "categories", ())
    if any(isinstance(value, str) for each in known for value in (*_values(each), *categories)):
        return Given.TEXTS
    with_missing = any(condition.knows_missing for condition in known)
    return Given.BOOLEANS if not with_missing and any(each.value is True for each in known) else Given.NUMBERS


def _read_inputs(graph: Graph, model: Model, given: Mapping[str, Given]) -> dict[str, dict[str, float]]:
    """Add what makes one matrix of the columns; return the numbers of the texts of each column."""
    info = graph.helper.make_tensor_value_info
    numbered = list(model.columns) == numbered_names(len(model.columns))
    if numbered and set(given.values()) <= {Given.NUMBERS, Given.BOOLEANS}:
        graph.inputs.append(info(MATRIX, graph.types.DOUBLE, [None, len(model.columns)]))
        graph.places = {name: place for place, name in enumerate(model.columns)}
        _add_sets(graph, model, {})
        return {}
    if not given:
        raise ExportError(
            "the tree is a single leaf and reads no column, so that nothing would tell a graph of ONNX how "
            "many rows there are"
        )
    codes, parts = {}, []
    for number, (name, kind) in enumerate(given.items()):
        out = f"{INNER}column {number}"
        graph.inputs.append(info(name, getattr(graph.types, kind), [None, 1]))
        if kind is Given.TEXTS:
            codes[name] = _codes(model, name)
            _encode_texts(graph, name, out, codes[name])
        elif kind is Given.DATES:
            _encode_dates(graph, name, out)
        elif kind is Given.BOOLEANS:
            graph.add("Cast", [name], out, to=graph.types.DOUBLE)
        parts.append(name if kind is Given.NUMBERS else out)
    graph.places = {name: place for place, name in enumerate(given)}
    graph.matrix = graph.add("Concat", parts, f"{INNER}columns", axis=1)
    _add_sets(graph, model, codes)
    return codes


def _add_sets(graph: Graph, model: Model, codes: Mapping[str, Any]) -> None:
    """Add a column of zeros and ones for each test of numbers against a set, NaN where they are missing.

    onnxruntime 1.31 cuts the digits after the point off before it looks for a number in a set.
    """
    sets = dict.fromkeys(test for test in _tested(model) if is_set(test) and test.column not in codes)
    parts = [graph.matrix]
    for number, test in enumerate(sets):
        name = f"{INNER}set {number}"
        place = graph.constant(f"{name} column", np.array([graph.places[test.column]], np.int64))
        column = graph.add("Gather", [graph.matrix, place], f"{name} values", axis=1)
        members = graph.constant(f"{name} members", np.array([_values(test)], np.float64))
        equal = graph.add("Equal", [column, members], f"{name} equal")
        cast = graph.add("Cast", [equal], f"{name} numbers", to=graph.types.DOUBLE)
        axis = graph.constant(f"{name} axis", np.array([1], np.int64))
        found = graph.add("ReduceMax", [cast, axis], f"{name} found", keepdims=1)
        absent = graph.add("IsNaN", [column], f"{name} absent")
        nan = graph.constant(f"{name} nan", np.nan)
        parts.append(graph.add("Where", [absent, nan, found], name))
        graph.places[test] = len(graph.places)
    if sets:
        graph.matrix = graph.add("Concat", parts, f"{INNER}columns and sets", axis=1)


def _codes(model: Model, name: str) -> dict[str, float]:
    """Return a number for each text that a test of a column names."""
    texts: dict[str, float] = {}
    for condition in (c for c in _tested(model) if c.column == name):
        for value in _values(condition):
            if value == "" or not isinstance(value, str):
                raise ExportError(
                    f"the test {str(condition)!r} names {value!r}, but texts of ONNX are not empty: "
                    "the empty text stands for a missing value"
                )
            texts.setdefault(value, len(texts) + 1.0)
    return texts


def is_set(condition: Condition) -> bool:
    """Whether a test compares with several values."""
    return isinstance(condition.value, tuple) and len(condition.value) > 1


def _tested(model: Model) -> list[Condition]:
    return [model.conditions[f] for f in model.tree.feature.tolist() if f >= 0]


def _values(condition: Condition) -> tuple[Any, ...]:
    if condition.value is None:
        return ()
    return condition.value if isinstance(condition.value, tuple) else (condition.value,)


def _encode_texts(graph: Graph, name: str, out: str, codes: Mapping[str, float]) -> None:
    """Texts become their numbers, the empty text NaN, all others 0."""
    graph.add(
        "LabelEncoder",
        [name],
        out,
        domain="ai.onnx.ml",
        keys_tensor=graph.tensor("keys", np.array([*codes, ""])),
        values_tensor=graph.tensor("values", np.array([*codes.values(), math.nan])),
        default_tensor=graph.tensor("default", np.zeros(1)),
    )


def _encode_dates(graph: Graph, name: str, out: str) -> None:
    """Dates come as microseconds since 1970 in UTC; the integer of NaT becomes NaN."""
    none, nan = graph.constant(f"{out} none", np.int64(NO_DATE)), graph.constant(f"{out} nan", np.nan)
    absent = graph.add("Equal", [name, none], f"{out} absent")
    number = graph.add("Cast", [name], f"{out} number", to=graph.types.DOUBLE)
    graph.add("Where", [absent, nan, number], out)


def _tree_node(graph: Graph, model: Model, codes: Mapping[str, Mapping[str, float]]) -> None:
    """Add the node that finds the leaf of each row."""
    tree = model.tree
    inner, leaves = np.flatnonzero(tree.feature >= 0).tolist(), np.flatnonzero(tree.feature < 0).tolist()
    number = {node: place for part in (inner, leaves) for place, node in enumerate(part)}
    tests = [model.conditions[tree.feature[node]] for node in inner]
    modes = [_mode(test, codes.get(test.column, {})) for test in tests]
    attributes: dict[str, Any] = {
        "nodes_featureids": [graph.places.get(test, graph.places[test.column]) for test in tests],
        "nodes_missing_value_tracks_true": [int(test.knows_missing) for test in tests],
    }
    for side, children in (("true", tree.right[inner]), ("false", tree.left[inner])):
        attributes[f"nodes_{side}nodeids"] = [number[child] for child in children.tolist()]
        attributes[f"nodes_{side}leafs"] = (tree.feature[children] < 0).astype(int).tolist()
    if not inner:  # an ensemble needs a node: one with the same leaf on both sides
        modes = [(LEQ, 0.0, ())]
        attributes = {name: [int(name.endswith("leafs"))] for name in attributes}
    if any(mode == MEMBER for mode, _, _ in modes):
        members = [value for mode, _, own in modes if mode == MEMBER for value in (*own, math.nan)]
        attributes["membership_values"] = graph.tensor("members", np.array(members))
    graph.add(
        "TreeEnsemble",
        [graph.matrix],
        f"{INNER}leaf_of_tree",
        domain="ai.onnx.ml",
        tree_roots=[0],
        nodes_modes=graph.tensor("modes", np.array([mode for mode, _, _ in modes], np.uint8)),
        nodes_splits=graph.tensor("splits", np.array([split for _, split, _ in modes], np.float64)),
        leaf_targetids=[0] * len(leaves),
        leaf_weights=graph.tensor("leaves", np.arange(len(leaves), dtype=np.float64)),
        n_targets=1,
        post_transform=0,
        aggregate_function=1,
        **attributes,
    )


def _mode(condition: Condition, codes: Mapping[str, float]) -> tuple[int, float, tuple[float, ...]]:
    """Return the mode of a node, its number, and its set; "is missing" is a cut below everything."""
    if is_missing_test(condition):
        return LEQ, -math.inf, ()
    if is_date(condition):
        return LEQ, float(parse_dates([condition.value])[0]), ()
    values = tuple(codes[value] if codes else float(value) for value in _values(condition))
    if not codes and any(float(value) != value for value in _values(condition)):
        raise ExportError(f"the test {str(condition)!r} has a number that no double holds")
    if is_cut(condition):
        return LEQ, values[0], ()
    if is_set(condition) and not codes:
        return EQ, 1.0, ()
    return (EQ, values[0], ()) if len(values) == 1 else (MEMBER, 0.0, values)


def _outputs(graph: Graph, tree: Tree) -> None:
    """Add tables of what the leaves predict, and the outputs that are read from them."""
    leaves = np.flatnonzero(tree.feature < 0)
    axis = graph.constant(f"{INNER}axis_of_leaf", np.array([1], np.int64))
    whole = graph.add("Cast", [f"{INNER}leaf_of_tree"], f"{INNER}leaf_number", to=graph.types.INT64)
    leaf = graph.add("Squeeze", [whole, axis], f"{INNER}leaf")
    if tree.details is not None or is_linear(tree.classes):
        values = leaf_values(tree, "shares")[leaves, :, 0]
        _output(graph, "prediction", values[:, 0] if values.shape[1] == 1 else values, leaf)
        return
    labels = np.array(tree.classes.tolist())[tree.label[leaves]]
    if labels.dtype.kind not in "fiubU":
        raise ExportError(f"labels must be texts, numbers or Booleans, got {tree.classes.tolist()[:3]!r}")
    _output(graph, "label", labels, leaf)
    if tree.class_weights is not None:
        _output(graph, "probabilities", tree.probabilities()[leaves], leaf)


def _output(graph: Graph, name: str, values: NDArray[Any], leaf: str) -> None:
    """Add an output that takes a row of a table for each leaf."""
    graph.add("Gather", [graph.constant(f"{INNER}{name} of leaves", values), leaf], name, axis=0)
    shape = [None, *values.shape[1:]]
    graph.outputs.append(graph.helper.make_tensor_value_info(name, graph.type_of(values), shape))


def onnx_inputs(found: Any, table: Any) -> dict[str, NDArray[Any]]:
    """Return a table as the inputs of a model that `to_onnx` made, for a session of onnxruntime.

    Parameters
    ----------
    found : onnx.ModelProto
        The model.
    table : frame or array
        The rows.

    Returns
    -------
    dict
        Arrays by the names of the inputs: doubles, Booleans, texts (empty where they are missing), and dates
        as microseconds since 1970 in UTC.
    """
    types = onnx_module().TensorProto
    given = {each.name: each.type.tensor_type.elem_type for each in found.graph.input}
    if list(given) == [MATRIX] and not (is_frame(table) and MATRIX in column_names(table)):
        return {MATRIX: np.asarray(table, dtype=np.float64)}
    names = column_names(table)
    return {
        name: _as_given(read_column(table, names, name), kind, types)[:, None] for name, kind in given.items()
    }


def _as_given(column: Column, kind: int, types: Any) -> NDArray[Any]:
    if kind == types.STRING:
        texts = np.array([*map(str, column.categories), ""], dtype=object)
        return texts[column.values.astype(np.intp)] if column.kind.is_category else _no_texts(column)
    if kind == types.INT64:
        numbers = microseconds(column)
        return np.where(np.isnan(numbers), NO_DATE, np.nan_to_num(numbers).astype(np.int64))
    if column.kind.is_category:
        return np.array([*column.categories, np.nan], dtype=np.float64)[column.values.astype(np.intp)]
    numbers = column.floats()
    if kind == types.DOUBLE:
        return numbers
    if np.isnan(numbers).any():
        raise ValueError(f"column {column.name!r} has missing values, which Booleans of ONNX cannot have")
    return np.equal(numbers, 1)


def _no_texts(column: Column) -> NDArray[Any]:
    """Return a column of missing values as texts."""
    if not np.isnan(column.floats()).all():
        raise TypeError(f"column {column.name!r} held strings when fitted, now it holds {column.kind}")
    return np.full(column.values.size, "", dtype=object)
