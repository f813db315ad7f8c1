"""Leaf costs as functions of statistics: checked NumPy functions, or the same ones compiled by Numba."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.errors import TaskError
from streed.tasks.base import LeafFunction

Function = TypeVar("Function", bound=Callable[..., Any])
_COMPILED: dict[tuple[Any, int, int], Any] = {}


def native(function: Function) -> Function:
    """Mark a leaf function to be compiled with Numba, so that the engine calls it without Python.

    The function must be written in the part of NumPy that Numba knows. Without Numba it is called as it is:
    the optimum is the same, only slower. A function that is already compiled with ``numba.njit`` needs no
    mark.

    Parameters
    ----------
    function : callable
        The leaf function, ``function(sums)``.

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


def solve_function(
    name: str, leaf: LeafFunction, features: NDArray[np.uint8], options: dict[str, Any]
) -> dict[str, Any]:
    """Call the engine with a leaf function; whatever goes wrong in it becomes a `TaskError`."""
    n_statistics = leaf.statistics.shape[1]
    checked = _Checked(name, leaf)
    checked.try_out()
    compiled = _compile(leaf.function, n_statistics, leaf.n_labels)
    try:
        return _core.solve_function(
            features,
            leaf.statistics,
            checked if compiled is None else compiled.address,
            leaf.n_labels,
            least_row=leaf.least_row,
            worst_row=leaf.worst_row,
            **options,
        )
    except _core.TaskFailure as error:
        raise TaskError(f"the task {name!r} breaks its contract: {error}") from error


class _Checked:
    """A leaf function with its answers checked: numbers, one per label and leaf."""

    def __init__(self, name: str, leaf: LeafFunction) -> None:
        self._name = name
        self._leaf = leaf

    def __call__(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        leaves, labels = sums.shape[1], self._leaf.n_labels
        try:
            with np.errstate(all="ignore"):  # costs are looked at anyway, and some leaves may not exist
                answer = self._leaf.function(sums)
        except Exception as error:
            raise TaskError(
                f"the leaf function of the task {self._name!r} raised {type(error).__name__}: {error}"
            ) from error
        try:
            costs = np.ascontiguousarray(answer, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise TaskError(
                f"the leaf function of the task {self._name!r} must return numbers, got {answer!r}"
            ) from error
        shapes = [(labels, leaves), (leaves,)] if labels == 1 else [(labels, leaves)]
        if costs.shape not in shapes:
            expected = " or ".join(map(str, shapes))
            raise TaskError(
                f"the leaf function of the task {self._name!r} must return costs of shape {expected} "
                f"(labels, leaves) for {leaves} leaves, got shape {costs.shape}"
            )
        return costs

    def try_out(self) -> None:
        """Ask twice about the root: wrong shapes, NaN and answers that change are seen before the search."""
        sums = self._leaf.statistics.sum(axis=0)[:, None] * np.ones((1, 3))
        first, second = self(sums.copy()), self(sums.copy())
        if not np.isfinite(first).all():
            raise TaskError(
                f"the leaf function of the task {self._name!r} must return finite costs, got "
                f"{first[~np.isfinite(first)][0]} for the statistics {sums[:, 0].tolist()}"
            )
        if not np.array_equal(first, second):
            raise TaskError(
                f"the leaf function of the task {self._name!r} changes its answer: for the statistics "
                f"{sums[:, 0].tolist()} it gave {first.ravel()[0]!r} and then {second.ravel()[0]!r}"
            )


def _compile(function: Callable[..., Any], n_statistics: int, n_labels: int) -> Any:
    """Return a function for the engine with its address, or None where Numba is not wanted or not there."""
    compiled = hasattr(function, "py_func") and hasattr(function, "signatures")
    if not compiled and not getattr(function, "__streed_native__", False):
        return None
    try:
        numba: Any = import_module("numba")
    except ImportError:
        return None
    key = (function, n_statistics, n_labels)
    if key not in _COMPILED:
        carray, types = numba.carray, numba.types
        inner = function if compiled else numba.njit(function)

        def call(sums: Any, n: Any, costs: Any) -> None:
            table = carray(sums, (n_statistics, n))
            out = carray(costs, (n_labels, n))
            out[:] = inner(table)

        double_pointer = types.CPointer(types.float64)
        signature = types.void(double_pointer, types.int64, double_pointer)
        _COMPILED[key] = numba.cfunc(signature)(call)
    return _COMPILED[key]
