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


def maximise_ratio(problem: BinaryProblem, metric: Ratio) -> bool:
    """Improve the best point of a problem until it is proven to have the greatest ratio.

    One level less is solved first: that takes a small part of the time and gives a ratio so good that at
    full depth two or three searches are left.
    """
    depth = problem.searches.limits.max_depth
    proven = False
    for levels in sorted({max(depth - 1, min(depth, 2)), depth}):
        proven = _iterate(problem, metric, levels)
    return proven


def _iterate(problem: BinaryProblem, metric: Ratio, max_depth: int) -> bool:
    """Iterate at one depth; returns whether the ratio is proven to be the greatest one there."""
    numerator, denominator = metric.terms(problem.plane.positives, problem.plane.negatives)
    ratio = _ratio(numerator, denominator, problem.best)
    while not problem.searches.stopped:
        a, b = problem.direction(*_direction(problem, numerator, denominator, ratio))
        point, optimal = problem.search(a, b, max_depth)
        problem.refresh_bound()
        found = _ratio(numerator, denominator, point)
        if found > ratio:
            ratio = found
            if max_depth == problem.searches.limits.max_depth and problem.settled:
                return True
        else:
            return optimal
    return False


def _at(line: Linear, point: Point) -> Fraction:
    return line[0] + line[1] * point.fp + line[2] * point.fn


def _ratio(numerator: Linear, denominator: Linear, point: Point) -> Fraction:
    below = _at(denominator, point)
    return _at(numerator, point) / below if below else Fraction(0)


def _direction(
    problem: BinaryProblem, numerator: Linear, denominator: Linear, ratio: Fraction
) -> tuple[int, int]:
    """Whole weights of fp and fn whose least sum has the greatest numerator - ratio * denominator."""
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
