"""What can be seen of a state from outside: the rows in it, where it is made of row numbers.

States are anything a task likes. Most are a collection of row numbers, or a tuple that begins with one (rows,
then what was tested so far), or a tuple of such states (a combination of tasks). For those the number of rows
is known without asking the task, and `check_separable` can leave rows out.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from streed.reference import Components

COLLECTIONS = (tuple, list, frozenset, set, range)


def is_rows(state: object) -> bool:
    """Whether a state is a collection of row numbers and nothing else."""
    return isinstance(state, COLLECTIONS) and all(
        isinstance(row, numbers.Integral) and not isinstance(row, bool) for row in state
    )


def rows_of(state: object) -> list[int] | None:
    """Return the row numbers in a state, None if they cannot be seen.

    Examples
    --------
    >>> rows_of((0, 3)), rows_of((range(2), frozenset({"age"}))), rows_of("abc")
    ([0, 3], [0, 1], None)
    """
    if is_rows(state):
        return [int(row) for row in state]  # type: ignore[attr-defined]
    if isinstance(state, tuple) and state and isinstance(state[0], COLLECTIONS):
        return rows_of(state[0])
    return None


def splits_rows(task: Components[Any, Any]) -> bool:
    """Whether the rows that seem to be in the initial state are rows: every split must divide them.

    It tells row numbers from other tuples of integers, such as counts.
    """
    whole = rows_of(task.initial_state)
    if whole is None or not len(task.features) or len(set(whole)) != len(whole):
        return False
    for feature in task.features[:8]:
        sides = [rows_of(task.transition(task.initial_state, feature, side)) for side in (False, True)]
        if None in sides or sorted((sides[0] or []) + (sides[1] or [])) != sorted(whole):
            return False
    return True


def keep_rows(state: Any, kept: Callable[[int], bool]) -> Any:
    """Leave rows out of a state, wherever it holds them.

    Examples
    --------
    >>> keep_rows(((0, 1, 2), (0, 1, 2)), lambda row: row != 1)
    ((0, 2), (0, 2))
    >>> keep_rows((range(3), "context"), lambda row: row != 1)
    ([0, 2], 'context')
    """
    if is_rows(state):
        kind = list if isinstance(state, range) else type(state)
        return kind(row for row in state if kept(int(row)))
    if isinstance(state, tuple) and state and isinstance(state[0], COLLECTIONS):
        whole = rows_of(state[0])
        first = keep_rows(state[0], kept)
        others = (keep_rows(part, kept) if rows_of(part) == whole else part for part in state[1:])
        return (first, *others)
    return state
