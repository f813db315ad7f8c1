"""Cuts of a tree over bins, moved to the best place among the values of the two bins beside each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from streed.estimators.many.columns import BinColumns, BinTest
from streed.estimators.many.costs import RowCosts

Inside = NDArray[np.bool_]
Values = Callable[[NDArray[np.intp]], NDArray[np.float64]]
"""From rows in the order of a column to what the tree costs with a cut before all and after each of them."""


@dataclass(slots=True)
class Branch:
    """A node of the tree; a leaf has no test. Rows that satisfy the test go to the first side."""

    test: BinTest | None = None
    sides: tuple[Branch, Branch] | None = None
    prediction: float = 0.0


def divide(table: BinColumns, test: BinTest, inside: Inside) -> tuple[Inside, Inside]:
    """Return the rows of a node that satisfy a test, and the others."""
    held = table.holds(test, table.columns.rows)
    return inside & held, inside & ~held


class Mover:
    """Moves cuts, from the root down."""

    def __init__(self, table: BinColumns, costs: RowCosts) -> None:
        self._table, self.costs = table, costs
        self._changed = False

    def grow(self, tree: Branch) -> None:
        """Move the cuts of a greedy tree to where the impurity of the two sides is least."""
        self._visit(tree, np.ones(self.costs.n_rows, np.bool_), greedy=True)

    def move(self, tree: Branch) -> bool:
        """Move each cut to where the tree costs least, all else fixed; returns whether one has moved."""
        everywhere = np.ones(self.costs.n_rows, np.bool_)
        self._predict(tree, everywhere)
        self._changed = False
        self._visit(tree, everywhere, greedy=False)
        return self._changed

    def _predict(self, node: Branch, inside: Inside) -> None:
        if node.sides is None or node.test is None:
            node.prediction = self.costs.predict(inside)
            return
        for side, rows in zip(node.sides, divide(self._table, node.test, inside), strict=True):
            self._predict(side, rows)

    def _visit(self, node: Branch, inside: Inside, *, greedy: bool) -> None:
        if node.sides is None or node.test is None:
            return
        if node.test.column >= 0 and not self._table.is_exact(node.test):
            first, last = self._table.window(node.test)
            bins = self._table.bins(node.test)
            rows = np.flatnonzero(inside & (first <= bins) & (bins <= last))
            if rows.size > 1:
                measure = self._impurities(node.test, inside, first) if greedy else self._costs(node.sides)
                self._move(node, node.test, rows, measure)
        for side, own in zip(node.sides, divide(self._table, node.test, inside), strict=True):
            self._visit(side, own, greedy=greedy)

    def _move(self, node: Branch, test: BinTest, rows: NDArray[np.intp], measure: Values) -> None:
        values = self._table.values(test.column)[rows]
        order = values.argsort(kind="stable")
        values, worth = values[order], measure(rows[order])
        ends = np.flatnonzero(values[1:] != values[:-1]) + 1  # so many rows are below a cut
        lower, upper = self._table.ends(test)
        ends = np.concatenate(
            [[0] if lower is not None else [], ends, [values.size] if upper else []]
        ).astype(np.intp)
        if not ends.size:
            return
        best = ends[worth[ends].argmin()]
        now = float(worth[np.count_nonzero(values <= test.cut)])
        if worth[best] < now - 1e-9 * (1 + abs(now)):
            cut = float(values[best - 1]) if best else lower
            node.test, self._changed = replace(test, cut=cut), True

    def _costs(self, sides: tuple[Branch, Branch]) -> Values:
        def worth(rows: NDArray[np.intp]) -> NDArray[np.float64]:
            return np.append(0.0, (self._cost(sides[0], rows) - self._cost(sides[1], rows)).cumsum())

        return worth

    def _impurities(self, test: BinTest, inside: Inside, first: int) -> Values:
        below = inside & (self._table.bins(test) < first)
        lost = self._table.lost(test)
        if lost is not None and test.missing:
            below |= inside & lost
        before, whole = self.costs.total(below), self.costs.total(inside)

        def worth(rows: NDArray[np.intp]) -> NDArray[np.float64]:
            sums = np.vstack([before, before + self.costs.sums(rows).cumsum(axis=0)])
            return self.costs.impurity(sums) + self.costs.impurity(whole - sums)

        return worth

    def _cost(self, node: Branch, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        if node.sides is None or node.test is None:
            return self.costs.of(rows, node.prediction)
        held = self._table.holds(node.test, self._table.given(rows))
        out = np.empty(rows.size)
        for side, own in zip(node.sides, (held, ~held), strict=True):
            out[own] = self._cost(side, rows[own])
        return out
