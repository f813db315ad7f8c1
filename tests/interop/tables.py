"""Tables, fitted estimators and random trees that the tests of exports share."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pandas as pd

from streed import Binarizer, Condition, OptimalTreeClassifier, OptimalTreeRegressor, Tree
from streed.model import Model
from tests.views.trees import grow

COLOURS = ["red", "green", "blue", "grey"]


def people(n: int, seed: int = 0) -> pd.DataFrame:
    """Numbers with few and many digits, texts, Booleans, zeros and ones, dates, an order; some missing."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "age": rng.normal(40, 12, n).round(1),
            "colour": rng.choice(COLOURS, n),
            "member": rng.random(n) < 0.4,
            "income": rng.lognormal(10, 1, n),
            "owner": rng.integers(0, 2, n),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), unit="D"),
            "size": pd.Categorical(rng.choice(list("sml"), n), list("sml"), ordered=True),
        }
    )
    table.loc[rng.random(n) < 0.15, "age"] = np.nan
    table.loc[rng.random(n) < 0.1, "colour"] = None
    table.loc[rng.random(n) < 0.1, "day"] = None
    return table


def scores(table: pd.DataFrame, seed: int = 1) -> Any:
    noise = np.random.default_rng(seed).normal(0, 0.5, len(table))
    parts = [table.age.fillna(60) > 45, table.colour == "red", table.member, table.day > "2024-05-05"]
    parts += [table.income > 30000, table["size"] > "s", table.owner > 0]
    return sum(part.astype(float).to_numpy() for part in parts) + noise


@functools.cache
def fitted(kind: str, missing: Any, depth: int = 4) -> Any:
    """An estimator fitted to `people`."""
    table = people(1500)
    target = scores(table)
    binarizer = Binarizer(missing=missing, n_thresholds=6)
    if kind == "classifier":
        labels = np.where(target > 3.5, "yes", "no")
        return OptimalTreeClassifier(max_depth=depth, binarizer=binarizer).fit(table, labels)
    return OptimalTreeRegressor(max_depth=depth, binarizer=binarizer).fit(table, target)


def with_cuts(table: pd.DataFrame, tree: Tree, seed: int = 2) -> pd.DataFrame:
    """Put the cuts of a tree into the table, each into some rows."""
    rng = np.random.default_rng(seed)
    table = table.copy()
    assert tree.conditions is not None
    for condition in {tree.conditions[f] for f in tree.feature.tolist() if f >= 0}:
        if condition.operator == "<=":
            cut = pd.Timestamp(condition.value) if isinstance(condition.value, str) else condition.value
            table.loc[table.index[rng.integers(0, len(table), 30)], condition.column] = cut
    return table


CONDITIONS = (
    *(Condition("age", "<=", cut) for cut in (0.1, 30.0, 42.7)),
    *(Condition("age", "<=", cut, missing=True) for cut in (0.1, 30.0, 42.7)),
    Condition("age", "is", None),
    *(Condition("colour", "=", colour) for colour in COLOURS[:3]),
    Condition("colour", "in", ("red", "grey"), missing=True),
    Condition("colour", "in", ("red", "green", "blue")),
    Condition("colour", "is", None),
    Condition("member", "is", True),
    Condition("member", "is", True, missing=True),
    Condition("member", "is", None),
    Condition("owner", "=", 1),
    Condition("number", "=", 3),
    Condition("number", "in", (2, 5, 0.5)),
    Condition("day", "<=", "2024-03-05"),
    Condition("day", "<=", "2024-03-06 12:30:00.5", missing=True),
    Condition("size", "in", ("s",), ordered=True),
    Condition("size", "in", ("s", "m"), ordered=True, missing=True),
)
COLUMNS = tuple(dict.fromkeys(condition.column for condition in CONDITIONS))


def random_model(seed: int, n_labels: int = 3, depth: int = 5) -> Model:
    """A model of a random tree over all kinds of conditions."""
    rng = np.random.default_rng(seed)

    def shape(levels: int) -> Any:
        if levels == 0 or (levels < depth and rng.random() < 0.1):
            return int(rng.integers(n_labels))
        return int(rng.integers(len(CONDITIONS))), shape(levels - 1), shape(levels - 1)

    tree = grow(shape(depth), CONDITIONS, classes=list("abcdefgh"[:n_labels]))
    return Model(tree, CONDITIONS, COLUMNS, missing="side")


def random_rows(n: int, seed: int) -> pd.DataFrame:
    """Rows with values of every kind that the conditions tell apart, and missing ones."""
    rng = np.random.default_rng(seed)

    def column(values: list[Any]) -> list[Any]:
        return [values[i] for i in rng.integers(0, len(values), n)]

    return pd.DataFrame(
        {
            "age": column([0.1, float(np.float32(0.1)), 0.05, 29.0, 30.0, 30.5, 42.7, 42.8, -5.0, np.nan]),
            "colour": pd.Series(column([*COLOURS, "violet", None]), dtype=object),
            "member": pd.Series(column([True, False, None]), dtype=object),
            "owner": column([0, 1]),
            "number": column([0.0, 0.5, 2.0, 3.0, 5.0, 7.0, np.nan]),
            "day": pd.to_datetime(
                column(["2024-03-05", "2024-03-05 00:00:01", "2024-03-06 12:30:00.5", "2025-01-01", None]),
                format="ISO8601",
            ),
            "size": pd.Series(column(["s", "m", "l", None]), dtype=object),
        }
    )
