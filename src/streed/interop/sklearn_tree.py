"""A fitted tree of scikit-learn that sends every row where a tree of streed sends it.

scikit-learn compares in 64 bits what it has rounded to 32 bits. A cut t of 64-bit columns becomes the larger
one of t and float32(t): rounding keeps the order, so no value up to t is rounded above it. A cut of 32-bit
columns stays as it is. No cut serves both: with t = 0.1 the number float32(0.1) lies above t, but t itself
becomes that number, too.

Nodes are numbered depth first, and "yes" of a comparison is the left child there. Missing values go to the
side that their flag says; "is missing" is a cut at infinity, as scikit-learn writes it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.tree._tree import NODE_DTYPE
from sklearn.tree._tree import Tree as NodeTree

from streed.errors import ExportError
from streed.interop.encoder import ColumnEncoder
from streed.interop.inputs import (
    How,
    Input,
    input_of,
    is_cut,
    is_flag,
    is_missing_test,
    plan_inputs,
)
from streed.interop.leaves import LEAVES, leaf_values
from streed.model.model import Model
from streed.table.columns import numbered_names
from streed.tree.conditions import Condition
from streed.tree.details import Numbers
from streed.tree.tree import Tree

DTYPES = ("float64", "float32")


def to_sklearn(
    model: Model,
    seen: Mapping[str, Any],
    X: Any = None,
    *,
    pipeline: bool = False,
    leaves: str = "shares",
    dtype: str | None = None,
) -> Any:
    """Make a tree of scikit-learn; see `Exports.to_sklearn`.

    `seen` has, by column, what the fit saw of it: the features of a binarizer.
    """
    for name, given, known in (("leaves", leaves, LEAVES), ("dtype", dtype, (*DTYPES, None))):
        if given not in known:
            raise ValueError(f"{name} must be one of {', '.join(map(repr, known))}, got {given!r}")
    tree = model.tree
    tested = [model.conditions[feature] for feature in tree.feature.tolist() if feature >= 0]
    kinds = {name: column.kind for name, column in seen.items()}
    inputs = plan_inputs(model.columns, tested, model.conditions, kinds)
    values = leaf_values(tree, leaves)
    nodes, order = _nodes(model, inputs, seen, dtype)
    values = _add_weights(tree, nodes, values, order)
    found = _estimator(tree, nodes, values, inputs, is_classifier=tree.details is None)
    encoder = ColumnEncoder(tuple(inputs), tuple(model.columns), model.missing)
    if list(model.columns) != numbered_names(len(model.columns)) and _name_columns(encoder):
        found.feature_names_in_ = encoder.get_feature_names_out()
    if X is not None:
        _check_rows(model, found, order, encoder, X)
    return Pipeline([("columns", encoder), ("tree", found)]) if pipeline else found


def _name_columns(encoder: ColumnEncoder) -> bool:
    """Let the encoder return a frame, so that names fit, and return whether a library for frames is there."""
    for library in ("pandas", "polars"):
        if find_spec(library) is not None:
            encoder.set_output(transform=library)
            return True
    return False


def _nodes(
    model: Model, inputs: list[Input], seen: Mapping[str, Any], dtype: str | None
) -> tuple[NDArray[Any], list[int]]:
    """Return the nodes without weights, and the node of our tree that each of them is."""
    tree, order, stack = model.tree, [], [0]
    first: dict[int, tuple[int, int]] = {}
    while stack:
        node = stack.pop()
        order.append(node)
        if tree.feature[node] >= 0:
            condition = model.conditions[tree.feature[node]]
            yes, no = int(tree.right[node]), int(tree.left[node])
            compares = is_cut(condition) and inputs[input_of(inputs, condition)].how is How.NUMBER
            first[node] = (yes, no) if compares else (no, yes)
            stack += reversed(first[node])
    number = {node: place for place, node in enumerate(order)}
    nodes = np.zeros(len(order), NODE_DTYPE)
    for row, node in zip(nodes, order, strict=True):
        if node not in first:
            row["left_child"] = row["right_child"] = -1
            row["feature"] = row["threshold"] = -2
            continue
        condition = model.conditions[tree.feature[node]]
        place = input_of(inputs, condition)
        left, right = first[node]
        row["left_child"], row["right_child"], row["feature"] = number[left], number[right], place
        cut, missing_left = _test(condition, inputs[place], seen.get(condition.column), dtype)
        row["threshold"], row["missing_go_to_left"] = cut, missing_left
    return nodes, order


def _test(condition: Condition, of: Input, seen: Any, dtype: str | None) -> tuple[float, bool]:
    """Return the cut of a test, and whether missing values go left."""
    if of.how is How.TEST:  # the column has no missing values, and its 0 goes left
        return 0.5, False
    if is_missing_test(condition):
        return math.inf, False
    if is_flag(condition):
        return 0.5, not condition.missing
    single = dtype == "float32" if dtype is not None else bool(getattr(seen, "single", False))
    return threshold(condition, _around(condition, seen), single=single), condition.missing


def _around(condition: Condition, seen: Any) -> tuple[Any, Any]:
    """Return the training values on both sides of a cut, infinity where they are not known."""
    cuts = [each.value for each in getattr(seen, "conditions", ()) if is_cut(each) and not each.missing]
    known = dict(zip(cuts, getattr(seen, "around", ()), strict=False))
    found: tuple[Any, Any] = known.get(condition.value, (-math.inf, math.inf))
    return found


def threshold(condition: Condition, around: tuple[Any, Any], *, single: bool) -> float:
    """Return the cut of numbers rounded to 32 bits that divides the rows as the cut of a condition does.

    Parameters
    ----------
    condition : Condition
        A comparison with a number.
    around : pair of numbers
        The last training value up to the cut, and the first one above it.
    single : bool
        Whether the values have 32 bits, and so stay as they are.

    Examples
    --------
    >>> cut = Condition("x", "<=", 0.1)
    >>> threshold(cut, (0.0, 0.2), single=True), threshold(cut, (0.0, 0.2), single=False)
    (0.1, 0.10000000149011612)
    """
    cut = float(condition.value)
    if cut != condition.value:
        raise ExportError(f"the test {str(condition)!r} has a cut that no double holds")
    if single:
        return cut
    with np.errstate(over="ignore"):
        low, high = (float(np.float32(value)) for value in around)
        found = max(cut, float(np.float32(cut))) if abs(cut) < np.finfo(np.float32).max else cut
    if high > found:
        return found
    if low < high:  # only values between the training rows and the cut change sides
        return low
    raise ExportError(
        f"the test {str(condition)!r} separates {around[0]!r} from {around[1]!r}, which are one and the same "
        "number in the 32 bits that scikit-learn uses; subtract a constant from the column before the fit"
    )


def _add_weights(
    tree: Tree, nodes: NDArray[Any], values: NDArray[np.float64], order: list[int]
) -> NDArray[np.float64]:
    """Enter numbers of rows and impurities; return the values in the order of scikit-learn.

    A node has the weighted mean of the leaves below, as programs expect that compute with values of nodes.
    """
    weights = tree.n_samples.astype(np.float64)
    if tree.class_weights is not None:
        weights = tree.class_weights.sum(axis=1)
    elif isinstance(tree.details, Numbers):
        weights = tree.details.counts.sum(axis=1)
    squares = values**2
    for node, *children in reversed(tree.branches()):
        own = weights[children]
        shares = own / own.sum() if own.sum() > 0 else np.full(2, 0.5)
        weights[node] = own.sum()
        values[node] = np.tensordot(shares, values[children], 1)
        squares[node] = np.tensordot(shares, squares[children], 1)
    nodes["n_node_samples"], nodes["weighted_n_node_samples"] = tree.n_samples[order], weights[order]
    if isinstance(tree.details, Numbers):
        impurity = (tree.details.spread.reshape(len(order), -1) ** 2).mean(axis=1)
    elif tree.details is None:
        impurity = 1 - (values**2).sum(axis=(1, 2))
    else:
        impurity = (squares - values**2).sum(axis=(1, 2))
    nodes["impurity"] = np.maximum(impurity, 0)[order]
    return np.ascontiguousarray(values[order])


def _estimator(
    tree: Tree, nodes: NDArray[Any], values: NDArray[np.float64], inputs: list[Input], *, is_classifier: bool
) -> BaseEstimator:
    n_outputs, n_classes = values.shape[1:]
    state = {"max_depth": tree.depth, "node_count": len(nodes), "nodes": nodes, "values": values}
    inner = NodeTree(len(inputs), np.full(n_outputs, n_classes, np.intp), n_outputs)
    inner.__setstate__(state)
    kind = DecisionTreeClassifier if is_classifier else DecisionTreeRegressor
    found = kind(max_depth=tree.depth or None)
    found.tree_, found.n_outputs_ = inner, n_outputs
    found.n_features_in_ = found.max_features_ = len(inputs)
    if is_classifier:
        found.classes_, found.n_classes_ = tree.classes.copy(), np.int64(n_classes)
    return found


def _check_rows(model: Model, found: Any, order: list[int], encoder: ColumnEncoder, X: Any) -> None:
    """Refuse a tree that sends some row elsewhere."""
    ours, theirs = model.apply(X), np.array(order)[found.apply(encoder.transform(X))]
    if (differ := np.flatnonzero(ours != theirs)).size:
        raise ExportError(
            f"{differ.size} of {len(ours)} rows of X, the first one row {differ[0]}, end in other leaves, "
            "since scikit-learn rounds numbers to 32 bits"
        )
