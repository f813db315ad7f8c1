"""A loss of numbers under a parity of means: multipliers by searches for shifted rows, then the gap.

The bound that a multiplier proves is the least of concave functions of it, one for each tree, so that the
best multiplier is found by cutting planes: each search adds the function of its tree, and the next
multiplier is where the least of the known ones is greatest. Where the best bound leaves a gap, all trees
whose bound by that multiplier is below the best cost are listed (`streed.solver.mean_gap`).
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from streed.limits.groups import mean_prediction
from streed.limits.report import KeptLimit, KeptLimits
from streed.options import LEAST_SECONDS, Limits
from streed.solver.engines import needs_depth
from streed.solver.mean_gap import better_tree
from streed.solver.recount import leaves_of, make_tree
from streed.solver.run import Run
from streed.tasks.base import measure_of
from streed.tasks.forms import MeanParity
from streed.tasks.regression.equal_means import Within
from streed.tolerance import TOLERANCE
from streed.tree.result import Result

MOST_SEARCHES = 40
"""Real problems took 3 to 10."""

NARROWINGS = 80
"""Steps of a search for the greatest value of a concave function, each of which leaves two thirds."""


def refusal(form: MeanParity, limits: Limits) -> str:
    """Take everything but trees without a depth."""
    return needs_depth(limits)


def solve(run: Run, form: MeanParity) -> Result:
    """Find the tree of least loss within the limit."""
    run.keep(form.rows)
    run.least_seconds = LEAST_SECONDS
    search = _ParitySearch(run, form)
    with run.interruptible():
        search.run_multipliers()
        if not search.proven and not run.stopped:
            search.close_gap()
    return search.result()


class _ParitySearch:
    """The best tree so far and what is proven."""

    def __init__(self, run: Run, form: MeanParity) -> None:
        self.run, self.task, self.limit = run, form.task, form.task.max_difference
        self.best: dict[str, Any] = {}
        self.sums: Within
        self.cost, self.bound, self.multiplier = np.inf, -np.inf, 0.0
        self.known: list[Within] = []
        self.complete = False

    @property
    def proven(self) -> bool:
        """Whether no tree can be better by more than rounding."""
        return self.complete or self.cost - self.bound <= TOLERANCE * (1 + abs(self.cost))

    def offer(self, answer: dict[str, Any]) -> None:
        """Take a tree into the known ones."""
        leaf = leaves_of(answer, self.run.rows)
        sums = self.task.within(leaf, len(answer["feature"]))
        self.known.append(sums)
        cost = sums.cost(self.limit)
        if not self.best or cost < self.cost:
            self.best, self.sums, self.cost = answer, sums, cost
            self.run.objective = self.cost

    def run_multipliers(self) -> None:
        """Search with one multiplier after the other until the bound is the best one."""
        multiplier, hoped = 0.0, np.inf
        for _ in range(MOST_SEARCHES):
            value, constant = self.task.shifted(multiplier)
            answer = self.run.search_value(value, self.run.rows)
            self.offer(answer)
            least = float(answer["lower_bound"]) * value.scale + constant - abs(multiplier) * self.limit
            if least > self.bound:
                self.bound, self.multiplier = least, multiplier
                self.run.bound = least
            settled = hoped < np.inf and hoped - self.bound <= TOLERANCE * (1 + abs(hoped))
            if self.proven or self.run.stopped or settled:
                return
            multiplier = self._next()
            hoped = min(sums.bound(multiplier, self.limit) for sums in self.known)

    def _next(self) -> float:
        """Return the multiplier where the least of the known bounds is greatest."""
        first = self.known[0].difference
        far = min(max(sums.far for sums in self.known), self.task.farthest(math.copysign(1.0, first)))
        low, high = (0.0, far) if first > 0 else (-far, 0.0)
        for _ in range(NARROWINGS):
            third = (high - low) / 3
            one, other = low + third, high - third
            values = [min(sums.bound(m, self.limit) for sums in self.known) for m in (one, other)]
            low, high = (one, high) if values[0] < values[1] else (low, other)
        return (low + high) / 2

    def close_gap(self) -> None:
        """List the trees that the bound does not exclude."""
        found, complete = better_tree(self.run, self.task, self.multiplier, self.cost)
        if found is not None:
            self.offer(found)
        self.complete = complete
        if not complete and self.run.status == "optimal":
            self.run.status = "work_limit"

    def result(self) -> Result:
        """Make the tree with predictions that keep the limit, and count it anew."""
        task, run = self.task, self.run
        multiplier = self.sums.multiplier(self.limit)
        value = task.shown(multiplier)._replace(describe=task.describe_within)
        counted = make_tree(value, run.rows, run.names, self.best, task.value_name, 1.0, task.name)
        predictions = counted.tree.classes[counted.predicted]
        price = task.branch_cost * counted.tree.n_nodes
        objective, difference = task.error(predictions) + price, task.difference(predictions)
        bound = objective if self.complete else min(self.bound, objective)
        limit = mean_prediction() <= self.limit
        kept = KeptLimit(limit, difference, self.limit - difference, True, abs(multiplier))
        result = run.result(counted.tree, objective, bound, self.proven, measure=measure_of(task))
        return replace(result, limits=KeptLimits([kept]))
