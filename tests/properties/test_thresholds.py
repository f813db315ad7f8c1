"""The search over all thresholds equals brute force, whatever the columns, the costs, the limits and the switches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streed import _core
from tests.properties.thresholds_twin import ThresholdProblem, check, optimum, run

UNLIMITED = 2**31 - 1


@st.composite
def columns(draw: st.DrawFn, n_rows: int) -> np.ndarray:
    """Columns of few or many values, copies and mirror images of others, constants, missing values."""
    made: list[list[int]] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["values", "values", "bits", "copy", "mirror", "constant"]))
        if kind in ("copy", "mirror") and made:
            source = draw(st.sampled_from(made))
            made.append(_mirror(source, kind))
            continue
        highest = {"bits": 1, "constant": 0}.get(kind, draw(st.sampled_from([2, 4, n_rows])))
        lowest = draw(st.sampled_from([0, 0, -1]))
        made.append(draw(st.lists(st.integers(lowest, highest), min_size=n_rows, max_size=n_rows)))
    return np.array(made, dtype=np.int32)


def _mirror(source: list[int], kind: str) -> list[int]:
    top = max(source)
    return [v if v < 0 or kind == "copy" else top - v for v in source]


@st.composite
def problems(draw: st.DrawFn, models: tuple[str, ...] = ("unit", "weights", "real", "costs")) -> ThresholdProblem:
    n_rows = draw(st.integers(1, 11))
    n_labels = draw(st.integers(2, 6))
    ranks = draw(columns(n_rows))
    model = draw(st.sampled_from(models))
    labels = weights = costs = None
    if model == "costs":
        unit = draw(st.sampled_from([1.0, 0.37]))
        table = st.lists(st.integers(-3, 9), min_size=n_rows * n_labels, max_size=n_rows * n_labels)
        costs = np.array(draw(table), dtype=np.float64).reshape(n_rows, n_labels) * unit
    else:
        labels = np.array(draw(st.lists(st.integers(0, n_labels - 1), min_size=n_rows, max_size=n_rows)), np.int32)
        weight = {"unit": st.just(1.0), "weights": st.integers(1, 300).map(float), "real": st.floats(0.01, 50.0)}
        weights = np.array(draw(st.lists(weight[model], min_size=n_rows, max_size=n_rows)))
    depth = draw(st.integers(0, 4))
    nodes = draw(st.sampled_from([UNLIMITED, UNLIMITED, 0, 1, 2, 3, 4, 5]))
    leaf = draw(st.sampled_from([1, 1, 2, 3]))
    price = draw(st.sampled_from([0.0, 0.0, 1.0, 0.3, 2.5]))
    return ThresholdProblem(ranks, labels, weights, costs, n_labels, depth, nodes, leaf, price)


@given(problem=problems())
@settings(max_examples=600)
def test_it_equals_brute_force(problem: ThresholdProblem) -> None:
    result = run(problem)
    assert result["optimal"]
    assert abs(result["objective"] - optimum(problem)) <= problem.tolerance()
