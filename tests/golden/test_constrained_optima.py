"""Known optima of fairness tasks, straight from the native engine; the limit is checked in whole numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from streed import _core
from tests.support import optima, read_dataset

LINES = [line for task in ("demographic_parity", "equal_opportunity") for line in optima(task)]


def fairness_costs(y: np.ndarray, group: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, int]:
    """Errors and the scaled difference of the rates of label 1 between the groups, and the scale."""
    sizes = [int(np.count_nonzero(rows & (group == g))) for g in (0, 1)]
    costs = np.zeros((len(y), 2, 2))
    costs[:, 0, 0], costs[:, 1, 0] = y == 1, y == 0
    costs[rows & (group == 1), 1, 1] = sizes[0]
    costs[rows & (group == 0), 1, 1] = -sizes[1]
    return costs, sizes[0] * sizes[1]


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line['task']}-{line['data']}-{line['max_depth']}")
def test_known_optimum(line: dict[str, Any]) -> None:
    X, y = read_dataset(line["data"])
    rows = np.ones(len(y), bool) if line["task"] == "demographic_parity" else y == 1
    costs, scale = fairness_costs(y, X[:, 0], rows)
    limit = float(math.floor(line["max_difference"] * scale))
    depth = line["max_depth"]
    answer = _core.constrained(
        np.ascontiguousarray(X[:, 1:]),
        costs,
        lower=np.array([-limit]),
        upper=np.array([limit]),
        max_depth=depth,
        max_nodes=2**depth - 1,
        min_samples_leaf=1,
        branch_cost=np.zeros(2),
        time_limit=math.inf,
        memory_limit=0,
        n_threads=1,
    )
    assert answer["optimal"]
    assert answer["objective"] <= line["objective"]
    leaf = np.zeros(len(y), np.int64)
    for _ in range(depth):
        feature = answer["feature"][leaf]
        right = X[np.arange(len(y)), 1 + np.maximum(feature, 0)] == 1
        down = np.where(right, answer["right"][leaf], answer["left"][leaf])
        leaf = np.where(feature >= 0, down, leaf)
    predicted = answer["label"][leaf]
    assert np.count_nonzero(predicted != y) == answer["objective"]
    assert abs(costs[np.arange(len(y)), predicted, 1].sum()) <= limit
