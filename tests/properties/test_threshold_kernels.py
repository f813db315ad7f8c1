"""Every kernel of the search over thresholds equals a slow twin: models, widths of lanes, walks and sizes.

A tree with two levels is one call of a kernel per batch of root splits. Which kernel it is follows from the
data: lanes of 8, 16 or 32 bits or of doubles by the sums that may occur, or of 8 bits in blocks of rows,
entries of 32 or 64 bits by the number of rows, and how a column is walked by its ties and turns.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from streed import _core
from tests.properties.thresholds_twin import ThresholdProblem, optimum, run

UNLIMITED = 2**31 - 1


def best_stump(ranks: np.ndarray, costs: np.ndarray, least: int) -> float:
    """Return the least cost of one split, or of none."""
    value = float(costs.sum(axis=0).min())
    for column in ranks:
        count = np.bincount(column).cumsum()
        below = np.stack([np.bincount(column, weights=c) for c in costs.T], axis=1).cumsum(axis=0)
        fits = np.minimum(count, column.size - count) >= least
        both = below.min(axis=1) + (below[-1] - below).min(axis=1)
        value = min([value, *both[fits & (count < column.size)].tolist()])
    return value


def two_levels(problem: ThresholdProblem) -> float:
    """Return the least cost of a tree with two levels, by trying every root split."""
    table, ranks, least = problem.table(), problem.ranks, problem.min_samples_leaf
    value = best_stump(ranks, table, least)
    for column in ranks:
        for cut in np.unique(column)[:-1]:
            lower = column <= cut
            if min(lower.sum(), (~lower).sum()) >= least:
                sides = [best_stump(ranks[:, side], table[side], least) for side in (lower, ~lower)]
                value = min(value, sum(sides))
    return value


def columns(rng: np.random.Generator, n: int, walk: str) -> np.ndarray:
    """Three columns: all values distinct, in groups, or such that labels (by halves) seldom turn."""
    if walk == "distinct":
        return np.array([rng.permutation(n) for _ in range(3)], np.int32)
    if walk == "ties":
        return rng.integers(0, 12, (3, n)).astype(np.int32)
    if walk == "long groups":  # some of more rows than a block has, some of one
        grouped = np.minimum(rng.integers(0, n, (3, n)), [[n // 3], [n // 2], [n - n // 4]])
        return np.array([np.unique(column, return_inverse=True)[1] for column in grouped], np.int32)
    order = np.arange(n)  # long runs of one label, with some rows exchanged
    made = []
    for _ in range(3):
        some = rng.permutation(order)[: max(2, n // 20)]
        turned = order.copy()
        turned[some] = turned[rng.permutation(some)]
        made.append(turned)
    return np.array(made, np.int32)


def problem_of(model: str, width: str, walk: str, seed: int) -> ThresholdProblem:
    rng = np.random.default_rng(seed)
    n = {"i8": 90, "i16": 260, "blocks": 500, "i32": 150, "f64": 150}.get(width, 40_000)
    ranks = columns(rng, n, walk)
    n_labels = 2 if model == "two labels" else 4
    labels = (np.arange(n) * n_labels // n).astype(np.int32)
    noise = 0.02 if walk == "runs" else 0.15
    labels = np.where(rng.random(n) < noise, rng.integers(0, n_labels, n), labels).astype(np.int32)
    largest = {"i16": 2, "wide i32": 3, "i32": 3000, "f64": 2**25, "wide f64": 2**25}.get(width, 1)
    weights = rng.integers(1, largest + 1, n).astype(np.float64)
    made = ThresholdProblem(ranks, labels, weights, None, n_labels, 2, UNLIMITED)
    if model == "costs":
        most = 2**25 if "f64" in width else 9
        costs = rng.integers(0, most + 1, (n, n_labels)).astype(np.float64)
        costs[np.arange(n), labels] = 0
        return replace(made, labels=None, weights=None, costs=costs)
    return made


def cases() -> list[Any]:
    found = []
    for model in ("two labels", "classes", "costs"):
        widths = ["i32", "f64"] if model == "costs" else ["i8", "i16", "i32", "f64"]
        for width in widths:
            for walk in ("distinct", "ties", "runs"):
                found.append(pytest.param(model, width, walk, id=f"{model}-{width}-{walk}"))
        for width in ("wide", "wide i32", "wide f64"):
            found.append(pytest.param(model, width, "ties", id=f"{model}-{width}"))
    for walk in ("distinct", "ties", "runs", "long groups"):
        found.append(pytest.param("two labels", "blocks", walk, id=f"blocks-{walk}"))
    return found


@pytest.mark.parametrize(("model", "width", "walk"), cases())
def test_kernels_equal_the_twin(model: str, width: str, walk: str) -> None:
    problem = problem_of(model, width, walk, seed=len(model) + len(width) + len(walk))
    for least in (1, 7):
        limited = replace(problem, min_samples_leaf=least)
        expected = two_levels(limited)
        for simd in _core.simd_levels():
            for narrow in (True, False):
                found = run(limited, simd=simd, switches={"narrow_lanes": narrow})
                assert found["objective"] == expected, (least, simd, narrow)


def test_the_twin_equals_brute_force() -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        problem = problem_of("classes" if seed % 2 else "costs", "i32", "ties", seed)
        rows = rng.permutation(150)[:14]
        part: dict[str, Any] = {
            name: None if (value := getattr(problem, name)) is None else value[rows]
            for name in ("labels", "weights", "costs")
        }
        small = replace(
            problem, ranks=np.ascontiguousarray(problem.ranks[:, rows]), min_samples_leaf=1 + seed % 3, **part
        )
        assert two_levels(small) == optimum(small)
