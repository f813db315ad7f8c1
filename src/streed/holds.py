"""Conditions applied to the values of a column, one condition at a time.

`Binarizer.transform` computes all features of a column at once. A stored model knows nothing but the
conditions, and needs only the few that its tree tests.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.columns import Column, Kind
from streed.conditions import Condition, values_and_missing


def compared(condition: Condition) -> tuple[Any, ...]:
    """Return the values that a condition compares with."""
    return condition.value if isinstance(condition.value, tuple) else (condition.value,)


def holds(condition: Condition, column: Column, missing: str) -> NDArray[np.bool_]:
    """Tell for each row of a column whether a condition holds.

    Nothing but "is missing" holds for a missing value. With ``missing="error"`` such values are refused.

    Examples
    --------
    >>> import numpy as np
    >>> from streed import Condition
    >>> from streed.columns import Column, Kind
    >>> ages = Column("age", Kind.NUMBER, np.array([30.0, np.nan, 50.0]))
    >>> holds(Condition("age", "<=", 42.5), ages, "indicator").tolist()
    [True, False, False]
    """
    values, absent = values_and_missing(column, missing)
    nowhere = np.zeros(values.size, dtype=np.bool_)
    absent = nowhere if absent is None else absent
    if condition.value is None:
        return absent
    if absent.all():  # nothing tells which kind of values such a column has
        return nowhere
    _check_kind(condition, column)
    if column.kind is Kind.CATEGORY:
        found = [_holds(condition, category) for category in column.categories]
        return np.array([*found, False], dtype=np.bool_)[values.astype(np.intp)]
    if condition.operator == "<=":
        return np.asarray(values <= condition.value)
    return np.isin(values, np.array(compared(condition), dtype=np.float64))


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
