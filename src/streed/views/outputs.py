"""What the leaves of a tree give for a row beside their prediction: probability, leaf, path and others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.tree.details import Curves, Numbers
from streed.tree.line import is_linear
from streed.tree.tree import Tree
from streed.tree.walk import paths
from streed.views.words.rules import phrases

OUTPUTS = ("label", "probability", "leaf", "path", "spread", "quantile", "survival", "hazard")
"""What `Tree.to_sql`, `Tree.to_python`, `Model.predict_output` and the command line can give."""


def leaf_outputs(tree: Tree, output: str, label: Any = None, at: float | None = None) -> dict[int, Any]:
    """Return what each leaf gives.

    Parameters
    ----------
    tree : Tree
        The tree.
    output : str
        One of `OUTPUTS`. "probability" is that of `label`, "quantile" and "survival" are those at `at`.
    label : object, optional
        A class; by default the last one of two.
    at : float, optional
        A level of quantiles that the leaves know, or a time.

    Returns
    -------
    dict from int to object
        By the number of the leaf.
    """
    if output not in OUTPUTS:
        raise ValueError(f"output must be one of {', '.join(map(repr, OUTPUTS))}, got {output!r}")
    if label is not None and output != "probability":
        raise ValueError(f"label says whose probability is wanted, but the output is {output!r}")
    if (at is None) == (output in ("quantile", "survival", "hazard")):
        needs = "needs" if at is None else "takes no"
        raise ValueError(f"the output {output!r} {needs} at=, a level of a quantile or a time")
    leaves = np.flatnonzero(tree.feature < 0).tolist()
    if output == "label":
        return {node: tree.classes[tree.label[node]] for node in leaves}
    if output == "leaf":
        return {node: node for node in leaves}
    if output == "path":
        return {leaf: " and ".join(phrases(tree, steps)) or "always" for leaf, steps in paths(tree)}
    if output == "probability":
        column = _class_of(tree, label)
        shares = tree.probabilities()
        return {node: float(shares[node, column]) for node in leaves}
    return dict(zip(leaves, _of_details(tree, output, at).tolist(), strict=True))


def _class_of(tree: Tree, label: Any) -> int:
    """Return the number of the class whose probability is wanted."""
    if tree.class_weights is None:
        raise ValueError("the tree has no classes of training rows, so it has no probabilities")
    labels: list[Any] = tree.classes.tolist()
    if label is None:
        if len(labels) != 2:
            raise ValueError(f"give label=, one of {labels[:12]!r}: the tree has {len(labels)} classes")
        return 1
    if label not in labels:
        written = [str(each) for each in labels]
        if str(label) not in written:
            raise ValueError(f"label must be one of {labels[:12]!r}, got {label!r}")
        return written.index(str(label))
    return labels.index(label)


def _of_details(tree: Tree, output: str, at: float | None) -> NDArray[Any]:
    leaves = np.flatnonzero(tree.feature < 0)
    details = tree.details
    if output in ("spread", "quantile"):
        if not isinstance(details, Numbers) or details.mean.ndim > 1 or is_linear(tree.classes):
            raise ValueError(
                f"only trees that predict one number, the same in all of a leaf, have a {output}"
            )
        return details.spread[leaves] if output == "spread" else _quantiles(details, at)
    if not isinstance(details, Curves):
        raise ValueError(f"only survival trees have a {output}")
    assert at is not None
    if not 0 <= at < np.inf:
        raise ValueError(f"at must be a time >= 0, got {at!r}")
    place = int(np.searchsorted(details.times, at, side="right"))
    start, values = (1.0, details.survival) if output == "survival" else (0.0, details.hazard)
    return np.full(leaves.size, start) if place == 0 else values[leaves, place - 1]


def _quantiles(details: Numbers, at: float | None) -> NDArray[Any]:
    known = details.levels.tolist()
    if at not in known:
        expected = f"one of {', '.join(f'{level:g}' for level in known)}" if known else "not possible here"
        raise ValueError(f"at must be {expected}, the quantiles that the leaves know, got {at!r}")
    return details.quantiles[:, known.index(at)]


def output_of_rows(tree: Tree, leaf: NDArray[Any], output: str, label: Any, at: float | None) -> NDArray[Any]:
    """Return the output of rows of which the leaves are known."""
    values: Mapping[int, Any] = leaf_outputs(tree, output, label, at)
    kind = object if output == "path" else None
    found: NDArray[Any] = np.array([values[node] for node in values], dtype=kind)
    places = np.full(tree.node_count, -1)
    places[list(values)] = np.arange(len(values))
    at_rows: NDArray[Any] = found[places[leaf]]
    return at_rows
