"""The points (fp, fn) of trees on given rows: weighted searches, the best point, and what is proven."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.metrics.base import Metric
from streed.solver.metrics.plane import Plane
from streed.solver.searches import Searches, constant_tree, predicted

EXACT_TOTAL = 2**47
"""The engine adds whole weights exactly up to this sum; above it, sums are rounded."""

LARGEST_TOTAL = 2**61
"""Sums of weights stay below this, so that they are exact in 64-bit integers."""

ROUNDING = 2.0**-44
"""How far the engine may be off where sums are rounded, as a share of the total weight."""


@dataclass(frozen=True)
class Point:
    """A tree in the form of the engine, and its false positives and negatives in whole units."""

    fp: int
    fn: int
    tree: dict[str, Any]


class BinaryProblem:
    """Rows of two classes, for one metric.

    `codes` are the positions of the labels among the classes, `positive` is the position of the positive
    class, `units` the whole weights of the rows, of which one weighs `scale`.
    """

    def __init__(
        self,
        metric: Metric,
        codes: NDArray[np.int32],
        positive: int,
        units: NDArray[np.int64],
        scale: float,
        searches: Searches,
    ) -> None:
        self.metric = metric
        self.codes = codes
        self.positive = positive
        self.units = units
        self.searches = searches
        self.is_positive = codes == positive
        positives = int(units[self.is_positive].sum())
        self.plane = Plane(metric, positives, int(units.sum()) - positives, scale)
        corners = [
            Point(0, self.plane.positives, constant_tree(1 - positive)),
            Point(self.plane.negatives, 0, constant_tree(positive)),
        ]
        self.best = corners[0]
        self.objective = -math.inf
        for point in corners:
            self.offer(point)
        self.corners = corners
        self.refresh_bound()

    @property
    def settled(self) -> bool:
        """Whether no pair of whole numbers that the supports leave is better than the best point."""
        return self.plane.bound(self.plane.whole()) <= self.objective

    def point(self, tree: dict[str, Any]) -> Point:
        """Count the mistakes of a tree."""
        says_positive = predicted(tree, self.searches.features) == self.positive
        fp = int(self.units[says_positive & ~self.is_positive].sum())
        return Point(fp, int(self.units[~says_positive & self.is_positive].sum()), tree)

    def offer(self, point: Point) -> bool:
        """Keep a point if it is the best one so far."""
        value = self.plane.value(point.fp, point.fn)
        if value <= self.objective:
            return False
        self.best, self.objective = point, value
        self.searches.objective = value
        return True

    def direction(self, a: int, b: int) -> tuple[int, int]:
        """Shorten a direction so that sums stay whole numbers of 64 bits; both weights stay positive.

        Any direction gives a true support, so that rounding costs strength at most, never truth.
        """
        common = math.gcd(a, b)
        a, b = a // common, b // common
        total = a * self.plane.negatives + b * self.plane.positives
        if total >= LARGEST_TOTAL:
            a, b = (max(1, c * (LARGEST_TOTAL // 2) // total) for c in (a, b))
        return a, b

    def search(self, a: int, b: int, max_depth: int) -> tuple[Point, bool]:
        """Search the least a fp + b fn; returns the point and whether it is proven.

        At full depth the proven bound is a support, also after a time limit.
        """
        weights = np.where(self.is_positive, b, a) * self.units
        answer = self.searches.scalar(self.codes, weights.astype(np.float64), 2, max_depth)
        point = self.point(answer)
        self.offer(point)
        if max_depth == self.searches.limits.max_depth:
            total = int(weights.sum())
            slack = 0.0 if total < EXACT_TOTAL else total * ROUNDING
            self.plane.add(a, b, math.ceil(answer["lower_bound"] - slack))
        return point, bool(answer["optimal"])

    def refresh_bound(self) -> None:
        """Tell whoever watches what is proven by now."""
        if not self.searches.watched:
            return
        self.searches.bound = max(self.plane.bound(self.plane.whole()), self.objective)

    def costs(self) -> NDArray[np.float64]:
        """Costs of the components fp and fn for a front search: costs[row, label, component]."""
        costs = np.zeros((self.codes.size, 2, 2))
        costs[~self.is_positive, self.positive, 0] = self.units[~self.is_positive]
        costs[self.is_positive, 1 - self.positive, 1] = self.units[self.is_positive]
        return costs
