"""The columns that an exported tree reads, and which of them answers which test.

A column of numbers stays as it is, so do Booleans and columns of zeros and ones. Every other test (on a
category, a group of categories or a date) becomes a column of its own, 1 where the test holds:

>>> from streed import Condition
>>> tests = [Condition("age", "<=", 42.5), Condition("colour", "=", "red"), Condition("member", "is", True)]
>>> inputs = plan_inputs(["age", "colour", "member", "height"], tests, tests, {})
>>> [str(each) for each in inputs]
['age', 'colour = red', 'member', 'height']
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from streed.errors import ExportError
from streed.table.columns import Kind
from streed.tree.conditions import Condition

OPERATORS = frozenset({"<=", "=", "in", "is"})
"""The tests that exports know. A new kind of test is refused until it is known here."""


class How(StrEnum):
    """How an input is made of a column of the table."""

    ANY = "any"
    """No test looks at it: a number, or missing where the table has something else."""
    NUMBER = "number"
    FLAG = "flag"
    """1 where the value is 1 or true, 0 elsewhere."""
    TEST = "test"
    """1 where a condition holds, 0 elsewhere, also for missing values."""


@dataclass(frozen=True, slots=True)
class Input:
    """A column that an exported tree reads."""

    column: str
    how: How
    condition: Condition | None = None

    def __str__(self) -> str:
        return self.column if self.condition is None else str(self.condition)


def check_known(condition: Condition) -> None:
    """Refuse a test that exports do not know, rather than to write something else."""
    value = condition.value
    known = condition.operator in OPERATORS and (condition.operator != "is" or value is True or value is None)
    if not known or set(vars_of(condition)) - {"column", "operator", "value", "ordered", "missing", "part"}:
        raise ExportError(f"the test {str(condition)!r} is of a kind that this export does not know")


def vars_of(condition: Condition) -> tuple[str, ...]:
    """Return the names of the fields of a condition."""
    return tuple(type(condition).__dataclass_fields__)


def is_date(condition: Condition) -> bool:
    """Whether a test compares dates, or parts of them."""
    return condition.operator == "<=" and (isinstance(condition.value, str) or bool(condition.part))


def is_cut(condition: Condition) -> bool:
    """Whether a test compares numbers with a cut."""
    return condition.operator == "<=" and not is_date(condition)


def is_missing_test(condition: Condition) -> bool:
    """Whether a test asks for missing values."""
    return condition.operator == "is" and condition.value is None


def is_flag(condition: Condition) -> bool:
    """Whether a test asks if a value is true, or 1."""
    return condition.value is True if condition.operator == "is" else _is_one(condition)


def _is_one(condition: Condition) -> bool:
    value = condition.value
    return condition.operator == "=" and not isinstance(value, str | tuple) and bool(value == 1)


def plan_inputs(
    columns: Sequence[str],
    tested: Iterable[Condition],
    known: Iterable[Condition],
    kinds: Mapping[str, Kind],
) -> list[Input]:
    """Choose the inputs of a tree.

    Parameters
    ----------
    columns : sequence of str
        The columns of the table, in their order.
    tested : iterable of Condition
        The tests of the tree.
    known : iterable of Condition
        All conditions that are known of the columns: they tell numbers from texts.
    kinds : mapping
        What columns held when the tree was fitted, as far as that is known.
    """
    tests: dict[str, dict[Condition, None]] = {name: {} for name in columns}
    others: dict[str, list[Condition]] = {name: [] for name in columns}
    for condition in tested:
        check_known(condition)
        tests[condition.column][condition] = None
    for condition in known:
        others[condition.column].append(condition)
    return [
        each
        for name in columns
        for each in _of_column(name, list(tests[name]), others[name], kinds.get(name))
    ]


def _of_column(name: str, tests: list[Condition], known: list[Condition], kind: Kind | None) -> list[Input]:
    numeric = _is_numeric([*tests, *known], kind)
    if not tests:
        return [Input(name, How.ANY)] if numeric else []
    values = [test for test in tests if not is_missing_test(test)]
    if numeric and any(map(is_cut, values)):
        return [Input(name, How.NUMBER), *_one_by_one([test for test in values if not is_cut(test)])]
    if numeric and all(map(is_flag, values)):
        return [Input(name, How.FLAG if values else How.NUMBER)]
    return _one_by_one(tests)


def _one_by_one(tests: list[Condition]) -> list[Input]:
    return [Input(test.column, How.TEST, test) for test in tests]


def _is_numeric(conditions: list[Condition], kind: Kind | None) -> bool:
    """Whether a column holds numbers or Booleans: by its kind, else by what is asked of it."""
    if kind is not None:
        return kind in (Kind.NUMBER, Kind.BOOLEAN)
    return all(is_cut(each) or is_missing_test(each) or is_flag(each) for each in conditions)


def input_of(inputs: Sequence[Input], condition: Condition) -> int:
    """Return the position of the input that answers a test of the tree."""
    whole = next((i for i, each in enumerate(inputs) if each.condition == condition), None)
    if whole is not None:
        return whole
    return next(i for i, each in enumerate(inputs) if each.column == condition.column and not each.condition)
