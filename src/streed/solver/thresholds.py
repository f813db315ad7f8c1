"""One search over all thresholds of columns of ranks, for tasks whose leaves cost the sum of their rows.

The engine (``core/thresholds``) takes columns as ranks: equal values have equal ranks. Its answer is a tree
whose features are numbers of splits, each a column and a rank. Whoever called turns these into binary
features, and `conclude` counts the tree anew with them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.options import Limits
from streed.solver.merged_rows import merge_classes, merge_costs
from streed.solver.run import Run
from streed.solver.strategies.one_search import count
from streed.tasks.base import Task, form_of, measure_of
from streed.tasks.forms import OneValue
from streed.tree.result import Result

engine: Any = _core.solve_thresholds
route: Any = _core.route


class Attempt(NamedTuple):
    """A search that is over, as far as its limits let it."""

    run: Run
    form: OneValue
    answer: dict[str, Any]

    @property
    def is_answer(self) -> bool:
        """Whether the tree is to be returned: it is proven, the time is up, or the user stopped it."""
        return str(self.answer["status"]) in ("optimal", "time_limit", "interrupted")


def refusal(task: Task, limits: Limits) -> str:
    """Say why thresholds cannot be searched for a task; empty if they can."""
    form = form_of(task)
    if not isinstance(form, OneValue):
        return "it takes several searches"
    if not form.leaf.affine or form.combination != "sum":
        return "its leaves do not cost the sum of their rows"
    if form.prices is not None:
        return "tests have prices"
    return "there is no limit of the depth" if limits.unlimited else ""


def kept_rows(task: Task) -> NDArray[np.int64] | None:
    """Return the rows that have a weight in a task that is not refused; None: all."""
    form = form_of(task)
    assert isinstance(form, OneValue)
    return form.rows


def attempt(
    task: Task, ranks: NDArray[np.int32], limits: Limits, progress: object, work_limit: float = math.inf
) -> Attempt:
    """Search all thresholds of columns of ranks for a task that is not refused.

    `ranks` has the shape (columns, rows), with the rows that have a weight (`kept_rows`).
    """
    form = form_of(task)
    assert isinstance(form, OneValue)
    run = Run(task, None, None, limits, progress)
    limits.check_rows(ranks.shape[1])
    labels, costs = form.leaf.native_rows()
    codes, weights = (None, None) if labels is None else labels
    if limits.min_samples_leaf == 1 and labels is not None:  # else rows are counted
        ranks, codes, weights = merge_classes(ranks, *labels)
    elif limits.min_samples_leaf == 1:
        ranks, costs = merge_costs(ranks, costs)
    answer = run.search(
        engine,
        ranks,
        codes,
        weights,
        costs,
        form.classes.size,
        branch_cost=form.branch_cost,
        work_limit=work_limit,
    )
    return Attempt(run, form, answer)


def conclude(
    done: Attempt, features: NDArray[np.uint8], names: Sequence[str], numbers: Sequence[int], note: str
) -> Result:
    """Make the result; `numbers` has the binary feature of each split of the answer."""
    run, form, answer = done
    run.features, run.names = features, names
    run.rows = features
    run.keep(form.rows)
    splits = np.append(np.asarray(numbers, np.int32), np.int32(-1))  # a leaf has split -1
    answer["feature"] = splits[answer["feature"]]
    tree, objective, bound = run.counted(lambda: count(run, form, answer), answer)
    return run.result(
        tree, objective, bound, bool(answer["optimal"]), measure=measure_of(run.task), note=note
    )
