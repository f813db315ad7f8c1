"""The programs of the gallery run, and the files that are named for releases agree."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path

import pytest

from tests.support import ROOT

PROGRAMS = sorted((ROOT / "docs" / "gallery").glob("plot_*.py"))


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_runs(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(program))


def test_there_are_twelve() -> None:
    assert len(PROGRAMS) >= 12


def test_versions_agree() -> None:
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    cited = re.search(r"^version: (.+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    recipe = (ROOT / "recipe" / "meta.yaml").read_text(encoding="utf-8")
    assert cited is not None
    assert cited[1] == known
    assert f'set version = "{known}"' in recipe
