"""Cuts are shown with as many digits as it takes: text, rules, SQL, Python and JSON agree with `predict`."""

from __future__ import annotations

import json
import math
import re
import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streed import Binarizer, OptimalTreeClassifier
from streed.binarize.cuts import tidy_number
from streed.model import Model
from streed.table.columns import read_columns
from streed.table.limits import at_most

STRATEGIES = ["uniform", "quantile", "tree", "all"]


def number(text: str, beside: Any) -> Any:
    """Read a number as a reader does beside another one: integers stay integers."""
    return int(text) if isinstance(beside, int) and text.lstrip("-").isdigit() else float(text)


def follow(text: str, value: Any) -> str:
    """Send a value through the text of a tree, as a reader would."""
    lines = text.split("\n")
    while lines[0].endswith("?"):
        limit = number(lines[0].removesuffix("?").rpartition(" <= ")[2], value)
        corner = "└─ yes: " if value <= limit else "├─ no:  "
        start = next(k for k, line in enumerate(lines) if line.startswith(corner))
        rest = lines[start + 1 :]
        if corner.startswith("├"):
            rest = rest[: next(k for k, line in enumerate(rest) if line.startswith("└─ yes: "))]
        lines = [line[len(corner) :] for line in lines[start : start + 1] + rest]
    return lines[0].split("  (")[0]


def by_rules(rules: str, value: Any) -> str:
    """Find the one rule whose numbers fit."""
    fitting = []
    for rule in rules.split("\n"):
        if rule.startswith("always "):
            return rule.removeprefix("always ").split(" (")[0]
        premise, _, answer = rule.removeprefix("if ").rpartition(" then ")
        low = re.search(r"(\S+) < a", premise) or re.search(r"a > (\S+)", premise)
        high = re.search(r"a <= (\S+)", premise)
        above = low is None or value > number(low[1], value)
        if above and (high is None or value <= number(high[1], value)):
            fitting.append(answer.split(" (")[0])
    assert len(fitting) == 1
    return fitting[0]


def check(model: OptimalTreeClassifier, values: np.ndarray) -> None:
    """All views say the same of all values, exactly."""
    tree, plain = model.tree_, values.tolist()
    says = [str(label) for label in model.predict(pd.DataFrame({"a": values})).tolist()]
    assert [follow(tree.to_text(), value) for value in plain] == says
    assert [by_rules(tree.to_rules(), value) for value in plain] == says
    names: dict[str, Any] = {}
    exec(tree.to_python(), names)
    assert [str(names["predict"]({"a": value})) for value in plain] == says
    stored = Model.from_dict(json.loads(json.dumps(Model.from_estimator(model).to_dict())))
    assert [str(label) for label in stored.predict(pd.DataFrame({"a": values})).tolist()] == says
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE t (n INTEGER, a)")
    base.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(plain)))
    assert [str(row[0]) for row in base.execute(f"SELECT {tree.to_sql()} FROM t ORDER BY n")] == says


def around(model: OptimalTreeClassifier, values: np.ndarray) -> np.ndarray:
    """Add the cuts themselves and their neighbours."""
    cuts = [condition.value for condition in model.binarizer_.conditions_ if condition.operator == "<="]
    near = [f(cut, way) for cut in cuts for way in (-math.inf, math.inf) for f in (math.nextafter,)]
    return np.concatenate([values, np.array(cuts + near, dtype=np.float64)])


@settings(deadline=None)
@given(
    st.lists(
        st.one_of(
            st.floats(-1e6, 1e6, allow_subnormal=False),
            st.integers(-(10**7), 10**7).map(float),
            st.sampled_from([0.1, 0.2, 0.3, 0.1 + 0.2, 1e-12, 1e15 + 0.5, 1234567.1, 1234567.2]),
        ),
        min_size=4,
        max_size=20,
    ),
    st.sampled_from(STRATEGIES),
)
def test_real_numbers(values: list[float], strategy: Any) -> None:
    column = np.array([*values, 0.5])  # not zeros and ones alone, which need no cut
    y = np.arange(column.size) % 2
    model = OptimalTreeClassifier(max_depth=3, binarizer=Binarizer(strategy=strategy))
    model.fit(pd.DataFrame({"a": column}), y)
    check(model, around(model, column))


def test_equal_widths_that_were_shown_wrong() -> None:
    """-60000 is an edge, computed as -60000.00000000001: rows at it lie below the cut, which is round."""
    column = np.array([-200000.0, -150000.0, -60000.0, -50000.0, -45000.0, 0.0])
    model = OptimalTreeClassifier(max_depth=3, binarizer=Binarizer(strategy="uniform", n_thresholds=9))
    model.fit(pd.DataFrame({"a": column}), [0, 1, 0, 1, 0, 1])
    cuts = [condition.value for condition in model.binarizer_.conditions_]
    assert cuts == [-180000.0, -140000.0, -60000.0, -40000.0]
    check(model, around(model, column))


@pytest.mark.parametrize(
    ("aim", "low", "high", "cut"),
    [
        (-50000.00000000001, -100000.0, -50000.0, -50000.00000000001),
        (-50000.00000000001, -50000.00000000001, 0.0, -50000.0),
        (2.5, 1.0, 4.0, 2.5),
        (24.5, 24.0, 25.0, 24.5),
        (1 / 3, 0.0, 1.0, 0.333333),
        (0.1 + 0.2, 0.3, 0.4, 0.3),
        (123456.78951, 123456.7895, 123456.78952, 123456.7895),
        (1.0, 1.0, math.nextafter(1.0, 2.0), 1.0),
    ],
)
def test_few_digits(aim: float, low: float, high: float, cut: float) -> None:
    assert tidy_number(aim, low, high) == cut
    assert low <= cut < high


@settings(deadline=None)
@given(
    st.sampled_from([2**53, 2**60, -(2**60), 2**63 - 200, -(2**63), 10**17]),
    st.lists(st.integers(0, 199), min_size=4, max_size=12),
    st.sampled_from(STRATEGIES),
    st.sampled_from(["numpy", "pandas", "polars", "objects"]),
)
def test_integers_beyond_doubles(start: int, steps: list[int], strategy: Any, library: str) -> None:
    whole = np.array([start + step for step in steps], dtype=np.int64)
    tables: dict[str, Callable[[], Any]] = {
        "numpy": lambda: whole[:, None],
        "pandas": lambda: pd.DataFrame({"a": pd.array(whole, dtype="Int64")}),
        "polars": lambda: pl.DataFrame({"a": whole}),
        "objects": lambda: pd.DataFrame({"a": whole.astype(object)}),
    }
    table, y = tables[library](), whole % 2
    model = OptimalTreeClassifier(max_depth=4, binarizer=Binarizer(strategy=strategy, n_thresholds=30))
    model.fit(table, y)
    says = model.predict(table).tolist()
    if strategy == "all" and len(set(steps)) <= 4:  # a tree of this depth has a leaf for each of them
        assert says == y.tolist()
    if library != "numpy":
        more = np.unique(np.concatenate([whole, np.minimum(whole, 2**63 - 2) + 1]))
        check(model, more)


def table_with_gaps(whole: Sequence[int | None], library: str) -> Any:
    if library == "polars":
        return pl.DataFrame({"a": pl.Series(whole, dtype=pl.Int64)})
    return pd.DataFrame(
        {"a": pd.array(whole, dtype="Int64") if library == "pandas" else np.array(whole, object)}
    )


@pytest.mark.filterwarnings("ignore::streed.MissingAtPredictWarning")
@settings(deadline=None)
@given(
    st.sampled_from([2**53, 2**60, -(2**60), 2**63 - 200, -(2**63), 10**17, 5]),
    st.lists(st.none() | st.integers(0, 199), min_size=4, max_size=12),
    st.sampled_from(["pandas", "polars", "objects"]),
    st.booleans(),
    st.sampled_from(["auto", "binned"]),
)
def test_integers_beyond_doubles_with_gaps(
    start: int, steps: list[int | None], library: str, fitted_with_gaps: bool, cuts: Any
) -> None:
    """Values are compared as integers, also where others of their column are missing, now or when fitted."""
    whole = [None if step is None else start + step for step in [*steps, 0, 1]]
    known = [value for value in whole if value is not None]
    fitted = whole if fitted_with_gaps else known
    y = [2 if value is None else value % 2 for value in fitted]
    binarizer = Binarizer(missing="indicator", strategy="quantile", n_thresholds=30)
    model = OptimalTreeClassifier(max_depth=4, cuts=cuts, binarizer=binarizer)
    model.fit(table_with_gaps(fitted, library), y)
    asked = [*whole, *(min(value, 2**63 - 2) + 1 for value in known), None]
    table = table_with_gaps(asked, library)
    says = [str(label) for label in model.predict(table).tolist()]
    if len(set(known)) <= 4:  # a tree of this depth has a leaf for each of them
        assert says[: len(whole)] == [str(2 if value is None else value % 2) for value in whole] or not (
            fitted_with_gaps or None not in whole
        )
    names: dict[str, Any] = {}
    exec(model.tree_.to_python(), names)
    for gap in (None, pd.NA, math.nan):
        rows = [{"a": gap if value is None else value} for value in asked]
        assert [str(names["predict"](row)) for row in rows] == says
    stored = Model.from_dict(json.loads(json.dumps(Model.from_estimator(model).to_dict())))
    assert [str(label) for label in stored.predict(table).tolist()] == says
    base = sqlite3.connect(":memory:")
    base.execute("CREATE TABLE t (n INTEGER, a INTEGER)")
    base.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(asked)))
    expression = model.tree_.to_sql()
    assert [str(row[0]) for row in base.execute(f"SELECT {expression} FROM t ORDER BY n")] == says


def test_columns_of_integers_with_gaps() -> None:
    """Doubles with NaN where they are exact, else integers that say where they are missing."""
    for library in ("pandas", "polars", "objects"):
        tables = [table_with_gaps([1, None, number], library) for number in (7, 2**53 + 1)]
        small, large = (next(read_columns(table, ["a"])) for table in tables)
        assert small.missing is None
        assert np.array_equal(small.values, [1.0, math.nan, 7.0], equal_nan=True)
        assert large.values.tolist() == [1, 0, 2**53 + 1]
        assert large.missing is not None
        assert large.missing.tolist() == [False, True, False]
        assert np.array_equal(large.floats(), [1.0, math.nan, 2.0**53], equal_nan=True)


@given(st.integers(-(2**64), 2**64), st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1))
def test_comparing_integers(cut: int, values: list[int]) -> None:
    whole = np.array(values, dtype=np.int64)
    assert at_most(whole, cut).tolist() == [value <= cut for value in values]
    assert at_most(whole, float(cut)).tolist() == [value <= float(cut) for value in values]
    real = whole.astype(np.float64)
    assert at_most(real, cut).tolist() == [int(value) <= cut for value in real.tolist()]
