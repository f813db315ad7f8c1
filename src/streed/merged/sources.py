"""Where rows come from: files, frames of any library, frames that are made when asked for; always in blocks.

A source can be begun again: `blocks` returns an iterator over frames of at most `BLOCK` rows. An iterator can
be used up only once, so cuts cannot be chosen from it before its rows are read.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from streed.errors import StreedError
from streed.table.columns import is_frame
from streed.table.frames import adopt

BLOCK = 262_144
"""Rows that are read at a time: their features take 8 MB at 30 columns."""


class Source:
    """Frames that can be asked for once, or again and again.

    Parameters
    ----------
    begin : function
        Returns an iterator over pairs of a frame and what errors call the place that it comes from.
    once : bool
        Whether `begin` may be called only once.
    """

    def __init__(self, begin: Callable[[], Iterator[tuple[str, Any]]], once: bool = False) -> None:
        self._begin = begin
        self.once = once

    def blocks(self) -> Iterator[tuple[str, Any]]:
        """Return an iterator over frames of at most `BLOCK` rows, with the columns of the first one."""
        names: list[str] | None = None
        first = ""
        for place, whole in self._begin():
            frame = adopt(whole)
            if not is_frame(frame):
                raise TypeError(f"{place}: expected a frame with named columns, got a {type(whole).__name__}")
            found = [str(name) for name in frame.columns]
            if names is None:
                names, first = found, place
            elif set(found) != set(names):
                raise ValueError(f"{place} has other columns than {first}: {_difference(names, found)}")
            for begin in range(0, frame.shape[0], BLOCK):
                rows = slice(begin, begin + BLOCK)
                part = frame.iloc[rows] if hasattr(frame, "iloc") else frame[rows]
                yield place, part if found == names else part[names]


def _difference(names: list[str], found: list[str]) -> str:
    lacks = [name for name in names if name not in found]
    adds = [name for name in found if name not in names]
    parts = [f"without {', '.join(map(repr, lacks))}"] if lacks else []
    return " and ".join([*parts, *([f"with {', '.join(map(repr, adds))}"] if adds else [])])


def source_of(source: Any) -> Source:
    """Return the frames of anything that `merge_rows` takes."""
    if isinstance(source, Source):
        return source
    if isinstance(source, str | os.PathLike):
        source = files_of(source)
    if isinstance(source, list | tuple) and source and all(isinstance(s, str | os.PathLike) for s in source):
        paths = [path for each in source for path in files_of(each)]
        return Source(lambda: _read_parquet(paths))
    for known, begin in ((_is_lazy, _lazy_batches), (_is_dask, _dask_parts), (_is_duckdb, _duckdb_batches)):
        if known(source):
            return Source(partial(begin, source))
    if is_frame(source) or hasattr(source, "__arrow_c_stream__") or hasattr(source, "__dataframe__"):
        return Source(lambda: iter([("the frame", source)]))
    if callable(source):
        return Source(lambda: _numbered(source()))
    if isinstance(source, Iterable):
        return Source(lambda: _numbered(source), once=isinstance(source, Iterator))
    raise TypeError(
        "source must be a Parquet file, a folder or list of them, a frame (pandas, polars, Arrow, Dask, also "
        f"lazy), a relation of DuckDB, or an iterable of frames, got {source!r}"
    )


def files_of(path: str | os.PathLike[str]) -> list[Path]:
    """Return the Parquet files that a path stands for: itself, those of a folder, or what a pattern fits."""
    given = Path(path)
    if given.is_dir():
        found = sorted(given.rglob("*.parquet"))
        if not found:
            raise FileNotFoundError(f"no *.parquet in the folder {given}")
        return found
    if given.exists():
        return [given]
    found = sorted(map(Path, glob.glob(os.fspath(path), recursive=True)))  # noqa: PTH207  (a pattern may be absolute)
    if not found:
        raise FileNotFoundError(f"no such file: {given}")
    return found


def _read_parquet(paths: list[Path]) -> Iterator[tuple[str, Any]]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise ImportError("reading Parquet files needs the package pyarrow: pip install pyarrow") from error
    for path in paths:
        try:
            with parquet.ParquetFile(path) as file:
                for batch in file.iter_batches(batch_size=BLOCK):
                    yield str(path), pa.Table.from_batches([batch])
        except (pa.lib.ArrowException, OSError) as error:
            raise StreedError(f"{path} cannot be read as a Parquet file: {error}") from error


def _is_lazy(source: Any) -> bool:
    return hasattr(source, "collect_schema") and hasattr(source, "collect") and not is_frame(source)


def _lazy_batches(source: Any) -> Iterator[tuple[str, Any]]:
    if hasattr(source, "collect_batches"):
        batches = source.collect_batches(chunk_size=BLOCK)
    else:  # polars before 1.34: the whole is read
        batches = [source.collect()]
    return (("the lazy frame", batch) for batch in batches)


def _is_dask(source: Any) -> bool:
    return hasattr(source, "partitions") and hasattr(source, "compute")


def _dask_parts(source: Any) -> Iterator[tuple[str, Any]]:
    for number in range(source.npartitions):
        yield f"partition {number}", source.partitions[number].compute()


def _is_duckdb(source: Any) -> bool:
    return type(source).__module__.partition(".")[0] in ("duckdb", "_duckdb") and hasattr(source, "columns")


def _duckdb_batches(source: Any) -> Iterator[tuple[str, Any]]:
    import pyarrow as pa

    read = source.to_arrow_reader if hasattr(source, "to_arrow_reader") else source.fetch_record_batch
    return (("the relation", pa.Table.from_batches([batch])) for batch in read(BLOCK))


def _numbered(frames: Iterable[Any]) -> Iterator[tuple[str, Any]]:
    return ((f"frame {number}", frame) for number, frame in enumerate(frames))
