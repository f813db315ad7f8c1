"""Binary features as conditions on columns, in words."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

Operator = Literal["<=", "=", "in", "is"]

OPTIONAL = ("missing", "part")
"""Entries that a description of a condition leaves out where they have their default."""
RANGES = {"month": (1, 12), "weekday": (1, 7), "hour": (0, 23)}
"""The first and the last value of each part of a date."""
NAMES = {
    "month": (
        "January", "February", "March", "April", "May", "June",
        "July", "August", "September", "October", "November", "December",
    ),
    "weekday": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
}  # fmt: skip
"""What months and weekdays are called."""


def number_text(number: float) -> str:
    """Write a number with as many digits as it takes to mean no other one.

    Examples
    --------
    >>> number_text(42.5), number_text(-50000.0), number_text(0.1 + 0.2)
    ('42.5', '-50000', '0.30000000000000004')
    """
    return repr(float(number)).removesuffix(".0")


@dataclass(frozen=True, slots=True)
class Condition:
    """What a binary feature says about its column.

    Attributes
    ----------
    column : str
        Name of the column.
    operator : {"<=", "=", "in", "is"}
        "<=" for a cut of numbers or dates, "=" for one value, "in" for categories that were joined (rare
        ones, or those up to a cut of an order), "is" for a Boolean column (value True) and for missing
        values (value None).
    value : object
        The threshold (a number, or a date as ISO text), the value, or the tuple of categories.
    ordered : bool
        Whether the categories of "in" are all those up to the last one of them, in the order of their column.
    missing : bool
        Whether the condition holds for missing values, too.
    part : {"", "month", "weekday", "hour"}
        The part of dates that "<=" compares, in UTC: a month from 1 to 12, a weekday from 1 (Monday) to 7, an
        hour from 0 to 23. Empty for all other conditions.

    Examples
    --------
    >>> from streed import Condition
    >>> print(Condition("age", "<=", 42.5), Condition("colour", "=", "red"), sep="; ")
    age <= 42.5; colour = red
    >>> print(Condition("size", "in", ("small", "medium"), ordered=True))
    size <= medium
    >>> print(Condition("age", "<=", 42.5, missing=True))
    age <= 42.5 or missing
    >>> print(Condition("ordered", "<=", 5, part="weekday"))
    weekday of ordered <= Friday
    """

    column: str
    operator: Operator
    value: Any
    ordered: bool = False
    missing: bool = False
    part: str = ""

    def __setstate__(self, state: list[Any]) -> None:
        """Read a pickle, also one of a version that did not know the last fields."""
        for number, field in enumerate(fields(self)):
            object.__setattr__(self, field.name, state[number] if number < len(state) else field.default)

    @property
    def knows_missing(self) -> bool:
        """Whether the condition says something about missing values: that they satisfy it."""
        return self.missing or (self.operator == "is" and self.value is None)

    @property
    def subject(self) -> str:
        """What is compared: the column, or a part of the dates in it."""
        return f"{self.part} of {self.column}" if self.part else self.column

    def __str__(self) -> str:
        return f"{self.of_values()} or missing" if self.missing else self.of_values()

    def of_values(self) -> str:
        """Say in words what the condition asks of values that are not missing."""
        if self.operator == "is":
            return self.column if self.value is True else f"{self.column} is missing"
        if self.ordered:
            return f"{self.column} <= {self.value[-1]}"
        if self.operator == "in":
            shown = ", ".join(map(str, self.value[:3]))
            more = f", and {len(self.value) - 3} more" if len(self.value) > 3 else ""
            return f"{self.column} in {{{shown}{more}}}"
        if self.part in NAMES:
            return f"{self.subject} <= {NAMES[self.part][self.value - 1]}"
        value = number_text(self.value) if isinstance(self.value, float) else self.value
        return f"{self.subject} {self.operator} {value}"

    def to_dict(self) -> dict[str, Any]:
        """Return the condition as plain lists, strings and numbers that can be written as JSON.

        Examples
        --------
        >>> from streed import Condition
        >>> Condition("colour", "in", ("red", "blue")).to_dict()
        {'column': 'colour', 'operator': 'in', 'value': ['red', 'blue'], 'ordered': False}
        """
        entries = {field.name: getattr(self, field.name) for field in fields(self)}
        for name in OPTIONAL:  # as files were before conditions had these entries
            if not entries[name]:
                del entries[name]
        for value in self.value if isinstance(self.value, tuple) else (self.value,):
            if value is not None and not isinstance(value, str | int | float):
                raise TypeError(
                    f"only strings and numbers can be stored, got {value!r} ({type(value).__name__}) in the "
                    f"condition {str(self)!r}"
                )
        return {name: list(value) if isinstance(value, tuple) else value for name, value in entries.items()}

    @classmethod
    def from_dict(cls, description: Mapping[str, Any]) -> Condition:
        """Read what `to_dict` wrote, also after a round trip through JSON.

        Parameters
        ----------
        description : mapping
            What `to_dict` returned.

        Returns
        -------
        Condition
            An equal condition.

        Raises
        ------
        ValueError
            If it is no description of a condition.
        """
        known = get_args(Operator)
        needed = [field.name for field in fields(cls) if field.name not in OPTIONAL]
        if not isinstance(description, Mapping) or set(description) - set(OPTIONAL) != set(needed):
            raise ValueError(f"a condition is described by {', '.join(needed)}, got {str(description)[:200]}")
        entries: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in description.items()
        }
        if entries["operator"] not in known or not isinstance(entries["column"], str):
            raise ValueError(
                f"a condition has a column and one of {', '.join(known)}, got {str(description)[:200]}"
            )
        if not _is_of_operator(entries["value"], entries["operator"], entries["ordered"]):
            raise ValueError(
                "a condition compares with a finite number or a date (<=), with a text or number (=), with a "
                "list of texts or numbers (in, which alone may be ordered), or with true or null (is), got "
                f"{str(description)[:200]}"
            )
        missing = entries.get("missing", False)
        if not isinstance(missing, bool) or (missing and entries["value"] is None):
            raise ValueError(
                "missing must be true or false, and is not for the condition that a value is missing, got "
                f"{str(description)[:200]}"
            )
        if not _is_of_part(entries["value"], entries["operator"], entries.get("part", "")):
            raise ValueError(
                "a part of dates is a month (1 to 12), a weekday (1 to 7) or an hour (0 to 23), compared "
                f"with a whole number (<=), got {str(description)[:200]}"
            )
        return cls(**entries)


def _is_of_part(value: Any, operator: str, part: object) -> bool:
    """Whether a condition compares a part of dates, if it names one, with a value that the part may have."""
    if part == "":
        return True
    if not isinstance(part, str) or part not in RANGES or operator != "<=" or type(value) is not int:
        return False
    first, last = RANGES[part]
    return bool(first <= value <= last)


LARGEST_INTEGER = 2**64
"""Integers of columns lie below this in size."""


def _is_of_operator(value: Any, operator: str, ordered: object) -> bool:
    """Whether a value is one that an operator compares with."""
    if not isinstance(ordered, bool) or (ordered and operator != "in"):
        return False
    if operator == "is":
        return value is True or value is None
    if operator == "in":
        return isinstance(value, tuple) and len(value) > 0 and all(_is_constant(each) for each in value)
    if operator == "=":
        return _is_constant(value)
    return _is_date(value) if isinstance(value, str) else _is_constant(value) and not isinstance(value, bool)


def _is_constant(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, str) or (isinstance(value, int) and abs(value) < LARGEST_INTEGER)


def _is_date(text: str) -> bool:
    try:
        dt.datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
