"""Six components before a search: what cannot be searched is refused, and leaves get their least size."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.errors import TaskError
from streed.reference import Components
from streed.solver.general.states import rows_of, splits_rows


def check_components(task: Components[Any, Any]) -> None:
    """Refuse components that cannot be searched, with what was expected."""
    for name in ("labels", "features"):
        given = getattr(task, name)
        if not hasattr(given, "__len__") or not hasattr(given, "__getitem__"):
            raise TaskError(f"{task.name}: {name} must be a sequence, got {given!r}")
    if not len(task.labels):
        raise TaskError(f"{task.name}: labels is empty: a leaf needs at least one")
    if any(isinstance(label, tuple) for label in task.labels):
        raise TaskError(f"{task.name}: a label must not be a tuple, tuples are trees")
    for name in ("cost_leaf", "cost_branch", "transition", "better", "combine", "feasible"):
        if not callable(getattr(task, name)):
            raise TaskError(f"{task.name}: {name} must be callable, got {getattr(task, name)!r}")


def with_leaf_size(
    task: Components[Any, Any], features: NDArray[np.uint8] | None, least: int
) -> Components[Any, Any]:
    """Add the constraint that a leaf has at least so many rows; 1 adds nothing.

    The number of rows comes from the task's `size`, else from states that are collections of row numbers,
    else from X: every state then carries its set of rows, as the bits of an integer.
    """
    if least <= 1:
        return task
    feasible, size = task.feasible, task.size
    if size is None and splits_rows(task):

        def size(state: Any) -> int:
            return len(rows_of(state) or ())

    if size is not None:
        count = size
        return replace(task, feasible=lambda v, state: count(state) >= least and feasible(v, state))
    if features is None:
        raise ValueError(
            f"min_samples_leaf={least} needs the number of rows of a state: give {task.name} a size, or X"
        )
    return _with_rows(task, features, least)


def _with_rows(task: Components[Any, Any], features: NDArray[np.uint8], least: int) -> Components[Any, Any]:
    columns = [int.from_bytes(np.packbits(c, bitorder="little").tobytes(), "little") for c in features.T]
    has = dict(zip(task.features, columns, strict=True))
    everything, key, bound = (1 << features.shape[0]) - 1, task.key, task.lower_bound
    return replace(
        task,
        cost_leaf=lambda s, label: task.cost_leaf(s[0], label),
        cost_branch=lambda s, feature: task.cost_branch(s[0], feature),
        transition=lambda s, f, side: (
            task.transition(s[0], f, side),
            s[1] & (has[f] if side else ~has[f] & everything),
        ),
        feasible=lambda v, s: s[1].bit_count() >= least and task.feasible(v, s[0]),
        initial_state=(task.initial_state, everything),
        key=None if key is None else lambda s: (key(s[0]), s[1]),
        lower_bound=None if bound is None else lambda s: bound(s[0]),
        size=lambda s: s[1].bit_count(),
    )
