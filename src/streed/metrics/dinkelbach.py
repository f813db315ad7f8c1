"""Dinkelbach's iteration: the best ratio of two linear functions of (fp, fn) by a few weighted searches.

If the best ratio so far is r = A/B at some tree, then a tree is better exactly if A' - r B' > 0 for its own
A' and B'. So each step maximises A' - r B', which is one weighted search, and takes the ratio of what it
finds; when nothing above zero is found, r is the greatest ratio. Ratios are fractions, and the weights whole
numbers, so that nothing depends on rounding. Steps are few: each one at least doubles the correct digits.
The last one, which only proves, is spared where the supports of the others already leave no better pair of
whole numbers.
"""

from __future__ import annotations

import math
from fractions import Fraction

from streed.errors import TaskError
from streed.metrics.base import Linear, Ratio
from streed.metrics.problem import BinaryProblem, Point

ALIKE = 0.6
"""Weights of fp and fn are much alike if neither is less than this share of the other."""


def maximise_ratio(problem: BinaryProblem, metric: Ratio) -> bool:
    """Improve the best point of a problem until it is proven to have the greatest ratio.

    One level less is solved first: that takes a small part of the time and gives a ratio so good that at
    full depth one or two searches are left. If the weights will be much alike, a search with equal ones goes
    before them: the engine is about three times as fast on those, and the tree is often the best one already.
    """
    depth = problem.searches.limits.max_depth
    if depth > 2:
        _iterate(problem, metric, depth - 1)
        a, b = _direction(problem, *metric.terms(problem.plane.positives, problem.plane.negatives))
        alike = ALIKE <= a / b <= 1 / ALIKE and bool((problem.units == 1).all())
        if alike and not problem.searches.stopped:
            problem.search(1, 1, depth)
            if problem.settled:
                return True
    return _iterate(problem, metric, depth)


def _iterate(problem: BinaryProblem, metric: Ratio, max_depth: int) -> bool:
    """Iterate at one depth; returns whether the ratio is proven to be the greatest one there."""
    numerator, denominator = metric.terms(problem.plane.positives, problem.plane.negatives)
    while not problem.searches.stopped:
        a, b = problem.direction(*_direction(problem, numerator, denominator))
        point, optimal = problem.search(a, b, max_depth)
        problem.refresh_bound()
        if problem.best is not point:
            return optimal
        if max_depth == problem.searches.limits.max_depth and problem.settled:
            return True
    return False


def _at(line: Linear, point: Point) -> Fraction:
    return line[0] + line[1] * point.fp + line[2] * point.fn


def _ratio(numerator: Linear, denominator: Linear, point: Point) -> Fraction:
    below = _at(denominator, point)
    return _at(numerator, point) / below if below else Fraction(0)


def _direction(problem: BinaryProblem, numerator: Linear, denominator: Linear) -> tuple[int, int]:
    """Whole weights of fp and fn whose least sum has the greatest numerator - ratio * denominator."""
    ratio = _ratio(numerator, denominator, problem.best)
    fp, fn = (ratio * denominator[i] - numerator[i] for i in (1, 2))
    if fp < 0 or fn < 0 or fp == fn == 0:
        raise TaskError(
            f"the metric {problem.metric.name} does not fall when fp or fn grows: at the ratio "
            f"{float(ratio):g} fp counts {float(fp):g} and fn {float(fn):g}"
        )
    # The engine wants positive weights: a mistake that counts nothing decides between trees that are equal.
    if fp == 0:
        return 1, problem.plane.negatives + 1
    if fn == 0:
        return problem.plane.positives + 1, 1
    common = math.lcm(fp.denominator, fn.denominator)
    return int(fp * common), int(fn * common)
