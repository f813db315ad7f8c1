"""Months, weekdays and hours of dates: all views send rows where the fit does, in UTC."""

from __future__ import annotations

import datetime as dt
import json
import sqlite3
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streed import Binarizer, Condition, ExportError, OptimalTreeClassifier, Tree
from streed.model import Model
from streed.model.holds import holds
from streed.table.columns import read_columns
from tests.views.test_sql_dates import ZONES, duck, expected, sqlite, texts
from tests.views.trees import grow

PARTS = {"month": range(1, 12), "weekday": range(1, 7), "hour": range(23)}
SCHEMA = Path(__file__).parents[2] / "docs" / "model.schema.json"
CUTS = st.sampled_from([(part, cut) for part, cuts in PARTS.items() for cut in cuts])


def stump(cut: tuple[str, int], *, missing: bool = False) -> Tree:
    condition = Condition("day", "<=", cut[1], missing=missing, part=cut[0])
    return grow((0, 0, 1), [condition], classes=["after", "before"])


def by_hand(cut: tuple[str, int], value: Any) -> bool:
    """What the standard library says of a date."""
    date = value if isinstance(value, dt.datetime) else dt.datetime.fromisoformat(str(value))
    utc = date.astimezone(dt.UTC) if date.tzinfo else date
    return {"month": utc.month, "weekday": utc.isoweekday(), "hour": utc.hour}[cut[0]] <= cut[1]


def python(tree: Tree, values: Sequence[Any]) -> list[Any]:
    names: dict[str, Any] = {}
    exec(tree.to_python(), names)
    return [names["predict"]({"day": value}) for value in values]


@settings(max_examples=60)
@given(texts(), CUTS, st.booleans())
def test_texts_of_all_forms(rows: list[str | None], cut: tuple[str, int], missing: bool) -> None:
    tree = stump(cut, missing=missing)
    says = ["before" if (missing if row is None else by_hand(cut, row)) else "after" for row in rows]
    assert expected(tree, rows) == says
    assert sqlite(tree, rows) == says
    assert duck(tree, rows) == says
    assert python(tree, rows) == says


MOMENTS = st.datetimes(dt.datetime(1850, 1, 1), dt.datetime(2200, 1, 1)) | st.sampled_from(
    [dt.datetime(1969, 12, 31, 23, 59, 59, 999_999), dt.datetime(2024, 2, 29, 23, 59, 59, 999_600)]
)


@settings(max_examples=40)
@given(st.lists(MOMENTS, min_size=1, max_size=20), CUTS, st.sampled_from(ZONES))
def test_columns_of_types(moments: list[dt.datetime], cut: tuple[str, int], zone: str) -> None:
    tree = stump(cut)
    says = ["before" if by_hand(cut, each) else "after" for each in moments]
    assert expected(tree, moments) == says
    assert sqlite(tree, [each.isoformat() for each in moments]) == says
    for dates in ("duckdb", "timestamp"):
        assert duck(tree, moments, "TIMESTAMP", zone, dates) == says
    zoned = [each.replace(tzinfo=dt.UTC) for each in moments]
    for dates in ("duckdb", "timestamptz"):
        assert duck(tree, zoned, "TIMESTAMPTZ", zone, dates) == says
    days = [each.date() for each in moments]
    assert duck(tree, days, "DATE", zone) == expected(tree, days)


def test_old_offsets_have_seconds() -> None:
    old = ["1890-01-01 00:53:27+00:53:28", "1890-01-01 00:53:28+00:53:28"]
    assert sqlite(stump(("month", 11)), old) == duck(stump(("month", 11)), old) == ["after", "before"]


KINDS = ["plain", "zoned", "texts", "texts with zone", "objects"]


def table_of(kind: str) -> pd.DataFrame:
    """Hours of a year, some of them missing, with a column that says nothing."""
    rng = np.random.default_rng(3)
    hours = pd.Series(pd.date_range("2024-01-01", periods=1200, freq="7h21min13s"))
    if kind in ("zoned", "texts with zone"):
        hours = hours.dt.tz_localize("UTC").dt.tz_convert("Asia/Kathmandu")
    if kind.startswith("texts"):
        hours = hours.map(lambda moment: moment.isoformat())
    if kind == "objects":
        hours = pd.Series(list(hours.dt.to_pydatetime()), dtype=object)
    hours[::50] = None
    return pd.DataFrame({"noise": rng.normal(size=hours.size).round(1), "at": hours})


def labels_of(table: pd.DataFrame) -> np.ndarray:
    utc = pd.to_datetime(table["at"], utc=True)
    labels: np.ndarray = ((utc.dt.day_of_week >= 5) | (utc.dt.hour < 6) | utc.isna()).to_numpy().astype(int)
    return labels


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "options",
    [
        {"dates": ["month", "weekday", "hour"]},
        {"dates": ["weekday", "hour", "date"], "cuts": "exact"},
        {"binarizer": Binarizer(missing="indicator", dates=["hour", "weekday"])},
    ],
    ids=["auto", "exact", "binarizer"],
)
def test_all_views_predict_what_the_fit_does(kind: str, options: dict[str, Any], tmp_path: Path) -> None:
    table = table_of(kind)
    y = labels_of(table)
    model = OptimalTreeClassifier(max_depth=3, **options).fit(table, y)
    tree, says = model.tree_, model.predict(table)
    assert model.result_.objective == 0 == (says != y).sum()
    assert tree.conditions is not None
    assert {"weekday", "hour"} <= {tree.conditions[f].part for f in tree.feature if f >= 0}
    assert "weekday of at" in tree.to_text()
    bits = model.binarizer_.transform(table)
    assert (tree.predict(bits) == says).all()
    assert (model.binarizer_.feature_columns_[[bool(c.part) for c in tree.conditions]] == 1).all()
    assert list(model.binarizer_.inverse_transform(bits[:5]).columns) == ["noise", "at"]

    path = tmp_path / "model.json"
    Model.from_estimator(model).save(path)
    assert (Model.load(path).predict(table) == says).all()
    validator = pytest.importorskip("jsonschema")
    validator.validate(json.loads(path.read_text()), json.loads(SCHEMA.read_text()))

    names: dict[str, Any] = {}
    exec(tree.to_python(), names)
    assert [names["predict"](row) for row in table.to_dict("records")] == says.tolist()
    base = sqlite3.connect(":memory:")
    table.to_sql("t", base)
    found = base.execute(f"SELECT {tree.to_sql(dates='sqlite')} FROM t ORDER BY rowid").fetchall()
    assert [label for (label,) in found] == says.tolist()
    base.close()
    other = duckdb.connect()
    other.execute("SET TimeZone = 'America/St_Johns'")
    other.register("t", table)
    rows = other.execute(f"SELECT {tree.to_sql(dates='duckdb')} FROM t").fetchall()
    assert [label for (label,) in rows] == says.tolist()
    other.close()


def test_exports_take_parts_as_tests_or_refuse_them() -> None:
    pytest.importorskip("onnx")
    table = table_of("plain")
    y = labels_of(table)
    model = OptimalTreeClassifier(max_depth=3, dates=["date", "weekday", "hour"]).fit(table, y)
    assert (model.to_sklearn(pipeline=True).predict(table) == y).all()
    with pytest.raises(ExportError, match="is about a part of dates"):
        model.to_onnx()


def test_rules_keep_dates_and_parts_apart() -> None:
    conditions = [
        Condition("at", "<=", 5, part="weekday"),
        Condition("at", "<=", "2024-03-05"),
        Condition("at", "<=", 1, part="weekday"),
    ]
    tree = grow((0, 0, (1, 1, (2, 0, 1))), conditions, classes=["no", "yes"])
    assert [line.split(" then ")[0] for line in tree.to_rules().splitlines()] == [
        "if weekday of at > Friday",
        "if weekday of at <= Friday and at > 2024-03-05",
        "if Monday < weekday of at <= Friday and at <= 2024-03-05",
        "if weekday of at <= Monday and at <= 2024-03-05",
    ]


@pytest.mark.parametrize(
    ("quote", "dates", "part", "text"),
    [
        ('"', "timestamp", "month", 'EXTRACT(MONTH FROM "day") <= 5'),
        ('"', "timestamptz", "weekday", "EXTRACT(ISODOW FROM (\"day\" AT TIME ZONE 'UTC')) <= 5"),
        ("`", "timestamp", "weekday", "WEEKDAY(`day`) + 1 <= 5"),
        ("`", "timestamp", "hour", "EXTRACT(HOUR FROM `day`) <= 5"),
        ("[", "timestamp", "hour", "DATEPART(hour, [day]) <= 5"),
        ("[", "timestamp", "weekday", "(DATEPART(weekday, [day]) + @@DATEFIRST + 5) % 7 + 1 <= 5"),
    ],
)
def test_literals_of_other_databases(quote: str, dates: str, part: str, text: str) -> None:
    assert stump((part, 5)).to_sql(quote=quote, dates=dates).startswith(f"CASE WHEN {text}\n")


def test_backticks_do_not_know_utc() -> None:
    with pytest.raises(ValueError, match="store the dates of column `day` in UTC"):
        stump(("hour", 5)).to_sql(quote="`", dates="timestamptz")
    with pytest.raises(ValueError, match="give dates='sqlite'"):
        stump(("hour", 5)).to_sql()


@pytest.mark.parametrize(
    "entries",
    [{"part": "year"}, {"part": "month", "value": 13}, {"part": "hour", "value": 1.5}, {"part": 3}],
)
def test_files_with_other_parts_are_refused(entries: dict[str, Any]) -> None:
    good = Condition("at", "<=", 5, part="hour").to_dict()
    assert Condition.from_dict(good) == Condition("at", "<=", 5, part="hour")
    with pytest.raises(ValueError, match="a part of dates is a month"):
        Condition.from_dict({**good, **entries})


def test_the_page_knows_parts() -> None:
    data = stump(("weekday", 5)).to_html()
    assert '"kind":"date","limit":5,"part":"weekday"' in data
    assert '"wholeDays":true' in data
    assert '"wholeDays":false' in stump(("hour", 5)).to_html()


def test_parts_without_a_second_value_have_no_test() -> None:
    days = pd.DataFrame({"at": pd.date_range("2024-03-01", periods=20), "other": [0, 1] * 10})
    binarizer = Binarizer(dates=["hour", "weekday"]).fit(days)
    assert [c.part for c in binarizer.conditions_] == ["weekday"] * 6 + [""]
    assert binarizer.dropped_columns_ == {}
    noon = Binarizer(dates="hour").fit(days)
    assert list(noon.dropped_columns_) == ["at"]


def test_what_dates_may_be() -> None:
    days = pd.DataFrame({"at": pd.date_range("2024-03-01", periods=20)})
    for given_dates in ("year", [], ["month", "day"], None, 3):
        with pytest.raises(ValueError, match="dates must be one of 'date', 'month', 'weekday', 'hour'"):
            Binarizer(dates=given_dates).fit(days)  # type: ignore[arg-type]
    model = OptimalTreeClassifier(dates="hour", binarizer=Binarizer())
    with pytest.raises(ValueError, match="give dates='hour' to the binarizer"):
        model.fit(days, [0, 1] * 10)


def test_other_dates_at_predict() -> None:
    """A file read anew may have texts where there were dates."""
    table = table_of("plain")
    model = OptimalTreeClassifier(max_depth=3, dates=["weekday", "hour"]).fit(table, labels_of(table))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for kind in KINDS:
            assert (model.predict(table_of(kind)) == labels_of(table)).all()
    column = next(read_columns(table[["at"]], ["at"]))
    for condition in model.tree_.conditions or ():
        if condition.part:
            kept = holds(condition, column, "indicator") == condition.missing
            assert kept[::50].all()
