"""The prices of the binary features of one table, in any unit; a `FeatureCosts` remembers its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.table.units import in_units
from streed.tasks.base import Prices
from streed.tasks.feature_costs import FeatureCosts, as_feature_costs


class PriceList:
    """Prices of binary features, and what a task must know of them to find its unit.

    Attributes
    ----------
    distinct : list of float
        The prices that occur.
    total : float
        What all features cost together at their full price.
    """

    def __init__(self, prices: Prices) -> None:
        self._units: tuple[float, Prices] = (1.0, prices)
        self._natural = prices
        for array in (prices.attribute, prices.group, prices.full, prices.discounted):
            array.flags.writeable = False  # several tasks may share it
        self.distinct = list({*prices.full.tolist(), *prices.discounted.tolist()})
        self.total = float(prices.full.sum())

    def in_units(self, unit: float) -> Prices:
        """Return the prices in units; they are made anew only if the unit is another one than before."""
        known, prices = self._units
        if unit != known:
            natural = self._natural
            full, discounted = in_units(natural.full, unit), in_units(natural.discounted, unit)
            prices = Prices(natural.attribute, natural.group, full, discounted)
            self._units = (unit, prices)
        return prices


def price_list(feature_costs: object, columns: Sequence[Any] | None) -> PriceList:
    """Return the prices of binary features that come from the given columns; by default each is a column."""
    given = as_feature_costs(feature_costs)
    if columns is not None:
        return PriceList(given.prices(*columns_of(given, columns)))
    if given.own_list is None:
        given.own_list = PriceList(given.prices(*columns_of(given, None)))
    listed: PriceList = given.own_list
    return listed


def columns_of(
    feature_costs: FeatureCosts, columns: Sequence[Any] | None
) -> tuple[NDArray[np.intp], list[str]]:
    """Return the column of each binary feature as a position, and the names of the columns."""
    if columns is None:
        n_columns = feature_costs.n_columns
        if n_columns is None:
            raise ValueError(
                "feature_costs names columns: columns must say which one each binary feature comes from, "
                "as a sequence of their names"
            )
        return np.arange(n_columns), [f"x{j}" for j in range(n_columns)]
    found = list(columns)
    if all(isinstance(column, int | np.integer) and not isinstance(column, bool) for column in found):
        if min(found, default=0) < 0:
            raise ValueError(f"columns must be names or positions from 0 on, got {min(found)}")
        n_columns = max(1 + max(found, default=-1), feature_costs.n_columns or 0)
        return np.array(found, np.intp), [f"x{j}" for j in range(n_columns)]
    names = list(dict.fromkeys(map(str, found)))
    return np.array([names.index(str(column)) for column in found], np.intp), names
