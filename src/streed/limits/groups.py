"""Quantities that compare groups: the difference and the ratio of rates.

A difference of rates is a sum over the rows of whole numbers (`streed.fairness.margins` has the arithmetic).
With two labels the rates of the positive one are compared. With more of them a parity is about every label
in turn, which then is the positive one, unless `label` names one.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from streed.fairness.parity import Rate, as_parity
from streed.limits.limit import Limit, Quantity, written
from streed.limits.line import Line, TreeShape, whole_line
from streed.limits.rows import LimitRows


class Parity(Quantity):
    """The greatest difference between the rates of groups."""

    name: ClassVar[str] = "parity"
    needs_groups: ClassVar[bool] = True

    def __init__(self, kind: Any, by: Any, label: Any) -> None:
        self.kind, self.groups, self.label = kind, by, label
        self.parity = as_parity(kind)

    def arguments(self) -> str:
        """Give what differs from the defaults."""
        said = [] if self.kind == "demographic_parity" else [repr(self.kind)]
        said += [] if self.groups is None else [f"by={written(self.groups)}"]
        said += [] if self.label is None else [f"label={self.label!r}"]
        return ", ".join(said)

    def _rates(self, rows: LimitRows) -> list[tuple[NDArray[np.int64], NDArray[np.bool_]]]:
        """Return, for each rate, the units of the rows it is about, and which of (row, label) it counts."""
        found = []
        for rate in self.parity.rates:
            for label in self._labels(rows, rate):
                true = np.zeros(rows.n, bool) if rows.codes is None else rows.codes == label
                units = np.where(rate.about(true), rows.units, 0)
                chosen = np.arange(len(rows.labels)) == label
                if rate.counted == "right":
                    counted = rows.classes(self)[:, None] == np.arange(len(rows.labels))
                else:
                    counted = np.tile(chosen == (rate.counted == "positive"), (rows.n, 1))
                found.append((units, counted))
        return found

    def _labels(self, rows: LimitRows, rate: Rate) -> list[int]:
        """Return the labels that are the positive one in turn."""
        if rate.rows != "all" or rate.counted == "right":
            rows.classes(self)
        if self.label is not None:
            return [rows.label(self, self.label)]
        if rate.counted == "right" and rate.rows == "all":
            return [0]
        return [1] if len(rows.labels) == 2 else list(range(len(rows.labels)))

    def _pairs(self, rows: LimitRows) -> list[tuple[NDArray[np.int64], NDArray[np.bool_], Any]]:
        """Return, for each rate, its rows, what it counts, and (group, weight) of the groups that have it."""
        groups, codes = rows.groups(self.groups)
        found = []
        for units, counted in self._rates(rows):
            sizes = np.bincount(codes, weights=units, minlength=len(groups)).astype(np.int64).tolist()
            present = [(group, size) for group, size in enumerate(sizes) if size]
            found.append((units, counted, present))
        return found

    def lines(self, rows: LimitRows, limit: Limit) -> list[Line]:
        """Give, for each rate and pair of groups, a sum that is a multiple of the difference of rates."""
        codes = rows.groups(self.groups)[1]
        found = []
        for units, counted, present in self._pairs(rows):
            for (a, size_a), (b, size_b) in itertools.combinations(present, 2):
                common = math.gcd(size_a, size_b)
                whole = size_a * size_b // common
                for by_a, by_b, low, high in self._sides(limit, size_b // common, size_a // common, whole):
                    per_row = np.select([codes == a, codes == b], [by_a, by_b], 0) * units
                    costs = np.where(counted, per_row[:, None], 0).astype(np.float64)
                    line = whole_line(limit, costs, low, high, limit.strict)
                    found.append(line._replace(per_unit=float(whole) if low != 0 or high == 0 else math.nan))
        return found

    def _sides(
        self, limit: Limit, size_b: int, size_a: int, whole: int
    ) -> list[tuple[int, int, Fraction | None, Fraction | None]]:
        """Return factors of the rows of two groups, and the limits on their sum."""
        assert limit.most is not None
        return [(size_b, -size_a, -limit.most * whole, limit.most * whole)]

    def _of_rates(self, rates: list[Fraction]) -> Fraction:
        return max(rates) - min(rates)

    def value(self, rows: LimitRows, predicted: NDArray[np.int64], shape: TreeShape | None) -> Fraction:
        """Return the greatest difference of a rate between two groups."""
        codes = rows.groups(self.groups)[1]
        found = [self._none]
        for units, counted, present in self._pairs(rows):
            hit = np.where(counted[np.arange(rows.n), predicted], units, 0)
            sums = np.bincount(codes, weights=hit).astype(np.int64).tolist()
            rates = [Fraction(sums[group], size) for group, size in present]
            if rates:
                found.append(self._of_rates(rates))
        return self._worst(found)

    _none = Fraction(0)
    two_sided: ClassVar[bool] = False

    def _worst(self, values: list[Fraction]) -> Fraction:
        return max(values)


class Ratio(Parity):
    """The least rate of a group over the greatest one."""

    name: ClassVar[str] = "ratio"
    two_sided: ClassVar[bool] = True
    _none = Fraction(1)

    def _sides(
        self, limit: Limit, size_b: int, size_a: int, whole: int
    ) -> list[tuple[int, int, Fraction | None, Fraction | None]]:
        """Return q rate_a - p rate_b >= 0 and the same for the groups the other way round."""
        if limit.least is None or limit.most is not None or limit.strict:
            raise ValueError(f"{self!r} can only be limited from below, as in {self!r} >= 0.8; got {limit!r}")
        p, q, zero = limit.least.numerator, limit.least.denominator, Fraction(0)
        return [(q * size_b, -p * size_a, zero, None), (-p * size_b, q * size_a, zero, None)]

    def _of_rates(self, rates: list[Fraction]) -> Fraction:
        return min(rates) / max(rates) if max(rates) else Fraction(1)

    def _worst(self, values: list[Fraction]) -> Fraction:
        return min(values)


class MeanPrediction(Quantity):
    """The difference between the mean predictions of two groups, in units of the target."""

    name: ClassVar[str] = "mean_prediction"
    share: ClassVar[bool] = False
    two_sided: ClassVar[bool] = False
    needs_groups: ClassVar[bool] = True

    def __init__(self, by: Any) -> None:
        self.groups = by

    def arguments(self) -> str:
        """Give the groups, if they are named."""
        return "" if self.groups is None else f"by={written(self.groups)}"

    def lines(self, rows: LimitRows, limit: Limit) -> list[Line]:
        """Refuse: labels have no mean."""
        raise ValueError(f"{self!r} is for streed.OptimalTreeRegressor: labels have no mean")

    def value(self, rows: LimitRows, predicted: NDArray[Any], shape: TreeShape | None) -> float:
        """Refuse, too."""
        raise ValueError(f"{self!r} is for streed.OptimalTreeRegressor: labels have no mean")


def mean_prediction(by: Any = None) -> Quantity:
    """Difference between the mean predictions of two groups of rows, for regression.

    Parameters
    ----------
    by : str, int, list or array-like, optional
        Where the two groups are, as for `parity`.

    Returns
    -------
    Quantity
        To be compared with a number in units of the target.
    """
    return MeanPrediction(by)


def parity(kind: Any = "demographic_parity", *, by: Any = None, label: Any = None) -> Quantity:
    """Greatest difference of a rate between two groups of rows.

    Parameters
    ----------
    kind : str or streed.fairness.Parity, default="demographic_parity"
        Which rates: a name in `streed.fairness.CONSTRAINTS`, or an object.
    by : str, int, list or array-like, optional
        The column of the table that has the groups, by name or number; several columns make one group of each
        combination. An array has the group of each row. By default the groups are those that `fit` is given
        as `sensitive_features`.
    label : object, optional
        The label that counts as positive; by default the second one of two, or all of them in turn.

    Returns
    -------
    Quantity
        To be compared with a number from 0 to 1.

    Examples
    --------
    >>> from streed import limits as lim
    >>> lim.parity("equal_opportunity", by="sex") <= 0.02
    parity('equal_opportunity', by='sex') <= 0.02
    """
    return Parity(kind, by, label)


def ratio(kind: Any = "demographic_parity", *, by: Any = None, label: Any = None) -> Quantity:
    """Least rate of a group over the greatest one.

    Parameters
    ----------
    kind, by, label
        As for `parity`.

    Returns
    -------
    Quantity
        To be compared with a number from 0 to 1, as in ``ratio(by="sex") >= 0.8``.
    """
    return Ratio(kind, by, label)
