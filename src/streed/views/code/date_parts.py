"""Months, weekdays and hours of dates in SQL, in UTC, for each form in which `dates.py` compares dates.

Each function gets the quoted name of a column, the part and what quotes names; it writes a number: a month
from 1 to 12, a weekday from 1 (Monday) to 7, an hour from 0 to 23.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from streed.views.code.dates import OFFSET, duckdb_moment

FIELDS = {"month": "MONTH", "weekday": "ISODOW", "hour": "HOUR"}
"""The fields of EXTRACT in PostgreSQL and DuckDB."""


def _sqlite(name: str, part: str, quote: str) -> str:
    """Take the part from texts of ISO 8601 of any form.

    Functions of dates in SQLite round to milliseconds, which may lead to the next day: so fractions of
    seconds are cut off. An offset with seconds is not read at the end of a text, but may be added: so each
    offset is added with its sign turned.
    """
    offset = OFFSET.format(name)
    local = f"substr({name}, 1, min(19, length({name}) - length({offset})))"
    back = f"coalesce(nullif({offset}, ''), '+00:00')"
    text = f"{local}, replace(replace(replace({back}, '+', '~'), '-', '+'), '~', '-')"
    if part == "weekday":
        return f"(CAST(strftime('%w', {text}) AS INTEGER) + 6) % 7 + 1"
    return f"CAST(strftime('{'%m' if part == 'month' else '%H'}', {text}) AS INTEGER)"


def _duckdb(name: str, part: str, quote: str) -> str:
    return f"EXTRACT({FIELDS[part]} FROM {duckdb_moment(name)})"


def _timestamp(name: str, part: str, quote: str) -> str:
    """Take the part from a column of a type of dates without a time zone; weekdays differ by database."""
    if quote == "[":
        if part == "weekday":  # whichever day the session begins its weeks with
            return f"(DATEPART(weekday, {name}) + @@DATEFIRST + 5) % 7 + 1"
        return f"DATEPART({part}, {name})"
    if quote == "`" and part == "weekday":
        return f"WEEKDAY({name}) + 1"
    return f"EXTRACT({FIELDS[part]} FROM {name})"


def _timestamptz(name: str, part: str, quote: str) -> str:
    """Take the part from a column of a type of dates with a time zone, in UTC."""
    if quote == "`":
        raise ValueError(
            "the databases that quote names by backticks turn dates into UTC in ways of their own: store "
            f"the dates of column {name} in UTC, and give dates='timestamp'"
        )
    return _timestamp(f"({name} AT TIME ZONE 'UTC')", part, quote)


PARTS: Mapping[str, Callable[[str, str, str], str]] = {
    "sqlite": _sqlite,
    "duckdb": _duckdb,
    "timestamp": _timestamp,
    "timestamptz": _timestamptz,
}
"""The forms in which dates may be stored, with what takes parts of them."""
