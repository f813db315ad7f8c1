"""Leaf functions under guard: what they return is checked, and all their faults become `TaskError`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from streed.errors import TaskError
from streed.leaves.compiled import compiled
from streed.tolerance import TOLERANCE

if TYPE_CHECKING:
    from streed.leaves.function import LeafFunction

_KEPT = 64
"""Number of leaves of a block that are asked about again later."""


class GuardedFunction:
    """A leaf function ready for a search: tried out on the root, and compiled where that is wanted.

    Attributes
    ----------
    name : str
        What errors call the task.
    leaf : LeafFunction
        The leaf model.
    given : object
        What the engine gets: a checked Python function, or the address of a compiled one.
    """

    def __init__(self, name: str, leaf: LeafFunction) -> None:
        self.name, self.leaf = name, leaf
        self.checked = CheckedFunction(name, leaf)
        self.checked.try_out()
        self._code = compiled(name, leaf)  # it must exist as long as its address is used
        self.given: Any = self.checked if self._code is None else self._code.address


def guarded_call(
    engine: Any,
    functions: Sequence[GuardedFunction | None],
    search: Callable[..., dict[str, Any]],
    *arguments: Any,
    **options: Any,
) -> dict[str, Any]:
    """Run a search of the engine with leaf functions, one per part; their faults become a `TaskError`."""
    try:
        answer = search(*arguments, **options)
    except engine.TaskFailure as error:
        function = functions[error.args[2] if len(error.args) == 3 else 0]
        assert function is not None
        _blame(function, error)
    try:
        for function in functions:
            if function is not None:
                function.checked.ask_again()
    except KeyboardInterrupt:  # the search has ended: its tree is kept
        answer |= {"status": "interrupted", "optimal": False, "complete": False}
    return answer


class CheckedFunction:
    """A leaf function with its answers checked: numbers, one per label and leaf, always the same.

    The 1st, 2nd, 4th, 8th, ... block is asked for twice, and some of its leaves are remembered and asked for
    again with the later ones and after the search.
    """

    def __init__(self, name: str, leaf: LeafFunction) -> None:
        self._who = f"the leaf function of the task {name!r}"
        self._leaf = leaf
        self._calls = 0
        self._kept: tuple[NDArray[np.float64], NDArray[np.float64]] = (
            np.empty((leaf.statistics.shape[1], 0)),
            np.empty((leaf.n_labels, 0)),
        )
        self._changed: TaskError | None = None

    def __call__(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Ask the function and check its answer."""
        self._calls += 1
        often = self._calls & (self._calls - 1) != 0
        kept = None if often else sums.copy()
        costs = self.costs(sums)
        if kept is not None:
            self.ask_again()
            self._compare(kept, costs, self.costs(kept.copy()))
            table = costs.reshape(-1, kept.shape[1])
            self._kept = (
                np.hstack([self._kept[0], kept[:, :_KEPT]]),
                np.hstack([self._kept[1], table[:, :_KEPT]]),
            )
        return costs

    def costs(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Ask the function, and check what it returns; costs may still be infinite."""
        leaves, labels = sums.shape[1], self._leaf.n_labels
        try:
            with np.errstate(all="ignore"):  # costs are checked below, and some leaves may not exist
                answer = self._leaf.function(sums)
        except Exception as error:
            raise TaskError(f"{self._who} raised {type(error).__name__}: {error}") from error
        try:
            if np.iscomplexobj(answer):
                raise TypeError("complex numbers have no order")
            costs = np.array(answer, dtype=np.float64, order="C")  # a copy: the function may keep its own
        except (TypeError, ValueError) as error:
            raise TaskError(f"{self._who} must return numbers, got {answer!r}") from error
        shapes = [(labels, leaves), (leaves,)] if labels == 1 else [(labels, leaves)]
        if costs.shape not in shapes:
            expected = " or ".join(map(str, shapes))
            raise TaskError(
                f"{self._who} must return costs of shape {expected} (labels, leaves) for {leaves} leaves, "
                f"got shape {costs.shape}"
            )
        return costs

    def try_out(self) -> None:
        """Ask twice about the root: wrong shapes, NaN and answers that change are seen before the search."""
        sums = self._leaf.statistics.sum(axis=0)[:, None] * np.ones((1, 3))
        first = self(sums.copy())
        if not np.isfinite(first).all():
            raise TaskError(
                f"{self._who} must return finite costs, got {first[~np.isfinite(first)][0]} for the "
                f"statistics {sums[:, 0].tolist()}"
            )

    def ask_again(self) -> None:
        """Ask about the leaves that were remembered."""
        sums, costs = self._kept
        if costs.size:
            self._compare(sums, costs, self.costs(sums.copy()))

    def _compare(
        self, sums: NDArray[np.float64], first: NDArray[np.float64], again: NDArray[np.float64]
    ) -> None:
        """Raise where two answers differ by more than the order of additions explains."""
        if self._changed is not None:
            raise self._changed
        first, again = first.reshape(-1, sums.shape[1]), again.reshape(-1, sums.shape[1])
        known = np.isfinite(first)
        size = np.abs(first[known]).max(initial=0.0) + np.abs(sums).max(initial=0.0)
        with np.errstate(all="ignore"):
            same = np.where(known, np.abs(first - again) <= TOLERANCE * size, ~np.isfinite(again))
        if same.all():
            return
        label, leaf = np.argwhere(~same)[0].tolist()
        self._changed = TaskError(
            f"{self._who} changes its answer: for the statistics {sums[:, leaf].tolist()} it gave "
            f"{first[label, leaf].item()!r} and then {again[label, leaf].item()!r}"
        )
        raise self._changed


def _blame(function: GuardedFunction, error: Exception) -> NoReturn:
    """Say what the engine found wrong; compiled code cannot raise, so Python asks about the leaf again."""
    cause, statistics = error.args[:2] if len(error.args) == 3 else (str(error), [])
    if statistics:
        function.checked.costs(np.array(statistics)[:, None])
        cause = f"{cause} (a leaf with the statistics {list(statistics)})"
    raise TaskError(f"the task {function.name!r} breaks its contract: {cause}") from error
