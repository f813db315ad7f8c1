"""Binary features as conditions on columns, in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args, get_type_hints


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

    def to_dict(self) -> dict[str, Any]:
        """Return the condition as plain lists, strings and numbers that can be written as JSON.

        Examples
        --------
        >>> from streed import Condition
        >>> Condition("colour", "in", ("red", "blue")).to_dict()
        {'column': 'colour', 'operator': 'in', 'value': ['red', 'blue'], 'ordered': False}
        """
        entries = {field.name: getattr(self, field.name) for field in fields(self)}
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
        known, needed = get_args(get_type_hints(cls)["operator"]), [field.name for field in fields(cls)]
        if not isinstance(description, Mapping) or sorted(description) != sorted(needed):
            raise ValueError(f"a condition is described by {', '.join(needed)}, got {description!r}")
        entries: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in description.items()
        }
        if entries["operator"] not in known or not isinstance(entries["column"], str):
            raise ValueError(f"a condition has a column and one of {', '.join(known)}, got {description!r}")
        return cls(**entries)
