"""The callables of a task, called with care: every fault of theirs becomes a `TaskError` that names it.

What is caught: an exception, a value that is None or NaN or does not compare as one thing, an answer of
`better` or `feasible` that is not a Boolean, a comparison that contradicts itself, and (by asking the same
again now and then) an answer that changes. Before each call the clock is checked, so that the search can be
stopped between any two calls; Ctrl-C reaches the callables themselves, as they are plain Python.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from streed.errors import TaskError
from streed.reference import Components
from streed.tolerance import same
from streed.tree.result import show


def fault(value: object) -> str | None:
    """Say what is wrong with a value of a tree, None if nothing is.

    Examples
    --------
    >>> fault((1, 0.5)), fault((1, float("nan"))), fault(None)
    (None, 'NaN', 'None')
    """
    if value is None:
        return "None"
    if isinstance(value, np.ndarray):
        return "a NumPy array, which does not compare as one value (give a tuple)"
    if isinstance(value, tuple | list):
        return next((found for found in map(fault, value) if found), None)
    if isinstance(value, numbers.Number):
        return "NaN" if value != value else None
    return None


class Guard:
    """A task whose answers are checked; `tick` comes before each call and may raise to stop the search."""

    def __init__(self, task: Components[Any, Any], tick: Callable[[], None]) -> None:
        self.task = task
        self._tick = tick
        self._calls: dict[str, int] = {}

    def call(self, what: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of the task; an exception in it becomes a TaskError."""
        self._tick()
        try:
            return function(*arguments)
        except TaskError:
            raise
        except Exception as error:
            raise TaskError(f"{self.task.name}: {what} raised {type(error).__name__}: {error}") from error

    def value(self, what: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function that gives a value; the 1st, 2nd, 4th, 8th, ... call is made twice."""
        answer = self.call(what, function, *arguments)
        wrong = fault(answer)
        if wrong:
            raise TaskError(f"{self.task.name}: {what} returned {wrong}")
        count = self._calls[what] = self._calls.get(what, 0) + 1
        if count & (count - 1) == 0:
            again = self.call(what, function, *arguments)
            if fault(again) or not self.close(answer, again):
                raise TaskError(
                    f"{self.task.name}: {what} changes its answer: {show(answer)}, then {show(again)}"
                )
        return answer

    def truth(self, what: str, function: Callable[..., Any], *arguments: Any) -> bool:
        """Call a function that says yes or no."""
        answer = self.call(what, function, *arguments)
        if not isinstance(answer, bool | np.bool_):
            raise TaskError(f"{self.task.name}: {what} must return True or False, got {show(answer)}")
        return bool(answer)

    def close(self, v: Any, w: Any) -> bool:
        """Whether two values are equal up to rounding."""
        return bool(self.call("comparing two values with ==", same, v, w))

    def equal(self, v: Any, w: Any) -> bool:
        """Whether two values are equal."""
        return self.truth("comparing two values with ==", _equal, v, w)

    def better(self, v: Any, w: Any) -> bool:
        """Whether v strictly dominates w; never both ways round, never a value itself."""
        answer = self.truth("better", self.task.better, v, w)
        count = self._calls["better"] = self._calls.get("better", 0) + 1
        if answer and count & (count - 1) == 0 and self.truth("better", self.task.better, w, v):
            raise TaskError(
                f"{self.task.name}: better says that {show(v)} beats {show(w)} and the other way round"
            )
        return answer

    def covers(self, v: Any, w: Any) -> bool:
        """Whether v is equal to w or better."""
        return self.equal(v, w) or self.better(v, w)

    def leaf(self, state: Any, label: Any) -> Any:
        """Cost of a leaf."""
        return self.value("cost_leaf", self.task.cost_leaf, state, label)

    def branch(self, state: Any, feature: Any) -> Any:
        """Cost of a branching node."""
        return self.value("cost_branch", self.task.cost_branch, state, feature)

    def child(self, state: Any, feature: Any, side: bool) -> Any:
        """State of a child."""
        return self.call("transition", self.task.transition, state, feature, side)

    def join(self, left: Any, right: Any, branch: Any) -> Any:
        """Value of a tree from its two subtrees and its branching cost."""
        both = self.value("combine", self.task.combine, left, right)
        return self.value("combine", self.task.combine, both, branch)

    def feasible(self, value: Any, state: Any) -> bool:
        """Whether the constraint holds."""
        return self.truth("feasible", self.task.feasible, value, state)

    def bound(self, state: Any) -> Any | None:
        """Value that no tree for a state is better than; None if the task offers none."""
        task = self.task
        return None if task.lower_bound is None else self.value("lower_bound", task.lower_bound, state)

    def key(self, state: Any) -> Hashable | None:
        """Return what tells states apart; None if this state cannot be hashed."""
        if self.task.key is None:
            try:
                hash(state)
            except TypeError:
                return None
            return state  # type: ignore[no-any-return]
        found = self.call("key", self.task.key, state)
        try:
            hash(found)
        except TypeError as error:
            raise TaskError(f"{self.task.name}: key must return something hashable: {error}") from error
        return found  # type: ignore[no-any-return]


def _equal(v: Any, w: Any) -> Any:
    return v == w
