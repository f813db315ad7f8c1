"""Sums over the rows of a tree that must lie within limits: what every limit becomes for the engine.

Sums are of whole numbers wherever the data allow it, and the limits are turned into whole numbers by
fractions, never by doubles: four fifths of 10 rows are 8. Sums that are not whole are widened by rounding.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

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
    """

    costs: NDArray[np.float64]
    lower: float
    upper: float
    node: float = 0.0

    def total(self, predicted: NDArray[np.int64], n_nodes: int = 0) -> float:
        """Sum under predictions, as positions among the labels."""
        return float(self.costs[np.arange(predicted.size), predicted].sum()) + self.node * n_nodes

    def range(self) -> tuple[float, float]:
        """Least and greatest sum of any predictions."""
        return float(self.costs.min(axis=1).sum()), float(self.costs.max(axis=1).sum())


def whole_line(
    what: object,
    costs: NDArray[np.float64],
    low: Fraction | None,
    high: Fraction | None,
    strict: bool = False,
) -> Line:
    """Make a line of whole numbers: its limits are rounded inwards, by one more where the ends are left out.

    Examples
    --------
    >>> line = whole_line("x", np.ones((10, 1)), Fraction(4, 5) * 10, None)
    >>> line.lower, line.upper
    (8.0, inf)
    """
    if float(np.abs(costs).max(axis=1).sum()) >= LARGEST:
        raise ValueError(f"{what}: numbers with so many digits cannot be added exactly; use fewer digits")
    lower, upper = -math.inf, math.inf
    if low is not None:
        lower = float(math.floor(low) + 1 if strict else math.ceil(low))
    if high is not None:
        upper = float(math.ceil(high) - 1 if strict else math.floor(high))
    return Line(costs, lower, upper)
