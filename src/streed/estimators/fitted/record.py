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
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from streed.table.columns import column_names, is_frame, numbered_names
from streed.table.digest import ORDER, digest
from streed.tree.result import Result
from streed.tree.tree import Tree
from streed.versions import current_version

MOST_NUMBERS = 256
"""Larger arrays among the parameters are recorded by their shape and SHA-256."""
MOST_TEXT = 500
MOST_BYTES = 65_536
"""Arrays of the data up to so many bytes are kept until their SHA-256 is asked for: 435 rows of 48 Booleans
take 20 microseconds to digest, an eighth of their fit."""
OWN_LIMITS = ("constraint", "max_difference", "min_ratio", "capacity", "budget")
"""Parameters of some estimators that limit their trees."""


class Seen(NamedTuple):
    """What a fit saw of its data, as far as it may change afterwards."""

    columns: Sequence[Any]
    """Of the binarizer."""
    names: Sequence[Any]
    tree: Tree
    data: Mapping[str, Any]
    """SHA-256 of what was given, or a copy of small arrays."""


def seen(model: Any, data: Mapping[str, Any]) -> Seen:
    """Look at the data of a fit; `data` is what `fit` was given, by name."""
    given = {name: values for name, values in data.items() if values is not None}
    table = given.get("X")
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        names = column_names(table) if is_frame(table) else numbered_names(model.n_features_in_)
    kept = {
        name: values.copy() if _is_small(values) else _digest(values, name) for name, values in given.items()
    }
    return Seen(getattr(model.binarizer_, "columns", ()), names, model.tree_, kept)


def _is_small(values: Any) -> bool:
    """Whether a copy of an array until somebody asks for the record takes less than its digest."""
    return type(values) is np.ndarray and values.dtype.kind in "biuf" and values.nbytes <= MOST_BYTES


def data_facts(known: Seen) -> dict[str, Any]:
    """Describe the data of a fit by its shape, the kinds of its columns and SHA-256 of all that was given."""
    kinds = {c.name: str(c.kind) for c in known.columns if not c.part}
    digests = {
        name: kept if isinstance(kept, str) else _digest(kept, name) for name, kept in known.data.items()
    }
    return {
        "rows": int(known.tree.n_samples[0]),
        "columns": [{"name": str(name), "kind": kinds.get(str(name), "")} for name in known.names],
        "sha256": {name: found for name, found in digests.items() if found},
        "order": ORDER,
    }


def _digest(values: Any, name: str) -> str:
    """Return the digest of what can be read as a table; else nothing."""
    try:
        return digest(values, name)
    except (TypeError, ValueError):
        return ""


class Settings(NamedTuple):
    """The parameters of a fit, and what else its record says of the estimator."""

    estimator: str
    values: Mapping[str, Any]
    """The parameters as they were given."""
    stored: Mapping[str, Any]
    """The same as JSON has them: objects may change after the fit."""
    has_cuts: bool
    """Whether the binarizer has cut numbers."""
    date: float


def settings(model: Any) -> Settings:
    """Look at the parameters of a fit; a tree whose size was tuned has those that were chosen."""
    chosen = model if model.tune is None else model.tuned_.estimator
    values = {name: getattr(chosen, name) for name in parameters_of(chosen.__class__)}
    values["tune"] = model.tune
    stored = {name: value if type(value) in _SIMPLE else plain(value) for name, value in values.items()}
    has_cuts = bool(getattr(model.binarizer_, "has_cuts", False))
    return Settings(type(model).__name__, values, stored, has_cuts, time.time())


_SIMPLE = {bool, int, float, str, type(None)}


def remember(model: Any, data: Mapping[str, Any]) -> None:
    """Give a fitted estimator the record of its fit; `data` is what `fit` was given, by name.

    What may change after the fit is looked at now, the rest when somebody asks: the whole would take a third
    of a small fit.
    """
    known, given = seen(model, data), settings(model)
    model.result_.record_later(lambda result: fit_record(given, result, data_facts(known)))


def fit_record(given: Settings, result: Result, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a fit."""
    return {
        "made_by": {
            "package": "streed",
            "version": current_version(),
            "python": platform.python_version(),
            "numpy": np.__version__,
        },
        "date": dt.datetime.fromtimestamp(given.date, dt.UTC).isoformat(timespec="seconds"),
        "seconds": float(result.seconds),
        "estimator": given.estimator,
        "parameters": {name: plain(value) for name, value in given.stored.items()},
        "note": result.note,
        "covers": covers(given, result, facts),
        "data": dict(facts),
    }


@functools.cache
def parameters_of(kind: Any) -> tuple[str, ...]:
    """Return the names of the parameters of an estimator; scikit-learn would look them up at every fit."""
    return tuple(name for name in kind._get_param_names() if name != "progress")


def covers(given: Settings, result: Result, facts: Mapping[str, Any]) -> str:
    """Say what is proven, of which trees, and which tests they could have.

    Examples
    --------
    >>> from streed import OptimalTreeClassifier
    >>> model = OptimalTreeClassifier(max_depth=2, max_nodes=2).fit([[1.5], [2.5], [3.5]], [0, 1, 0])
    >>> print(model.result_.record["covers"])
    proven: of all trees of depth at most 2 with at most 2 branching nodes none is better in errors on the \
3 rows of the fit; every threshold was considered
    """
    tests = result.note or _tests(given, result.tree)
    what = f"{result.measure or result.task} on the {facts['rows']} rows of the fit"
    trees = f"of all {_trees(given.values)}"
    if result.optimal:
        return f"proven: {trees} none is better in {what}; {tests}"
    known = "it is not known how much better one could be"
    if isinstance(result.lower_bound, int | float) and math.isfinite(result.lower_bound):
        known = f"none can be better than {float(result.lower_bound):g}"
    return f"not proven ({result.status}): {trees} {known} in {what}; {tests}"


def _trees(values: Mapping[str, Any]) -> str:
    depth, nodes, least = values["max_depth"], values["max_nodes"], values["min_samples_leaf"]
    said = ["trees" if depth is None else f"trees of depth at most {depth}"]
    if nodes is not None:
        said.append(f"with at most {nodes} branching node{'' if nodes == 1 else 's'}")
    if least != 1:
        rows = f"{least} rows" if least > 1 else f"{least:.4g} of the rows"
        said.append(f"with at least {rows} in each leaf")
    own = {name: values.get(name) for name in OWN_LIMITS}
    said += [f"with {name}={plain(value)}" for name, value in own.items() if value is not None]
    limits = values.get("constraints") or ()
    said += [f"{'within' if not k else 'and'} {limit!r}" for k, limit in enumerate(limits)]
    return " ".join(said)


def _tests(given: Settings, tree: Tree) -> str:
    if given.has_cuts:
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
