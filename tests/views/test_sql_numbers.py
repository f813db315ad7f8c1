"""Numbers in SQL: SQLite and DuckDB read exactly the double that is meant."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streed import Binarizer, Condition, OptimalTreeClassifier
from streed.tree.line import Line
from streed.views.code.constants import sql_number
from tests.views.trees import grow

NEAR_MIDDLES = [0.0611061, 0.00866531680695361, 5.1635903196954e-104]
"""Shortest digits of doubles, of which SQLite 3.40 reads another one: it rounds to 80 bits, then to 64."""


@pytest.fixture(scope="module")
def bases() -> Iterator[list[Any]]:
    bases: list[Any] = [sqlite3.connect(":memory:"), duckdb.connect()]
    yield bases
    for base in bases:
        base.close()


def read(base: Any, text: str) -> Any:
    return base.execute(f"SELECT CAST({text} AS DOUBLE)").fetchall()[0][0]


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(5e-324)
@example(2.2250738585072014e-308)
@example(1.7976931348623157e308)
@example(1e-300)
@example(0.0611061)
def test_doubles(bases: list[Any], number: float) -> None:
    text = sql_number(number)
    assert [read(base, text) for base in bases] == [number, number]
    if abs(number) > 1e-288:  # databases that read correctly, however many digits there are
        assert float(Fraction(text)) == number


def test_digits_that_are_rounded_twice(bases: list[Any]) -> None:
    rng = np.random.default_rng(5)
    tiny = [
        math.ldexp(1 + x, int(k))
        for x, k in zip(rng.random(200), rng.integers(-1074, -957, 200), strict=True)
    ]
    numbers = [*NEAR_MIDDLES, *tiny]
    for base in bases:
        assert [read(base, sql_number(number)) for number in numbers] == numbers
    short = (rng.integers(1, 10**6, 20_000) / 10.0 ** rng.integers(0, 8, 20_000)).tolist()
    row = bases[0].execute(f"VALUES {','.join(f'({sql_number(number)})' for number in short)}").fetchall()
    assert [number for (number,) in row] == short
    assert sum("e-" in sql_number(number) for number in short) < 100  # most have few digits


def test_cuts_beside_columns_of_32_bits(bases: list[Any]) -> None:
    """0.1 as a decimal number is rounded to 32 bits beside such a column, up to the value above the cut."""
    tenths = (np.arange(11, dtype=np.float32) / 10).astype(np.float32)
    table = pd.DataFrame({"a": tenths})
    model = OptimalTreeClassifier(max_depth=4, binarizer=Binarizer(strategy="uniform", n_thresholds=9))
    for y in (np.arange(11) % 2, np.arange(11) // 2 % 2):
        model.fit(table, y)
        bases[1].register("t", table)
        found = bases[1].execute(f"SELECT {model.tree_.to_sql()} FROM t").fetchall()
        assert [label for (label,) in found] == model.predict(table).tolist()
        bases[1].unregister("t")


def test_values_categories_and_lines(bases: list[Any]) -> None:
    for number in (0.1, 1 / 3, 1e-300, *NEAR_MIDDLES):
        tree = grow(
            (0, 0, 1),
            [Condition("a", "=", number)],
            classes=np.array([Line(0.0, (("a", 0.5),)), Line(number, (("b", number),))], dtype=object),
            class_weights=None,
        )
        for base in bases:
            query = f"SELECT {tree.to_sql()} FROM (SELECT {sql_number(number)} AS a, 1 AS b)"
            assert float(base.execute(query).fetchall()[0][0]) == 2 * number
        assert read(bases[0], f"{sql_number(number)} IN ({sql_number(number)})") == 1
