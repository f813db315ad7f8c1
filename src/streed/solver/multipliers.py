"""The least value within limits by searches for one value: Lagrangian multipliers, where they leave no gap.

With a multiplier m for a limit, the least f + m (v - limit) over all trees is a lower bound of the least f
within it. The best tree without the limit (A, above it) and the best one known within it (B) give the next
multiplier: the one for which both cost the same. A search with it finds a tree below their line, which takes
the place of A or B, or proves that the line is the best bound, the optimum of the dual (the same dichotomy as
in `strategies.hull`). The tree within the limit is optimal if no value of a tree fits between it and the
bound; where costs are whole numbers, so are values.

Only one limit at a time gets a multiplier: where several bind, or a gap is left, a front is needed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from streed.solver.recount import constant_tree, predicted
from streed.tolerance import TOLERANCE

if TYPE_CHECKING:
    from streed.solver.thresholds import ThresholdRun

MOST_SEARCHES = 40
"""Each search moves one end of the line to a vertex of the hull; real problems took 3 to 12."""


class Found(NamedTuple):
    """A tree of the engine with its value and what it counts towards the limits."""

    tree: dict[str, Any]
    value: float
    counts: NDArray[np.float64]


class Limited:
    """Costs of shape (rows, labels, 1 + limits), and the limits from below and above."""

    def __init__(
        self,
        run: ThresholdRun,
        costs: NDArray[np.float64],
        lower: NDArray[np.float64],
        upper: NDArray[np.float64],
        branch_cost: float,
        max_depth: int | None = None,
    ) -> None:
        self.max_depth = max_depth
        self.run, self.costs, self.branch_cost = run, costs, float(branch_cost)
        self.lower, self.upper = lower, upper
        self.bound = -math.inf
        self.has_gap = False
        whole = np.append(costs[:, :, 0].ravel(), self.branch_cost)
        self.unit = 1.0 if (whole == np.floor(whole)).all() else 0.0

    def solve(self) -> dict[str, Any]:
        """Return an answer of the engine's form; `has_gap` tells if only a front would settle the limits."""
        free, answer = self._search(None, 0.0, 0.0)
        broken = self._broken(free.counts)
        if not broken:
            return self._answer(free, bool(answer["optimal"]))
        inside = self._best_constant()
        if inside is None or len(broken) > 1 or answer["status"] != "optimal":
            self.has_gap = True
            return self._answer(inside, False)
        return self._follow_line(free, inside, *broken[0])

    def _follow_line(self, outside: Found, inside: Found, limit: int, value: float) -> dict[str, Any]:
        """Move the ends of the line, one of them above the limit, until it is the best bound."""
        best = inside
        for _ in range(MOST_SEARCHES):
            if self._is_proven(best) or self.run.stopped:
                return self._answer(best, self._is_proven(best))
            apart = outside.counts[limit] - inside.counts[limit]
            multiplier = (inside.value - outside.value) / apart
            found, answer = self._search(limit, multiplier, value)
            if answer["status"] != "optimal":
                continue
            line = outside.value + multiplier * outside.counts[limit]
            here = found.value + multiplier * found.counts[limit]
            if here >= line - TOLERANCE * (1 + abs(line)):
                break
            broken = self._broken(found.counts)
            if any(other == limit for other, _ in broken):
                outside = found
                continue
            inside = found
            if not broken and found.value < best.value:
                best = found
        proven = self._is_proven(best)
        self.has_gap = not proven
        return self._answer(best, proven)

    def _search(self, limit: int | None, multiplier: float, value: float) -> tuple[Found, dict[str, Any]]:
        """Search with a multiplier of one limit, and raise the bound."""
        costs = self.costs[:, :, 0]
        if limit is not None:
            costs = costs + multiplier * self.costs[:, :, 1 + limit]
        answer = self.run.search_costs(costs, self.branch_cost, self.max_depth)
        self.bound = max(self.bound, float(answer["lower_bound"]) - multiplier * value)
        return self._found(answer), answer

    def _found(self, answer: dict[str, Any]) -> Found:
        labels = predicted(answer, self.run.rows)
        sums = self.costs[np.arange(labels.size), labels].sum(axis=0)
        nodes = int(np.count_nonzero(np.asarray(answer["feature"]) >= 0))
        return Found(answer, float(sums[0]) + self.branch_cost * nodes, sums[1:])

    def _broken(self, counts: NDArray[np.float64]) -> list[tuple[int, float]]:
        """Return the limits that counts break, each with its value."""
        above = [(int(k), float(self.upper[k])) for k in np.flatnonzero(counts > self.upper)]
        return above + [(int(k), float(self.lower[k])) for k in np.flatnonzero(counts < self.lower)]

    def _best_constant(self) -> Found | None:
        found = [self._found(constant_tree(label)) for label in range(self.costs.shape[1])]
        fair = [one for one in found if not self._broken(one.counts)]
        return min(fair, key=lambda one: one.value) if fair else None

    def _is_proven(self, best: Found) -> bool:
        """Whether no value of a tree lies between the bound and the best one."""
        slack = TOLERANCE * (1 + abs(best.value))
        return best.value - self.bound < max(self.unit, 2 * slack) - slack

    def _answer(self, best: Found | None, optimal: bool) -> dict[str, Any]:
        answer: dict[str, Any] = {"feasible": None, "optimal": False, "lower_bound": self.bound}
        if best is None:
            return answer
        tree = {name: best.tree[name] for name in ("feature", "left", "right", "label")}
        bound = best.value if optimal else min(self.bound, best.value)
        status = "optimal" if optimal else self.run.status
        known = {"feasible": True, "optimal": optimal, "lower_bound": bound, "objective": best.value}
        return {**answer, **tree, **known, "status": status}
