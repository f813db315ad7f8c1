"""The engines for priced nodes, thresholds and native leaves, given anything at all: an answer, or an error.

As `test_core_fuzz.py` does for the engine of limited depth; run by `make sanitize`, too.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from streed import _core
from tests.unit.test_core_fuzz import any_array, anything

LIMITS: dict[str, Any] = {"time_limit": math.inf, "memory_limit": 0}
DEEP: dict[str, Any] = {
    "max_depth": 3,
    "max_nodes": 7,
    "min_samples_leaf": 1,
    "branch_cost": 0.0,
    "n_threads": 1,
}
GOOD: dict[str, dict[str, Any]] = {
    "solve_priced": {
        "features": np.array([[0, 1], [1, 0], [1, 1]], dtype=np.uint8),
        "labels": np.array([0, 1, 1], dtype=np.int32),
        "weights": np.ones(3),
        "n_labels": 2,
        "branch_cost": 0.5,
        "min_samples_leaf": 1,
        **LIMITS,
    },
    "solve_thresholds": {
        "ranks": np.array([[0, 1, 2], [1, -1, 0]], dtype=np.int32),
        "labels": np.array([0, 1, 1], dtype=np.int32),
        "weights": np.ones(3),
        "costs": None,
        "n_labels": 2,
        **DEEP,
        **LIMITS,
    },
    "solve_function": {
        "features": np.array([[0, 1], [1, 0], [1, 1]], dtype=np.uint8),
        "statistics": np.array([[1.0, 2.0, 4.0], [1.0, 3.0, 9.0], [1.0, 5.0, 25.0]]),
        "function": "squares",
        "n_labels": 1,
        **DEEP,
        **LIMITS,
    },
}
ENGINES = sorted(GOOD)
engines = pytest.mark.parametrize("engine", ENGINES)


def call_or_refuse(engine: str, **changes: Any) -> None:
    try:
        answer = getattr(_core, engine)(**(GOOD[engine] | changes))
    except (TypeError, ValueError, _core.TaskFailure):
        return
    assert answer["feature"].size >= 1
    assert math.isfinite(answer["objective"])


def arrays_of(engine: str) -> list[str]:
    return sorted(name for name, value in GOOD[engine].items() if isinstance(value, np.ndarray))


@engines
def test_the_good_arguments_are_good(engine: str) -> None:
    answer = getattr(_core, engine)(**GOOD[engine])
    assert (answer["optimal"], answer["status"]) == (True, "optimal")


@engines
@given(data=st.data())
def test_one_argument_of_any_kind(engine: str, data: st.DataObject) -> None:
    name, value = data.draw(st.sampled_from(sorted(GOOD[engine]))), data.draw(anything)
    if name == "n_threads" and isinstance(value, int) and value > 64:
        value = -value
    if name == "function" and isinstance(value, int):
        value = None  # the address of a function
    call_or_refuse(engine, **{name: value})


@engines
@given(data=st.data())
def test_one_array_of_any_type_and_shape(engine: str, data: st.DataObject) -> None:
    call_or_refuse(engine, **{data.draw(st.sampled_from(arrays_of(engine))): data.draw(any_array)})


@engines
@given(data=st.data())
def test_all_arrays_of_any_type_and_shape(engine: str, data: st.DataObject) -> None:
    call_or_refuse(engine, **{name: data.draw(any_array) for name in arrays_of(engine)})


@engines
@given(data=st.data())
def test_right_types_with_any_values(engine: str, data: st.DataObject) -> None:
    changes = {
        name: data.draw(hnp.arrays(GOOD[engine][name].dtype, GOOD[engine][name].shape))
        for name in data.draw(st.lists(st.sampled_from(arrays_of(engine)), unique=True))
    }
    call_or_refuse(engine, **changes)


@given(st.integers(1, 40), st.integers(1, 5), st.integers(0, 4), st.integers(0, 2**32 - 1))
def test_priced_costs_of_any_size(n: int, k: int, f: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n, f)).astype(np.uint8)
    costs = rng.normal(size=(n, k)) * 10.0 ** rng.integers(-260, 260)
    changes = {"labels": None, "weights": None, "costs": costs, "n_labels": k}
    call_or_refuse("solve_priced", features=X, branch_cost=float(np.abs(costs).max()) / 2, **changes)


@given(st.integers(1, 40), st.integers(1, 5), st.integers(0, 4), st.integers(0, 2**32 - 1))
def test_thresholds_with_costs_of_any_size(n: int, k: int, f: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    ranks = rng.choice([-1, 0, 1, 7, 40_000, 2**31 - 2], (f, n)).astype(np.int32)
    costs = rng.normal(size=(n, k)) * 10.0 ** rng.integers(-260, 260)
    changes = {"labels": None, "weights": None, "costs": costs, "n_labels": k, "ranks": ranks}
    call_or_refuse("solve_thresholds", min_samples_leaf=int(rng.integers(1, 4)), **{"max_nodes": 5} | changes)


@pytest.mark.parametrize("memory_limit", [1, 1000, 20_000, 100_000, 1_000_000])
@engines
def test_little_memory_is_no_crash(engine: str, memory_limit: int) -> None:
    rng = np.random.default_rng(0)
    n, f = 300, 12
    X, y = rng.integers(0, 2, (n, f)).astype(np.uint8), rng.integers(0, 2, n).astype(np.int32)
    value = rng.normal(size=n)
    rows: dict[str, dict[str, Any]] = {
        "solve_priced": {"features": X, "labels": y, "weights": np.ones(n), "branch_cost": 9.0},
        "solve_thresholds": {
            "ranks": rng.integers(-1, 50, (3, n)).astype(np.int32), "labels": y, "weights": np.ones(n),
        },
        "solve_function": {"features": X, "statistics": np.column_stack([np.ones(n), value, value**2])},
    }  # fmt: skip
    for threads in (1, 3) if engine != "solve_priced" else (1,):
        options = rows[engine] | ({"n_threads": threads} if engine != "solve_priced" else {})
        answer = getattr(_core, engine)(**(GOOD[engine] | options | {"memory_limit": memory_limit}))
        assert answer["status"] in ("optimal", "memory_limit")
        assert answer["lower_bound"] <= answer["objective"] + 1e-9 * abs(answer["objective"])


@pytest.mark.parametrize("seed", range(12))
def test_the_memory_limit_does_not_end_the_building_of_a_tree(seed: int) -> None:
    """The search over thresholds is over before its tree is built, which takes a little memory more."""
    rng = np.random.default_rng(seed)
    n, f = int(rng.integers(20, 120)), int(rng.integers(1, 4))
    rows: dict[str, Any] = {
        "ranks": rng.integers(-1, 30, (f, n)).astype(np.int32),
        "labels": rng.integers(2, size=n).astype(np.int32),
        "weights": np.ones(n),
    }
    free = _core.solve_thresholds(**(GOOD["solve_thresholds"] | rows))
    for share in (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999, 1.0):
        limit = int(share * free["statistics"]["peak_memory"])
        answer = _core.solve_thresholds(**(GOOD["solve_thresholds"] | rows | {"memory_limit": limit}))
        assert answer["status"] in ("optimal", "memory_limit")
        assert answer["lower_bound"] <= free["objective"] <= answer["objective"]
