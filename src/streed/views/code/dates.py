"""Dates in SQL, compared as moments in UTC, in whichever form a database stores them.

A date without a time zone counts as UTC, as in a fit. Each function gets the quoted name of a column, an ISO
date as limit, and what quotes names; it writes that the column is at most the limit.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping

from streed.table.dates import EPOCH


def _moment(limit: str) -> str:
    """Write an ISO date in full, in UTC.

    Examples
    --------
    >>> _moment("2024-03-05"), _moment("2024-03-05T01:00:00.5+02:00")
    ('2024-03-05 00:00:00.000000', '2024-03-04 23:00:00.500000')
    """
    date = dt.datetime.fromisoformat(limit)
    try:
        plain = date.astimezone(EPOCH.tzinfo).replace(tzinfo=None) if date.tzinfo else date
    except OverflowError:
        raise ValueError(f"the date {limit!r} lies outside the years 1 to 9999 in UTC") from None
    return plain.isoformat(" ", "microseconds")


OFFSET = "ltrim(substr({}, 11), ' T0123456789:.Z')"
"""The offset at the end of a text, as SQLite reads it; empty in UTC."""


def _sqlite(name: str, limit: str, quote: str) -> str:
    """Compare texts of ISO 8601 of any form, since SQLite has no type for dates.

    Functions of dates in SQLite round to milliseconds. So the text of a row stays as it is, but for T and Z,
    and the limit is moved to the row's offset. What a text leaves out counts as zeros: a prefix of a moment
    sorts before all of it. So does an offset behind such a prefix, since + and - come before colon, point and
    digits; the first 26 characters end with the microseconds, so that no offset follows these.
    """
    second, fraction = _moment(limit).split(".")
    offset = f"coalesce(nullif({OFFSET.format(name)}, ''), '+00:00')"
    return (
        f"substr(replace(replace({name}, 'T', ' '), 'Z', ''), 1, 26) <= "
        f"strftime('%Y-%m-%d %H:%M:%S', '{second}', {offset}) || '.{fraction}'"
    )


def _duckdb(name: str, limit: str, quote: str) -> str:
    """Compare columns of all types of dates, and texts of ISO 8601.

    A cast to TIMESTAMP drops the offset of a text, and one to TIMESTAMPTZ takes dates without an offset to be
    in the time zone of the session: which of the two is right is seen from the text of each row.
    """
    text, moment = f"CAST({name} AS VARCHAR)", _moment(limit)
    return (
        f"CASE WHEN {_has_offset(text)} THEN CAST({name} AS TIMESTAMPTZ) <= TIMESTAMPTZ '{moment}+00:00' "
        f"ELSE CAST({text} AS TIMESTAMP) <= TIMESTAMP '{moment}' END"
    )


def duckdb_moment(name: str) -> str:
    """Write a column of any type of dates, or of texts, as a TIMESTAMP in UTC."""
    text = f"CAST({name} AS VARCHAR)"
    return (
        f"CASE WHEN {_has_offset(text)} THEN CAST({name} AS TIMESTAMPTZ) AT TIME ZONE 'UTC' "
        f"ELSE CAST({text} AS TIMESTAMP) END"
    )


def _has_offset(text: str) -> str:
    return f"regexp_matches(substr({text}, 11), '[Z+-]')"


def _timestamp(name: str, limit: str, quote: str) -> str:
    """Compare a column of a type of dates without a time zone; SQL Server has no such literals."""
    moment = _moment(limit)
    if quote == "[":
        return f"{name} <= CAST('{moment.replace(' ', 'T')}' AS DATETIME2)"
    return f"{name} <= TIMESTAMP '{moment}'"


def _timestamptz(name: str, limit: str, quote: str) -> str:
    """Compare a column of a type of dates with a time zone; MySQL, BigQuery and Spark say TIMESTAMP."""
    moment = f"{_moment(limit)}+00:00"
    if quote == "[":
        return f"{name} <= CAST('{moment.replace(' ', 'T')}' AS DATETIMEOFFSET)"
    return f"{name} <= TIMESTAMP {'' if quote == '`' else 'WITH TIME ZONE '}'{moment}'"


DATES: Mapping[str, Callable[[str, str, str], str]] = {
    "sqlite": _sqlite,
    "duckdb": _duckdb,
    "timestamp": _timestamp,
    "timestamptz": _timestamptz,
}
"""The forms in which dates may be stored, with what compares them."""
