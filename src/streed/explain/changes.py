"""What would have to change for another prediction: the fewest columns, and the nearest values in them.

A row ends in a leaf if it satisfies every test on the leaf's path. So the columns to change are those with a
test that it does not satisfy, and their new values are the nearest ones that satisfy all tests of the path.
Over all leaves with another prediction this is exact. A value is never changed to a missing one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from streed.model.holds import microseconds
from streed.reasons.cells import Cell, Cells, Sort, date_of
from streed.reasons.fewest import Leaf, Leaves
from streed.table.columns import Column, Kind


@dataclass(frozen=True, slots=True)
class NewValue:
    """A column that has to change.

    Attributes
    ----------
    column : str
        Its name.
    old : object
        The value of the row, None if it is missing.
    new : object
        The nearest value that will do; None if every value will do that the tree does not name.
    condition : str
        What the new value has to satisfy.
    """

    column: str
    old: Any
    new: Any
    condition: str

    def __str__(self) -> str:
        return f"{self.condition} (now {_shown(self.old)})"


def _shown(value: Any) -> str:
    if value is None:
        return "missing"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


class Values:
    """The values of one column of the rows that are explained."""

    def __init__(self, column: Column, cells: Cells) -> None:
        self.cells, self.is_whole = cells, column.values.dtype.kind in "iu" and not column.kind.is_category
        self._kind, self._column = column.kind, column
        self._numbers = microseconds(column) if cells.is_date else None

    def at(self, row: int) -> Any:
        """Return the value of a row, None if it is missing."""
        if self._numbers is not None:
            number = self._numbers[row]
            return None if np.isnan(number) else date_of(number)
        value = self._column.values[row].item()
        if self._kind.is_category:
            return self._column.categories[value] if value >= 0 else None
        if (self._column.missing is not None and self._column.missing[row]) or value != value:
            return None
        return bool(value) if self._kind is Kind.BOOLEAN else value

    def nearest(self, row: int, allowed: int) -> tuple[Any, float] | None:
        """Return the nearest value in some cells and its distance; None if there is none.

        The difference of numbers is measured in the range of the cuts of their column. Other values, and
        missing ones, have the distance 1.
        """
        old = self._numbers[row] if self._numbers is not None else self.at(row)
        old = None if old is None or old != old else old
        found = [
            (distance, number, value)
            for number, cell in enumerate(self.cells.members(allowed))
            if cell.sort is not Sort.MISSING
            for distance, value in self._in_cell(old, cell)
        ]
        if not found:
            return None
        distance, _, value = min(found, key=lambda each: each[:2])
        return (date_of(value) if self._numbers is not None else value), distance

    def _in_cell(self, old: Any, cell: Cell) -> list[tuple[float, Any]]:
        if cell.sort is not Sort.RANGE:
            return [(self._apart(old, cell), cell.value)]
        if math.isinf(cell.low) and math.isinf(cell.high):  # any value that is not missing
            return [(1.0, None)]
        value = _into(old, cell, whole=self.is_whole or self._numbers is not None)
        if value is None:
            return []
        if old is None:
            return [(1.0, value)]
        return [(abs(value - old) / self.cells.unit, value)]

    def _apart(self, old: Any, cell: Cell) -> float:
        """Return the distance to a category: 1, in an order the share of it that lies between."""
        if self.cells.is_ordered and isinstance(old, str):
            order = [each.value for each in self.cells.cells if each.sort is Sort.VALUE]
            places = [order.index(value) if value in order else len(order) for value in (old, cell.value)]
            return abs(places[0] - places[1]) / len(order)
        return 1.0


def _into(old: Any, cell: Cell, *, whole: bool) -> float | int | None:
    """Return the number of a range that is nearest to an old one; None if the range holds no whole number."""
    if old is None:
        old = cell.high if math.isinf(cell.low) else cell.low
        old = 0.0 if math.isinf(old) else old
    if cell.low < old <= cell.high:
        return old  # type: ignore[no-any-return]
    if old > cell.high:
        nearest = math.floor(cell.high) if whole else cell.high
        return nearest if nearest > cell.low else None
    nearest = math.floor(cell.low) + 1 if whole else math.nextafter(cell.low, math.inf)
    return nearest if nearest <= cell.high else None


@dataclass(frozen=True, slots=True)
class Change:
    """How a row could get another prediction.

    Attributes
    ----------
    prediction : object
        The other prediction.
    leaf : int
        The leaf, as a node of the tree.
    values : tuple of NewValue
        The columns that have to change.
    distance : float
        Sum of the distances between old and new values, each in the range of the cuts of its column.
    """

    prediction: Any
    leaf: int
    values: tuple[NewValue, ...]
    distance: float

    def __str__(self) -> str:
        return " and ".join(map(str, self.values))


def change_to(
    leaf: Leaf,
    leaves: Leaves,
    table: dict[str, Values],
    row: int,
    held: dict[int, bool],
    say: Any,
) -> tuple[tuple[NewValue, ...], float] | None:
    """Return what a row has to change to end in a leaf, and how far that is; None if it cannot.

    `held` says which features hold for the row, and `say` writes tests of a column in words.
    """
    changed: list[NewValue] = []
    total = 0.0
    for name, allowed in leaf.left.items():
        steps = [step for step in leaf.steps if leaves.conditions[step[0]].column == name]
        if all(held[feature] == holds for feature, holds in steps):
            continue
        found = table[name].nearest(row, allowed)
        if found is None:
            return None
        total += found[1]
        changed.append(NewValue(name, table[name].at(row), found[0], say(steps)))
    return tuple(changed), total


def best_changes(found: Sequence[Change], same: Any) -> tuple[Change, ...]:
    """Return the best change for each other prediction: fewest columns, then the least distance."""
    best: list[Change] = []
    for change in sorted(found, key=lambda each: (len(each.values), each.distance, each.leaf)):
        if not any(same(change.leaf, kept.leaf) for kept in best):
            best.append(change)
    return tuple(best)
