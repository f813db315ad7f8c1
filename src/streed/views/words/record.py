"""The main lines of a record: who made a tree and when, of which data, and what its proof covers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def record_lines(record: Mapping[str, Any], digits: int = 12) -> Iterator[str]:
    """Say who made a tree, of which data, and what its proof covers, as far as the record says so.

    Parameters
    ----------
    record : mapping
        As `Result.record` has it; that of a file may have anything in the place of texts.
    digits : int, default=12
        Digits of each SHA-256 that are shown.

    Examples
    --------
    >>> record = {"made_by": {"version": "0.2.0"}, "date": "2026-01-31", "covers": "proven: ..."}
    >>> list(record_lines(record))
    ['made by streed 0.2.0 on 2026-01-31', 'proven: ...']
    """
    made_by, data = record.get("made_by", {}), record.get("data", {})
    if isinstance(made_by, Mapping) and "version" in made_by:
        yield f"made by streed {made_by['version']} on {record.get('date')}"
    if isinstance(data, Mapping) and isinstance(found := data.get("sha256"), Mapping):
        digests = ", ".join(f"{name} {_short(str(digest), digits)}" for name, digest in found.items())
        yield f"of {data.get('rows')} rows and {len(data.get('columns', []))} columns, SHA-256 {digests}"
    if record.get("covers"):
        yield str(record["covers"])


def _short(text: str, digits: int) -> str:
    return text if len(text) <= digits else f"{text[:digits]}..."
