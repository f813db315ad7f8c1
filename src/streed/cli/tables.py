"""Tables from CSV and Parquet files, by whichever of pandas and polars is installed.

Both libraries guess types in their own way. What is missing, what is true or false and what a number looks
like is therefore settled here, so that a file gives the same columns with either of them.
"""

from __future__ import annotations

import csv
import io
import sys
import warnings
from collections.abc import Collection
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from streed.model.model import Model

MISSING = ("", "NA", "N/A", "NaN", "nan", "NULL", "null")
"""Texts that stand for a missing value in a CSV file."""
SEPARATORS = (",", ";", "\t", "|")


def read_table(path: str, *, text: Collection[str] = (), separator: str | None = None) -> Any:
    """Read a table.

    Parameters
    ----------
    path : str
        A CSV or Parquet file; ``-`` is a CSV file on the standard input.
    text : collection of str
        Columns that hold text, whatever it looks like.
    separator : str, optional
        What stands between the fields of a CSV file; by default the separator that the header has most of.

    Returns
    -------
    frame
        Of pandas or polars.
    """
    data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    name = "the standard input" if path == "-" else path
    if data.startswith(b"PAR1"):
        return _read_parquet(data, name)
    return _read_csv(data, name, text, separator)


def of_model(model: Model, frame: Any) -> Any:
    """Return a frame without the columns that the fit of a model did not have, such as keys."""
    return frame[[name for name in frame.columns if name in set(model.columns)]]


def _library(*choices: str, purpose: str) -> Any:
    """Import the first of some libraries that is installed."""
    for choice in choices:
        try:
            return import_module(choice)
        except ImportError:
            continue
    extras = " or ".join(f"pip install 'streed[{choice}]'" for choice in ("pandas", "polars"))
    raise ImportError(f"{purpose} needs pandas or polars: {extras}")


def _read_parquet(data: bytes, name: str) -> Any:
    library = _library("polars", "pandas", purpose="reading Parquet files")
    try:
        return library.read_parquet(io.BytesIO(data))
    except ImportError as error:  # pandas leaves Parquet to another library
        raise ImportError(
            "reading Parquet files needs polars, or pandas with pyarrow: pip install 'streed[polars]'"
        ) from error
    except Exception as error:
        raise ValueError(f"{name} cannot be read as Parquet: {error}") from error


def _read_csv(data: bytes, name: str, text: Collection[str], separator: str | None) -> Any:
    try:
        content = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} is not a CSV file in UTF-8: byte {error.start} is no text") from error
    if "\0" in content:
        raise ValueError(f"{name} is not a CSV file: it holds binary data")
    if not content.strip():
        raise ValueError(f"{name} is empty")
    names, separator = _header(content, name, separator)
    library = _library("pandas", "polars", purpose="reading CSV files")
    reader = _with_pandas if library.__name__ == "pandas" else _with_polars
    try:
        frame = reader(library, content, names, text, separator)
    except ValueError as error:
        reason = str(error).rpartition("C error: ")[2]
        raise ValueError(f"{name} cannot be read as CSV: {reason}") from error
    if names[0]:
        return frame
    print(f"streed: note: the first column of {name} has no name and is left out", file=sys.stderr)
    return frame[names[1:]]


def _header(content: str, name: str, separator: str | None) -> tuple[list[str], str]:
    """Return the names of the columns, which must differ, and the separator."""
    first = content.lstrip().partition("\n")[0]
    separator = separator or max(SEPARATORS, key=first.count)
    names = [field.strip() for field in next(csv.reader(io.StringIO(content.lstrip()), delimiter=separator))]
    if twice := [field for number, field in enumerate(names) if field in names[:number]]:
        raise ValueError(f"column names must be distinct, got {twice[0]!r} more than once in {name}")
    if "" in names[1:]:
        raise ValueError(f"column {names.index('', 1) + 1} of {name} has no name")
    return names, separator


def _with_pandas(pandas: Any, content: str, names: list[str], text: Collection[str], separator: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("error", pandas.errors.ParserWarning)  # rows longer than the header
        try:
            frame = pandas.read_csv(
                io.StringIO(content),
                sep=separator,
                header=0,
                names=names,
                index_col=False,
                dtype={name: str for name in names if name in text},
                keep_default_na=False,
                na_values=list(MISSING),
                skipinitialspace=True,
                low_memory=False,
            )
        except pandas.errors.ParserWarning:
            raise ValueError("a row has more fields than the header") from None
    for name in names:
        if pandas.api.types.is_string_dtype(frame[name].dtype) and frame[name].notna().any():
            frame[name] = frame[name].str.strip() if _only_texts(frame[name]) else frame[name]
    return frame


def _only_texts(series: Any) -> bool:
    return all(isinstance(value, str) for value in series.dropna().unique())


def _with_polars(polars: Any, content: str, names: list[str], text: Collection[str], separator: str) -> Any:
    try:
        frame = polars.read_csv(
            io.BytesIO(content.encode()), separator=separator, infer_schema=False, new_columns=names
        )
    except polars.exceptions.PolarsError as error:
        raise ValueError(str(error).partition("\n")[0]) from error
    columns = [
        _texts(polars, frame[name]) if name in text else _typed(polars, _texts(polars, frame[name]))
        for name in names
    ]
    return polars.DataFrame(columns)


def _texts(polars: Any, series: Any) -> Any:
    stripped = series.str.strip_chars()
    return stripped.set(stripped.is_in(list(MISSING)), None)


def _typed(polars: Any, series: Any) -> Any:
    """Turn texts into the first type that takes them all: whole numbers, numbers, Booleans, texts."""
    for dtype in (polars.Int64, polars.Float64):
        if (numbers := series.cast(dtype, strict=False)).null_count() == series.null_count():
            return numbers
    if series.drop_nulls().is_in(["True", "TRUE", "true", "False", "FALSE", "false"]).all():
        return series.str.to_lowercase().replace_strict({"true": True, "false": False}, default=None)
    return series
