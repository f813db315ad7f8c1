"""The house: news by kind in one line each, pages of at most 110 columns, a header in every file of C++."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import ROOT

KINDS = {"Added", "Changed", "Faster", "Fixed"}
PAGES = sorted(
    path
    for folder in (".", "docs", "docs/experiments", "benchmarks", "experiments")
    for path in (ROOT / folder).glob("*.md")
    if path.name != "CHANGELOG.md"
)
"""All pages but the news."""
SOURCES = sorted(path for folder in ("core", "bindings") for path in (ROOT / folder).rglob("*.[ch]pp"))


def test_news_are_one_line_each() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    news = text.split("## Unreleased\n", 1)[1].split("\n## ", 1)[0]
    assert set(re.findall(r"^### (.*)$", news, re.MULTILINE)) <= KINDS
    listed = [line for line in news.splitlines() if line and not line.startswith(("###", "Figures:"))]
    assert [line for line in listed if not line.startswith("- ")] == []
    assert [line for line in listed if len(line) > 160] == []


def long_lines(page: Path) -> Iterator[str]:
    """Lines of a page above 110 columns; code and tables may have them."""
    code = False
    for line in page.read_text(encoding="utf-8").splitlines():
        code ^= line.lstrip().startswith("```")
        if not code and len(line) > 110 and not line.startswith("|"):
            yield line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_are_wrapped(page: Path) -> None:
    assert list(long_lines(page)) == []


def test_every_file_of_the_engine_says_what_it_is() -> None:
    assert len(SOURCES) > 200
    bare = [path for path in SOURCES if not path.read_text(encoding="utf-8").startswith("//")]
    assert bare == []
