"""TMDP (Maliah and Shani 2021): a Markov decision process over the leaves of many C4.5 trees.

For every subset of attributes C4.5 grows a tree with a branch per value, ignoring costs. Its leaves become
states, described by the values on their path. In a state one can classify, or measure an attribute, which
leads to the states whose path has one value more. The process has no cycles, so that one pass from long paths
to short ones gives the value of every state under the training rows, and the best action of each.

With more than ten attributes only the subsets of the ten dearest ones are tried; the others are in all trees.
Two things that the description leaves open: nodes on the way to a leaf are states, too, since otherwise
leaves of trees that all share the cheap attributes could not be reached one measurement at a time; and a
measured value that leads to no state is classified at once.

A path is a number: with m values of attribute 0, the path "attribute 0 has value 2, attribute 1 has value 0"
is (2 + 1) + (0 + 1) (m + 1), so that one more value is one addition.
"""

from __future__ import annotations

import itertools
import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.baselines.c45 import LEAST_ROWS, PRUNING_SLACK, SMALL, pessimistic_errors
from experiments.baselines.grid import Counts, Grid, Rows, gains
from experiments.baselines.priced_tree import Node, Prices

MOST_SUBSET = 10


@dataclass
class Seen:
    """What is known about a path: its rows and their classes, and the attributes that gain something."""

    rows: Rows
    totals: Counts
    counts: Counts
    errors: float
    candidates: list[tuple[int, float, float]]


class Process:
    """The states of all trees on the training rows; `solve` finds the best tree for given costs."""

    def __init__(self, grid: Grid, prices: Prices) -> None:
        self.grid, self.prices = grid, prices
        bases = itertools.accumulate([1, *(int(m) + 1 for m in grid.n_values)], lambda a, b: a * b)
        self.factor = list(bases)[:-1]
        self.seen: dict[int, Seen] = {}
        self.states: set[int] = {0}
        n_columns = grid.table.shape[1]
        dear = sorted(range(n_columns), key=lambda column: -prices.full[column])[:MOST_SUBSET]
        cheap = [column for column in range(n_columns) if column not in dear]
        for size in range(len(dear) + 1):
            for subset in itertools.combinations(dear, size):
                self._add_tree(frozenset([*subset, *cheap]))

    def _look(self, path: int, rows: Rows) -> Seen:
        """Count the rows of a path, once for all trees."""
        known = self.seen.get(path)
        if known is None:
            counts = self.grid.counts(rows)
            totals = self.grid.totals(rows)
            candidates: list[tuple[int, float, float]] = []
            if rows.size >= 2 * LEAST_ROWS and totals.max() < rows.size:
                gain, information = gains(self.grid, counts, LEAST_ROWS)
                for column in np.flatnonzero(gain > SMALL).tolist():
                    candidates.append((column, float(gain[column]), float(information[column])))
            known = self.seen[path] = Seen(rows, totals, counts, pessimistic_errors(totals), candidates)
        return known

    def _add_tree(self, allowed: frozenset[int]) -> None:
        """Grow C4.5's tree on some attributes and make its nodes states."""
        _, nodes = self._grow(0, np.arange(len(self.grid.y)), allowed)
        self.states.update(nodes)

    def _grow(self, path: int, rows: Rows, allowed: frozenset[int]) -> tuple[float, list[int]]:
        """Grow and prune the tree below a path; returns estimated errors and the paths of its nodes."""
        seen = self._look(path, rows)
        column = choose([one for one in seen.candidates if one[0] in allowed])
        if column < 0:
            return seen.errors, [path]
        errors, nodes = 0.0, [path]
        for value, part in self.grid.parts(rows, column).items():
            below, more = self._grow(path + (value + 1) * self.factor[column], part, allowed - {column})
            errors += below
            nodes += more
        if seen.errors <= errors + PRUNING_SLACK:
            return seen.errors, [path]
        return errors, nodes

    def solve(self, matrix: NDArray[np.float64]) -> Node:
        """Find the best action in every state that can be reached, and unroll the tree."""
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, 10_000))
        try:
            known: dict[int, tuple[float, int]] = {}
            self._value(0, frozenset(), matrix, known)
            return self._unroll(0, matrix, known)
        finally:
            sys.setrecursionlimit(limit)

    def _value(
        self,
        path: int,
        tested: frozenset[int],
        matrix: NDArray[np.float64],
        known: dict[int, tuple[float, int]],
    ) -> float:
        """Least cost of the training rows of a state, and the attribute to measure (-1: classify)."""
        if path in known:
            return known[path][0]
        seen = self.seen[path]
        best, action = float((seen.totals @ matrix).min()), -1
        at_once = (seen.counts @ matrix).min(axis=1)
        for column in range(len(self.factor)):
            if column in tested:
                continue
            cost = seen.rows.size * self.prices.price(column, tested)
            if cost >= best or not self._leads_on(path, column):
                continue
            start = int(self.grid.starts[column])
            for value in range(int(self.grid.n_values[column])):
                after = path + (value + 1) * self.factor[column]
                if after in self.states:
                    cost += self._value(after, tested | {column}, matrix, known)
                else:
                    cost += float(at_once[start + value])
            if cost < best - SMALL:
                best, action = cost, column
        known[path] = best, action
        return best

    def _leads_on(self, path: int, column: int) -> bool:
        """Whether some value of the attribute leads to a state."""
        factor = self.factor[column]
        return any(
            path + (value + 1) * factor in self.states for value in range(int(self.grid.n_values[column]))
        )

    def _unroll(self, path: int, matrix: NDArray[np.float64], known: dict[int, tuple[float, int]]) -> Node:
        """Follow the best actions from a state."""
        seen, column = self.seen[path], known[path][1]
        node = Node(int((seen.totals @ matrix).argmin()), column)
        if column < 0:
            return node
        for value in range(int(self.grid.n_values[column])):
            after, line = path + (value + 1) * self.factor[column], int(self.grid.starts[column]) + value
            if after in self.states:
                node.children[value] = self._unroll(after, matrix, known)
            elif seen.counts[line].any():
                node.children[value] = Node(int((seen.counts[line] @ matrix).argmin()))
        return node


def choose(candidates: list[tuple[int, float, float]]) -> int:
    """C4.5's choice among (attribute, gain, split information), as in `c45.gain_ratio`."""
    if not candidates:
        return -1
    average = sum(gain for _, gain, _ in candidates) / len(candidates)
    good = [
        (gain / max(information, SMALL), -column)
        for column, gain, information in candidates
        if gain >= average - 1e-3
    ]
    return -max(good)[1]
