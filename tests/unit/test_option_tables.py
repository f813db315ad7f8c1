"""One table of options: the engine's table, the stub, the limits and all signatures say the same."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import Any

import pytest

import streed
from streed import _core
from streed.options import MOST_DEPTH, MOST_THREADS, OPTIONS, SEARCHES, Option, check_limits

ENGINE = _core.options()
OF_TASKS_AND_TESTS = {
    "prices",
    "combination",
    "work_limit",
    "first_attempt",
    "neighbourhood_steps",
    "needs_cache",
    "switches",
    "simd",
    "poll",
}
"""Options of the engine that users do not set."""

STUB = {
    "one_value": ("solve", "solve_costs", "solve_function"),
    "vector": ("front", "constrained", "mixed"),
    "priced": ("solve_priced",),
    "thresholds": ("solve_thresholds", "solve_threshold_numbers"),
}
SOLVERS = [
    *(getattr(streed, name) for name in streed.__all__ if hasattr(getattr(streed, name), "path")),
    streed.solve,
    streed.size_path,
    streed.complexity_path,
]


def test_both_tables_have_the_same_options() -> None:
    assert tuple(ENGINE) == SEARCHES
    known = {option.native or option.name for option in OPTIONS.values()}
    assert {name for options in ENGINE.values() for name in options} == known | OF_TASKS_AND_TESTS
    for option in OPTIONS.values():
        name = option.native or option.name
        assert option.read_by == tuple(search for search in SEARCHES if name in ENGINE[search]), name


@pytest.mark.parametrize("option", OPTIONS.values(), ids=OPTIONS)
def test_the_engine_takes_what_users_may_give(option: Option) -> None:
    for search in option.read_by:
        _, low, high, above = ENGINE[search][option.native or option.name]
        if option.name == "n_jobs":
            assert (low, high) == (1, MOST_THREADS)
            continue
        assert option.low >= low
        assert option.high <= high
        assert option.above or not above
    assert ENGINE["one_value"]["max_depth"][1:3] == (0, MOST_DEPTH)


def test_limits_are_handed_over_as_the_engine_reads_them() -> None:
    given = check_limits(max_depth=2).arguments(lambda state: False)
    named = [option.native or option.name for option in OPTIONS.values() if option.name != "cost_complexity"]
    assert sorted(given) == sorted([*named, "poll"])


def fields(tree: ast.Module, name: str) -> dict[str, bool]:
    """The entries of a TypedDict of the stub, with whether they are needed."""
    node = next(each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == name)
    found: dict[str, bool] = {}
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id != "TypedDict":
            found |= fields(tree, base.id)
    for entry in node.body:
        if isinstance(entry, ast.AnnAssign) and isinstance(entry.target, ast.Name):
            found[entry.target.id] = not ast.unparse(entry.annotation).startswith("NotRequired")
    return found


@pytest.mark.parametrize("search", SEARCHES)
def test_the_stub_has_the_options_of_every_search(search: str) -> None:
    tree = ast.parse((Path(streed.__file__).parent / "_core.pyi").read_text(encoding="utf-8"))
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    for name in STUB[search]:
        rest = functions[name].args.kwarg
        assert rest is not None
        assert rest.annotation is not None
        kind = ast.unparse(rest.annotation).removeprefix("Unpack[").removesuffix("]")
        assert fields(tree, kind) == {option: needed for option, (needed, *_) in ENGINE[search].items()}


@pytest.mark.parametrize("solver", SOLVERS, ids=lambda solver: solver.__name__)
def test_signatures_have_the_defaults_of_the_table(solver: Any) -> None:
    parameters = inspect.signature(solver).parameters
    found = [option for option in OPTIONS.values() if option.name in parameters]
    assert len(found) >= 5
    for option in found:
        default = parameters[option.name].default
        needed = option.name == "max_depth" and not hasattr(solver, "path")
        assert default in (inspect.Parameter.empty, None) if needed else default == option.default
