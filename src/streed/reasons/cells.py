"""The values of each column, as far as the tests of a tree tell them apart.

A column with the cuts 30 and 42.5 has three ranges of numbers; each is a *cell*, and a missing value is one
more. What a test says of a column is the set of the cells that satisfy it, kept as the bits of an integer:

>>> from streed import Condition
>>> cells = Cells([Condition("age", "<=", 30.0), Condition("age", "<=", 42.5)])
>>> [str(cell) for cell in cells.cells]
['<= 30', '30 to 42.5', '> 42.5', 'missing']
>>> bin(cells.satisfying(Condition("age", "<=", 42.5), True))
'0b11'

So what several tests of one column say together is exact, which it is not test by test: of "in {a, b}",
"in {b, c}" and "in {a, c}" any two can hold, but not all three.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import Any

from streed.errors import ExportError
from streed.table.dates import DAY, EPOCH, parse_dates
from streed.tree.conditions import Condition, number_text

YEAR = 365.0 * DAY


class Sort(Enum):
    """The sorts of cells."""

    RANGE = "range"
    VALUE = "value"
    OTHER = "other"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Cell:
    """Values that all tests of a tree treat alike.

    A range holds the numbers above `low` up to `high`; a value has `value`; "other" stands for all values
    that no test names.
    """

    sort: Sort
    low: float = -math.inf
    high: float = math.inf
    value: Any = None

    def __str__(self) -> str:
        if self.sort is not Sort.RANGE:
            return str(self.value) if self.sort is Sort.VALUE else self.sort.value
        if math.isinf(self.low):
            return "any" if math.isinf(self.high) else f"<= {number_text(self.high)}"
        above = number_text(self.low)
        return f"> {above}" if math.isinf(self.high) else f"{above} to {number_text(self.high)}"


def cut_of(condition: Condition) -> float | None:
    """Return the number that a condition cuts at, dates as microseconds since 1970; None if it is no cut."""
    if condition.operator != "<=":
        return None
    if isinstance(condition.value, str):
        return float(parse_dates([condition.value])[0])
    return float(condition.value)


def date_of(number: float) -> dt.datetime:
    """Return the date of a number of microseconds since 1970."""
    return (EPOCH + dt.timedelta(microseconds=int(number))).replace(tzinfo=None)


class Cells:
    """The cells of one column.

    Parameters
    ----------
    conditions : iterable of Condition
        The tests of a tree on the column.
    """

    def __init__(self, conditions: Iterable[Condition]) -> None:
        self.conditions = list(dict.fromkeys(conditions))
        for condition in self.conditions:
            _check(condition)
        self.is_boolean = any(each.operator == "is" and each.value is True for each in self.conditions)
        self.is_date = any(isinstance(e.value, str) and e.operator == "<=" for e in self.conditions)
        self.is_ordered = any(each.ordered for each in self.conditions)
        self.cells = [*self._of_values(), Cell(Sort.MISSING)]
        self.all = (1 << len(self.cells)) - 1
        self._held = {condition: self._satisfying(condition) for condition in self.conditions}

    def _of_values(self) -> list[Cell]:
        if self.is_boolean:
            return [Cell(Sort.VALUE, value=True), Cell(Sort.VALUE, value=False)]
        cuts = sorted({cut for each in self.conditions if (cut := cut_of(each)) is not None})
        named: list[Any] = []
        for condition in self.conditions:
            if condition.operator in ("=", "in"):
                value = condition.value
                named += [v for v in (value if isinstance(value, tuple) else (value,)) if v not in named]
        if self.is_ordered:
            longest = max((each.value for each in self.conditions if each.ordered), key=len)
            named.sort(key=lambda value: longest.index(value) if value in longest else len(longest))
        ends = [-math.inf, *cuts, math.inf]
        ranges = [Cell(Sort.RANGE, low, high) for low, high in pairwise(ends)]
        values = [Cell(Sort.VALUE, value=value) for value in named]
        return [*values, Cell(Sort.OTHER)] if named and not cuts else [*values, *ranges]

    def _satisfying(self, condition: Condition) -> int:
        return sum(1 << place for place, cell in enumerate(self.cells) if _holds(condition, cell))

    @property
    def unit(self) -> float:
        """The range of the cuts, in which distances are measured; of one cut its size, or a year."""
        cuts = [cell.high for cell in self.cells if cell.sort is Sort.RANGE and math.isfinite(cell.high)]
        spread = max(cuts, default=0.0) - min(cuts, default=0.0)
        return spread or (YEAR if self.is_date else max(map(abs, cuts), default=0.0)) or 1.0

    def satisfying(self, condition: Condition, holds: bool) -> int:
        """Return the cells in which a test of the tree has an answer."""
        held = self._held[condition]
        return held if holds else self.all & ~held

    def members(self, bits: int) -> list[Cell]:
        """Return the cells of a set."""
        return [cell for place, cell in enumerate(self.cells) if bits >> place & 1]


def _check(condition: Condition) -> None:
    known = condition.operator in ("<=", "=", "in", "is") and not condition.part
    if not known or (condition.operator == "is" and condition.value not in (True, None)):
        raise ExportError(f"the test {str(condition)!r} is of a kind that explanations do not know")


def _holds(condition: Condition, cell: Cell) -> bool:
    """Whether a test holds in a cell."""
    if cell.sort is Sort.MISSING:
        return condition.knows_missing
    if condition.operator == "is":
        return condition.value is True and cell.value is True
    cut = cut_of(condition)
    if cut is not None:
        return cell.high <= cut if cell.sort is Sort.RANGE else bool(cell.value <= cut)
    named: Sequence[Any] = condition.value if isinstance(condition.value, tuple) else (condition.value,)
    return cell.sort is Sort.VALUE and cell.value in named
