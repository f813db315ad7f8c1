"""Files become the same columns with pandas and with polars."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import streed.cli.tables as tables
from streed.cli import main
from streed.cli.tables import of_model, read_table
from streed.model.model import Model
from streed.table.columns import Kind, column_names, read_columns
from tests.cli.data import COLUMNS, rows, write

MESSY = (
    "\ufeffname; size ;ok;code;gap;both;none\n"
    '"Ann; B"; 3.5;True;007;NA;1;\n'
    " Bob ;-1e3;FALSE;12;;x;\n"
    "N/A;;true;;5; 2 ;null\n"
)


def both(monkeypatch: pytest.MonkeyPatch, path: str, **options: Any) -> list[Any]:
    frames = []
    for library in (pd, pl):
        monkeypatch.setattr(tables, "_library", lambda *names, purpose, library=library: library)
        frames.append(read_table(path, **options))
    return frames


def contents(frame: Any) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for column in read_columns(frame, column_names(frame)):
        values = column.values.tolist()
        if column.kind is Kind.CATEGORY:
            values = [column.categories[value] if value >= 0 else None for value in values]
        found[column.name] = [None if value != value else value for value in values]
    return found


def test_a_messy_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "messy.csv"
    path.write_text(MESSY, encoding="utf-8")
    for frame in both(monkeypatch, str(path), text=["both"]):
        assert contents(frame) == {
            "name": ["Ann; B", "Bob", None],
            "size": [3.5, -1000.0, None],
            "ok": [True, False, True],
            "code": [7, 12, None],
            "gap": [None, None, 5],
            "both": ["1", "x", "2"],
            "none": [None, None, None],
        }


def test_customers(monkeypatch: pytest.MonkeyPatch, customers: str) -> None:
    first, second = both(monkeypatch, customers)
    assert contents(first) == contents(second)


@pytest.mark.parametrize("library", [pd, pl])
def test_models_do_not_depend_on_the_library(
    library: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stored: str, customers: str
) -> None:
    monkeypatch.setattr(tables, "_library", lambda *names, purpose: library)
    other = tmp_path / "other.json"
    arguments = ["fit", customers, "--target", "churn", "--drop", "id", "--depth", "2", "--out", str(other)]
    assert main(arguments) == 0
    assert Model.load(other).tree.to_text() == Model.load(stored).tree.to_text()
    new = of_model(Model.load(other), read_table(write(tmp_path / "new.csv", rows(50, seed=5))))
    assert np.array_equal(Model.load(other).predict(new), Model.load(stored).predict(new))


@pytest.mark.parametrize("library", [pd, pl])
def test_parquet(library: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, customers: str) -> None:
    if library is pd:
        pytest.importorskip("pyarrow", reason="pandas reads Parquet through pyarrow")
    frame = pl.read_csv(customers, null_values=["NA"])
    frame.write_parquet(tmp_path / "t.parquet")
    monkeypatch.setattr(tables, "_library", lambda *names, purpose: library)
    assert contents(read_table(str(tmp_path / "t.parquet"))) == contents(frame)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators_are_found_out(separator: str, tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", rows(5), separator=separator)
    assert list(read_table(path).columns) == list(COLUMNS)
    assert list(read_table(path, separator=separator).columns) == list(COLUMNS)


@pytest.mark.parametrize("library", [pd, pl])
def test_a_first_column_without_a_name_is_left_out(
    library: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "_library", lambda *names, purpose: library)
    path = tmp_path / "t.csv"
    pd.DataFrame({"a": [3, 4], "b": ["x", "y"]}).to_csv(path)
    assert list(read_table(str(path)).columns) == ["a", "b"]
    assert "the first column of" in capsys.readouterr().err
