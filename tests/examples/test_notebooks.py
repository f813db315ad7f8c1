"""The notebooks of the documentation run, cell by cell, and are kept without outputs."""

from __future__ import annotations

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import ROOT

BOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def code(book: Path) -> list[dict[str, Any]]:
    cells = json.loads(book.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def shown(source: str, names: dict[str, Any]) -> Any:
    """Run a cell; return what a notebook would show: the value of its last expression."""
    program = ast.parse(source)
    last = program.body.pop() if isinstance(program.body[-1], ast.Expr) else None
    exec(compile(program, "cell", "exec"), names)
    if not isinstance(last, ast.Expr):
        return None
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


@pytest.mark.parametrize("book", BOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    rich = 0
    for cell in code(book):
        with contextlib.redirect_stdout(io.StringIO()):
            value = shown("".join(cell["source"]), names)
        if hasattr(value, "_repr_html_"):
            rich += value._repr_html_().count("<iframe")
    assert rich >= 1, "each notebook shows at least one interactive page"


@pytest.mark.parametrize("book", BOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs(book: Path) -> None:
    assert [cell for cell in code(book) if cell["outputs"] or cell["execution_count"]] == []


def test_there_are_four() -> None:
    assert len(BOOKS) >= 4
