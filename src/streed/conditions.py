"""Binary features as conditions on columns, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


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

    Examples
    --------
    >>> from streed import Condition
    >>> print(Condition("age", "<=", 42.5), Condition("colour", "=", "red"), sep="; ")
    age <= 42.5; colour = red
    >>> print(Condition("size", "in", ("small", "medium"), ordered=True))
    size <= medium
    """

    column: str
    operator: Literal["<=", "=", "in", "is"]
    value: Any
    ordered: bool = False

    def __str__(self) -> str:
        if self.operator == "is":
            return self.column if self.value is True else f"{self.column} is missing"
        if self.ordered:
            return f"{self.column} <= {self.value[-1]}"
        if self.operator == "in":
            shown = ", ".join(map(str, self.value[:3]))
            more = f", and {len(self.value) - 3} more" if len(self.value) > 3 else ""
            return f"{self.column} in {{{shown}{more}}}"
        value = f"{self.value:.6g}" if isinstance(self.value, float) else self.value
        return f"{self.column} {self.operator} {value}"
