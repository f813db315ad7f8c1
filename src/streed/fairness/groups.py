"""Groups of rows by a sensitive attribute, and the rates of each of them."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.fairness.parity import RATES, Parity, Rate
from streed.spelling import did_you_mean
from streed.table.columns import is_frame, narrowed
from streed.table.labels import check_sample_weight, encode
from streed.table.missing import is_missing

Rates = Mapping[Any, Mapping[str, float]]


def encode_groups(sensitive_features: Any, n: int) -> tuple[list[Any], NDArray[np.int32]]:
    """Return the groups, sorted, and the position of each row's group among them.

    Several columns make one group of each combination of values that occurs.

    Examples
    --------
    >>> groups, codes = encode_groups(["b", "a", "b"], 3)
    >>> groups, codes.tolist()
    (['a', 'b'], [1, 0, 1])
    >>> encode_groups([[0, "x"], [1, "x"], [0, "x"]], 3)[0]
    [(0, 'x'), (1, 'x')]
    """
    table = np.asarray(narrowed(sensitive_features))
    if table.ndim == 2 and table.shape[1] == 1:
        table = table[:, 0]
    if table.ndim not in (1, 2) or table.shape[0] != n or table.size == 0:
        raise ValueError(
            f"sensitive_features must hold one value (or one line of values) per row, for {n} rows, "
            f"got an array of shape {table.shape}"
        )
    if table.ndim == 2 or table.dtype.kind not in "biuUS":
        table = _plain_values(np.asarray(sensitive_features, dtype=object).reshape(n, -1))
    try:
        groups, codes = encode(table)
    except TypeError as error:
        raise TypeError(str(error).replace("the labels in y", "the values in sensitive_features")) from error
    return groups.tolist(), codes


def columns_by_name(X: Any, given: Any) -> Any:
    """Return the columns of a frame that sensitive features name; what is no name is returned as it is.

    A list of texts has names if all of them are columns and it does not have one entry per row.
    """
    columns = list(X.columns) if is_frame(X) else []
    if isinstance(given, list | tuple) and given and len(given) != len(X):
        return X[list(given)] if all(isinstance(name, str) and name in columns for name in given) else given
    if not isinstance(given, str):
        return given
    if given not in columns:
        what = f"whose columns are {columns[:12]}" if columns else f"but a {type(X).__name__} has no names"
        raise ValueError(
            f"sensitive_features={given!r} is to be a column of X, {what}{did_you_mean(given, columns)}"
        )
    return X[given]


def _plain_values(lines: NDArray[Any]) -> NDArray[Any]:
    """Give one plain value per row, a tuple where there are several columns; missing ones are refused."""
    columns = [[v.item() if isinstance(v, np.generic) else v for v in column] for column in lines.T]
    for column in columns:
        for row, value in enumerate(column):
            if is_missing(value):
                raise ValueError(
                    f"sensitive_features must not contain missing values, got {value!r} in row {row}; "
                    "make the missing ones a group of their own, or leave the rows out"
                )
    values = np.empty(lines.shape[0], dtype=object)
    values[:] = columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))
    return values


def cells_of(
    predicted_positive: NDArray[np.bool_],
    is_positive: NDArray[np.bool_],
    groups: NDArray[np.int32],
    n_groups: int,
    weights: NDArray[Any],
) -> list[list[float]]:
    """Give, for each group, the weight of its rows in four cells; exact for whole weights.

    The cells are negative rows predicted negative, then predicted positive, then the same of positive rows.

    Examples
    --------
    >>> predicted, true = np.array([False, True, True]), np.array([False, False, True])
    >>> cells_of(predicted, true, np.array([0, 0, 1], dtype=np.int32), 2, np.array([1.0, 2.0, 4.0]))
    [[1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 0.0, 4.0]]
    """
    place = 4 * groups + 2 * is_positive + predicted_positive
    sums = np.bincount(place, weights=weights, minlength=4 * n_groups).astype(np.float64)
    cells: list[list[float]] = sums.reshape(n_groups, 4).tolist()
    return cells


@functools.cache
def _places(rate: Rate) -> tuple[list[int], list[int]]:
    """Which of the four cells a rate counts, and which ones it is about."""
    true, predicted = np.array([False, False, True, True]), np.array([False, True, False, True])
    about = rate.about(true)
    counted = about & rate.counts(true, predicted)
    return np.flatnonzero(counted).tolist(), np.flatnonzero(about).tolist()


def weighed(rate: Rate, cells: list[list[float]]) -> list[tuple[float, float]]:
    """Weight, for each group, of what a rate counts, and of all rows that it is about."""
    counted, about = _places(rate)
    return [(sum(cell[i] for i in counted), sum(cell[i] for i in about)) for cell in cells]


def exact_rates(rate: Rate, cells: list[list[float]]) -> list[Fraction | None]:
    """Rate of each group from whole weights; None for a group without rows that the rate is about."""
    return [Fraction(int(part), int(whole)) if whole else None for part, whole in weighed(rate, cells)]


def spread(parity: Parity, rates: Mapping[str, list[Fraction | None]]) -> tuple[Fraction, Fraction]:
    """Difference and ratio of a parity: the worst ones of its rates; groups without a rate are left out.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from streed.fairness import as_parity
    >>> spread(as_parity("demographic_parity"), {"selection_rate": [Fraction(1, 2), Fraction(1, 3), None]})
    (Fraction(1, 6), Fraction(2, 3))
    """
    difference, ratio = Fraction(0), Fraction(1)
    for rate in parity.rates:
        known = [value for value in rates[rate.name] if value is not None]
        if known:
            difference = max(difference, max(known) - min(known))
            ratio = min(ratio, min(known) / max(known) if max(known) else Fraction(1))
    return difference, ratio


def group_rates(
    y: Any,
    prediction: Any,
    sensitive_features: Any,
    *,
    sample_weight: Any = None,
    positive: Any = None,
) -> dict[Any, dict[str, float]]:
    """Rates of every group for any predictions, also on new rows.

    Parameters
    ----------
    y : array-like of shape (n,)
        The true labels, of two classes.
    prediction : array-like of shape (n,)
        The predicted labels.
    sensitive_features : array-like of shape (n,) or (n, k)
        The group of each row.
    sample_weight : array-like of shape (n,), optional
        Weight of each row.
    positive : object, optional
        The label that counts as positive; by default the second one in sorted order.

    Returns
    -------
    dict
        For each group its weight and its rates; nan where it has no rows that a rate is about.

    Examples
    --------
    >>> from streed.fairness import group_rates
    >>> group_rates([0, 1, 1], [1, 1, 0], ["a", "a", "b"])["a"]["selection_rate"]
    1.0
    """
    classes, codes = encode(y)
    label = classes[-1] if positive is None else positive
    given = check_sample_weight(sample_weight, codes.size)
    weights = np.ones(codes.size) if given is None else given
    names, groups = encode_groups(sensitive_features, codes.size)
    is_positive, predicted_positive = np.asarray(classes[codes] == label), np.asarray(prediction) == label
    return float_rates(names, cells_of(predicted_positive, is_positive, groups, len(names), weights))


def float_rates(
    names: list[Any], cells: list[list[float]], extra: tuple[Rate, ...] = ()
) -> dict[Any, dict[str, float]]:
    """Rates of every group as floats, the standard ones and further ones."""
    table = {name: {"weight": sum(cell)} for name, cell in zip(names, cells, strict=True)}
    for rate in {**RATES, **{rate.name: rate for rate in extra}}.values():
        for name, (part, whole) in zip(names, weighed(rate, cells), strict=True):
            table[name][rate.name] = part / whole if whole else float("nan")
    return table
