"""The limits of a solve: what is accepted, and what is said when something is not."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
import pytest

from streed.options import OPTIONS, check_limits

LEAF = "min_samples_leaf must be an integer >= 1, or a share of the rows between 0 and 1"
MEMORY = "memory_limit must be a number of bytes > 0, a text such as '2GB', or None"


@pytest.mark.parametrize(
    ("text", "size"),
    [("1GB", 10**9), ("2 GiB", 2**31), ("500 mb", 5 * 10**8), (".5k", 500), ("64KiB", 2**16), ("7 B", 7)],
)
def test_sizes_of_memory_as_texts(text: str, size: int) -> None:
    assert check_limits(max_depth=1, memory_limit=text).memory_limit == size


@pytest.mark.parametrize(("rows", "least"), [(100, 7), (101, 8), (3, 1), (10**6, 70_000)])
def test_a_share_of_the_rows_is_rounded_up(rows: int, least: int) -> None:
    limits = check_limits(max_depth=1, min_samples_leaf=0.07)
    assert limits.for_rows(rows).min_samples_leaf == least
    assert check_limits(max_depth=1, min_samples_leaf=1).for_rows(rows).min_samples_leaf == 1


@pytest.mark.parametrize("value", [1.0, 0.0, 1.5, -0.2, math.nan, True])
def test_what_is_no_share(value: Any) -> None:
    with pytest.raises(TypeError, match=f"{LEAF}, got {value!r}"):
        check_limits(max_depth=1, min_samples_leaf=value)


@pytest.mark.parametrize("text", ["much", "-1GB", "1 ZB", "1.5.2 GB", "GB", "1e3kB"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(TypeError, match=f"{MEMORY}, got {text!r}"):
        check_limits(max_depth=1, memory_limit=text)


def test_texts_of_the_command_line() -> None:
    read = OPTIONS["min_samples_leaf"].read
    assert (read("3"), read("0.05"), OPTIONS["max_depth"].read("none")) == (3, 0.05, None)
    assert OPTIONS["memory_limit"].read("2kB") == 2000
    with pytest.raises(TypeError, match=LEAF):
        read("2.5")


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
        ("min_samples_leaf", 0, LEAF + ", got 0"),
        ("time_limit", 0, "time_limit must be a number of seconds > 0 or None, got 0"),
        ("time_limit", -2.5, "time_limit must be a number of seconds > 0 or None, got -2.5"),
        ("time_limit", math.nan, "time_limit must be a number of seconds > 0 or None, got nan"),
        ("memory_limit", 0, MEMORY + ", got 0"),
        ("memory_limit", math.nan, MEMORY + ", got nan"),
        ("memory_limit", "0GB", MEMORY + ", got 0.0"),
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
