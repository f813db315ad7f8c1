"""Which folder of the engine may include which: the floor plan of ``core/``, held to by a test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[2] / "core"

ALLOWED: dict[str, set[str]] = {
    # plain data
    "model": {"data"},
    "engine": {"data", "model"},
    # rows, leaves and inner loops
    "data": set(),
    "leaves": {"data", "model"},
    "kernels": {"leaves", "engine"},
    # the shell of every search
    "run": {"data", "engine", "leaves", "model"},
    # searches
    "search": {"data", "engine", "kernels", "leaves", "model", "run"},
    "sizes": {"data", "engine", "model", "run", "search"},
    "front": {"data", "kernels", "leaves", "model", "search"},
    "priced": {"data", "kernels", "model", "run"},
    "greedy": set(),
    "thresholds": {"data", "engine", "greedy", "kernels", "leaves", "model", "run"},
}
"""For each folder the others whose headers it may include; "engine" is the header of the search by depth."""

EXCEPTIONS: dict[tuple[str, str], str] = {
    (
        "data/problem.hpp",
        "kernels/kernels.hpp",
    ): "a problem names losses and lanes by the types of the kernels",
    ("greedy/grow.hpp", "thresholds/problem.hpp"): "trees are grown on the columns of that search",
}
"""Includes that look the other way, with the reason."""

TECHNIQUES: dict[str, set[str]] = {
    "caches": set(),
    "pairs": set(),
    "bounds": {"caches", "pairs"},
    "levels": {"bounds", "caches", "pairs", "screen"},
    "trees": {"pairs"},
    "neighbourhoods": {"trees"},
    "screen": set(),
}
"""The same for the folders of ``core/search``."""

WALK = {"levels", "trees", "neighbourhoods"}
"""Folders whose sources know the worker; the others know the state of its thread only."""

INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
FILES = sorted(CORE.rglob("*.?pp")) if CORE.is_dir() else []
pytestmark = pytest.mark.skipif(not FILES, reason="tests of an installed package")


def folder(path: str) -> str:
    """The folder of a file, and "engine" for the files of ``core`` itself."""
    return path.split("/")[0] if "/" in path else "engine"


def includes() -> list[tuple[str, str]]:
    """Pairs of files of different folders, the first of which includes the second."""
    pairs = [
        (file.relative_to(CORE).as_posix(), to)
        for file in FILES
        for to in INCLUDE.findall(file.read_text(encoding="utf-8"))
    ]
    return [(file, to) for file, to in pairs if folder(file) != folder(to)]


def test_folders_include_what_they_may() -> None:
    wrong = [
        f"{file} includes {to}"
        for file, to in includes()
        if folder(to) not in ALLOWED[folder(file)] and (file, to) not in EXCEPTIONS
    ]
    assert wrong == []


def test_every_include_of_the_plan_is_used() -> None:
    used: dict[str, set[str]] = {name: set() for name in ALLOWED}
    for file, to in set(includes()) - set(EXCEPTIONS):
        used[folder(file)].add(folder(to))
    assert used == ALLOWED
    assert set(EXCEPTIONS) <= set(includes())


def test_no_folders_include_each_other() -> None:
    graph = dict(ALLOWED)
    while graph:
        lowest = [name for name, below in graph.items() if not below & set(graph)]
        assert lowest, f"these folders include each other: {sorted(graph)}"
        for name in lowest:
            del graph[name]


def test_techniques_of_the_search_include_what_they_may() -> None:
    """Each has its own buffers and knows nothing of the worker, but for those that walk through the tree."""
    used: dict[str, set[str]] = {name: set() for name in TECHNIQUES}
    for file in FILES:
        parts = file.relative_to(CORE).parts
        if parts[0] != "search" or len(parts) < 3:
            continue
        for to in INCLUDE.findall(file.read_text(encoding="utf-8")):
            if to == "search/worker.hpp":
                assert parts[1] in WALK, f"{file.name} must not know the worker"
            elif to.startswith("search/") and to.count("/") == 2 and to.split("/")[1] != parts[1]:
                used[parts[1]].add(to.split("/")[1])
    assert used == TECHNIQUES
