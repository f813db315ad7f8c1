"""Conditions applied to the values of a column, one condition at a time.

`Binarizer.transform` computes all features of a column at once. A stored model knows nothing but the
conditions, and needs only the few that its tree tests.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.table.columns import Column, Kind
from streed.table.dates import date_part
from streed.table.limits import at_most
from streed.tree.conditions import Condition

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def compared(condition: Condition) -> tuple[Any, ...]:
    """Return the values that a condition compares with."""
    return condition.value if isinstance(condition.value, tuple) else (condition.value,)


def holds(condition: Condition, column: Column, missing: str) -> NDArray[np.bool_]:
    """Tell for each row of a column whether a condition holds.

    For a missing value nothing holds but "is missing" and conditions that say "or missing". With
    ``missing="error"`` such values are refused.

    Examples
    --------
    >>> import numpy as np
    >>> from streed import Condition
    >>> from streed.table.columns import Column, Kind
    >>> ages = Column("age", Kind.NUMBER, np.array([30.0, np.nan, 50.0]))
    >>> holds(Condition("age", "<=", 42.5), ages, "indicator").tolist()
    [True, False, False]
    """
    absent = missing_in(column)
    if missing == "error" and absent.any():
        row = int(np.flatnonzero(absent)[0])
        raise ValueError(
            f"column {column.name!r} has missing values, the first in row {row}; the model was made to "
            "refuse them"
        )
    if condition.value is None:
        return absent
    if absent.all():  # nothing tells which kind of values such a column has
        return np.full(absent.size, condition.missing)
    found = _of_values(condition, column)
    return found | absent if condition.missing else found & ~absent


def _of_values(condition: Condition, column: Column) -> NDArray[np.bool_]:
    if condition.part:
        return np.asarray(date_part(microseconds(column), condition.part) <= condition.value)
    if condition.operator == "<=" and isinstance(condition.value, str):
        return np.asarray(microseconds(column) <= _parse(condition.value))
    _check_kind(condition, column)
    refuse_infinity(column)
    if column.categories:
        found = [_holds(condition, category) for category in column.categories]
        return np.array([*found, False], dtype=np.bool_)[column.values.astype(np.intp)]
    if condition.operator == "<=":
        return at_most(column.values, condition.value)
    return np.isin(column.values, np.array(compared(condition), dtype=np.float64))


def refuse_infinity(column: Column) -> None:
    """Refuse infinite numbers, as estimators do."""
    if column.values.dtype.kind == "f" and not column.finite and np.isinf(column.values).any():
        row = int(np.flatnonzero(np.isinf(column.values))[0])
        raise ValueError(f"column {column.name!r} contains infinity in row {row}")


def missing_in(column: Column) -> NDArray[np.bool_]:
    """Tell for each row of a column whether its value is missing."""
    if column.missing is not None:
        return column.missing
    if column.values.dtype.kind == "f":
        return np.asarray(np.isnan(column.values))
    numeric = column.kind in (Kind.BOOLEAN, Kind.NUMBER)
    return np.zeros(column.values.size, dtype=np.bool_) if numeric else np.asarray(column.values < 0)


def _holds(condition: Condition, value: Any) -> bool:
    return bool(value <= condition.value) if condition.operator == "<=" else value in compared(condition)


def _check_kind(condition: Condition, column: Column) -> None:
    """Refuse strings where there were numbers, and numbers where there were strings."""
    was_text = any(isinstance(value, str) for value in compared(condition))
    text = [category for category in column.categories if isinstance(category, str)]
    if was_text and not text:
        raise TypeError(f"column {column.name!r} held strings when fitted, now it holds {column.kind}")
    if text and not was_text:
        raise TypeError(
            f"column {column.name!r} held numbers when fitted, now it holds strings such as {text[0]!r}"
        )


def microseconds(column: Column) -> NDArray[np.float64]:
    """Return a column of dates as microseconds since 1970 in UTC, NaN where they are missing."""
    if not column.categories:
        if column.kind in (Kind.BOOLEAN, Kind.NUMBER):
            raise TypeError(f"column {column.name!r} held dates when fitted, now it holds {column.kind}")
        return column.values.astype(np.float64)
    numbers = np.full(len(column.categories) + 1, np.nan)
    for code in np.unique(column.values[column.values >= 0]).tolist():
        try:
            numbers[code] = _parse(column.categories[code])
        except (TypeError, ValueError):
            raise TypeError(
                f"column {column.name!r} held dates when fitted, now it holds {column.categories[code]!r}"
            ) from None
    return numbers[column.values.astype(np.intp)]


def _parse(text: str) -> float:
    date = dt.datetime.fromisoformat(text)
    zoned = date if date.tzinfo else date.replace(tzinfo=dt.UTC)
    return (zoned - EPOCH) / dt.timedelta(microseconds=1)
