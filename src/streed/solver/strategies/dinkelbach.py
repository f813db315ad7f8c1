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

from streed.errors import TaskError
from streed.metrics.base import Linear, Ratio
from streed.options import Limits
from streed.solver.engines import needs_depth
from streed.solver.metrics.problem import BinaryProblem, Point
from streed.solver.run import Run
from streed.tasks.forms import CountsMetric
from streed.tree.result import Result

ALIKE = 0.6
"""Weights of fp and fn are much alike if neither is less than this share of the other."""


def refusal(form: CountsMetric, limits: Limits) -> str:
    """Take ratios of linear functions only."""
    if not isinstance(form.metric, Ratio):
        return f"{form.metric.name} is not a ratio of two linear functions of fp and fn"
    return needs_depth(limits)


def solve(run: Run, form: CountsMetric) -> Result | None:
    """Maximise a ratio."""
    assert isinstance(form.metric, Ratio)
    problem, proven = BinaryProblem(form, run), False
    with run.interruptible():
        proven = maximise_ratio(problem, form.metric)
    return problem.result(proven)


def maximise_ratio(problem: BinaryProblem, metric: Ratio) -> bool:
    """Improve the best point of a problem until it is proven to have the greatest ratio.

    One level less is solved first: that takes a small part of the time and gives a ratio so good that at
    full depth one or two searches are left. If the weights will be much alike, a search with equal ones goes
    before them: the engine is about three times as fast on those, and the tree is often the best one already.
    """
    depth = problem.run.limits.max_depth
    terms = whole_terms(*metric.terms(problem.plane.positives, problem.plane.negatives))
    if depth > 2:
        _iterate(problem, terms, depth - 1)
        a, b = _direction(problem, terms)
        alike = ALIKE <= a / b <= 1 / ALIKE and bool((problem.units == 1).all())
        if alike and not problem.run.stopped:
            problem.search(1, 1, depth)
            if problem.settled:
                return True
    return _iterate(problem, terms, depth)


def whole_terms(numerator: Linear, denominator: Linear) -> tuple[list[int], list[int]]:
    """Multiply both lines by the same number so that their coefficients are whole; ratios stay as they are.

    Examples
    --------
    >>> from fractions import Fraction
    >>> half = Fraction(1, 2)
    >>> whole_terms((half, half, Fraction(0)), (Fraction(1), Fraction(0), Fraction(1, 3)))
    ([3, 3, 0], [6, 0, 2])
    """
    common = math.lcm(*(c.denominator for c in (*numerator, *denominator)))
    return [int(c * common) for c in numerator], [int(c * common) for c in denominator]


def _iterate(problem: BinaryProblem, terms: tuple[list[int], list[int]], max_depth: int) -> bool:
    """Iterate at one depth; returns whether the ratio is proven to be the greatest one there."""
    while not problem.run.stopped:
        a, b = problem.direction(*_direction(problem, terms))
        point, optimal = problem.search(a, b, max_depth)
        problem.refresh_bound()
        if point is None or problem.best is not point:
            return optimal
        if max_depth == problem.run.limits.max_depth and problem.settled:
            return True
    return False


def _at(line: list[int], point: Point) -> int:
    return line[0] + line[1] * point.fp + line[2] * point.fn


def _direction(problem: BinaryProblem, terms: tuple[list[int], list[int]]) -> tuple[int, int]:
    """Whole weights of fp and fn whose least sum has the greatest numerator - ratio * denominator."""
    numerator, denominator = terms
    above, below = _at(numerator, problem.start), _at(denominator, problem.start)
    above, below = (above, below) if below > 0 else (0, 1)
    fp, fn = (above * denominator[i] - below * numerator[i] for i in (1, 2))
    if fp < 0 or fn < 0 or fp == fn == 0:
        raise TaskError(
            f"the metric {problem.metric.name} does not fall when fp or fn grows: at the ratio "
            f"{above / below:g} fp counts {fp / below:g} and fn {fn / below:g}"
        )
    # The engine wants positive weights: a mistake that counts nothing decides between trees that are equal.
    if fp == 0:
        return 1, problem.plane.negatives + 1
    if fn == 0:
        return problem.plane.positives + 1, 1
    common = math.gcd(fp, fn)
    return fp // common, fn // common
