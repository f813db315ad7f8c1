"""Leaf functions compiled by Numba, so that the engine calls them without Python."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from streed.errors import TaskError

if TYPE_CHECKING:
    from streed.leaves.function import LeafFunction

Function = TypeVar("Function", bound=Callable[..., Any])


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


def compiled(name: str, leaf: LeafFunction) -> Any:
    """Return a function for the engine with its address, or None where Numba is not wanted or not there."""
    function, negated = leaf.function, isinstance(leaf.function, Negated)
    if isinstance(function, Negated):
        function = function.function
    by_user = hasattr(function, "py_func") and hasattr(function, "signatures")
    if not by_user and not getattr(function, "__streed_native__", False):
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
            known[key] = _compile(numba, function if by_user else numba.njit(function), *key)
        except numba.core.errors.NumbaError as error:
            raise TaskError(f"the task {name!r}: Numba cannot compile its leaf function: {error}") from error
    return known[key]


def _compile(numba: Any, inner: Any, negated: bool, n_statistics: int, n_labels: int) -> Any:
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
