"""Files that the tests of the command share."""

from __future__ import annotations

from pathlib import Path

import pytest

from streed.cli import main
from tests.cli.data import rows, write


@pytest.fixture
def customers(tmp_path: Path) -> str:
    """A CSV file with columns of all kinds."""
    return write(tmp_path / "customers.csv", rows())


@pytest.fixture
def stored(customers: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """A model file, fitted to the customers."""
    path = str(tmp_path / "model.json")
    assert main(["fit", customers, "--target", "churn", "--drop", "id", "--depth", "2", "--out", path]) == 0
    capsys.readouterr()
    return path
