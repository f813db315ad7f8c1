"""The record of a fit: who made the tree, of which data, with which parameters, and what its proof covers.

It is plain data (`Result.record`), goes into model files as it is, and is what a second person needs to say
whether a tree is the one that was fitted.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import functools
import hashlib
import math
import platform
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from streed.table.columns import column_names, is_frame
from streed.table.digest import ORDER, digest
from streed.tree.result import Result
from streed.tree.tree import Tree
from streed.versions import current_version

MOST_NUMBERS = 256
"""Larger arrays among the parameters are recorded by their shape and SHA-256."""
MOST_TEXT = 500
OWN_LIMITS = ("constraint", "max_difference", "min_ratio", "capacity", "budget")
"""Parameters of some estimators that limit their trees."""


def data_facts(model: Any, data: Mapping[str, Any]) -> dict[str, Any]:
    """Describe the data of a fit by its shape, the kinds of its columns and SHA-256 of all that was given.

    Parameters
    ----------
    model : estimator
        The fitted estimator.
    data : mapping
        What `fit` was given, by name.
    """
    kinds = {c.name: str(c.kind) for c in getattr(model.binarizer_, "columns", ()) if not c.part}
    given = {name: values for name, values in data.items() if values is not None}
    table = given.get("X")
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        names = column_names(table) if is_frame(table) else [f"x{j}" for j in range(model.n_features_in_)]
    return {
        "rows": int(model.tree_.n_samples[0]),
        "columns": [{"name": str(name), "kind": kinds.get(str(name), "")} for name in names],
        "sha256": {name: found for name, values in given.items() if (found := _digest(values, name))},
        "order": ORDER,
    }


def _digest(values: Any, name: str) -> str:
    """Return the digest of what can be read as a table; else nothing."""
    try:
        return digest(values, name)
    except (TypeError, ValueError):
        return ""


def remember(model: Any, data: Mapping[str, Any]) -> None:
    """Give a fitted estimator the record of its fit; `data` is what `fit` was given, by name."""
    result = model.result_
    model.result_ = replace(result, record=fit_record(model, result, data_facts(model, data)))


def fit_record(model: Any, result: Result, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a fit; a tree whose size was tuned has the parameters that were chosen."""
    chosen = model if model.tune is None else model.tuned_.estimator
    params = {name: getattr(chosen, name) for name in parameters_of(chosen.__class__)} | {"tune": model.tune}
    return {
        "made_by": {
            "package": "streed",
            "version": current_version(),
            "python": platform.python_version(),
            "numpy": np.__version__,
        },
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "seconds": float(result.seconds),
        "estimator": type(model).__name__,
        "parameters": {name: plain(value) for name, value in params.items()},
        "note": result.note,
        "covers": covers(chosen, result, facts),
        "data": dict(facts),
    }


@functools.cache
def parameters_of(kind: Any) -> tuple[str, ...]:
    """Return the names of the parameters of an estimator; scikit-learn would look them up at every fit."""
    return tuple(name for name in kind._get_param_names() if name != "progress")


def covers(model: Any, result: Result, facts: Mapping[str, Any]) -> str:
    """Say what is proven, of which trees, and which tests they could have.

    Examples
    --------
    >>> from streed import OptimalTreeClassifier
    >>> model = OptimalTreeClassifier(max_depth=2, max_nodes=2).fit([[1.5], [2.5], [3.5]], [0, 1, 0])
    >>> print(model.result_.record["covers"])
    proven: of all trees of depth at most 2 with at most 2 branching nodes none is better in errors on the \
3 rows of the fit; every threshold was considered
    """
    tests = result.note or _tests(model, result.tree)
    what = f"{result.measure or result.task} on the {facts['rows']} rows of the fit"
    trees = f"of all {_trees(model)}"
    if result.optimal:
        return f"proven: {trees} none is better in {what}; {tests}"
    known = "it is not known how much better one could be"
    if isinstance(result.lower_bound, int | float) and math.isfinite(result.lower_bound):
        known = f"none can be better than {float(result.lower_bound):g}"
    return f"not proven ({result.status}): {trees} {known} in {what}; {tests}"


def _trees(model: Any) -> str:
    depth, nodes, least = model.max_depth, model.max_nodes, model.min_samples_leaf
    said = ["trees" if depth is None else f"trees of depth at most {depth}"]
    if nodes is not None:
        said.append(f"with at most {nodes} branching node{'' if nodes == 1 else 's'}")
    if least != 1:
        rows = f"{least} rows" if least > 1 else f"{least:.4g} of the rows"
        said.append(f"with at least {rows} in each leaf")
    own = {name: getattr(model, name, None) for name in OWN_LIMITS}
    said += [f"with {name}={plain(value)}" for name, value in own.items() if value is not None]
    limits = getattr(model, "constraints", None) or ()
    said += [f"{'within' if not k else 'and'} {limit!r}" for k, limit in enumerate(limits)]
    return " ".join(said)


def _tests(model: Any, tree: Tree) -> str:
    if getattr(model.binarizer_, "has_cuts", False):
        return f"tests are the {tree.n_features} binary features of the binarizer"
    return f"tests are the {tree.n_features} binary features of the columns, which leave nothing out"


def plain(value: Any) -> Any:
    """Return a parameter as JSON has it: numbers and texts as they are, objects by their type and parts.

    Examples
    --------
    >>> plain(np.float64(0.5)), plain(float("inf")), plain({1: (2, None)})
    (0.5, 'inf', {'1': [2, None]})
    """
    if value is None or isinstance(value, bool | int | str):
        return value if not isinstance(value, str) else value[:MOST_TEXT]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(value)
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset) and len(value) <= MOST_NUMBERS:
        return [
            plain(each) for each in (sorted(value, key=str) if isinstance(value, set | frozenset) else value)
        ]
    return _plain_object(value)


def _plain_object(value: Any) -> Any:
    kind = type(value).__name__
    if hasattr(value, "get_params") and not isinstance(value, type):
        return {"type": kind, **plain(value.get_params(deep=False))}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {"type": kind, **{f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}}
    if hasattr(value, "shape") and hasattr(value, "__array__"):
        array = np.asarray(value)
        if array.size <= MOST_NUMBERS:
            return plain(array.tolist())
        known = hashlib.sha256(np.ascontiguousarray(array).tobytes()) if array.dtype.kind in "biuf" else None
        return {"type": kind, "shape": list(array.shape), "sha256": known.hexdigest() if known else None}
    if isinstance(value, type) or callable(value):
        return f"{value.__module__}.{getattr(value, '__qualname__', kind)}"
    own = (
        {name: plain(each) for name, each in vars(value).items() if not name.startswith("_")}
        if hasattr(value, "__dict__")
        else {}
    )
    return {"type": kind, **own} if own else {"type": kind}
