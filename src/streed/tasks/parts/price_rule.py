"""The price rule of a test, and what was tested before (as in the engine); the price of a branching node."""

from __future__ import annotations

from streed.tasks.forms import Prices


def price(full: float, discounted: float, *, tested: bool, group_tested: bool) -> float:
    """Price of a test for one row: nothing if it was made before, less if another one of its group was.

    Examples
    --------
    >>> price(5.0, 2.0, tested=False, group_tested=True)
    2.0
    """
    if tested:
        return 0.0
    return discounted if group_tested else full


class PriceTable:
    """The price of a feature after the attributes and groups that were tested before, as plain numbers."""

    def __init__(self, prices: Prices | None, n_features: int) -> None:
        if prices is not None and prices.attribute.size != n_features:
            raise ValueError(f"there are prices for {prices.attribute.size} features, but X has {n_features}")
        self._prices = prices

    def of(self, tested: frozenset[int], groups: frozenset[int], feature: int) -> float:
        """Price per row of testing a feature."""
        if self._prices is None:
            return 0.0
        attribute, group, full, discounted = (array[feature].item() for array in self._prices)
        return price(full, discounted, tested=attribute in tested, group_tested=group in groups)

    def after(
        self, tested: frozenset[int], groups: frozenset[int], feature: int
    ) -> tuple[frozenset[int], frozenset[int]]:
        """Return what was tested once the feature was tested too."""
        if self._prices is None:
            return tested, groups
        group = int(self._prices.group[feature])
        return tested | {int(self._prices.attribute[feature])}, groups | ({group} if group >= 0 else set())


def node_price(share: float, whole: float) -> float:
    """Return the price of a branching node that is a share of what one leaf for all rows costs.

    If that leaf costs nothing, no split saves anything: any price will do, but without one a tree that has no
    limit of its depth would have none at all.

    Examples
    --------
    >>> node_price(0.01, 250.0), node_price(0.01, 0.0), node_price(0.0, 0.0)
    (2.5, 0.01, 0.0)
    """
    return share * (whole or 1.0)
