"""A combination whose parts are all sums of label costs: costs[row, label, part], for the front engine."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from streed.errors import StreedError
from streed.tasks.base import is_multiple
from streed.tasks.combined import same_rows
from streed.tasks.forms import OneValue, SixComponents, Vector


class LabelVector(NamedTuple):
    """A combination of label costs in the form that the engine takes.

    Attributes
    ----------
    costs : float64 array of shape (n, n_labels, n_parts)
        What each row costs in each part under each label, in the engine units of the part; minimised.
    branch_cost : float64 array of shape (n_parts,)
        What a branching node costs in each part.
    lower, upper : float64 arrays of shape (n_parts,)
        Limits in engine units; infinite for objectives.
    """

    costs: NDArray[np.float64]
    branch_cost: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]


def not_label_costs(form: Vector) -> str:
    """Say which part is not a sum of label costs, and why; empty if all are."""
    for task, part in zip(form.task.tasks, form.parts, strict=True):
        if isinstance(part, SixComponents):
            return part.why
        if not part.leaf.affine:
            return f"{task.name} is not a sum over rows"
        if part.prices is not None:
            return f"{task.name} has prices of tests"
        if part.combination != "sum":
            return f"{task.name} is not a sum over leaves"
        if not is_multiple(task):
            return f"the value of {task.name} is not a multiple of its costs"
    return ""


def label_vector(form: Vector) -> LabelVector:
    """Give a combination of label costs in the form that the engine takes."""
    parts = values_of_parts(form)
    tables = [label_table(part, form.task.n_rows, form.rows) for part in parts]
    bounds = [(-np.inf, np.inf) if limit is None else limit for limit in form.limits]
    return LabelVector(
        costs=np.ascontiguousarray(np.stack(tables, axis=2)),
        branch_cost=np.array([part.branch_cost for part in parts]),
        lower=np.array([low for low, _ in bounds]),
        upper=np.array([high for _, high in bounds]),
    )


def values_of_parts(form: Vector) -> list[OneValue]:
    """Return the parts of a combination in which the engine knows them all."""
    return [part for part in form.parts if isinstance(part, OneValue)]


def label_table(part: OneValue, n_rows: int, kept: NDArray[np.int64] | None) -> NDArray[np.float64]:
    """Costs of the kept rows under each label; a row that the part leaves out costs nothing."""
    costs = part.leaf.label_costs(part.classes.size)
    if same_rows(part.rows, kept):
        return costs
    table = np.zeros((n_rows, costs.shape[1]))
    table[slice(None) if part.rows is None else part.rows] = costs
    return table if kept is None else table[kept]


def nothing_found(form: Vector) -> StreedError:
    """Return the error for a search that ended before it found a tree within the limits."""
    return StreedError(f"{form.task.name}: no feasible tree was found before the search ended")
