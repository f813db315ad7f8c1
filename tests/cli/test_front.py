"""`streed front`: all best compromises of several objectives."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from streed.cli import main
from streed.model.model import Model

OBJECTIVES = "accuracy,balanced_accuracy"


@pytest.fixture
def command(customers: str) -> list[str]:
    arguments = ["front", customers, "--target", "churn", "--drop", "id,signed", "--objectives", OBJECTIVES]
    return [*arguments, "--depth", "2"]


def test_a_front_is_a_table_of_compromises(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert re.split(r"  +", head.strip()) == ["errors", "balanced accuracy", "nodes", "depth"]
    points = [tuple(map(float, line.split()[1:3])) for line in lines]
    assert points
    for errors, recall in points:
        assert not any(e <= errors and r >= recall and (e, r) != (errors, recall) for e, r in points)


def test_one_tree_is_picked_and_stored(
    command: list[str], customers: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "model.json"
    assert main([*command, "--pick", "1", "--out", str(out)]) == 0
    printed = capsys.readouterr().out
    assert Model.load(out).tree.to_text() in printed
    assert main(["predict", str(out), customers]) == 0


def test_a_page_of_the_front(command: list[str], tmp_path: Path) -> None:
    page = tmp_path / "front.html"
    assert main([*command, "--html", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert '"column":"plan"' in text  # the page speaks of columns, not of binary features
    assert "errors" in text


def test_what_cannot_be_picked(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, "--out", str(tmp_path / "m.json")]) == 1
    assert "say which one by --pick" in capsys.readouterr().err
    assert main([*command, "--pick", "0"]) == 1
    assert "--pick must be from 1 to" in capsys.readouterr().err
