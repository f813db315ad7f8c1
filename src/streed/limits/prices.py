"""The mean price of the tests that rows go through."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from streed.limits.limit import Limit, Quantity, written
from streed.limits.line import Line, TreeShape, exact_unit, whole_line
from streed.limits.rows import LimitRows
from streed.table.units import in_units, largest_unit


class Tests(Quantity):
    """The mean over the rows of the prices of their tests; an attribute that was tested before is free."""

    name: ClassVar[str] = "tests"
    share: ClassVar[bool] = False
    fixed: ClassVar[bool] = True
    two_sided: ClassVar[bool] = False

    def __init__(self, prices: Any) -> None:
        self.prices = prices

    def arguments(self) -> str:
        """Give the prices, if there are any of its own."""
        return "" if self.prices is None else written(self.prices)

    def lines(self, rows: LimitRows, limit: Limit) -> list[Line]:
        """Give the prices of all tests in whole units, within the limit times the number of rows."""
        assert limit.most is not None
        if (rows.units != rows.units[0]).any():
            raise ValueError(f"{self!r} counts rows, so that all weights of rows must be the same, or zero")
        prices, unit = self._in_units(rows)
        nothing = np.zeros((rows.n, len(rows.labels)))
        line = whole_line(limit, nothing, None, limit.most * rows.n / unit, limit.strict)
        return [line._replace(tests=prices, per_unit=float(rows.n / unit))]

    def _in_units(self, rows: LimitRows) -> tuple[Any, Fraction]:
        """Return the prices of the binary features in whole units, and what a unit is."""
        prices = rows.test_prices(self.prices)
        amounts = np.concatenate([prices.full, prices.discounted])
        unit = rows.test_unit or largest_unit(amounts, float(amounts.max(initial=0)) * rows.n)
        full, discounted = (in_units(amount, unit) for amount in (prices.full, prices.discounted))
        exact = exact_unit(amounts, np.concatenate([full, discounted]))
        return prices._replace(full=full, discounted=discounted), exact

    def value(self, rows: LimitRows, predicted: NDArray[np.int64], shape: TreeShape) -> Fraction:
        """Mean price of the tests that rows go through."""
        assert shape.reached is not None
        prices, unit = self._in_units(rows)
        total, found = Fraction(0), [(0, frozenset[int](), frozenset[int]())]
        while found:
            node, tested, groups = found.pop()
            feature = int(shape.feature[node])
            if feature < 0:
                continue
            attribute, group = int(prices.attribute[feature]), int(prices.group[feature])
            if attribute not in tested:
                known = group >= 0 and group in groups
                price = float((prices.discounted if known else prices.full)[feature])
                total += Fraction(price) * int(shape.reached[node])
            after = tested | {attribute}, groups | ({group} if group >= 0 else set())
            found += [(int(shape.left[node]), *after), (int(shape.right[node]), *after)]
        return total * unit / rows.n


def tests(prices: Any = None) -> Quantity:  # noqa: PT028 (not a test of pytest)
    """Mean price of the tests that a row goes through; it can be limited from above.

    Parameters
    ----------
    prices : streed.FeatureCosts, mapping or sequence, optional
        Prices of tests per column of the table, as `feature_costs` of `streed.CostSensitiveTreeClassifier`,
        whose own prices are the default.

    Returns
    -------
    Quantity
        To be compared with a number.
    """
    return Tests(prices)
