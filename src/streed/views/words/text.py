"""Views of a tree: text, and a dictionary that can be written as JSON and read back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.tree.conditions import Condition
from streed.tree.details import details_from_dict
from streed.tree.line import Line
from streed.tree.tree import FORMAT, VERSION, Tree
from streed.tree.unused import without_unused
from streed.views.words.wording import leaf_facts, leaf_label, one_line

SMOOTHED = ("smoothing", "shrinkage")
"""How shares become probabilities; a description leaves out what is 0."""

MOST_BYTES = 2**24
"""Labels that need less memory than this may have a type that is wider than they are."""


def tree_to_text(tree: Tree) -> str:
    """Draw a tree in plain text."""
    return "\n".join(_lines(tree, 0))


def _lines(tree: Tree, node: int) -> Iterator[str]:
    if tree.feature[node] < 0:
        yield f"{leaf_label(tree, node)}  ({leaf_facts(tree, node)})"
        return
    price = "" if tree.prices is None else f"  [{tree.prices[node]:.6g}]"
    yield f"{one_line(tree.feature_name(int(tree.feature[node])))}?{price}"
    for child, corner, bar in (
        (tree.left[node], "├─ no:  ", "│       "),
        (tree.right[node], "└─ yes: ", "        "),
    ):
        first, *others = _lines(tree, int(child))
        yield corner + first
        yield from (bar + line for line in others)


def tree_to_dict(tree: Tree, *, keep_unused: bool = False) -> dict[str, Any]:
    """Describe a tree by plain lists, strings and numbers."""
    if tree.conditions is not None and not keep_unused:
        tree, _ = without_unused(tree, tree.conditions)
    more: dict[str, Any] = {} if tree.details is None else {"details": tree.details.to_dict()}
    more |= {name: value for name in SMOOTHED if (value := getattr(tree, name))}
    return {
        "format": FORMAT,
        "version": VERSION,
        "n_features": tree.n_features,
        "feature_names": None if tree.feature_names is None else list(tree.feature_names),
        "conditions": None if tree.conditions is None else [test.to_dict() for test in tree.conditions],
        "classes": [_stored(label) for label in tree.classes.tolist()],
        "classes_dtype": tree.classes.dtype.str,
        "value_name": tree.value_name,
        "nodes": [_node(tree, node) for node in range(tree.node_count)],
        **more,
    }


def _stored(label: object) -> Any:
    """Return what JSON has of a label: also of several numbers, and of a linear function."""
    if isinstance(label, Line):
        return label.to_dict()
    return [plain(part) for part in label] if isinstance(label, tuple) else plain(label)


def _label_of(label: object) -> Any:
    """Read what `_stored` wrote."""
    if isinstance(label, Mapping):
        return Line.from_dict(label)
    if not isinstance(label, list):
        return plain(label)
    for part in label:
        if isinstance(part, int):
            float(part)  # several values are numbers to predict: no integer beyond doubles
    return tuple(plain(part) for part in label)


def _leaf_kind(label: object) -> str:
    """Say in words what leaves with such a label predict: all leaves of a tree do the same."""
    if isinstance(label, tuple):
        return f"{len(label)} values each"
    return "linear functions" if isinstance(label, Line) else "constants"


def plain(label: object) -> str | int | float:
    """Return a label that is a string or a number; refuse any other."""
    if not isinstance(label, str | int | float):
        raise TypeError(
            f"only labels that are strings or numbers can be stored, got {label!r} ({type(label).__name__})"
        )
    return label


def _node(tree: Tree, node: int) -> dict[str, Any]:
    known: dict[str, Any] = {"n_samples": int(tree.n_samples[node])}
    if tree.class_weights is not None:
        known["class_weights"] = tree.class_weights[node].tolist()
    if tree.class_counts is not None:
        known["class_counts"] = tree.class_counts[node].tolist()
    if tree.values is not None:
        known["value"] = float(tree.values[node])
    if tree.prices is not None:
        known["price"] = float(tree.prices[node])
    if tree.feature[node] < 0:
        return {"label": int(tree.label[node]), **known}
    return {
        "feature": int(tree.feature[node]),
        "condition": tree.feature_name(int(tree.feature[node])),
        "left": int(tree.left[node]),
        "right": int(tree.right[node]),
        **known,
    }


def tree_from_dict(description: Mapping[str, Any]) -> Tree:
    """Read a tree from its description, and check everything in it."""
    try:
        return _read(description)
    except RecursionError:
        raise ValueError("the description of the tree is nested too deeply") from None


def _read(description: Mapping[str, Any]) -> Tree:
    if not isinstance(description, Mapping) or description.get("format") != FORMAT:
        raise ValueError(
            f"a description of a tree is a mapping with format {FORMAT!r}, got {_short(description)}"
        )
    if description.get("version") != VERSION:
        raise ValueError(
            f"this release reads version {VERSION} of {FORMAT}, got {description.get('version')!r}"
        )
    nodes = _entry(description, "nodes", list)
    names = description.get("feature_names")
    if names is not None and not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise ValueError(f"feature_names must be null or a list of strings, got {_short(names)}")
    smoothed = {name: _number(description, name) for name in SMOOTHED}
    return Tree(
        feature=_integers(nodes, "feature"),
        left=_integers(nodes, "left"),
        right=_integers(nodes, "right"),
        label=_integers(nodes, "label"),
        n_samples=_integers(nodes, "n_samples"),
        class_weights=_class_weights(nodes, smoothed),
        class_counts=_class_counts(nodes),
        classes=_classes(description),
        n_features=_n_features(description),
        feature_names=names,
        values=_numbers(nodes, "value"),
        value_name=_entry({"value_name": "", **description}, "value_name", str),
        conditions=_conditions(description),
        prices=_numbers(nodes, "price"),
        details=None if "details" not in description else details_from_dict(description["details"]),
        **smoothed,
    )


def _number(description: Mapping[str, Any], name: str) -> float:
    value = description.get(name, 0.0)
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ValueError(f"{name!r} must be a number, got {_short(value)}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name!r} must be a number that doubles can hold, got {_short(value)}") from None


def _short(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # an integer of very many digits
        text = f"a very large {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:77]}..."


def _entry(mapping: Mapping[str, Any], name: str, kind: type) -> Any:
    value = mapping.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"{name!r} must be of type {kind.__name__}, got {_short(value)}")
    return value


def _integers(nodes: list[Any], name: str) -> list[int]:
    """Read one column of the nodes; what a node of its kind does not have is -1."""
    column = []
    for number, node in enumerate(nodes):
        if not isinstance(node, Mapping) or ("feature" in node) == ("label" in node):
            raise ValueError(f"node {number} must have either a feature or a label, got {_short(node)}")
        value = node.get(name, None if name == "n_samples" or (name != "label" and "feature" in node) else -1)
        allowed_least = -1 if name not in node else 0
        if not isinstance(value, int) or isinstance(value, bool) or not allowed_least <= value < 2**31:
            raise ValueError(f"{name!r} of node {number} must be an integer >= 0, got {_short(value)}")
        column.append(value)
    return column


def _n_features(description: Mapping[str, Any]) -> int:
    number: int = _entry(description, "n_features", int)
    if not 0 <= number < 2**31:
        raise ValueError(f"'n_features' must be from 0 to 2^31 - 1, got {_short(number)}")
    return number


def _conditions(description: Mapping[str, Any]) -> list[Condition] | None:
    entries = description.get("conditions")
    if entries is None:
        return None
    return [Condition.from_dict(entry) for entry in _entry(description, "conditions", list)]


def _numbers(nodes: list[Any], name: str) -> NDArray[np.float64] | None:
    """Read a column of numbers that either all nodes have or none."""
    if not any(name in node for node in nodes):
        return None
    try:
        values = np.array([node[name] for node in nodes], dtype=np.float64)
    except (KeyError, OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"all nodes must have a {name}, a number, or none of them: {error}") from error
    if values.ndim != 1 or not np.isfinite(values).all():
        raise ValueError(f"the {name}s of nodes must be finite numbers")
    return values


def _class_weights(nodes: list[Any], smoothed: Mapping[str, float]) -> NDArray[np.float64] | None:
    if not any("class_weights" in node for node in nodes):
        return None
    try:
        weights = np.array([node["class_weights"] for node in nodes], dtype=np.float64)
    except (KeyError, OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"every node must have class_weights, one number per class: {error}") from error
    if weights.ndim != 2:
        raise ValueError(f"class_weights must be one list of numbers per node, got shape {weights.shape}")
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError("class_weights must be finite and not negative")
    with np.errstate(over="ignore"):
        for name, added in smoothed.items():
            if not np.isfinite(weights.sum(axis=1) + added * weights.shape[1]).all():
                raise ValueError(f"class_weights and {name} must have finite sums")
    return weights


def _class_counts(nodes: list[Any]) -> NDArray[np.int64] | None:
    if not any("class_counts" in node for node in nodes):
        return None
    counts = [node.get("class_counts") for node in nodes]
    if not all(
        isinstance(each, list) and all(type(n) is int and 0 <= n < 2**53 for n in each) for each in counts
    ):
        raise ValueError("every node must have class_counts, one whole number >= 0 per class, or none")
    if len({len(each) for each in counts}) > 1:
        raise ValueError("every node must have as many class_counts as every other one")
    return np.array(counts, dtype=np.int64)


def _classes(description: Mapping[str, Any]) -> NDArray[Any]:
    labels = _entry(description, "classes", list)
    code = _entry(description, "classes_dtype", str)
    try:
        dtype = np.dtype(code)
        if dtype.kind not in "biufUO":
            raise TypeError(f"{_short(code)} is no type of labels")
        texts = [label for label in labels if isinstance(label, str)]
        longest = max(map(len, texts), default=0)
        if dtype.itemsize * len(labels) > MOST_BYTES and dtype.itemsize > 4 * longest:
            raise ValueError(f"{_short(code)} is wider than the longest label, of {longest} characters")
        classes = np.empty(len(labels), dtype=dtype)
        known = [_label_of(label) for label in labels]
        if len(kinds := set(map(_leaf_kind, known))) > 1:
            raise ValueError(f"leaves are all of one kind, got {' and '.join(sorted(kinds))}")
        classes[:] = known
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(f"the classes cannot be read: {error}") from error
    if classes.tolist() != known:
        raise ValueError(f"the classes {_short(labels)} do not fit the type {_short(code)}")
    return classes
