"""Columns of tables of any kind: NumPy arrays, pandas, polars and other frames, read without importing them.

Every column becomes Booleans, numbers, dates (numbers too), or categories, with or without an order.
Everything else is refused by name.
"""

from __future__ import annotations

import datetime as dt
import math
import numbers
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.magnitudes import as_floats
from streed.table.dates import EPOCH, date_numbers
from streed.table.limits import is_beyond
from streed.table.missing import is_missing


class Kind(StrEnum):
    """What a column holds."""

    BOOLEAN = "Booleans"
    NUMBER = "numbers"
    DATE = "dates"
    CATEGORY = "categories"
    ORDERED = "ordered categories"

    @property
    def is_category(self) -> bool:
        """Whether the values are positions in a list of categories."""
        return self in (Kind.CATEGORY, Kind.ORDERED)


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A column as numbers: Booleans, numbers, or positions in `categories`, where -1 stands for missing.

    Booleans and numbers with missing values are floats with NaN; dates are floats as `streed.table.dates`
    makes them. Integers that doubles cannot tell apart stay integers, and `missing` says where there are
    none; it is None for all other columns.
    """

    name: str
    kind: Kind
    values: NDArray[Any]
    categories: Sequence[Any] = ()
    missing: NDArray[np.bool_] | None = None
    finite: bool = False
    """Whether it is known that there is neither NaN nor infinity."""

    def floats(self) -> NDArray[np.float64]:
        """Return the numbers as doubles, NaN where they are missing."""
        values = np.array(self.values, dtype=np.float64)
        if self.missing is not None:
            values[self.missing] = np.nan
        return values


def is_pandas(X: object) -> bool:
    """Whether `X` is a pandas frame."""
    kind = type(X)  # the property `dtypes` of a frame would take longer than to predict a row
    return hasattr(kind, "iloc") and hasattr(kind, "dtypes") and hasattr(kind, "columns")


def is_frame(X: object) -> bool:
    """Whether `X` is a frame that `read_columns` reads: pandas, polars, or wrapped by narwhals."""
    if type(X) is np.ndarray:  # nearly always, and asked several times in a fit
        return False
    return is_pandas(X) or all(hasattr(type(X), name) for name in ("iter_columns", "columns", "shape"))


_FIRST = tuple(f"x{j}" for j in range(256))


def numbered_names(n: int) -> list[str]:
    """Return ``x0``, ``x1``, ...: the names of columns without names."""
    return [*_FIRST[:n], *[f"x{j}" for j in range(len(_FIRST), n)]]


def column_names(X: Any) -> list[str]:
    """Return the names of the columns; ``x0``, ``x1``, ... where they are not strings."""
    names = list(X.columns) if type(X) is not np.ndarray and is_frame(X) else []
    if not names or not all(isinstance(name, str) for name in names):
        return numbered_names(X.shape[1])
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"column names must be distinct, got {twice!r} more than once")
    return names


def read_columns(X: Any, names: list[str]) -> Iterator[Column]:
    """Read the columns of an array or a frame, one after the other."""
    if type(X) is np.ndarray and X.dtype.kind in "iuf":
        finite = all_finite(X)  # all columns at once: one by one this would be most of the time of reading
        yield from (Column(name, Kind.NUMBER, X[:, j], finite=finite) for j, name in enumerate(names))
    elif is_pandas(X):
        yield from (from_pandas(name, X.iloc[:, j]) for j, name in enumerate(names))
    elif is_frame(X):
        from streed.table.frames import from_series, wrap

        frame, types = wrap(X)
        yield from (from_series(*pair, types) for pair in zip(names, frame.iter_columns(), strict=True))
    else:
        yield from (from_array(name, X[:, j]) for j, name in enumerate(names))


WIDE = ("Int128", "UInt128")
"""Types of integers, of polars and narwhals, that NumPy does not have."""


def narrowed(values: Any) -> Any:
    """Return a series of 128-bit integers, which NumPy does not know, as a list; anything else as it is."""
    if type(values) is np.ndarray or not hasattr(values, "to_list"):
        return values
    return values.to_list() if str(values.dtype) in WIDE else values


def all_finite(values: NDArray[Any]) -> bool:
    """Whether there is neither NaN nor infinity; the sum tells it without a temporary array, mostly."""
    if values.dtype.kind != "f":
        return True
    with np.errstate(over="ignore", invalid="ignore"):
        return math.isfinite(values.sum()) or bool(np.isfinite(values).all())


def from_array(name: str, values: NDArray[Any]) -> Column:
    """Read a one-dimensional array."""
    kind = values.dtype.kind
    if kind == "b":
        return Column(name, Kind.BOOLEAN, values)
    if kind in "iuf":
        return Column(name, Kind.NUMBER, values)
    if kind == "M":
        return Column(name, Kind.DATE, date_numbers(values))
    if kind in "OUST":
        return from_objects(name, values.tolist())
    raise unreadable(name, values.dtype)


def from_pandas(name: str, series: Any) -> Column:
    """Read a series of pandas."""
    dtype = series.dtype
    if dtype.name == "category":
        kind = Kind.ORDERED if dtype.ordered else Kind.CATEGORY
        return Column(name, kind, series.cat.codes.to_numpy(), series.cat.categories.tolist())
    if isinstance(dtype, np.dtype):
        return from_array(name, series.to_numpy())
    if dtype.kind in "iu":
        missing = series.isna().to_numpy()
        known = series.to_numpy(dtype=dtype.numpy_dtype, na_value=0)
        return integers(name, known, missing if missing.any() else None)
    if dtype.kind in "biuf":  # an extension type, whose missing values are not NaN
        kind = Kind.BOOLEAN if dtype.kind == "b" else Kind.NUMBER
        return Column(name, kind, series.to_numpy(dtype=np.float64, na_value=np.nan))
    if dtype.kind == "M":  # with a time zone, or of Arrow
        zoned = getattr(series.dt, "tz", None) is not None
        series = series.dt.tz_convert("UTC").dt.tz_localize(None) if zoned else series
        return Column(name, Kind.DATE, date_numbers(series.to_numpy(dtype="datetime64[us]")))
    if dtype.kind in "OU" and issubclass(dtype.type, str):
        codes, categories = series.factorize()
        return Column(name, Kind.CATEGORY, codes, categories.tolist())
    if issubclass(dtype.type, dt.date):
        return from_objects(name, series.tolist())
    raise unreadable(name, dtype)


def integers(name: str, values: NDArray[Any], missing: NDArray[np.bool_] | None) -> Column:
    """Read integers, of which some may be missing; then they are doubles unless these are not exact."""
    if missing is None:
        return from_array(name, values)
    found = Column(name, Kind.NUMBER, values, missing=missing)
    return found if is_beyond(values) else Column(name, Kind.NUMBER, found.floats())


def unreadable(name: str, dtype: object) -> TypeError:
    """Return the error for a column of a type that has no place here."""
    return TypeError(
        f"column {name!r} has the type {dtype}: it must hold numbers, Booleans, dates or strings; "
        "convert it first"
    )


def from_objects(name: str, values: list[Any]) -> Column:
    """Find out what a column of Python objects holds, from the set of their types."""
    types = set(map(type, values))
    if not types <= {str}:
        values = [None if not isinstance(value, str) and is_missing(value) else value for value in values]
        types = set(map(type, values)) - {type(None)}
    groups = {
        "strings": {kind for kind in types if issubclass(kind, str | bytes)},
        "numbers": {kind for kind in types if issubclass(kind, numbers.Real | np.bool_) or _is_decimal(kind)},
        "dates": {kind for kind in types if issubclass(kind, dt.date | np.datetime64)},
    }
    if odd := types - set().union(*groups.values()):
        kind = min(kind.__name__ for kind in odd)
        raise TypeError(f"column {name!r} holds a {kind}: each argument must be a string or a number")
    found = [group for group, members in groups.items() if members]
    if len(found) > 1:
        first = tuple(groups[found[0]])
        row = next(i for i, value in enumerate(values) if isinstance(value, first))
        raise TypeError(
            f"column {name!r} mixes {' and '.join(found)}, the first {found[0][:-1]} is {values[row]!r} "
            f"in row {row}"
        )
    if groups["strings"]:
        return _encode(name, values)
    if groups["dates"]:
        return Column(name, Kind.DATE, date_numbers(np.array([_plain_date(value) for value in values])))
    if types == {int} and is_beyond(whole := np.array([0 if value is None else value for value in values])):
        missing = np.array([value is None for value in values])
        return integers(name, whole, missing if missing.any() else None)
    only_booleans = bool(types) and types <= {bool, np.bool_}
    return Column(name, Kind.BOOLEAN if only_booleans else Kind.NUMBER, as_floats(values))


def _is_decimal(kind: type) -> bool:
    return kind.__name__ == "Decimal"


def _plain_date(value: Any) -> np.datetime64:
    """Turn a date of any sort (pandas' Timestamp is a datetime) into NumPy's, in UTC if it has a zone."""
    if value is None:
        return np.datetime64("NaT", "us")
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        value = value.astimezone(EPOCH.tzinfo).replace(tzinfo=None)
    return np.datetime64(value, "us")


def _encode(name: str, values: list[Any]) -> Column:
    """Give each category the next number; a dictionary that counts its own keys does it in one pass."""
    position: defaultdict[Any, int] = defaultdict()
    position.default_factory = position.__len__
    position[None] = -1
    codes = np.fromiter(map(position.__getitem__, values), np.int64, len(values))
    del position[None]
    return Column(name, Kind.CATEGORY, np.where(codes > 0, codes - 1, codes), list(position))
