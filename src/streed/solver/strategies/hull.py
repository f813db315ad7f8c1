"""The best value of any monotone metric: the convex hull by dichotomy, then fronts at the edges.

Points (fp, fn) of trees lie above a convex chain, the lower left hull, whose vertices weighted searches find:
between two known points A and B the search with weights normal to AB finds a vertex beyond the line, or
proves that AB is an edge. Under limits A or B may be a corner of the plane that no tree within them reaches:
then any new vertex between them splits the segment. Each search also cuts off what lies below its own line.
A segment is tried only while some pair of whole numbers that is not cut off yet has a value above the best
one, most promising segments first. If such pairs remain above an edge, trees that no weighted search can find
may exist there: a front search lists them, limited to the narrow strip between the edge and the level line
of the best value.
"""

from __future__ import annotations

import heapq
import itertools
import math
from typing import NamedTuple

import numpy as np

from streed.options import Limits
from streed.solver.engines import needs_depth
from streed.solver.metrics.plane import Box
from streed.solver.metrics.problem import BinaryProblem, Point
from streed.solver.run import Run
from streed.tasks.forms import CountsMetric
from streed.tree.result import Result


class Segment(NamedTuple):
    """Two known points, A with less fp and B with less fn; an edge if nothing lies below the line."""

    a: Point
    b: Point
    edge: bool = False

    @property
    def box(self) -> Box:
        """Where points can be that neither A nor B is as good as."""
        return Box(self.a.fp, self.b.fp, self.b.fn, self.a.fn)

    @property
    def normal(self) -> tuple[int, int]:
        """Weights of fp and fn for which A and B are equally good."""
        a, b = self.a.fn - self.b.fn, self.b.fp - self.a.fp
        common = math.gcd(a, b)
        return a // common, b // common


def refusal(form: CountsMetric, limits: Limits) -> str:
    """Take metrics of two classes only."""
    if form.positive < 0:
        return f"{form.metric.name} has {form.classes.size} classes, not two"
    return needs_depth(limits)


def solve(run: Run, form: CountsMetric) -> Result | None:
    """Maximise a metric."""
    problem, proven = BinaryProblem(form, run), False
    with run.interruptible():
        proven = maximise_metric(problem)
    return problem.result(proven)


def maximise_metric(problem: BinaryProblem) -> bool:
    """Improve the best point of a problem until nothing better can exist; returns whether that is proven."""
    plane, run = problem.plane, problem.run
    numbers = itertools.count()
    heap: list[tuple[float, int, Segment]] = []

    def push(segment: Segment) -> None:
        if segment.a.fp < segment.b.fp and segment.a.fn > segment.b.fn:
            heapq.heappush(heap, (-plane.bound(segment.box), next(numbers), segment))

    push(Segment(problem.corners[0], problem.corners[1]))
    while heap and -heap[0][0] > problem.objective:
        run.bound = -heap[0][0]
        if run.stopped:
            return False
        segment = heapq.heappop(heap)[2]
        if plane.bound(segment.box) <= problem.objective:
            continue
        if not segment.edge:
            for part in _split(problem, segment):
                push(part)
        elif not (problem.metric.hull or _search_strip(problem, segment)):
            return False
    return True


def _split(problem: BinaryProblem, segment: Segment) -> list[Segment]:
    """Search beyond the line of a segment: two shorter segments, or the segment as a proven edge."""
    weights = problem.direction(*segment.normal)
    point, optimal = problem.search(*weights, problem.run.limits.max_depth)
    if not optimal or point is None:
        return [segment]
    ends = [sum(w * c for w, c in zip(weights, (end.fp, end.fn), strict=True)) for end in segment[:2]]
    here = weights[0] * point.fp + weights[1] * point.fn
    between = segment.a.fp <= point.fp <= segment.b.fp and segment.b.fn <= point.fn <= segment.a.fn
    known = (segment.a.fp, segment.a.fn), (segment.b.fp, segment.b.fn)
    further = here < min(ends) if segment.a.real and segment.b.real else (point.fp, point.fn) not in known
    if further and between:
        return [Segment(segment.a, point), Segment(point, segment.b)]
    return [segment._replace(edge=True)]


def _search_strip(problem: BinaryProblem, segment: Segment) -> bool:
    """List what may be better than the best point above an edge; returns whether the list is complete."""
    a, b = problem.direction(*segment.normal)
    region = problem.plane.above(segment.box, problem.objective, a, b)
    if region is None:
        return True
    most = (region.most_fp, region.most_fn)
    answer = problem.run.search_front(problem.costs(), most, (a, b), region.budget)
    if answer["trees"]:  # their mistakes are known: only the best one is counted anew
        fp, fn = np.asarray(answer["values"]).astype(np.int64).T
        best = int(np.argmax(problem.plane.values(fp, fn)))
        problem.offer(Point(int(fp[best]), int(fn[best]), answer["trees"][best]))
    return bool(answer["complete"])
