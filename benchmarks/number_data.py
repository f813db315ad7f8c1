"""Regression and survival: the data sets, numbers cut at ten quantiles, and what leaves are worth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Arrays

REGRESSION = ("airfoil", "carbon", "concrete", "grid", "query1")
SURVIVAL = ("colon", "acath")


def read_regression(data: Path, name: str) -> Arrays:
    """Read targets and features; columns of numbers become ten features each, cut at quantiles."""
    table = np.loadtxt(data / "regression" / f"{name}.csv")
    columns = table[:, 1:]
    X = columns.astype(np.uint8) if name == "airfoil" else at_quantiles(columns)
    return {"X": X, "y": np.zeros(len(table), np.int32), "target": table[:, 0], "columns": columns}


def at_quantiles(columns: NDArray[np.float64], n: int = 10) -> NDArray[np.uint8]:
    """Cut every column at n quantiles; cuts that part the same rows, or none, are left out."""
    features = []
    for column in columns.T:
        cuts = np.unique(np.quantile(column, np.arange(1, n + 1) / (n + 1), method="inverted_cdf"))
        features += [column <= cut for cut in cuts if not (column <= cut).all()]
    return np.ascontiguousarray(np.column_stack(features), dtype=np.uint8)


def read_survival(data: Path, name: str) -> Arrays:
    """Read times, events and binary features."""
    table = np.loadtxt(data / "survival" / f"{name}_binary.txt")
    return {
        "X": np.ascontiguousarray(table[:, 2:], dtype=np.uint8),
        "y": np.zeros(len(table), np.int32),
        "time": table[:, 0],
        "event": table[:, 1].astype(np.int32),
    }


def squared_error(arrays: Arrays, answer: NDArray[Any]) -> float:
    """Squared error about the means of leaves, and the price of nodes; `answer` has leaves, then nodes."""
    leaf, nodes = answer[:-1].astype(int), float(answer[-1])
    y = arrays["target"] - arrays["target"].mean()
    total, count = np.bincount(leaf, y), np.bincount(leaf)
    mean = total / np.maximum(count, 1)
    return float(((y - mean[leaf]) ** 2).sum() + nodes * float(arrays["price"]) * (y**2).sum())


def half_deviance(arrays: Arrays, answer: NDArray[Any]) -> float:
    """Half the deviance of proportional hazards; `answer` has the leaf of each row, then the nodes."""
    leaf, event, time = answer[:-1].astype(int), arrays["event"], arrays["time"]
    steps = np.unique(time[event == 1])
    jumps = [np.count_nonzero((time == t) & (event == 1)) / np.count_nonzero(time >= t) for t in steps]
    hazard = np.concatenate([[1 / (len(time) + 1)], np.cumsum(jumps)])[np.searchsorted(steps, time, "right")]
    deaths, expected = np.bincount(leaf, event), np.bincount(leaf, hazard)
    known = deaths > 0
    own = float((deaths[known] * np.log(deaths[known] / expected[known])).sum())
    return float(-np.log(hazard[event == 1]).sum() - own)
