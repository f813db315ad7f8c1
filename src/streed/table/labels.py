"""Labels and weights as users give them, checked and turned into numbers; for all classification tasks."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed import _core
from streed.magnitudes import as_floats, check_magnitudes
from streed.table.columns import narrowed
from streed.table.missing import is_missing


def encode(y: ArrayLike) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Return the sorted distinct labels and, for each row, the position of its label among them.

    Examples
    --------
    >>> classes, codes = encode(["no", "yes", "no"])
    >>> classes[codes].tolist()
    ['no', 'yes', 'no']
    """
    labels = np.asarray(narrowed(y))
    if labels.ndim != 1:
        raise ValueError(f"y must be one-dimensional, got an array of shape {labels.shape}")
    if labels.size == 0:
        raise ValueError("y is empty: at least one row is needed")
    if labels.dtype.kind in "fc" and not np.isfinite(labels).all():
        row = int(np.flatnonzero(~np.isfinite(labels))[0])
        raise ValueError(f"y must not contain NaN or infinity, got {labels[row]} in row {row}")
    if labels.dtype.kind == "O":
        return _encode_objects(labels)
    if labels.dtype.kind in "iu" and labels.dtype != np.uint64:
        found = _core.encode(np.ascontiguousarray(labels, np.int64))
        if found is not None:  # else they lie far apart
            return found[0].astype(labels.dtype, copy=False), found[1]
    classes = np.unique(labels)
    return classes, np.searchsorted(classes, labels).astype(np.int32)


def _encode_objects(labels: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """Encode labels of any hashable, sortable type; hashing beats sorting a million Python objects."""
    values = labels.tolist()
    try:
        found = set(values)
        if any(map(is_missing, found)):
            _refuse_missing(values)
        distinct = sorted(found)
    except TypeError as error:
        kinds = sorted({type(value).__name__ for value in values})
        raise TypeError(
            f"the labels in y must be of one hashable, sortable type, got {', '.join(kinds)}"
        ) from error
    position = {value: code for code, value in enumerate(distinct)}
    classes = np.empty(len(distinct), dtype=object)
    classes[:] = distinct
    return classes, np.fromiter(map(position.__getitem__, values), np.int32, len(values))


def refuse_missing(labels: NDArray[Any]) -> None:
    """Refuse None, NaN and pandas' NA among labels that are objects."""
    values = labels.tolist()
    with contextlib.suppress(TypeError):  # what cannot be hashed is refused elsewhere
        if any(map(is_missing, set(values))):
            _refuse_missing(values)


def _refuse_missing(values: list[Any]) -> None:
    """Say where the first missing label is, and how many there are."""
    rows = [row for row, value in enumerate(values) if is_missing(value)]
    more = f" and {len(rows) - 1} more" if len(rows) > 1 else ""
    raise ValueError(f"y must not contain missing values, got {values[rows[0]]!r} in row {rows[0]}{more}")


def check_sample_weight(sample_weight: ArrayLike | None, n: int) -> NDArray[np.float64] | None:
    """Check weights of rows: one finite number >= 0 per row, not all of them zero."""
    if sample_weight is None:
        return None
    try:
        weights = as_floats(narrowed(sample_weight))
    except (TypeError, ValueError) as error:
        raise TypeError(f"sample_weight must be an array of numbers: {error}") from error
    if weights.shape != (n,):
        raise ValueError(
            f"sample_weight must hold one number per row, shape ({n},), got shape {weights.shape}"
        )
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(f"sample_weight must be finite and not negative, got {weights[row]} in row {row}")
    check_magnitudes("sample_weight", weights)
    if not weights.any():
        raise ValueError("sample_weight is zero for every row: at least one weight must be above zero")
    return weights


def counted_rows(sample_weight: ArrayLike | None, n: int) -> float:
    """Return how many rows the rows of a table stand for, by their weights.

    Whole numbers count rows: a row of weight 3 is three equal rows. Other weights have no unit, and stand for
    as many rows of equal weight as have a mean of the same variance (Kish's effective sample size), so that
    a factor on all of them changes nothing.

    Examples
    --------
    >>> counted_rows(None, 4), counted_rows([0, 1, 3], 3), counted_rows([0.5, 0.5, 0.0], 3)
    (4.0, 4.0, 2.0)
    """
    weights = check_sample_weight(sample_weight, n)
    if weights is None:
        return float(n)
    if (weights == np.rint(weights)).all():
        return float(weights.sum())
    weights = weights / weights.max()
    return float(weights.sum() ** 2 / (weights**2).sum())


def class_factors(class_weight: object, classes: NDArray[Any]) -> NDArray[np.float64]:
    """Return the factor of each class from a mapping of labels to weights; classes left out have factor 1."""
    if not isinstance(class_weight, Mapping):
        raise TypeError(
            f"class_weight must be None, 'balanced' or a dict from label to weight, got {class_weight!r}"
        )
    known = classes.tolist()
    unknown = [label for label in class_weight if label not in known]
    missing = [label for label in known if label not in class_weight]
    if unknown and missing:
        raise ValueError(f"class_weight has labels {unknown!r} that are not in y, whose labels are {known!r}")
    try:
        factors = as_floats([class_weight.get(label, 1.0) for label in known])
    except (TypeError, ValueError) as error:
        raise TypeError(f"the weights in class_weight must be numbers, got {class_weight!r}") from error
    if not (np.isfinite(factors) & (factors >= 0)).all():
        raise ValueError(f"the weights in class_weight must be finite and not negative, got {class_weight!r}")
    check_magnitudes("the weights in class_weight", factors, "place {}")
    return factors
