"""Problems with costs and policies: the data sets, and synthetic policies as in the paper's appendix."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Arrays

LEVELS = ("low", "middle", "high")
TEACHERS = {"direct": "DM", "inverse_propensity": "IPW", "doubly_robust": "DR"}


def read_cost_sensitive(data: Path, name: str, level: str) -> Arrays:
    """Read features, labels, the cost matrix, and per binary feature its attribute, group and two prices."""
    path = data / "cost-sensitive" / f"{name}.csv"
    costs = data / "cost-sensitive" / f"{name}-{level}-costs.csv"
    if not (path.is_file() and costs.is_file()):
        raise SystemExit(f"no data set {name!r} with {level} costs: {path} or {costs} does not exist")
    table = np.loadtxt(path, dtype=np.int32, ndmin=2)
    _, labels = np.unique(table[:, 0], return_inverse=True)
    lines = [line.split() for line in costs.read_text().splitlines()]
    k = len(lines[0])
    groups: dict[str, int] = {}
    features = []
    for attribute, (_, full, discounted, group, first, last) in enumerate(lines[k + 1 :]):
        number = -1 if group == "x" else groups.setdefault(group, len(groups))
        features += [(attribute, number, float(full), float(discounted))] * (int(last) - int(first) + 1)
    columns = np.array(features).T
    return {
        "X": np.ascontiguousarray(table[:, 1:], dtype=np.uint8),
        "y": labels.reshape(-1).astype(np.int32),
        "matrix": np.array(lines[:k], dtype=np.float64),
        "attribute": columns[0].astype(np.int32),
        "group": columns[1].astype(np.int32),
        "full": columns[2],
        "discounted": columns[3],
    }


def read_instance_costs(data: Path) -> Arrays:
    """Read the algorithm selection set: eight costs per row and the features."""
    table = np.loadtxt(data / "instance-cost" / "maxsat21-32f.txt")
    costs = table[:, 1:9]
    return {
        "X": np.ascontiguousarray(table[:, 9:], dtype=np.uint8),
        "y": costs.argmin(axis=1).astype(np.int32),
        "costs": costs,
    }


def read_warfarin(data: Path, name: str, teacher: str) -> Arrays:
    """Read a prepared training set of the Warfarin study."""
    table = np.loadtxt(data / "policy" / f"warfarin-{name}-train.csv")
    return policy_arrays(
        np.ascontiguousarray(table[:, 11:], dtype=np.uint8),
        table[:, 1].astype(np.int32),
        table[:, 2],
        table[:, 3],
        table[:, 4:7],
        teacher,
    )


def policy_arrays(
    X: NDArray[np.uint8],
    treatment: NDArray[np.int32],
    outcome: NDArray[np.float64],
    propensity: NDArray[np.float64],
    predicted: NDArray[np.float64],
    teacher: str,
) -> Arrays:
    """Join what was observed and predicted with the rewards that the teacher makes of it."""
    rows = np.arange(len(X))
    rewards = np.zeros_like(predicted) if teacher == "inverse_propensity" else predicted.copy()
    if teacher != "direct":
        rewards[rows, treatment] += (outcome - rewards[rows, treatment]) / propensity
    observed = np.column_stack([treatment, outcome, propensity, predicted])
    return {"X": X, "y": treatment, "observed": observed, "rewards": rewards}


def synthetic_policy(rows: int, features: int, teacher: str, share: float = 0.75, seed: int = 0) -> Arrays:
    """Make the paper's synthetic trial: 10 or 20 normal variables, each cut into ten bins of the same size.

    The treatment that is better for a row is given with probability `share`. Outcomes are predicted by a
    linear regression per treatment, propensities are the true ones.
    """
    f = features // 10
    related = 2 if f == 10 else 4
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, f))
    mean = 0.5 * x[:, :related].sum(axis=1) + x[:, related : related + 4].sum(axis=1)
    effect = np.maximum(0, x[:, :related]).sum(axis=1)
    noise = rng.normal(scale=0.1, size=(rows, 2))
    potential = mean[:, None] + 0.5 * np.array([-1, 1]) * effect[:, None] + noise
    best = potential.argmax(axis=1)
    lucky = rng.random(rows) < share
    treatment = np.where(lucky, best, 1 - best).astype(np.int32)
    outcome = potential[np.arange(rows), treatment]
    design = np.column_stack([np.ones(rows), x])
    predicted = np.empty((rows, 2))
    for k in range(2):
        own = treatment == k
        predicted[:, k] = design @ np.linalg.lstsq(design[own], outcome[own], rcond=None)[0]
    rank = x.argsort(axis=0).argsort(axis=0) * 10 // rows
    bits = (rank[:, :, None] == np.arange(10)).reshape(rows, features)
    propensity = np.where(lucky, share, 1 - share)
    return policy_arrays(
        np.ascontiguousarray(bits, dtype=np.uint8), treatment, outcome, propensity, predicted, teacher
    )
