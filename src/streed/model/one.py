"""One row down a tree, from a mapping of names to values: what a service asks, without any array.

Arrays take longer to make than such a row takes to predict. `Walk` has each test as a function of one value
that answers as `Model.predict` does for a table of one row; it is made once for a model.
"""

from __future__ import annotations

import datetime as dt
import math
import numbers
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from streed.model.holds import EPOCH, compared
from streed.table.dates import date_part
from streed.table.missing import is_missing
from streed.tree.conditions import Condition
from streed.tree.line import Line
from streed.tree.missing import check_absent

if TYPE_CHECKING:
    from streed.model.model import Model

Test = Callable[[Any], bool]
"""Whether a value that is there satisfies a condition."""


class Walk:
    """The tests of a model, ready for rows.

    Parameters
    ----------
    model : Model
        The model.
    """

    def __init__(self, model: Model) -> None:
        tree = self._tree = model.tree
        self._policy, self._refuses = model.missing_at_predict, model.missing == "error"
        knowing = {condition.column for condition in model.conditions if condition.knows_missing}
        weight = tree.n_samples if tree.class_weights is None else tree.class_weights.sum(axis=1)
        self._nodes: list[tuple[Any, ...] | None] = [None] * tree.node_count
        for node, left, right in tree.branches():
            condition = model.conditions[int(tree.feature[node])]
            heavier = right if weight[right] > weight[left] else left
            self._nodes[node] = (
                condition.column,
                _test(condition),
                left,
                right,
                right if condition.knows_missing else left,
                None if condition.column in knowing else heavier,
            )
        self._labels = tree.classes[tree.label].tolist()

    def leaf(self, row: Mapping[str, Any]) -> int:
        """Return the leaf of a row."""
        number = 0
        while (node := self._nodes[number]) is not None:
            column, test, left, right, if_missing, heavier = node
            try:
                value = row[column]
            except KeyError:
                raise ValueError(f"the row has no column {column!r}, which the tree tests") from None
            if value is None or (not isinstance(value, str) and is_missing(value)):
                number = self._missing(column, if_missing, heavier)
            else:
                number = right if test(value) else left
        return number

    def _missing(self, column: str, if_missing: int, heavier: int | None) -> int:
        if self._refuses:
            raise ValueError(f"column {column!r} has a missing value; the model was made to refuse them")
        if heavier is not None and check_absent({column: np.ones(1, np.bool_)}, self._policy):
            return heavier
        return if_missing

    def predict(self, row: Mapping[str, Any]) -> Any:
        """Return the prediction of a row."""
        label = self._labels[self.leaf(row)]
        if not isinstance(label, Line):
            return label
        values = {name: _number(name, row.get(name)) for name, _ in label.terms}
        return float(label.at(values))


def _number(name: str, value: Any) -> float:
    if isinstance(value, numbers.Real) and math.isfinite(value):
        return float(value)
    raise ValueError(f"the leaves are functions of {name!r}, which must be a finite number, got {value!r}")


def _test(condition: Condition) -> Test:
    """Return what tells whether a value that is there satisfies a condition."""
    if condition.part or (condition.operator == "<=" and isinstance(condition.value, str)):
        return _date_test(condition)
    column, values = condition.column, compared(condition)
    if any(isinstance(value, str) for value in values):
        return _text_test(column, frozenset(values))
    if condition.operator == "<=":
        return _cut_test(column, condition.value)
    known = frozenset(values)

    def is_one(value: Any) -> bool:
        return _checked(column, value) in known

    def never(value: Any) -> bool:
        return False

    return never if condition.value is None else is_one


def _text_test(column: str, known: frozenset[Any]) -> Test:
    def test(value: Any) -> bool:
        if not isinstance(value, str):
            raise TypeError(f"column {column!r} held strings when fitted, now it holds {value!r}")
        return value in known

    return test


def _cut_test(column: str, cut: Any) -> Test:
    def test(value: Any) -> bool:
        return bool(_checked(column, value) <= cut)

    return test


def _checked(column: str, value: Any) -> Any:
    """Return a number that Python compares exactly, or refuse the value."""
    kind = type(value)
    if kind is int or kind is bool:
        return value
    if kind is not float:
        if isinstance(value, str | bytes | dt.date | np.datetime64):
            raise TypeError(f"column {column!r} held numbers when fitted, now it holds {str(value)[:80]!r}")
        value = value.item() if isinstance(value, np.generic) else value
        value = value if isinstance(value, int) else float(value)
    if value in (math.inf, -math.inf):
        raise ValueError(f"column {column!r} contains infinity")
    return value


def _date_test(condition: Condition) -> Test:
    column, part = condition.column, condition.part
    limit = condition.value if part else _microseconds(column, condition.value)

    def test(value: Any) -> bool:
        found = _microseconds(column, value)
        return bool(date_part(np.array([float(found)]), part)[0] <= limit) if part else found <= limit

    return test


def _microseconds(column: str, value: Any) -> int:
    """Return a date of any kind as microseconds since 1970 in UTC."""
    try:
        if isinstance(value, np.datetime64):
            value = value.astype("datetime64[us]").item()
        if isinstance(value, str):
            value = dt.datetime.fromisoformat(value)
        if not isinstance(value, dt.datetime):
            value = dt.datetime.combine(value, dt.time())
    except (TypeError, ValueError):
        raise TypeError(f"column {column!r} held dates when fitted, now it holds {value!r}"[:300]) from None
    zoned = value if value.tzinfo else value.replace(tzinfo=dt.UTC)
    return int((zoned - EPOCH) // dt.timedelta(microseconds=1))
