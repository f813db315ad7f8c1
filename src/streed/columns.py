"""Columns of tables of any kind: NumPy arrays, pandas and polars frames, read without importing them.

Every column becomes one of three kinds: Boolean, numbers (float64, NaN where missing) or categories (a list
of Python objects, None where missing). Everything else is refused by name.
"""

from __future__ import annotations

import numbers
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.missing import is_missing


class Kind(StrEnum):
    """What a column holds."""

    BOOLEAN = "Booleans"
    NUMBER = "numbers"
    CATEGORY = "categories"


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A column as numbers: Booleans, numbers, or positions in `categories`, where -1 stands for missing.

    Booleans with missing values are floats with NaN.
    """

    name: str
    kind: Kind
    values: NDArray[Any]
    categories: Sequence[Any] = ()


def is_frame(X: object) -> bool:
    """Whether `X` is a pandas or polars frame."""
    return (
        hasattr(X, "columns") and hasattr(X, "dtypes") and (hasattr(X, "iloc") or hasattr(X, "get_columns"))
    )


def column_names(X: Any) -> list[str]:
    """Return the names of the columns; ``x0``, ``x1``, ... where they are not strings."""
    names = list(X.columns) if is_frame(X) else []
    if not names or not all(isinstance(name, str) for name in names):
        return [f"x{j}" for j in range(X.shape[1])]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"column names must be distinct, got {twice!r} more than once")
    return names


def read_columns(X: Any, names: list[str]) -> Iterator[Column]:
    """Read the columns of an array or a frame, one after the other."""
    for j, name in enumerate(names):
        if hasattr(X, "get_columns"):
            yield _from_polars(name, X.to_series(j))
        elif is_frame(X):
            yield _from_pandas(name, X.iloc[:, j])
        else:
            yield _from_array(name, X[:, j])


def _from_array(name: str, values: NDArray[Any]) -> Column:
    kind = values.dtype.kind
    if kind == "b":
        return Column(name, Kind.BOOLEAN, values)
    if kind in "iuf":
        return Column(name, Kind.NUMBER, values)
    if kind in "OUST":
        return _from_objects(name, values.tolist())
    raise _refusal(name, values.dtype)


def _from_pandas(name: str, series: Any) -> Column:
    dtype = series.dtype
    if dtype.name == "category":
        return Column(name, Kind.CATEGORY, series.cat.codes.to_numpy(), series.cat.categories.tolist())
    if isinstance(dtype, np.dtype):
        return _from_array(name, series.to_numpy())
    if dtype.kind in "biuf":  # an extension type, whose missing values are not NaN
        kind = Kind.BOOLEAN if dtype.kind == "b" else Kind.NUMBER
        return Column(name, kind, series.to_numpy(dtype=np.float64, na_value=np.nan))
    if dtype.kind in "OU" and issubclass(dtype.type, str):
        codes, categories = series.factorize()
        return Column(name, Kind.CATEGORY, codes, categories.tolist())
    raise _refusal(name, dtype)


def _from_polars(name: str, series: Any) -> Column:
    kind = str(series.dtype)
    if kind == "Boolean" or series.dtype.is_numeric():
        values = series.cast(float) if series.null_count() else series
        return Column(name, Kind.BOOLEAN if kind == "Boolean" else Kind.NUMBER, values.to_numpy())
    if kind.startswith(("String", "Categorical", "Enum")):
        strings = series.cast(str)
        categories = strings.drop_nulls().unique(maintain_order=True)
        codes = (
            strings.replace_strict(categories, list(range(len(categories))), default=-1)
            if len(categories)
            else -1
        )
        return Column(name, Kind.CATEGORY, np.broadcast_to(codes, len(series)), categories.to_list())
    if kind in ("Object", "Null"):
        return _from_objects(name, series.to_list())
    raise _refusal(name, series.dtype)


def _refusal(name: str, dtype: object) -> TypeError:
    return TypeError(
        f"column {name!r} has the type {dtype}: it must hold numbers, Booleans or strings; convert it first"
    )


def _from_objects(name: str, values: list[Any]) -> Column:
    """Find out what a column of Python objects holds, from the set of their types."""
    types = set(map(type, values))
    if not types <= {str}:
        values = [None if not isinstance(value, str) and is_missing(value) else value for value in values]
        types = set(map(type, values)) - {type(None)}
    strings = {kind for kind in types if issubclass(kind, str | bytes)}
    real = {kind for kind in types if issubclass(kind, numbers.Real | np.bool_) or kind.__name__ == "Decimal"}
    if odd := types - strings - real:
        kind = min(kind.__name__ for kind in odd)
        raise TypeError(f"column {name!r} holds a {kind}: each argument must be a string or a number")
    if strings and real:
        row = next(i for i, value in enumerate(values) if isinstance(value, str | bytes))
        raise TypeError(
            f"column {name!r} mixes strings and numbers, the first string is {values[row]!r} in row {row}"
        )
    if strings:
        return _encode(name, values)
    only_booleans = bool(types) and types <= {bool, np.bool_}
    return Column(name, Kind.BOOLEAN if only_booleans else Kind.NUMBER, np.array(values, dtype=np.float64))


def _encode(name: str, values: list[Any]) -> Column:
    """Give each category the next number; a dictionary that counts its own keys does it in one pass."""
    position: defaultdict[Any, int] = defaultdict()
    position.default_factory = position.__len__
    position[None] = -1
    codes = np.fromiter(map(position.__getitem__, values), np.int64, len(values))
    del position[None]
    return Column(name, Kind.CATEGORY, np.where(codes > 0, codes - 1, codes), list(position))
