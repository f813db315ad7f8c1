"""C4.5 on categories, and its relatives CSID3, EG2 and IDX, which differ in how they choose a test.

As in the paper's appendix, all four are one program with different criteria. C4.5 (Quinlan 1993) takes the
greatest gain ratio among tests whose information gain is at least the average; CSID3, EG2 (omega = 1) and IDX
weigh the gain I against the price C of the test. A split needs two branches with two rows at least. Then
subtrees are replaced by leaves where C4.5's pessimistic estimate of errors (confidence 0.25) is not worse;
subtree raising, which Weka's version does, too, is left out. Labels of leaves are those with the least
misclassification costs of the training rows, errors only count for pruning.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from experiments.baselines.grid import Counts, Grid, Rows, gains
from experiments.baselines.priced_tree import Node

LEAST_ROWS = 2
CONFIDENCE = 0.25
PRUNING_SLACK = 0.1
SMALL = 1e-9

Values = NDArray[np.float64]
Criterion = Callable[[Values, Values, Values], Values]


def gain_ratio(gain: Values, information: Values, _: Values) -> Values:
    """C4.5: gain over split information, for tests with at least the average gain."""
    useful = gain > SMALL
    average = gain[useful].mean() if useful.any() else 0.0
    ratio = gain / np.maximum(information, SMALL)
    return np.where(useful & (gain >= average - 1e-3), ratio, -1.0)


def csid3(gain: Values, _: Values, price: Values) -> Values:
    """Tan 1993: I^2 / C."""
    return np.where(gain > SMALL, gain**2 / price, -1.0)


def eg2(gain: Values, _: Values, price: Values) -> Values:
    """Nunez 1991 with omega = 1: (2^I - 1) / (C + 1)."""
    return np.where(gain > SMALL, (2**gain - 1) / (price + 1), -1.0)


def idx(gain: Values, _: Values, price: Values) -> Values:
    """Norton 1989 without look-ahead: I / C."""
    return np.where(gain > SMALL, gain / price, -1.0)


CRITERIA: dict[str, Criterion] = {"C4.5": gain_ratio, "CSID3": csid3, "EG2": eg2, "IDX": idx}


@dataclass
class Grown:
    """A node of a grown tree: the classes of its rows, its test and its branches."""

    totals: Counts
    column: int = -1
    children: dict[int, Grown] = field(default_factory=dict)


def grow(grid: Grid, rows: Rows, criterion: Criterion, price: Values) -> Grown:
    """Grow a tree until no split is allowed or none gains anything."""
    node = Grown(grid.totals(rows))
    if rows.size < 2 * LEAST_ROWS or node.totals.max() == rows.size:
        return node
    gain, information = gains(grid, grid.counts(rows), LEAST_ROWS)
    score = criterion(gain, information, price)
    best = int(score.argmax())
    if score[best] <= 0:
        return node
    node.column = best
    node.children = {
        value: grow(grid, part, criterion, price) for value, part in grid.parts(rows, best).items()
    }
    return node


def pessimistic_errors(totals: Counts) -> float:
    """Estimate the errors of a leaf with these training rows: the upper end of a confidence interval.

    Quinlan's approximation: exact for no error, a line up to one error, the normal distribution above.
    """
    n = float(totals.sum())
    errors = n - float(totals.max())
    return errors + extra_errors(n, errors)


def extra_errors(n: float, errors: float) -> float:
    """Give what is added to the errors seen among n rows."""
    if n == 0:
        return 0.0
    if errors < 1:
        none = n * (1 - math.pow(CONFIDENCE, 1 / n))
        return none if errors == 0 else none + errors * (extra_errors(n, 1.0) - none)
    if errors + 0.5 >= n:
        return max(n - errors, 0.0)
    z, f = NormalDist().inv_cdf(1 - CONFIDENCE), (errors + 0.5) / n
    spread = z * math.sqrt(f / n - f * f / n + z * z / (4 * n * n))
    return n * (f + z * z / (2 * n) + spread) / (1 + z * z / n) - errors


def prune(node: Grown) -> float:
    """Replace subtrees by leaves where that is not worse; returns the estimated errors."""
    leaf = pessimistic_errors(node.totals)
    if not node.children:
        return leaf
    below = sum(prune(child) for child in node.children.values())
    if leaf <= below + PRUNING_SLACK:
        node.children, node.column = {}, -1
        return leaf
    return below


def labelled(node: Grown, matrix: Values) -> Node:
    """Give every node the label with the least costs."""
    children = {value: labelled(child, matrix) for value, child in node.children.items()}
    return Node(int((node.totals @ matrix).argmin()), node.column, children)


def fit(grid: Grid, criterion: str, price: Values) -> Grown:
    """Grow and prune a tree on all rows."""
    tree = grow(grid, np.arange(len(grid.y)), CRITERIA[criterion], price)
    prune(tree)
    return tree
