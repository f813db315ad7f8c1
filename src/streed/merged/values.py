"""Values that stay beside the features of a row, as words: what is predicted, groups."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.table.missing import is_missing


def column_of(frame: Any, name: str, place: str) -> NDArray[Any]:
    """Return a column of a frame as an array without missing values."""
    column = frame[name]
    values = np.asarray(column.to_numpy())
    if values.dtype.kind not in "biuf":
        values = values.astype(object)
    missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(0, np.bool_)
    if values.dtype.kind == "O":
        missing = np.fromiter(map(is_missing, values.tolist()), np.bool_, values.size)
    if missing.any():
        row = int(np.flatnonzero(missing)[0])
        raise ValueError(f"{place}: {name!r} must not have missing values, the first is in row {row}")
    return values


class Values:
    """Codes of the values of one column: numbers by their bits, all others in the order in which they come.

    Parameters
    ----------
    name : str
        The column.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._kind = ""
        self._codes: dict[Any, int] = {}

    def encode(self, values: NDArray[Any], place: str) -> NDArray[np.uint64]:
        """Return a word for each value; equal values have equal words."""
        kind = {"b": "Booleans", "O": "texts or objects"}.get(values.dtype.kind, "numbers")
        if self._kind not in ("", kind):
            raise TypeError(f"{place}: {self._name!r} holds {kind}, but it held {self._kind} before")
        self._kind = kind
        if kind == "Booleans":
            return values.astype(np.uint64)
        if kind == "numbers":
            return self._bits(values, place)
        return np.fromiter(map(self._code, values.tolist()), np.uint64, values.size)

    def decode(self, words: NDArray[np.uint64]) -> NDArray[Any]:
        """Return the values of words: the inverse of `encode`."""
        if self._kind == "Booleans":
            return words.astype(np.bool_)
        if self._kind == "numbers":
            numbers = np.ascontiguousarray(words).view(np.float64)
            whole = numbers.astype(np.int64)
            return whole if (whole == numbers).all() else numbers
        return np.array(list(self._codes), dtype=object)[words.astype(np.intp)]

    def _bits(self, values: NDArray[Any], place: str) -> NDArray[np.uint64]:
        numbers = values.astype(np.float64) + 0.0  # no -0.0
        if values.dtype.kind in "iu" and (np.abs(numbers) >= 2.0**53).any():
            raise ValueError(f"{place}: {self._name!r} holds whole numbers beyond 2**53, give them as texts")
        if not np.isfinite(numbers).all():
            raise ValueError(f"{place}: {self._name!r} holds infinity")
        return numbers.view(np.uint64)

    def _code(self, value: Any) -> int:
        return self._codes.setdefault(value, len(self._codes))
