"""Frames other than pandas': polars itself, or whatever narwhals knows (Arrow tables, Modin, cuDF, ...).

narwhals speaks the language of polars, so one reader does for both; `types` is the module (narwhals or
polars) whose names for types the series understands.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from streed.table.columns import WIDE, Column, Kind, from_array, from_objects, integers, is_frame, unreadable
from streed.table.dates import date_numbers


def narwhals() -> Any:
    """Return the module narwhals, or None if it is not installed."""
    try:
        import narwhals
    except ImportError:
        return None
    return narwhals


def wrap(X: Any) -> tuple[Any, Any]:
    """Return a frame and the module whose types its series have."""
    if (library := narwhals()) is not None:
        return library.from_native(X, eager_only=True), library
    return X, sys.modules["polars"]


def adopt(X: Any) -> Any:
    """Return a foreign frame in a form that can be read, and everything else as it is."""
    if hasattr(X, "collect") and hasattr(X, "collect_schema"):
        raise TypeError(f"a table must be in memory, got a {type(X).__name__}: call collect() first")
    is_foreign = hasattr(X, "__arrow_c_stream__") or hasattr(X, "__dataframe__")
    if is_frame(X) or not is_foreign or len(getattr(X, "shape", ())) != 2:
        return X
    library = narwhals()
    if library is None:
        raise TypeError(f"reading a {type(X).__name__} needs the package narwhals: pip install narwhals")
    return library.from_native(X, eager_only=True)


def from_series(name: str, series: Any, types: Any) -> Column:
    """Read a series of polars or narwhals."""
    dtype = series.dtype
    if dtype == types.Boolean or dtype.is_numeric():
        if str(dtype) in WIDE and not series.null_count():
            return from_array(name, _narrow(series))
        if dtype.is_integer() and series.null_count() and str(dtype) not in WIDE:
            return integers(name, series.fill_null(0).to_numpy(), series.is_null().to_numpy())
        as_floats = series.null_count() or dtype == types.Decimal or str(dtype) in WIDE
        values = (series.cast(types.Float64) if as_floats else series).to_numpy()
        return Column(name, Kind.BOOLEAN if dtype == types.Boolean else Kind.NUMBER, values)
    if dtype in (types.Date, types.Datetime):
        return Column(name, Kind.DATE, date_numbers(series.to_numpy().astype("datetime64[us]")))
    if dtype == types.Enum:
        return _encode(name, Kind.ORDERED, series, list(dtype.categories), types)
    if dtype in (types.String, types.Categorical):
        strings = series.cast(types.String) if dtype == types.Categorical else series
        if len(strings) <= FEW:
            distinct = list(dict.fromkeys(text for text in strings.to_list() if text is not None))
            return _encode(name, Kind.CATEGORY, strings, distinct, types)
        distinct = strings.drop_nulls().unique(maintain_order=True).to_list()
        return _encode(name, Kind.CATEGORY, strings, distinct, types)
    if dtype == types.Object or str(dtype) in ("Null", "Unknown"):
        return from_objects(name, series.to_list())
    raise unreadable(name, dtype)


def _narrow(series: Any) -> Any:
    """Return 128-bit integers, which NumPy does not know, as 64-bit ones if they fit, else as doubles."""
    values = np.array(series.to_list())
    return values if values.dtype.kind in "iu" else values.astype(np.float64)


FEW = 256
"""Up to this many rows are encoded by a dict: preparing an expression of polars takes 0.2 ms."""


def _encode(name: str, kind: Kind, series: Any, categories: list[Any], types: Any) -> Column:
    """Replace each category by its position; what is missing becomes -1."""
    if len(series) <= FEW:
        place = {category: position for position, category in enumerate(categories)}
        found = [-1 if text is None else place[text] for text in series.to_list()]
        return Column(name, kind, np.array(found, dtype=np.int32), categories)
    missing = series.is_null().to_numpy()
    codes = np.full(len(series), -1, dtype=np.int32)
    if not missing.all():
        known = series.drop_nulls().cast(types.String)
        codes[~missing] = known.replace_strict(
            categories, list(range(len(categories))), return_dtype=types.Int32
        ).to_numpy()
    return Column(name, kind, codes, categories)
