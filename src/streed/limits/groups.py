"""Quantities that compare groups: the difference and the ratio of rates.

With n_a of N_a units of group a counted, a difference of rates is D / (N_a N_b) with D = n_a N_b - n_b N_a:
a sum over rows of whole numbers, N_b for a counted row of a and -N_a for one of b. |rate_a - rate_b| <= d
holds exactly if |D| <= floor(d N_a N_b), so that a tree on the limit is feasible, however the limit looks as
a double. A least ratio p/q asks q n_a N_b - p n_b N_a >= 0 for both orders of each pair. All numbers are
divided by gcd(N_a, N_b).

Example: groups of 4 and 6 rows, limit 0.1. D = 6 n_a - 4 n_b, by the gcd 3 n_a - 2 n_b, and |3 n_a - 2 n_b|
may be floor(0.1 * 24 / 2) = 1 at most: 2 of 4 against 3 of 6 is feasible (0), 1 of 4 against 2 of 6 too (-1).

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
from streed.options import MOST_COMPONENTS


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

    def _rates(self, rows: LimitRows) -> list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
        """Return, for each rate, which classes it is about, and which of (class, label) it counts."""
        every = np.arange(len(rows.labels))
        found = []
        for rate in self.parity.rates:
            for label in self._labels(rows, rate):
                about = rate.about(every[: rows.n_classes] == label)
                if rate.counted == "right":
                    counted = every[:, None] == every
                else:
                    counted = np.tile((every == label) == (rate.counted == "positive"), (rows.n_classes, 1))
                found.append((about, counted & about[:, None]))
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

    def lines(self, rows: LimitRows, limit: Limit) -> list[Line]:
        """Give, for each rate and pair of groups, a sum that is a multiple of the difference of rates."""
        cells, sizes = rows.cells(self.groups)
        rates = [(counted, _present(sizes, about)) for about, counted in self._rates(rows)]
        self._check_groups(rows, [len(present) for _, present in rates])
        found = []
        for counted, present in rates:
            for (a, size_a), (b, size_b) in itertools.combinations(present, 2):
                common = math.gcd(size_a, size_b)
                whole = size_a * size_b // common
                for by_a, by_b, low, high in self._sides(limit, size_b // common, size_a // common, whole):
                    table = np.zeros((*sizes.shape, len(rows.labels)))
                    table[a], table[b] = by_a * counted, by_b * counted
                    costs, most = (
                        rows.of_cells(cells, table),
                        float((np.abs(table).max(axis=2) * sizes).sum()),
                    )
                    line = whole_line(limit, costs, low, high, limit.strict, most)
                    found.append(line._replace(per_unit=float(whole) if low != 0 or high == 0 else math.nan))
        return found

    _per_pair: ClassVar[int] = 1

    def _check_groups(self, rows: LimitRows, present: list[int]) -> None:
        """Refuse more pairs of groups than the engine can compare, and say how many groups it can."""
        if self._per_pair * sum(math.comb(n_groups, 2) for n_groups in present) < MOST_COMPONENTS:
            return
        most = most_groups(len(present) * self._per_pair)
        what = "a difference" if self._per_pair == 1 else "a ratio"
        given = "sensitive_features" if self.groups is None else f"by={written(self.groups)}"
        raise ValueError(
            f"every pair of groups is compared: under a limit on {what} of {self.parity.name} at most {most} "
            f"groups are possible, got {len(rows.groups(self.groups)[0])} in {given}; join small groups"
        )

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
        cells, sizes = rows.cells(self.groups)
        n_labels = len(rows.labels)
        weights = None if rows.equal else rows.units
        hits = np.bincount(cells * n_labels + predicted, weights, sizes.size * n_labels)
        found = [self._none]
        for about, counted in self._rates(rows):
            sums = (hits.reshape(*sizes.shape, n_labels) * counted).sum(axis=(1, 2)).tolist()
            rates = [Fraction(int(sums[group]), size) for group, size in _present(sizes, about)]
            if rates:
                found.append(self._of_rates(rates))
        return self._worst(found)

    _none = Fraction(0)
    two_sided: ClassVar[bool] = False

    def _worst(self, values: list[Fraction]) -> Fraction:
        return max(values)


def _present(sizes: NDArray[np.int64], about: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the groups with rows of some classes, and their weight."""
    return [(group, size) for group, size in enumerate((sizes @ about).tolist()) if size]


def most_groups(per_pair: int) -> int:
    """Most groups of which all pairs have so many components each, beside one for the objective.

    Examples
    --------
    >>> most_groups(1), most_groups(2), most_groups(4)
    (16, 11, 8)
    """
    fits = (MOST_COMPONENTS - 1) // per_pair
    return (1 + math.isqrt(1 + 8 * fits)) // 2


class Ratio(Parity):
    """The least rate of a group over the greatest one."""

    name: ClassVar[str] = "ratio"
    two_sided: ClassVar[bool] = True
    _none = Fraction(1)
    _per_pair: ClassVar[int] = 2

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
