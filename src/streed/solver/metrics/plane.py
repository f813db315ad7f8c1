"""What has been proven about the points (fp, fn) of all trees.

Every weighted search, also one that was stopped, proves a support: no tree has a fp + b fn below v. Points
are pairs of whole numbers, so the supports together leave, for each fn, a least fp; and since a metric never
falls when fp falls, its value there bounds all trees with that fn.

Example: the support 2 fp + 3 fn >= 12 leaves (6, 0), (5, 1), (3, 2), (2, 3) and (0, 4) as the best points
that may exist. If a tree is known that is as good as all of them, it is optimal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from streed.metrics.base import Function, Metric, evaluate

CELLS = 2**12
"""If more cells than this remain, they are not split any further; bounds are then weaker, never wrong."""

FIRST, PARTS = 64, 4
"""A range of fn is cut into so many cells at first, and a cell that matters into so many parts."""


class Box(NamedTuple):
    """Points with least_fp <= fp <= most_fp and least_fn <= fn <= most_fn."""

    least_fp: int
    most_fp: int
    least_fn: int
    most_fn: int


class Cells(NamedTuple):
    """Ranges of fn, low to high, each with the least fp that any point of it can have, and a bound."""

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    fp: NDArray[np.int64]
    bound: NDArray[np.float64]


class Region(NamedTuple):
    """A part of the plane that holds all points above some value; see `Plane.above`."""

    most_fp: int
    most_fn: int
    budget: int


@dataclass
class Plane:
    """The supports found so far, for one metric and fixed class totals in whole units of `scale`."""

    metric: Metric
    positives: int
    negatives: int
    scale: float
    supports: list[tuple[int, int, int]] = field(default_factory=list)

    def add(self, a: int, b: int, v: int) -> None:
        """Note that no tree has a fp + b fn < v, where a and b are positive."""
        self.supports.append((a, b, v))

    def value(self, fp: int, fn: int) -> float:
        """Value of the metric at one point."""
        return float(self.values(np.array([fp]), np.array([fn]))[0])

    def values(self, fp: NDArray[np.int64], fn: NDArray[np.int64]) -> NDArray[np.float64]:
        """Values of the metric at points."""
        return evaluate(self.metric, fp, fn, self.positives, self.negatives, self.scale)

    def whole(self) -> Box:
        """Give the box of all points."""
        return Box(0, self.negatives, 0, self.positives)

    def bound(self, box: Box) -> float:
        """Give a value that no tree in the box exceeds; minus infinity if the box is proven empty."""
        span = box.most_fn - box.least_fn + 1
        if span <= (FIRST if isinstance(self.metric, Function) else CELLS):
            return self._reached(box, np.arange(box.least_fn, box.most_fn + 1))
        bounds = self._cells(box, None).bound
        return float(bounds.max()) if bounds.size else -np.inf

    def above(self, box: Box, incumbent: float, a: int, b: int) -> Region | None:
        """Bound all points in the box that may be better than the incumbent; None if there are none.

        The region is the points with fp <= most_fp, fn <= most_fn and a fp + b fn <= budget.
        """
        cells = self._cells(box, incumbent)
        if not cells.low.size:
            return None
        most = self._greatest_fp(cells.low, cells.fp, box.most_fp, incumbent)
        return Region(int(most.max()), int(cells.high.max()), int((a * most + b * cells.high).max()))

    def _cells(self, box: Box, incumbent: float | None) -> Cells:
        """Give all cells that may hold a point above the incumbent, or without one those with the best point.

        Cells are split where that matters, down to single values of fn: few evaluations of the metric decide
        among millions of points. The bound of a cell combines its least fn and its least fp; the point at
        its least fn is one that the supports leave; the best of these tells which cells can be dropped.
        """
        span = box.most_fn - box.least_fn + 1
        edges = box.least_fn + np.arange(min(span, FIRST) + 1, dtype=np.int64) * span // min(span, FIRST)
        low, high = edges[:-1], edges[1:] - 1
        while True:
            fp = self._least_fp(box, high)
            kept = fp <= box.most_fp
            low, high, fp = low[kept], high[kept], fp[kept]
            bound = self.values(fp, low)
            kept = bound >= self._reached(box, low) if incumbent is None else bound > incumbent
            low, high, fp, bound = low[kept], high[kept], fp[kept], bound[kept]
            wide = high > low
            if not wide.any() or PARTS * low.size > CELLS:
                return Cells(low, high, fp, bound)
            sizes = (high - low + 1)[:, None]
            cuts = low[:, None] + np.arange(PARTS + 1) * sizes // PARTS
            low, high = cuts[:, :-1].ravel(), cuts[:, 1:].ravel() - 1
            low, high = low[low <= high], high[low <= high]

    def _least_fp(self, box: Box, fn: NDArray[np.int64]) -> NDArray[np.int64]:
        fp = np.full(fn.shape, box.least_fp, dtype=np.int64)
        for a, b, v in self.supports:
            np.maximum(fp, -((b * fn - v) // a), out=fp)
        return fp

    def _reached(self, box: Box, fn: NDArray[np.int64]) -> float:
        """Give the best value that the supports leave at some values of fn."""
        fp = self._least_fp(box, fn)
        inside = fp <= box.most_fp
        return float(self.values(fp[inside], fn[inside]).max()) if inside.any() else -np.inf

    def _greatest_fp(
        self, fn: NDArray[np.int64], fp: NDArray[np.int64], most: int, incumbent: float
    ) -> NDArray[np.int64]:
        """Bisect for the greatest fp at each fn that is still better than the incumbent, starting at `fp`."""
        good, bad = fp.copy(), np.full(fp.shape, most + 1, dtype=np.int64)
        while (open_ := bad - good > 1).any():
            middle = (good + bad) // 2
            better = np.zeros(fp.shape, dtype=bool)
            better[open_] = self.values(middle[open_], fn[open_]) > incumbent
            good = np.where(open_ & better, middle, good)
            bad = np.where(open_ & ~better, middle, bad)
        return good
