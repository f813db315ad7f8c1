"""The examples of the README and of docs/ and the demo run, and docstrings name the real parameters."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import streed
from tests.support import ROOT

MADE = ("generated", "examples")  # by Sphinx, where the site was built
PAGES = [
    ROOT / "README.md",
    *(page for page in sorted((ROOT / "docs").glob("**/*.md")) if page.parts[-2] not in MADE),
]
SITE = ROOT / "docs" / "site"
BLOCK = re.compile(r"```python\n(?P<code>.*?)```(?:\n+```text\n(?P<output>.*?)```)?", re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page run one after the other; a text block after a Python block is what it prints."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    blocks = list(BLOCK.finditer(page.read_text(encoding="utf-8")))
    assert blocks or page.name != "README.md"
    for block in blocks:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block["code"], str(page), "exec"), names)
        if block["output"] is not None:
            assert printed.getvalue().split() == block["output"].split()


LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    links = LINK.findall(re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL))
    links = [link for link in links if not link.startswith("../examples/")]  # made when the site is built
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_index_links_all_pages() -> None:
    index = ROOT / "docs" / "index.md"
    links = {(index.parent / link).resolve() for link in LINK.findall(index.read_text(encoding="utf-8"))}
    assert {page.resolve() for page in PAGES if page.parent != SITE} - {index.resolve()} <= links


def test_the_site_has_all_pages() -> None:
    listed = re.findall(r"```\{toctree\}\n(.*?)```", (SITE / "index.md").read_text("utf-8"), flags=re.DOTALL)
    names = {name for block in listed for name in block.split() if not name.startswith(":")}
    found = {(SITE / f"{name}.md").resolve() for name in names}
    wanted = {page.resolve() for page in PAGES[1:]} - {SITE / "index.md", ROOT / "docs" / "index.md"}
    assert wanted - found == set(), "pages that no toctree of docs/site/index.md lists"


def test_demo(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", str(ROOT / "examples" / "demo.py")]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, check=True, encoding="utf-8", env=environment
    )
    assert "status          optimal" in done.stdout
    assert (tmp_path / "demo-tree.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "demo-tree.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def public_objects() -> list[Any]:
    modules = [
        streed,
        streed.tasks,
        streed.metrics,
        streed.fairness,
        importlib.import_module("streed.reference"),
        importlib.import_module("streed.testing"),
    ]
    objects = [
        (f"{module.__name__}.{name}", getattr(module, name)) for module in modules for name in module.__all__
    ]
    callables = [
        (name, found) for name, found in objects if inspect.isclass(found) or inspect.isfunction(found)
    ]
    methods = [
        (f"{name}.{method}", function)
        for name, found in callables
        if inspect.isclass(found)
        for method, function in inspect.getmembers(found, inspect.isroutine)
        if not method.startswith("_") and getattr(function, "__module__", "").startswith("streed")
    ]
    return [pytest.param(found, id=name) for name, found in dict([*callables, *methods]).items()]


@pytest.mark.parametrize("found", public_objects())
def test_docstring_names_the_parameters(found: Any) -> None:
    text = inspect.getdoc(found)
    assert text, "no docstring"
    section = re.search(r"^(?:Parameters|Attributes)\n-+\n(.*?)(?:\n\n\w|\Z)", text, re.DOTALL | re.MULTILINE)
    if section is None or issubclass(found if inspect.isclass(found) else int, Exception):
        return
    documented = [
        name.strip().lstrip("*")
        for line in section[1].splitlines()
        if re.match(r"\S", line)
        for name in line.split(" : ")[0].split(",")
    ]
    expected = [name for name in inspect.signature(found).parameters if name != "self"]
    assert documented == expected
