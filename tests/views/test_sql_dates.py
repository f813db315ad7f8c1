"""Dates in SQL: databases send rows where the tree sends them, in whichever form they store dates."""

from __future__ import annotations

import datetime as dt
import functools
import sqlite3
from collections.abc import Sequence
from typing import Any, Literal

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streed import Condition, OptimalTreeClassifier, Tree
from streed.model.holds import holds
from streed.table.columns import read_columns
from tests.views.trees import CONDITIONS, DAY, grow

ZONES = ("UTC", "Europe/Berlin", "America/St_Johns")
OFFSETS = (0, 120, -210, 345, 840, -720)
MICROSECONDS = 10**6
START = dt.datetime(2024, 3, 5, 23, 30, tzinfo=dt.UTC)


def sqlite(tree: Tree, values: Sequence[Any], kind: str = "TEXT") -> list[Any]:
    base = sqlite3.connect(":memory:")
    base.execute(f"CREATE TABLE t (n INTEGER, day {kind})")
    base.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(values)))
    found = base.execute(f"SELECT {tree.to_sql(dates='sqlite')} FROM t ORDER BY n").fetchall()
    base.close()
    return [label for (label,) in found]


@functools.cache
def session(zone: str) -> duckdb.DuckDBPyConnection:
    base = duckdb.connect()
    base.execute(f"SET TimeZone = '{zone}'; SET threads = 1")
    return base


def duck(
    tree: Tree, values: Sequence[Any], kind: str = "VARCHAR", zone: str = "UTC", dates: str = "duckdb"
) -> list[Any]:
    rows = f"(SELECT unnest(CAST(? AS {kind}[])) AS day)"
    found = session(zone).execute(f"SELECT {tree.to_sql(dates=dates)} FROM {rows}", [values]).fetchall()
    return [label for (label,) in found]


def stump(limit: str, *, missing: bool = False) -> Tree:
    return grow((0, 0, 1), [Condition("day", "<=", limit, missing=missing)], classes=["after", "before"])


def expected(tree: Tree, values: Any) -> list[str]:
    """What the condition of a stump says, by the code of stored models."""
    assert tree.conditions is not None
    column = next(read_columns(np.array(values, dtype=object)[:, None], ["day"]))
    return ["before" if each else "after" for each in holds(tree.conditions[0], column, "indicator")]


def written(moment: dt.datetime, offset: int | None, letter: str, digits: int) -> str:
    """Write a moment, cut off after its day, minute, second or a digit of its fraction."""
    local = moment if offset is None else moment.astimezone(dt.timezone(dt.timedelta(minutes=offset)))
    text = local.strftime(f"%Y-%m-%d{letter}%H:%M:%S.%f")[: {-3: 10, -2: 16, -1: 19}.get(digits, 20 + digits)]
    if digits == -3 or offset is None:
        return text
    return text + ("Z" if offset == 0 and letter == "T" else local.isoformat()[-6:])


@st.composite
def texts(draw: st.DrawFn) -> list[str | None]:
    """Draw the dates of a column: all with an offset or none, else in any form, close to each other."""
    zoned, letter = draw(st.booleans()), draw(st.sampled_from("T "))
    rows: list[str | None] = []
    for _ in range(draw(st.integers(3, 20))):
        near = draw(st.sampled_from([0, 1, 10, 999, 1000, 500_000, 999_999, 600 * MICROSECONDS]))
        moment = START + draw(st.integers(-3, 3)) * dt.timedelta(microseconds=near)
        offset = draw(st.sampled_from(OFFSETS)) if zoned else None
        digits = draw(st.sampled_from([-2, -1, 1, 2, 3, 6] if zoned else [-3, -2, -1, 1, 2, 3, 6]))
        rows.append(draw(st.sampled_from([written(moment, offset, letter, digits)] * 9 + [None])))
    return rows


LIMITS = st.sampled_from(
    [
        "2024-03-05",
        "2024-03-06",
        "2024-03-05 23:30:00",
        "2024-03-05 23:30:00.999999",
        "2024-03-05 23:29:59.999990",
        "2024-03-05 23:30:00.001000",
        "2024-03-05 23:29:59.500000",
        "2024-03-06T01:30:00+02:00",
    ]
)


@settings(max_examples=60)
@given(texts(), LIMITS, st.booleans())
def test_texts_of_all_forms(rows: list[str | None], limit: str, missing: bool) -> None:
    tree = stump(limit, missing=missing)
    says = expected(tree, rows)
    assert sqlite(tree, rows) == says
    assert sqlite(tree, rows, "TIMESTAMP") == says  # the type that pandas declares, which has no meaning
    assert duck(tree, rows) == says


@settings(max_examples=30)
@given(texts(), LIMITS, st.sampled_from(ZONES))
def test_columns_of_types(rows: list[str | None], limit: str, zone: str) -> None:
    """Whatever the time zone of the session is, and in standard SQL where the type is known."""
    tree = stump(limit)
    moments = [None if text is None else dt.datetime.fromisoformat(text) for text in rows]
    utc = [each and (each if each.tzinfo else each.replace(tzinfo=dt.UTC)) for each in moments]
    plain = [each and each.astimezone(dt.UTC).replace(tzinfo=None) for each in utc]
    days = [each and each.date() for each in plain]
    assert duck(tree, plain, "TIMESTAMP", zone) == expected(tree, plain)
    assert duck(tree, plain, "TIMESTAMP", zone, "timestamp") == expected(tree, plain)
    assert duck(tree, utc, "TIMESTAMPTZ", zone) == expected(tree, plain)
    assert duck(tree, utc, "TIMESTAMPTZ", zone, "timestamptz") == expected(tree, plain)
    assert duck(tree, days, "DATE", zone) == expected(tree, days)
    assert duck(tree, days, "DATE", zone, "timestamp") == expected(tree, days)
    whole = [each and each.replace(microsecond=0) for each in plain]
    assert duck(tree, whole, "TIMESTAMP_S", zone) == expected(tree, whole)


def test_nanoseconds_and_old_offsets() -> None:
    """Nanoseconds are cut off, as in a fit; before time was standardised offsets had seconds."""
    tree = stump("2024-03-05 23:30:00")
    nanoseconds = ["2024-03-05 23:30:00.000000999", "2024-03-05 23:30:00.000001"]
    column = pd.DataFrame({"day": pd.to_datetime(nanoseconds, format="ISO8601").as_unit("ns")})
    assert tree.conditions is not None
    assert holds(tree.conditions[0], next(read_columns(column, ["day"])), "error").tolist() == [True, False]
    assert duck(tree, nanoseconds, "TIMESTAMP_NS") == ["before", "after"]
    old = ["1889-12-31 23:53:28+00:53:28", "1889-12-31 23:53:29+00:53:28"]
    assert sqlite(stump("1889-12-31 23:00:00"), old) == ["before", "after"]
    assert duck(stump("1889-12-31 23:00:00"), old) == ["before", "after"]
    assert duck(stump("1889-12-31 23:00:00"), old, "TIMESTAMPTZ", "Europe/Berlin") == ["before", "after"]


FORMATS = ["%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f+00:00"]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("cuts", ["exact", "binned"])
def test_hours_of_four_days(form: str, cuts: Literal["exact", "binned"]) -> None:
    hours = pd.date_range("2024-03-04", periods=96, freq="h")
    table = pd.DataFrame({"day": hours.strftime(form)})
    y = (hours > "2024-03-06 10:00").astype(int)
    model = OptimalTreeClassifier(max_depth=1, cuts=cuts).fit(table, y)
    says = model.predict(table).tolist()
    assert sqlite(model.tree_, table["day"].tolist()) == says
    assert duck(model.tree_, table["day"].tolist()) == says


@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin", "Asia/Kathmandu"])
def test_tables_that_pandas_writes(zone: str | None) -> None:
    hours = pd.date_range("2024-10-25", periods=96, freq="h", tz=zone)  # summer time ends
    table = pd.DataFrame({"day": hours.insert(5, pd.NaT)})
    y = np.arange(97) > 49
    model = OptimalTreeClassifier(max_depth=2).fit(table, y)
    says = model.predict(table).tolist()
    base = sqlite3.connect(":memory:")
    table.to_sql("t", base)
    found = base.execute(f"SELECT {model.tree_.to_sql(dates='sqlite')} FROM t ORDER BY rowid")
    assert [bool(label) for (label,) in found] == says == y.tolist()
    base.close()
    other = duckdb.connect()
    other.execute("SET TimeZone = 'Europe/Berlin'")
    other.register("t", table)
    rows = other.execute(f"SELECT {model.tree_.to_sql(dates='duckdb')} FROM t").fetchall()
    assert [bool(label) for (label,) in rows] == says
    other.close()


def test_dates_of_which_the_form_is_not_known() -> None:
    tree = grow((DAY, 0, 1), CONDITIONS)
    with pytest.raises(ValueError, match=r"compares dates .column 'day'.*give dates='sqlite', 'duckdb'"):
        tree.to_sql()
    with pytest.raises(ValueError, match=r"dates must be one of 'sqlite'.*, or None, got 'oracle'"):
        tree.to_sql(dates="oracle")
    early = stump("0001-01-01T00:00:00+14:00")
    with pytest.raises(ValueError, match="outside the years 1 to 9999"):
        early.to_sql(dates="sqlite")


@pytest.mark.parametrize(
    ("quote", "dates", "text"),
    [
        ('"', "timestamp", "\"day\" <= TIMESTAMP '2024-03-05 00:00:00.000000'"),
        ("`", "timestamp", "`day` <= TIMESTAMP '2024-03-05 00:00:00.000000'"),
        ("[", "timestamp", "[day] <= CAST('2024-03-05T00:00:00.000000' AS DATETIME2)"),
        ('"', "timestamptz", "\"day\" <= TIMESTAMP WITH TIME ZONE '2024-03-05 00:00:00.000000+00:00'"),
        ("`", "timestamptz", "`day` <= TIMESTAMP '2024-03-05 00:00:00.000000+00:00'"),
        ("[", "timestamptz", "[day] <= CAST('2024-03-05T00:00:00.000000+00:00' AS DATETIMEOFFSET)"),
    ],
)
def test_literals_of_other_databases(quote: str, dates: str, text: str) -> None:
    assert grow((DAY, 0, 1), CONDITIONS).to_sql(quote=quote, dates=dates).startswith(f"CASE WHEN {text}\n")
