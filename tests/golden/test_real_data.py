"""Real data sets: the same tree for every number of threads, SIMD level and switch, checked by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from streed import _core
from tests.properties.engine import run, same_tree
from tests.properties.naive import Problem

SETS = [("anneal", 4), ("heart-cleveland", 4), ("lymph", 4), ("kr-vs-kp", 4), ("vehicle", 3), ("compas", 5)]


@pytest.fixture(params=[pytest.param(case, id=f"{case[0]}-{case[1]}") for case in SETS])
def problem(
    request: pytest.FixtureRequest, dataset: Callable[[str], tuple[np.ndarray, np.ndarray]]
) -> Problem:
    name, depth = request.param
    X, y = dataset(f"classification/{name}")
    codes = np.unique(y, return_inverse=True)[1].astype(np.int32)
    return Problem(X, codes, np.ones(len(y)), int(codes.max()) + 1, depth, 2**depth - 1)


def test_same_tree_for_every_number_of_threads_and_every_run(problem: Problem) -> None:
    results = [run(problem, n_threads=n_threads) for n_threads in (1, 1, 2, 2, 3)]
    assert all(same_tree(results[0], other) for other in results[1:])


def test_same_tree_for_every_simd_level(problem: Problem) -> None:
    results = [run(problem, simd=level) for level in _core.simd_levels()]
    assert all(same_tree(results[0], other) for other in results[1:])


@pytest.mark.parametrize("name", _core.switch_names())
def test_a_switch_changes_no_optimum(problem: Problem, name: str) -> None:
    assert run(problem, switches={name: False})["objective"] == run(problem)["objective"]
