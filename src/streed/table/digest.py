"""SHA-256 of tables and targets, so that a stored model says which data it was fitted to.

The digest depends on what a table says, not on the library that holds it, nor on how wide its numbers are.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.table.columns import Column, Kind, column_names, from_array, is_frame, narrowed, read_columns
from streed.table.limits import is_beyond

ORDER = (
    "SHA-256 over the name and the kind of each column (Booleans, numbers, dates, categories, ordered "
    "categories), in UTF-8 with a zero byte after each, and then over each column from the first row to "
    "the last: Booleans as bytes 0 and 1, 2 where missing; numbers and dates (microseconds since 1970 in "
    "UTC) as doubles, missing ones as 7ff8000000000000; columns of whole numbers that no doubles hold as "
    "64-bit integers, and if some are missing, one byte per row that says so; categories as 64-bit "
    "numbers by their first row, -1 where missing, after their texts in that order, each after its length"
    " in bytes as a 64-bit number; columns without any value as numbers; all numbers little-endian. A "
    "target is a table with the columns y or y0, y1, ..."
)
"""The order in which `digest` reads a table, word for word in the files."""


def digest(values: Any, name: str = "y") -> str:
    """Return the SHA-256 of a table, or of an array or list as a table with columns of some name.

    Examples
    --------
    >>> import numpy as np
    >>> digest([1, 2, 3]) == digest(np.array([1.0, 2.0, 3.0])), digest([1, 2, 3]) == digest([1, 3, 2])
    (True, False)
    """
    table = _table(values)
    plain = type(table) is np.ndarray and table.ndim in (1, 2) and table.dtype.kind in "biuf"
    if plain and not is_beyond(table):
        return _digest_of_matrix(table, name)
    columns = list(map(_with_values, _columns(table, name)))
    found = hashlib.sha256(_head([(column.name, column.kind) for column in columns]))
    for column in columns:
        for part in _parts(column):
            found.update(part)
    return found.hexdigest()


BLOCK = 2**20
"""Cells of a matrix that are made doubles at a time."""


def _digest_of_matrix(table: NDArray[Any], name: str) -> str:
    """Do so for many columns at once: one by one they would take most of the time of a small fit."""
    is_boolean = table.dtype.kind == "b"
    kind = Kind.BOOLEAN if is_boolean else Kind.NUMBER
    if table.ndim == 1:
        found = hashlib.sha256(_head([(name, kind)]))
        found.update(np.ascontiguousarray(table).data if is_boolean else _doubles(table))
        return found.hexdigest()
    found = hashlib.sha256(_head_of_matrix(name, table.shape[1], kind))
    step = max(1, BLOCK // max(1, table.shape[0]))
    for begin in range(0, table.shape[1], step):
        block = np.ascontiguousarray(table[:, begin : begin + step].T)
        found.update(block.data if is_boolean else _doubles(block))
    return found.hexdigest()


@functools.lru_cache(maxsize=64)
def _head_of_matrix(name: str, n_columns: int, kind: Kind) -> bytes:
    return _head([(each, kind) for each in _names(name, n_columns)])


def _names(name: str, n_columns: int) -> list[str]:
    return [f"{'x' if name == 'X' else name}{j}" for j in range(n_columns)]


def _head(columns: list[tuple[str, Kind]]) -> bytes:
    return "".join(f"{name}\0{kind.value}\0" for name, kind in columns).encode("utf-8", "surrogatepass")


def _table(values: Any) -> Any:
    """Return a frame as it is, and everything else as an array."""
    return values if is_frame(values) else np.asarray(narrowed(values))


def _columns(table: Any, name: str) -> Iterator[Column]:
    if is_frame(table):
        yield from read_columns(table, column_names(table))
    elif table.dtype.names is not None:  # events and times
        yield from (from_array(field, np.ascontiguousarray(table[field])) for field in table.dtype.names)
    elif table.ndim == 2:
        yield from read_columns(table, _names(name, table.shape[1]))
    else:
        yield from_array(name, table.reshape(-1))


def _with_values(column: Column) -> Column:
    """Return a column without any value as numbers: libraries differ in what they take it for."""
    if column.kind.is_category and not (np.asarray(column.values) >= 0).any():
        return Column(column.name, Kind.NUMBER, np.full(len(column.values), np.nan))
    return column


def _parts(column: Column) -> Iterator[Any]:
    if not column.kind.is_category:
        yield _numbers(column)
        return
    codes = np.asarray(column.values, np.int64)
    used, first = np.unique(codes[codes >= 0], return_index=True)
    order = used[np.argsort(first)]
    places = np.full(len(column.categories) + 1, -1, np.int64)
    places[order] = np.arange(order.size)
    for code in order.tolist():
        text = str(column.categories[code]).encode("utf-8", "surrogatepass")
        yield len(text).to_bytes(8, "little")
        yield text
    yield np.ascontiguousarray(places[codes], "<i8").data


def _numbers(column: Column) -> Any:
    """Return the values of a column of numbers, Booleans or dates as bytes."""
    values = column.values
    if column.kind is Kind.BOOLEAN:
        known = np.nan_to_num(values, nan=2) if values.dtype.kind == "f" else values
        return np.ascontiguousarray(known).astype(np.uint8).data
    if values.dtype.kind not in "iu":
        return _doubles(values)
    if column.missing is None and not is_beyond(values):
        return _doubles(values)
    kind = "<u8" if values.dtype.kind == "u" else "<i8"
    if column.missing is None:
        return np.ascontiguousarray(values, kind).data
    return np.where(column.missing, 0, values).astype(kind).tobytes() + column.missing.tobytes()


def _doubles(values: NDArray[Any]) -> Any:
    numbers = np.array(values, "<f8")
    if values.dtype.kind == "f":
        numbers += 0.0  # no minus zero
        missing = np.isnan(numbers)
        if missing.any():
            numbers[missing] = np.nan
    return numbers.data
