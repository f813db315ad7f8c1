"""`streed show` and the files that `fit` writes: views of a tree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from streed.cli import main
from streed.cli.views import VIEWS
from streed.model.model import Model
from tests.cli.data import write


@pytest.mark.parametrize("name", VIEWS)
def test_views_are_those_of_the_tree(name: str, stored: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", stored, "--as", name]) == 0
    out, err = capsys.readouterr()
    tree = Model.load(stored).tree
    assert err == ""
    if name == "json":
        assert json.loads(out) == tree.to_dict()
    else:
        assert out.rstrip("\n") == getattr(tree, f"to_{name}")().rstrip("\n")


def test_show_says_what_was_proven(stored: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", stored]) == 0
    out = capsys.readouterr().out
    model = Model.load(stored)
    assert out.startswith(model.summary())
    assert "fitted with max_depth 2, min_samples_leaf 1" in out
    assert out.rstrip().endswith(model.tree.to_text())


@pytest.mark.parametrize("command", ["fit", "show"])
def test_pictures(command: str, stored: str, customers: str, tmp_path: Path) -> None:
    plot = tmp_path / "tree.png"
    data = ["fit", customers, "--target", "churn"] if command == "fit" else ["show", stored]
    assert main([*data, "--plot", str(plot)]) == 0
    assert plot.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("command", ["fit", "show"])
def test_pages(command: str, stored: str, customers: str, tmp_path: Path) -> None:
    page = tmp_path / "tree.html"
    data = ["fit", customers, "--target", "churn"] if command == "fit" else ["show", stored]
    assert main([*data, "--html", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "<title>Prediction of churn</title>" in text
    assert "proven optimal" in text


def test_dates_in_sql(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = [[f"2024-03-0{day}T12:00:00Z", "early" if day < 5 else "late"] for day in range(1, 10)]
    data, path = write(tmp_path / "days.csv", table, ("signed", "when")), str(tmp_path / "dated.json")
    assert main(["fit", data, "--target", "when", "--depth", "1", "--out", path]) == 0
    assert main(["show", path, "--as", "sql"]) != 0
    assert "compares dates (column 'signed'), which databases store in several" in capsys.readouterr().err
    assert main(["show", path, "--as", "sql", "--dates", "sqlite"]) == 0
    assert capsys.readouterr().out.rstrip("\n") == Model.load(path).tree.to_sql(dates="sqlite")
    assert main(["show", path, "--as", "text", "--dates", "sqlite"]) != 0
    assert "give it with --as sql" in capsys.readouterr().err
