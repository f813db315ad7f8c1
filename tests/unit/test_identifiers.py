"""Columns that name their rows are left out and named; columns that describe rows are kept."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streed import Binarizer, IdentifierWarning, OptimalTreeClassifier, OptimalTreeRegressor
from streed.binarize.identifiers import numbers_identify


def left_out(column: Any, **options: Any) -> dict[str, str]:
    """Return the columns of a table that are left out, and check that each one is named once."""
    table = pd.DataFrame({"column": column, "other": np.arange(len(column)) % 7 / 10})
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        binarizer = Binarizer(missing="side", **options).fit(table)
    assert [one.category for one in found] == [IdentifierWarning] * len(binarizer.identifier_columns_)
    return binarizer.identifier_columns_


RNG = np.random.default_rng(0)
NAMED: dict[str, Any] = {
    "row numbers": np.arange(100),
    "row numbers from one, as floats": np.arange(1.0, 101.0),
    "numbers of a sample": RNG.permutation(1000)[:300] + 1_000_000,
    "numbers beyond doubles": 2**60 + RNG.permutation(1000)[:300],
    "with few repetitions": np.r_[np.arange(500), [3, 77]],
    "with an outlier": np.r_[np.arange(500), 10**9],
    "names": [f"person {i}" for i in range(21)],
    "tail numbers": [f"N{k}" for k in RNG.integers(1000, 9999, 3000)],
    "categories": pd.Categorical([f"person {i}" for i in range(150)]),
    "some missing": [None, *(f"person {i}" for i in range(150))],
}
KEPT: dict[str, Any] = {
    "ages": RNG.integers(18, 90, 1000),
    "incomes": np.round(RNG.lognormal(10, 0.7, 3000)),
    "incomes in hundreds": np.round(RNG.lognormal(10, 0.7, 3000), -2),
    "distinct incomes": np.unique(np.round(RNG.lognormal(10, 0.7, 3000)))[::3],
    "years": np.arange(1980, 2025),
    "populations": RNG.integers(1000, 9_000_000, 2000),
    "counts": RNG.poisson(2000, 500),
    "seconds": RNG.integers(0, 86_400, 5000),
    "measured": RNG.normal(size=300),
    "few texts": [f"town {i}" for i in range(20)],
    "towns": [f"town {i}" for i in range(40)] * 2,
    "a frequent text": ["none"] * 30 + [f"note {i}" for i in range(170)],
    "dates": [str(np.datetime64("2024-01-01") + i) for i in range(200)],
    "hours": pd.date_range("2024-01-01", periods=200, freq="h"),
}


@pytest.mark.parametrize("name", NAMED)
def test_columns_that_name_rows(name: str) -> None:
    assert list(left_out(NAMED[name])) == ["column"]
    assert left_out(NAMED[name], identifiers="keep") == {}


@pytest.mark.parametrize("name", KEPT)
def test_columns_that_describe_rows(name: str) -> None:
    assert left_out(KEPT[name]) == {}


@settings(max_examples=100)
@given(st.integers(0, 2**32 - 1), st.integers(50, 2000), st.sampled_from(["uniform", "normal", "skewed"]))
def test_draws_are_never_taken_for_names(seed: int, n: int, kind: str) -> None:
    """However dense: values that chance gives are equal about half as often as they are neighbours."""
    rng = np.random.default_rng(seed)
    spread = 10 ** rng.uniform(0, 6)
    draws: dict[str, Callable[[], np.ndarray]] = {
        "uniform": lambda: rng.integers(0, int(spread) + 1, n),
        "normal": lambda: np.round(rng.normal(0, spread, n)),
        "skewed": lambda: np.round(rng.lognormal(0, 1, n) * spread),
    }
    assert not numbers_identify(np.unique(draws[kind]()), n)


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1), st.integers(200, 2000), st.floats(0.3, 1.0))
def test_numbers_given_out_are_found_in_samples(seed: int, n: int, share: float) -> None:
    numbers = np.random.default_rng(seed).permutation(n)[: int(n * share)]
    expected = np.count_nonzero(np.diff(np.sort(numbers)) == 1) >= 50
    assert numbers_identify(np.sort(numbers), numbers.size) == expected


def test_the_only_column_and_given_cuts_stay() -> None:
    assert len(Binarizer().fit(pd.DataFrame({"i": np.arange(100)})).conditions_) > 0
    table = pd.DataFrame({"i": np.arange(100), "other": np.arange(100) % 7})
    assert str(Binarizer(thresholds={"i": [50]}).fit(table).conditions_[0]) == "i <= 50"
    with pytest.raises(ValueError, match="identifiers must be 'drop' or 'keep', got 'both'"):
        Binarizer(identifiers="both").fit(table)  # type: ignore[arg-type]


def table_with_names(n: int = 600) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(1)
    x, tail = rng.normal(size=n), [f"N{k}" for k in rng.integers(1000, 2000, n)]
    table = pd.DataFrame({"tail": tail, "number": np.arange(n), "x": x})
    table.loc[::9, "tail"] = None
    return table, ((x > 0.3) ^ (rng.random(n) < 0.1)).astype(int)


@pytest.mark.parametrize("cuts", ["auto", "exact", "binned"])
@pytest.mark.parametrize("estimator", [OptimalTreeClassifier, OptimalTreeRegressor])
def test_one_warning_per_fit_and_column(estimator: Any, cuts: Any) -> None:
    table, y = table_with_names()
    table = table.fillna({"tail": "none 1"}) if cuts == "binned" else table
    table.loc[table["tail"] == "none 1", "tail"] = [f"none {i}" for i in range((y.size + 8) // 9)][
        : int((table["tail"] == "none 1").sum())
    ]
    model = estimator(max_depth=2, cuts=cuts)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        model.fit(table, y)
    assert [str(one.message).split(":")[0] for one in found] == [
        "column 'tail' is left out",
        "column 'number' is left out",
    ]
    assert {one.filename for one in found} == {__file__}
    assert "without 'tail', 'number', which name rows" in model.result_.note
    tested = {model.tree_.conditions[f].column for f in model.tree_.feature if f >= 0}
    assert "number" not in tested
    assert all(c.value is None for c in model.tree_.conditions if c.column == "tail")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(table.assign(tail="new", number=-5))
        kept = estimator(max_depth=2, cuts=cuts, identifiers="keep").fit(table, y)
    assert kept.result_.objective <= model.result_.objective


def test_paths_and_tuning_warn_once_too() -> None:
    table, y = table_with_names(300)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        OptimalTreeClassifier(max_depth=1).path(table, y)
        OptimalTreeClassifier(max_depth=1, tune=3).fit(table, y)
    assert len([one for one in found if one.category is IdentifierWarning]) == 4


def test_whether_a_left_out_value_is_missing_remains_a_test() -> None:
    table, _ = table_with_names()
    y = table["tail"].isna().to_numpy()
    with pytest.warns(IdentifierWarning):
        model = OptimalTreeClassifier(max_depth=1).fit(table, y)
    assert model.tree_.to_text().startswith("tail is missing?")
    assert (model.predict(table) == y).all()
    assert model.binarizer_.dropped_columns_["number"] == "it names its rows"


@pytest.mark.parametrize("form", ["%d/%m/%Y", "%d %b %Y", "%b %d, %Y"])
def test_dates_in_another_form_are_told_how_to_be_written(form: str) -> None:
    days = pd.date_range("2024-01-01", periods=200).strftime(form)
    assert "YYYY-MM-DD" in left_out(days)["column"]


@pytest.mark.parametrize("name", ["names", "tail numbers", "row numbers"])
def test_other_columns_hear_nothing_of_dates(name: str) -> None:
    assert "YYYY-MM-DD" not in left_out(NAMED[name])["column"]
