"""Leaf costs as functions of statistics: checked NumPy functions, or the same ones compiled by Numba."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.errors import TaskError
from streed.tasks.base import LeafFunction, LeafModel

Function = TypeVar("Function", bound=Callable[..., Any])
_KEPT = 64
"""Leaves that are kept of a block, to be asked about again."""


def native(function: Function) -> Function:
    """Mark a leaf function to be compiled with Numba, so that the engine calls it without Python.

    The function must be written in the part of NumPy that Numba knows. Without Numba it is called as it is:
    the optimum is the same, only slower. A function that is already compiled with ``numba.njit`` needs no
    mark.

    Parameters
    ----------
    function : callable
        The leaf function, ``function(sums)``; in a class it is a static method.

    Returns
    -------
    callable
        The same function, marked.

    Examples
    --------
    >>> import streed
    >>> @streed.native
    ... def leaf_costs(sums):
    ...     return sums[2] - sums[1] ** 2 / sums[0]
    """
    function.__dict__["__streed_native__"] = True
    return function


class Negated:
    """Rewards as costs; the function behind it can still be compiled."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Ask the function and turn its answer round."""
        return -np.asarray(self.function(sums), dtype=np.float64)


def solve_function(
    name: str, leaf: LeafFunction, features: NDArray[np.uint8], options: dict[str, Any]
) -> dict[str, Any]:
    """Call the engine with a leaf function; whatever goes wrong in it becomes a `TaskError`."""
    if leaf.native is not None:
        return _core.solve_function(
            features,
            leaf.statistics,
            leaf.native,
            leaf.n_labels,
            least_row=leaf.least_row,
            worst_row=leaf.worst_row,
            **options,
        )
    functions = Functions([(name, leaf)])
    return functions.call(
        _core.solve_function,
        features,
        leaf.statistics,
        functions.given[0],
        leaf.n_labels,
        least_row=leaf.least_row,
        worst_row=leaf.worst_row,
        **options,
    )


class Functions:
    """The leaf functions of a task, or of the parts of a combination: tried out, compiled, and watched.

    Parameters
    ----------
    parts : sequence of (str, leaf model)
        The names of the parts for errors, and their leaf models.

    Attributes
    ----------
    given : list
        What the engine gets for each part: a function, the address of a compiled one, or None where the part
        is no function.
    """

    def __init__(self, parts: Sequence[tuple[str, LeafModel]]) -> None:
        self._names = [name for name, _ in parts]
        self._checked = [
            CheckedFunction(n, leaf) if isinstance(leaf, LeafFunction) else None for n, leaf in parts
        ]
        self._compiled: list[Any] = []  # the code must be there as long as its address is
        self.given: list[Any] = []
        for (name, leaf), checked in zip(parts, self._checked, strict=True):
            compiled = None
            if checked is not None and isinstance(leaf, LeafFunction):
                checked.try_out()
                compiled = _compile(name, leaf)
            self._compiled.append(compiled)
            self.given.append(checked if compiled is None else compiled.address)

    def call(self, engine: Callable[..., dict[str, Any]], *arguments: Any, **options: Any) -> dict[str, Any]:
        """Call the engine; whatever goes wrong in a function becomes a `TaskError`."""
        try:
            answer = engine(*arguments, **options)
        except _core.TaskFailure as error:
            part = error.args[2] if len(error.args) == 3 else 0
            checked = self._checked[part]
            assert checked is not None
            _blame(self._names[part], checked, error)
        try:
            for checked in self._checked:
                if checked is not None:
                    checked.ask_again()
        except KeyboardInterrupt:  # there is a tree
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
            with np.errstate(all="ignore"):  # costs are looked at anyway, and some leaves may not exist
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
            same = np.where(known, np.abs(first - again) <= 1e-9 * size, ~np.isfinite(again))
        if same.all():
            return
        label, leaf = np.argwhere(~same)[0].tolist()
        self._changed = TaskError(
            f"{self._who} changes its answer: for the statistics {sums[:, leaf].tolist()} it gave "
            f"{first[label, leaf].item()!r} and then {again[label, leaf].item()!r}"
        )
        raise self._changed


def _blame(name: str, checked: CheckedFunction, error: _core.TaskFailure) -> NoReturn:
    """Say what the engine found wrong; compiled code cannot raise, so Python asks about the leaf again."""
    cause, statistics = error.args[:2] if len(error.args) == 3 else (str(error), [])
    if statistics:
        checked.costs(np.array(statistics)[:, None])
        cause = f"{cause} (a leaf with the statistics {list(statistics)})"
    raise TaskError(f"the task {name!r} breaks its contract: {cause}") from error


def _compile(name: str, leaf: LeafFunction) -> Any:
    """Return a function for the engine with its address, or None where Numba is not wanted or not there."""
    function, negated = leaf.function, isinstance(leaf.function, Negated)
    if isinstance(function, Negated):
        function = function.function
    compiled = hasattr(function, "py_func") and hasattr(function, "signatures")
    if not compiled and not getattr(function, "__streed_native__", False):
        return None
    try:
        numba: Any = import_module("numba")
    except ImportError:
        return None
    key = (negated, leaf.statistics.shape[1], leaf.n_labels)
    known: dict[Any, Any] = function.__dict__.setdefault("__streed_compiled__", {})  # goes with the function
    if key not in known:
        if hasattr(function, "__self__"):
            raise TaskError(
                f"the task {name!r}: a native leaf function must be a static method or a plain function"
            )
        try:
            known[key] = _compiled(numba, function if compiled else numba.njit(function), *key)
        except numba.core.errors.NumbaError as error:
            raise TaskError(f"the task {name!r}: Numba cannot compile its leaf function: {error}") from error
    return known[key]


def _compiled(numba: Any, inner: Any, negated: bool, n_statistics: int, n_labels: int) -> Any:
    """Compile the call of a function on the engine's arrays; leaves for which it raises cost NaN."""
    carray, types = numba.carray, numba.types
    sign = -1.0 if negated else 1.0

    def call(sums: Any, n: Any, costs: Any) -> None:
        table = carray(sums, (n_statistics, n))
        out = carray(costs, (n_labels, n))
        try:
            out[:] = inner(table)
        except Exception:
            for k in range(n):
                try:
                    out[:, k : k + 1] = inner(np.ascontiguousarray(table[:, k : k + 1]))
                except Exception:
                    out[:, k] = np.nan
        if negated:
            out *= sign

    double_pointer = types.CPointer(types.float64)
    return numba.cfunc(types.void(double_pointer, types.int64, double_pointer))(call)
