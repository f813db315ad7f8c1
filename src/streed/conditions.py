"""Binary features as conditions on columns: in words, and applied to the values of a column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from streed.columns import Column, Kind


@dataclass(frozen=True, slots=True)
class Condition:
    """What a binary feature says about its column.

    Attributes
    ----------
    column : str
        Name of the column.
    operator : {"<=", "=", "in", "is"}
        "<=" for a cut of numbers, "=" for one value, "in" for rare categories that were joined, "is" for a
        Boolean column (value True) and for missing values (value None).
    value : object
        The threshold, the value, or the tuple of categories.

    Examples
    --------
    >>> from streed import Condition
    >>> print(Condition("age", "<=", 42.5), Condition("colour", "=", "red"), sep="; ")
    age <= 42.5; colour = red
    """

    column: str
    operator: Literal["<=", "=", "in", "is"]
    value: Any

    def __str__(self) -> str:
        if self.operator == "is":
            return self.column if self.value is True else f"{self.column} is missing"
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
        {'column': 'colour', 'operator': 'in', 'value': ['red', 'blue']}
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


class Encoder:
    """Writes the features of one column, block by block."""

    def __init__(self, column: Column, kind: Kind, conditions: list[Condition], missing: str) -> None:
        if kind is Kind.CATEGORY and column.kind is Kind.NUMBER and np.isnan(column.values).all():
            column = Column(column.name, kind, np.full(column.values.size, -1))
        if (kind is Kind.CATEGORY) != (column.kind is Kind.CATEGORY):
            raise TypeError(f"column {column.name!r} held {kind} when fitted, now it holds {column.kind}")
        self._values, self._missing = values_and_missing(column, missing)
        self._conditions = conditions
        self._is_category = kind is Kind.CATEGORY
        if self._is_category:
            self._values = _positions(column, conditions)[self._values]

    def write(self, begin: int, end: int, out: NDArray[np.bool_]) -> None:
        """Write the features of the rows from `begin` to `end`, one feature per row of `out`."""
        values = self._values[begin:end]
        if not self._is_category:
            values = np.ascontiguousarray(values, dtype=np.float64)
        for position, condition in enumerate(self._conditions):
            if condition.operator == "is" and condition.value is None:
                out[position] = False if self._missing is None else self._missing[begin:end]
            elif self._is_category:
                np.equal(values, position, out=out[position])
            elif condition.operator == "<=":
                np.less_equal(values, condition.value, out=out[position])
            else:
                np.equal(values, 1.0, out=out[position])


def _positions(column: Column, conditions: list[Condition]) -> NDArray[np.int32]:
    """Return for each category which condition it satisfies, -1 for none; the last entry is for missing."""
    satisfied = {}
    for position, condition in enumerate(conditions):
        if condition.operator == "=":
            satisfied[condition.value] = position
        elif condition.operator == "in":
            satisfied.update(dict.fromkeys(condition.value, position))
    return np.array([*(satisfied.get(category, -1) for category in column.categories), -1], dtype=np.int32)


def values_and_missing(column: Column, policy: str) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Return the values of a column and where they are missing (None: nowhere), or refuse them."""
    values = column.values
    if column.kind is Kind.CATEGORY:
        missing = values < 0
        if not missing.any():
            return values, None
    elif values.dtype.kind != "f" or _all_finite(values):
        return values, None
    else:
        missing = np.isnan(values)
        if np.isinf(values).any():
            row = int(np.flatnonzero(np.isinf(values))[0])
            raise ValueError(f"Input X contains infinity: {values[row]} in column {column.name!r}, row {row}")
    if policy == "error":
        row = int(np.flatnonzero(missing)[0])
        raise ValueError(
            f"Input X contains NaN or missing values, the first in column {column.name!r}, row {row}; fill "
            "them in, or use Binarizer(missing='indicator') to make them a feature"
        )
    return values, missing


def _all_finite(values: NDArray[Any]) -> bool:
    """Whether there is neither NaN nor infinity; the sum tells it without a temporary array, mostly."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(values.sum()) or np.isfinite(values).all())
