"""The limits of a solve: what is accepted, and what is said when something is not."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
import pytest

from streed.options import OPTIONS, check_limits


def test_defaults_become_what_the_engine_takes() -> None:
    limits = check_limits(max_depth=3)
    assert (limits.max_depth, limits.max_nodes, limits.min_samples_leaf) == (3, 7, 1)
    assert (limits.time_limit, limits.memory_limit, limits.n_threads) == (math.inf, 0, 1)


@pytest.mark.parametrize(("given", "expected"), [(None, 15), (0, 0), (5, 5), (10**12, 15), (np.int8(4), 4)])
def test_max_nodes_is_at_most_a_full_tree(given: Any, expected: int) -> None:
    assert check_limits(max_depth=4, max_nodes=given).max_nodes == expected


def test_numbers_of_threads() -> None:
    available = getattr(os, "sched_getaffinity", None)
    cores = len(available(0)) if available else os.cpu_count()
    assert check_limits(max_depth=1, n_jobs=-1).n_threads == cores
    assert check_limits(max_depth=1, n_jobs=-1000).n_threads == 1
    assert check_limits(max_depth=1, n_jobs=7).n_threads == 7


def test_fractions_of_a_byte_and_endless_time_are_no_error() -> None:
    limits = check_limits(max_depth=1, time_limit=math.inf, memory_limit=0.5)
    assert (limits.time_limit, limits.memory_limit) == (math.inf, 1)
    assert check_limits(max_depth=1, memory_limit=math.inf).memory_limit == 0


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("max_depth", -1, "max_depth must be an integer from 0 to 20 or None, got -1"),
        ("max_depth", 21, "max_depth must be an integer from 0 to 20 or None, got 21"),
        ("max_nodes", -1, "max_nodes must be an integer >= 0 or None, got -1"),
        ("min_samples_leaf", 0, "min_samples_leaf must be an integer >= 1, got 0"),
        ("time_limit", 0, "time_limit must be a number of seconds > 0 or None, got 0"),
        ("time_limit", -2.5, "time_limit must be a number of seconds > 0 or None, got -2.5"),
        ("time_limit", math.nan, "time_limit must be a number of seconds > 0 or None, got nan"),
        ("memory_limit", 0, "memory_limit must be a number of bytes > 0 or None, got 0"),
        ("memory_limit", math.nan, "memory_limit must be a number of bytes > 0 or None, got nan"),
        ("n_jobs", 0, "n_jobs must be a positive integer, -1 for all cores, or None for one, got 0"),
    ],
)
def test_values_out_of_range(name: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=name) as caught:
        check_limits(**{"max_depth": 2, name: value})
    assert str(caught.value) == message


@pytest.mark.parametrize("name", [name for name in OPTIONS if name != "cost_complexity"])
@pytest.mark.parametrize("value", [True, np.True_, "3", [3], 2j, object()])
def test_values_of_the_wrong_type(name: str, value: Any) -> None:
    with pytest.raises(TypeError, match=rf"{name} must be .*, got .*\({type(value).__name__}\)"):
        check_limits(**{"max_depth": 2, name: value})


@pytest.mark.parametrize("name", ["max_depth", "max_nodes", "min_samples_leaf", "n_jobs"])
def test_fractions_are_no_integers(name: str) -> None:
    with pytest.raises(TypeError, match=rf"{name} must be .*integer.*, got 1.0 \(float\)"):
        check_limits(**{"max_depth": 2, name: 1.0})


def test_none_where_it_is_not_allowed() -> None:
    with pytest.raises(TypeError, match="min_samples_leaf must be"):
        check_limits(max_depth=2, min_samples_leaf=None)


def test_what_equals_a_known_limit_is_still_refused() -> None:
    """Limits that were checked once are remembered; 3.0 and True equal integers and are none."""
    for _ in range(2):
        assert check_limits(max_depth=3, min_samples_leaf=1).max_depth == 3
        with pytest.raises(TypeError, match="max_depth must be an integer"):
            check_limits(max_depth=3.0, min_samples_leaf=1)
        with pytest.raises(TypeError, match="min_samples_leaf must be an integer"):
            check_limits(max_depth=3, min_samples_leaf=True)
