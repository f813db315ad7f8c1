"""Sums over the rows of a tree that must lie within limits: what every limit becomes for the engine.

Sums are of whole numbers wherever the data allow it, and the limits are turned into whole numbers by
fractions, never by doubles: four fifths of 10 rows are 8. Sums that are not whole are widened by rounding.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

LARGEST = 2**51
"""Sums stay below this, so that they are exact in a double."""


class Line(NamedTuple):
    """A sum over the rows of a tree, with limits.

    Attributes
    ----------
    costs : float64 array of shape (rows, labels)
        What every row adds under each label.
    lower, upper : float
        What the sum must be within; infinite where there is no limit.
    node : float
        What every branching node adds.
    tests : Prices or None
        What tests add for every row that they are made on.
    per_unit : float
        How much of the sum one unit of the limit is; NaN where a limit changes the sum itself.
    """

    costs: NDArray[np.float64]
    lower: float
    upper: float
    node: float = 0.0
    tests: Any = None
    per_unit: float = math.nan

    def range(self) -> tuple[float, float]:
        """Least and greatest sum of any predictions."""
        return float(self.costs.min(axis=1).sum()), float(self.costs.max(axis=1).sum())


class TreeShape(NamedTuple):
    """The nodes of a tree and how many rows reach each of them: what limits ask beside the predictions."""

    feature: NDArray[np.int32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    reached: NDArray[Any] | None

    @property
    def n_nodes(self) -> int:
        """Number of branching nodes."""
        return int(np.count_nonzero(self.feature >= 0))


def shape_of(tree: Mapping[str, Any], rows: NDArray[np.uint8] | None) -> TreeShape:
    """Count the rows that reach each node of a tree of the engine; None: nothing asks for them."""
    feature, left, right = (np.asarray(tree[name]) for name in ("feature", "left", "right"))
    if rows is None:
        return TreeShape(feature, left, right, None)
    reach: list[Any] = [None] * feature.size
    reach[0] = np.ones(rows.shape[0], bool)
    for node in np.flatnonzero(feature >= 0).tolist():  # parents come before children
        has = rows[:, feature[node]] != 0
        reach[right[node]], reach[left[node]] = reach[node] & has, reach[node] & ~has
    return TreeShape(feature, left, right, np.array([rows_.sum() for rows_ in reach]))


def table_of(costs: NDArray[np.float64], lines: Sequence[Line]) -> NDArray[np.float64]:
    """Put costs and lines side by side: shape (rows, labels, 1 + lines)."""
    table = np.empty((*costs.shape, 1 + len(lines)))
    table[:, :, 0] = costs
    for place, line in enumerate(lines, 1):
        table[:, :, place] = line.costs
    return table


def exact_unit(values: NDArray[np.float64], units: NDArray[np.float64]) -> Fraction:
    """Return what a unit is, exactly: the largest of some values as it is written, over its units.

    Examples
    --------
    >>> exact_unit(np.array([0.0, 0.3, 0.6]), np.array([0.0, 1.0, 2.0]))
    Fraction(3, 10)
    """
    largest = int(np.abs(units).argmax())
    value, count = (float(array.flat[largest]) for array in (values, units))
    return Fraction(repr(value)) / Fraction(count) if count else Fraction(1)


def whole_line(
    what: object,
    costs: NDArray[np.float64],
    low: Fraction | None,
    high: Fraction | None,
    strict: bool = False,
    most: float | None = None,
) -> Line:
    """Make a line of whole numbers: its limits are rounded inwards, by one more where the ends are left out.

    `most` is the largest sum of the sizes of all numbers, where it is known.

    Examples
    --------
    >>> line = whole_line("x", np.ones((10, 1)), Fraction(4, 5) * 10, None)
    >>> line.lower, line.upper
    (8.0, inf)
    """
    if most is None:
        most = float(functools.reduce(np.maximum, np.abs(costs).T).sum())
    if most >= LARGEST:
        raise ValueError(f"{what} has too many digits to be kept exactly in sums over these rows")
    lower, upper = -math.inf, math.inf
    if low is not None:
        lower = float(math.floor(low) + 1 if strict else math.ceil(low))
    if high is not None:
        upper = float(math.ceil(high) - 1 if strict else math.floor(high))
    return Line(costs, lower, upper)
