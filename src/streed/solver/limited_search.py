"""The one move that every strategy makes, under limits: a search whose tree keeps sums over the rows.

A strategy that minimises one value by several searches (`dinkelbach`, `hull`, `macro_f1`) knows nothing of
limits. Where its `Run` has lines, `Run.search_value` is a search under limits, and `Run.search_front` has the
lines as further components. What is proven then holds for the trees within the limits, and so does all that
is concluded from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from streed.limits.line import Line, table_of
from streed.tasks.forms import OneValue, Prices

if TYPE_CHECKING:
    from streed.solver.run import Run


class NoTreeError(Exception):
    """No tree keeps the limits: raised through a strategy to the one that set the limits.

    `answer` is that of the engine, with the tree of least total violation if it came to know it.
    """

    def __init__(self, answer: dict[str, Any]) -> None:
        super().__init__()
        self.answer = answer


def costs_of(form: OneValue, n_rows: int, kept: NDArray[np.int64] | None) -> NDArray[np.float64]:
    """Label costs of a value on the rows that are kept, of `n_rows`; a row it leaves out costs nothing."""
    costs = form.leaf.label_costs(form.classes.size)
    n_kept = n_rows if kept is None else kept.size
    if costs.shape[0] == n_kept:
        return costs
    table = np.zeros((n_rows, costs.shape[1]))
    table[slice(None) if form.rows is None else form.rows] = costs
    return table if kept is None else table[kept]


def prices_of(paying: Sequence[Prices | None]) -> dict[str, Any]:
    """Give the engine the prices of tests, and which sums pay them; all that do pay the same ones."""
    known = next((prices for prices in paying if prices is not None), None)
    if known is None:
        return {}
    return {"prices": tuple(known), "price_weights": np.array([float(one is not None) for one in paying])}


def search(
    run: Run,
    costs: NDArray[np.float64],
    branch_cost: float,
    tests: Prices | None,
    lines: tuple[Line, ...],
    max_depth: int | None = None,
) -> dict[str, Any]:
    """Search the least sum of label costs and prices of tests with lines within their limits."""
    if any(line.lower > line.upper for line in lines):
        return {"feasible": False, "optimal": False, "status": "optimal", "lower_bound": np.inf}
    return run.search_limited(
        table_of(costs, lines),
        [line.lower for line in lines],
        [line.upper for line in lines],
        [branch_cost, *(line.node for line in lines)],
        max_depth,
        prices_of([tests, *(line.tests for line in lines)]),
    )


def search_value(run: Run, form: OneValue, max_depth: int | None) -> dict[str, Any]:
    """Search the least value within the lines of a run; a tree of fewer levels may be missing."""
    costs = costs_of(form, run.features.shape[0], run.kept)
    answer = search(run, costs, form.branch_cost, form.prices, run.lines, max_depth)
    run.multipliers = answer.get("multipliers")
    if answer["feasible"] is False and max_depth in (None, run.limits.max_depth):
        raise NoTreeError(answer)
    return answer


def search_front(
    run: Run, costs: NDArray[np.float64], upper: Any, weights: Any, budget: float
) -> dict[str, Any]:
    """Search all nondominated vectors within the lines of a run; their values are those without the lines."""
    n_values = costs.shape[2]
    sides = [(1.0, line, line.upper) for line in run.lines if np.isfinite(line.upper)]
    sides += [(-1.0, line, -line.lower) for line in run.lines if np.isfinite(line.lower)]
    table = np.concatenate([costs, *((sign * line.costs)[:, :, None] for sign, line, _ in sides)], axis=2)
    answer = run.note_front(
        table,
        [*upper, *(most for _, _, most in sides)],
        [*weights, *(0.0 for _ in sides)],
        budget,
        np.array([0.0] * n_values + [sign * line.node for sign, line, _ in sides]),
        prices_of([*[None] * n_values, *(line.tests for _, line, _ in sides)]),
    )
    answer["values"] = np.asarray(answer["values"]).reshape(-1, table.shape[2])[:, :n_values]
    supports = np.asarray(answer["supports"]).reshape(-1, table.shape[2] + 1)
    own = ~supports[:, n_values:-1].any(axis=1)  # lines of the objectives alone
    answer["supports"] = np.delete(supports[own], np.s_[n_values:-1], axis=1)
    return answer
