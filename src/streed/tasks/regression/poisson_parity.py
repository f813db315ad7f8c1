"""Poisson deviance, where the mean predictions of two groups differ by no more than a limit.

With a multiplier m for the difference a leaf that predicts p costs 2 (n p - S log p) + m d p, S its sum of
targets and d as in `mean_parity`: the Poisson deviance of rows whose exposure is w + m w g / 2 instead of
their weight w, with the same sums of targets, and a constant. Exposures must stay positive, so that m lies
between -2 N_a and 2 N_b. The best predictions of one tree are S / (n + m d / 2) for the m by which it keeps
the limit, found by bisection, since its difference falls as m grows; a leaf without events may predict
anything once its exposure is used up.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.tasks.forms import OneValue
from streed.tasks.parts.targets import label_leaves
from streed.tasks.regression.equal_means import EqualMeans, clean
from streed.tasks.regression.poisson import Poisson, times_log
from streed.tree.numbers import numbers_at_nodes

if TYPE_CHECKING:
    from streed.tree.tree import Tree

INSIDE = 0.98
"""Share of the range of multipliers that is searched: at its end some exposures are zero."""

BISECTIONS = 200


class Rates(NamedTuple):
    """The leaves of a tree: exposures, sums of targets, differences of shares, and what else it costs."""

    n: NDArray[np.float64]
    total: NDArray[np.float64]
    d: NDArray[np.float64]
    own: float
    price: float

    @property
    def difference(self) -> float:
        """Difference of the mean predictions, where each leaf predicts the mean of its rows."""
        return float((self.d * self.total / self.n).sum())

    @property
    def far(self) -> float:
        """Return that the bound may rise over the whole range of multipliers."""
        return math.inf

    def bound(self, multiplier: float, limit: float) -> float:
        """Return what a multiplier proves of the tree's cost."""
        exposed = self.n + multiplier * self.d / 2
        some = self.total > 0
        gain = float((self.total[some] * np.log(self.total[some] / exposed[some])).sum())
        return self.own - 2 * gain + self.price - abs(multiplier) * limit

    def best(self, limit: float) -> tuple[float, NDArray[np.float64] | None]:
        """Return the multiplier by which the tree keeps the limit, and what its leaves predict then."""
        sign = math.copysign(1.0, self.difference)
        if abs(self.difference) <= limit:
            return 0.0, self.total / self.n
        d = sign * self.d
        poles = 2 * self.n[d < 0] / -d[d < 0]
        top = float(poles.min(initial=np.inf))
        last = d < 0
        last[last] = poles <= top * (1 + NEXT)

        def over(m: float) -> float:
            with np.errstate(divide="ignore", invalid="ignore"):
                rates = np.where(self.total > 0, self.total / (self.n + m * d / 2), 0.0)
            return float((d * rates).sum()) - limit

        if math.isinf(top):
            top = 1.0
            while over(top) > 0 and top < LARGEST:
                top *= 2
            if over(top) > 0:
                return math.inf, None
        elif not self.total[last].any() and over(top) > 0:  # only leaves without events are used up
            rates = np.where(self.total > 0, self.total / np.where(last, 1.0, self.n + top * d / 2), 0.0)
            rates[np.flatnonzero(last)[0]] = over(top) / -d[last][0]
            return sign * top, rates
        low, high = 0.0, top
        for _ in range(BISECTIONS):
            middle = (low + high) / 2
            low, high = (middle, high) if over(middle) > 0 else (low, middle)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.where(self.total > 0, self.total / (self.n + low * d / 2), 0.0)
        return sign * low, found

    def multiplier(self, limit: float) -> float:
        """Multiplier by which the tree itself keeps the limit."""
        return self.best(limit)[0]

    def cost(self, limit: float) -> float:
        """Deviance of the tree with the best predictions that keep the limit."""
        rates = self.best(limit)[1]
        if rates is None:
            return math.inf
        some = self.total > 0
        gain = float((self.total[some] * np.log(rates[some])).sum())
        both = float((self.n * rates).sum() - self.total.sum())
        return self.own + 2 * (both - gain) + self.price


NEXT = 1e-12
"""Poles that differ by no more are the same."""

LARGEST = 1e100
"""No multiplier is searched beyond this: predictions are zero then."""


class PoissonParity(EqualMeans, Poisson):
    """Minimise the Poisson deviance; the mean predictions of two groups differ by no more than a limit.

    Leaves do not predict the mean of their rows, but what costs least within the limit.

    Parameters
    ----------
    y : array-like of shape (n,)
        The targets, not negative, and not all of them zero.
    sensitive_features : array-like of shape (n,) or (n, k)
        The group of each row; two groups must have rows with a weight.
    max_difference : float
        The greatest difference that is allowed, in units of `y`.
    sample_weight : array-like of shape (n,), optional
        Weight of each row (its exposure, if y are rates), not negative.
    cost_complexity : float, default=0.0
        Price of a branching node, as a share of what one leaf for all rows costs.

    Examples
    --------
    >>> import streed
    >>> task = streed.tasks.PoissonParity([1.0, 2.0, 10.0, 12.0], ["a", "a", "b", "b"], 5.0)
    >>> result = streed.solve(task, [[0], [0], [1], [1]], max_depth=1)
    >>> low, high = result.tree.predict([[0], [1]]).tolist()
    >>> round(high - low, 9), round(result.objective, 4)
    (5.0, 4.2876)
    """

    name: ClassVar[str] = "poisson_parity"
    summary: ClassVar[str] = "Poisson deviance (minimised), with nearly equal mean predictions of two groups"

    def __init__(
        self,
        y: ArrayLike,
        sensitive_features: ArrayLike,
        max_difference: float,
        sample_weight: ArrayLike | None = None,
        cost_complexity: float = 0.0,
    ) -> None:
        Poisson.__init__(self, y, sample_weight, cost_complexity)
        self._given = y, sample_weight, cost_complexity
        self._compare(sensitive_features, max_difference)
        self._own = 2 * float((self._weights * times_log(self._targets)).sum())

    def _exposures(self, multiplier: float) -> NDArray[np.float64]:
        found: NDArray[np.float64] = self._weights * (1 + multiplier / 2 * self.shares)
        return found

    def without_limit(self) -> Poisson:
        """Return the deviance alone."""
        return Poisson(*self._given)

    def shifted(self, multiplier: float) -> tuple[OneValue, float]:
        """Return the deviance of rows with other exposures, and what it is less than the bound of a tree."""
        exposed = self._exposures(multiplier)
        rates = self._targets * self._weights / exposed
        plain = Poisson(rates, exposed)
        value = plain.lower()._replace(branch_cost=self.branch_cost / plain.unit, rows=None)
        return value, self._own - 2 * float((exposed * times_log(rates)).sum())

    def shown(self, multiplier: float) -> OneValue:
        """Return the value by which views show a tree: that of the rows as they are."""
        return self.shifted(0.0)[0]

    def farthest(self, sign: float) -> float:
        """Size of the largest multiplier of a sign that leaves all exposures positive."""
        return INSIDE * 2 / float((-sign * self.shares).max())

    def within(self, leaf: NDArray[np.int64], n_nodes: int) -> Rates:
        """Add up a tree, from the leaf of each row; the price of its nodes is part of the cost."""
        w = self._weights
        columns = (w, w * self._targets, w * self.shares)
        n, total, d = (np.bincount(leaf, column, n_nodes).astype(np.float64) for column in columns)
        used = n > 0
        price = self.branch_cost * (n_nodes // 2)
        return Rates(n[used], total[used], clean(d[used]), self._own, price)

    def describe_within(self, tree: Tree, leaf: NDArray[np.int64]) -> None:
        """Give leaves their predictions; views show the spread and the distribution of the targets."""
        tree.details = numbers_at_nodes(tree, leaf, self._targets, self._weights)
        rates = self.within(leaf, tree.node_count).best(self.max_difference)[1]
        found = np.zeros(tree.node_count)
        found[np.bincount(leaf, self._weights, tree.node_count) > 0] = rates
        label_leaves(tree, found)

    def error(self, predictions: NDArray[Any]) -> float:
        """Poisson deviance of predictions."""
        p, y = predictions.astype(np.float64), self._targets
        logs = np.where(y > 0, y * np.log(np.where(y > 0, y, 1.0) / np.where(y > 0, p, 1.0)), 0.0)
        return 2 * float((self._weights * (logs - y + p)).sum())

    def gap_terms(self, multiplier: float) -> NDArray[np.float64]:
        """Return twice the weighted y log y, the exposure, and the weighted target of each row."""
        w, y = self._weights, self._targets
        return np.column_stack([2 * w * times_log(y), self._exposures(multiplier), w * y])

    def gain(self, n: NDArray[np.float64], z: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return 2 z log(z / n), which is 0 where z is."""
        some = z > 0
        return np.where(some, 2 * z * np.log(np.where(some, z, 1.0) / np.where(some, n, 1.0)), 0.0)
