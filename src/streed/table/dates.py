"""Dates as numbers: microseconds since 1970 in UTC, and back to text.

Texts count as dates if they are written as ISO 8601 says: 2024-03-05, 2024-03-05 13:30,
2024-03-05T13:30:00.25, with a time zone (Z, +02:00) for all values of a column or for none. 05/03/2024 is
refused: it means two days.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

ISO = re.compile(
    r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?P<zone>Z|[+-]\d\d:\d\d)?)?", re.ASCII
)
SECOND = 1_000_000
DAY = 86_400 * SECOND
FIRST, LAST = np.datetime64("0001-01-01"), np.datetime64("9999-12-31")
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


class NoDateError(ValueError):
    """A text that is no date; `value` is the first one."""

    def __init__(self, value: object) -> None:
        super().__init__(f"{value!r} is not a date written as YYYY-MM-DD or YYYY-MM-DD hh:mm:ss")
        self.value = value


def parse_dates(texts: Sequence[Any]) -> NDArray[np.float64]:
    """Read ISO dates; raise `NoDateError` at the first text that is none, or has a zone where others do not.

    Examples
    --------
    >>> parse_dates(["1970-01-02", "1970-01-01 00:00:01"]).tolist()
    [86400000000.0, 1000000.0]
    """
    zones = 0
    for number, text in enumerate(texts):
        match = ISO.fullmatch(text) if isinstance(text, str) else None
        zones += match is not None and match["zone"] is not None
        if match is None or zones not in (0, number + 1):
            raise NoDateError(text)
    if zones:
        return np.array([_parse_zoned(text) for text in texts])
    try:
        return date_numbers(np.array(texts, dtype="datetime64[us]"))
    except ValueError:  # looks like a date, but there is no 30th of February
        raise NoDateError(next(text for text in texts if not _exists(text))) from None


def _parse_zoned(text: str) -> float:
    try:
        return (dt.datetime.fromisoformat(text) - EPOCH) / dt.timedelta(microseconds=1)
    except ValueError:
        raise NoDateError(text) from None


def _exists(text: str) -> bool:
    try:
        np.datetime64(text, "us")
    except ValueError:
        return False
    return True


def date_numbers(values: NDArray[Any]) -> NDArray[np.float64]:
    """Turn datetime64 values of any unit into numbers, NaT into NaN; refuse what has no ISO text."""
    days = values.astype("datetime64[D]")
    if ((days < FIRST) | (days > LAST)).any():
        raise ValueError("dates must lie in the years 1 to 9999")
    numbers = values.astype("datetime64[us]").astype(np.int64).astype(np.float64)
    numbers[np.isnat(values)] = np.nan
    return numbers


DATE_PARTS = ("month", "weekday", "hour")
"""Parts of a date that tests may compare: months from 1 to 12, weekdays from 1 (Monday) to 7, hours to 23."""


def date_part(dates: NDArray[np.float64], part: str) -> NDArray[np.float64]:
    """Return a part of each date, in UTC; NaN stays NaN.

    Examples
    --------
    >>> friday = parse_dates(["2024-03-08 13:30"])
    >>> [int(date_part(friday, part)[0]) for part in DATE_PARTS]
    [3, 5, 13]
    """
    days = np.floor(dates / DAY)
    if part == "hour":
        hours: NDArray[np.float64] = np.floor((dates - days * DAY) / (3600 * SECOND))
        return hours
    if part == "weekday":
        weekdays: NDArray[np.float64] = (days + 3) % 7 + 1  # the first day of 1970 was a Thursday
        return weekdays
    known = np.isfinite(days)
    months = np.full(days.shape, np.nan)
    months[known] = days[known].astype("datetime64[D]").astype("datetime64[M]").astype(np.int64) % 12 + 1
    return months


def date_text(number: float, *, whole_days: bool) -> str:
    """Write a date as people do; with the time of day unless all dates of the column are whole days.

    Examples
    --------
    >>> date_text(90_000_000_000, whole_days=False)
    '1970-01-02 01:00:00'
    """
    text = str(np.datetime64(round(number), "us"))
    return text[:10] if whole_days else text.replace("T", " ").removesuffix(".000000")


def tidy_date(aim: float, low: float, high: float) -> float:
    """Return a whole day near `aim` if one lies in low <= day < high, else a whole second, else `low`."""
    for unit in (DAY, SECOND):
        tidy = float(aim // unit * unit)
        if low <= tidy < high:
            return tidy
    return low
