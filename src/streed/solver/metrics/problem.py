"""The points (fp, fn) of trees on given rows: weighted searches, the best point, and what is proven."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.errors import StreedError
from streed.leaves import ClassErrors
from streed.options import LEAST_SECONDS
from streed.solver.metrics.plane import Plane
from streed.solver.recount import constant_tree, make_tree, predicted
from streed.solver.run import Run
from streed.tasks.forms import CountsMetric
from streed.tree.result import Result

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
    real: bool = True
    """Whether the tree keeps the limits; a corner of the plane may not."""


class BinaryProblem:
    """A metric of two classes on given rows: the best point so far, and what is proven about all points."""

    def __init__(self, form: CountsMetric, run: Run) -> None:
        run.keep(form.value.rows)
        run.least_seconds = LEAST_SECONDS
        self.form = form
        self.run = run
        self.metric = form.metric
        self.units = units = form.units
        self.positive = positive = form.positive
        self.is_positive = form.codes == positive
        positives = int(units[self.is_positive].sum())
        self.plane = Plane(form.metric, positives, int(units.sum()) - positives, form.scale)
        corners = [
            Point(0, self.plane.positives, constant_tree(1 - positive), self.keeps_lines(1 - positive)),
            Point(self.plane.negatives, 0, constant_tree(positive), self.keeps_lines(positive)),
        ]
        self.best: Point | None = None
        self.objective = -math.inf
        for point in corners:
            if point.real:
                self.offer(point)
        self.corners = corners
        self.refresh_bound()

    def keeps_lines(self, label: int) -> bool:
        """Whether a constant tree keeps the limits of the run, if there are any."""
        sums = (line.costs[:, label].sum() for line in self.run.lines)
        return all(line.lower <= sum_ <= line.upper for line, sum_ in zip(self.run.lines, sums, strict=True))

    @property
    def start(self) -> Point:
        """The best point, or where none is known a corner: it says where to search, and is no answer."""
        return self.corners[0] if self.best is None else self.best

    @property
    def settled(self) -> bool:
        """Whether no pair of whole numbers that the supports leave is better than the best point."""
        return self.plane.bound(self.plane.whole()) <= self.objective

    def point(self, tree: dict[str, Any]) -> Point:
        """Count the mistakes of a tree."""
        positive = predicted(tree, self.run.rows) == self.positive
        fp = int(self.units[positive & ~self.is_positive].sum())
        return Point(fp, int(self.units[~positive & self.is_positive].sum()), tree)

    def offer(self, point: Point) -> bool:
        """Keep a point if it is the best one so far."""
        value = self.plane.value(point.fp, point.fn)
        if value <= self.objective:
            return False
        self.best, self.objective = point, value
        self.run.objective = value
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

    def search(self, a: int, b: int, max_depth: int) -> tuple[Point | None, bool]:
        """Search the least a fp + b fn; returns the point and whether it is proven.

        At full depth the proven bound is a support, also after a time limit. Under limits there may be no
        point at a smaller depth, or none that was found in time.
        """
        weights = np.where(self.is_positive, b, a) * self.units
        leaf = ClassErrors(self.form.codes, weights.astype(np.float64))
        answer = self.run.search_value(self.form.value._replace(leaf=leaf), self.run.rows, max_depth)
        point = self.point(answer) if "feature" in answer else None
        if point is not None:
            self.offer(point)
        if max_depth == self.run.limits.max_depth and answer["lower_bound"] > -math.inf:
            total = int(weights.sum())
            slack = 0.0 if total < EXACT_TOTAL else total * ROUNDING
            self.plane.add(a, b, math.ceil(answer["lower_bound"] - slack))
        return point, bool(answer["optimal"])

    def refresh_bound(self) -> None:
        """Show in the progress what is proven so far."""
        if self.run.watcher.watched:
            self.run.bound = max(self.plane.bound(self.plane.whole()), self.objective)

    def costs(self) -> NDArray[np.float64]:
        """Costs of the components fp and fn for a front search: costs[row, label, component]."""
        costs = np.zeros((self.units.size, 2, 2))
        costs[~self.is_positive, self.positive, 0] = self.units[~self.is_positive]
        costs[self.is_positive, 1 - self.positive, 1] = self.units[self.is_positive]
        return costs

    def result(self, proven: bool) -> Result | None:
        """End the solve with the best point, and what is proven about it; None: another run goes on."""
        if self.best is None:
            if self.run.gave_up:
                return None
            raise nothing_in_time(self.run)
        bound = self.objective if proven else self.plane.bound(self.plane.whole())
        return metric_result(self.run, self.form, self.best.tree, bound, proven)


def nothing_in_time(run: Run) -> StreedError:
    """Return the error for a search that ended before it found a tree within the limits."""
    return StreedError(
        f"no tree that keeps the limits was found before the search ended ({run.status}); it is not proven "
        "that there is none"
    )


def metric_result(run: Run, form: CountsMetric, best: dict[str, Any], bound: float, proven: bool) -> Result:
    """Make the result of a metric: the value of the best tree is counted anew with the natural weights."""
    task = run.task
    counted = make_tree(form.value, run.rows, run.names, best, task.value_name, 1.0)
    objective = task.score(counted.predicted)
    task.check_score(objective, run.objective)
    name = form.metric.name
    measure = task.measure or name
    return run.result(counted.tree, objective, max(bound, objective), proven, name=name, measure=measure)
