"""Squared error under a parity of mean predictions, against all trees of two levels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import streed
from streed.options import check_limits
from streed.solver import mean_gap
from streed.solver.run import Run
from tests.properties import limits_twin as twin


def least_cost(y: np.ndarray, w: np.ndarray, g: np.ndarray, limit: float, leaves: np.ndarray) -> float:
    """Least squared error of predictions per leaf that keep the limit, by the conditions of Lagrange.

    With H = diag(2 n) and one linear limit d . p in [-e, e] the best p moves from the means along d / n.
    """
    n = np.bincount(leaves, w)
    used = n > 0
    n, p = n[used], np.bincount(leaves, w * y)[used] / n[used]
    share = np.where(g == 0, w / w[g == 0].sum(), -w / w[g == 1].sum())
    d = np.bincount(leaves, share)[used]
    over = max(0.0, float(abs(d @ p)) - limit)
    if over > 1e-12:
        p = p - np.sign(d @ p) * over * (d / n) / (d**2 / n).sum()
    place = np.cumsum(used) - 1
    return float(w @ (y - p[place[leaves]]) ** 2)


def trees(X: np.ndarray) -> list[tuple[np.ndarray, int]]:
    """Leaves of all rows in every tree of two levels, and its number of nodes."""
    found = [(np.zeros(len(X), int), 0)]
    n_features = X.shape[1]
    for root in range(n_features):
        side = X[:, root].astype(int)
        if side.all() or not side.any():
            continue
        for left in range(-1, n_features):
            for right in range(-1, n_features):
                below = np.where(side, X[:, right] if right >= 0 else 0, X[:, left] if left >= 0 else 0)
                found.append((2 * side + below.astype(int), 1 + (left >= 0) + (right >= 0)))
    return found


def check(seed: int) -> None:
    """Solve one random problem and compare it with all trees."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(10, 50))
    X = rng.random((n, 5)) < rng.uniform(0.2, 0.8, 5)
    g = rng.integers(0, 2, n)
    g[:2] = 0, 1
    y = np.round(2.0 * X[:, 0] * X[:, 1] + 3 * g * X[:, 2] + rng.normal(size=n), 2) + float(
        rng.choice([0, 100])
    )
    w = np.ones(n) if rng.random() < 0.5 else rng.uniform(0.5, 2, n)
    limit = float(rng.choice([0, 0.05, 0.2, 0.5]))
    nodes = int(rng.integers(1, 4))
    price = float(rng.choice([0, 0.01]))
    task = streed.tasks.ParityOfMeans(y, g, limit, sample_weight=w, cost_complexity=price)
    result = streed.solve(task, X, max_depth=2, max_nodes=nodes)
    total = float(w @ (y - w @ y / w.sum()) ** 2)
    wanted = min(
        least_cost(y, w, g, limit, leaves) + price * total * size
        for leaves, size in trees(X)
        if size <= nodes
    )
    assert result.optimal
    assert result.objective == pytest.approx(wanted, rel=1e-7, abs=1e-7)
    predicted = result.tree.predict(X.astype(np.uint8))
    means = [np.average(predicted[g == one], weights=w[g == one]) for one in (0, 1)]
    assert abs(means[0] - means[1]) <= limit + 1e-9
    assert result.limits[0].value == pytest.approx(abs(means[0] - means[1]), abs=1e-9)
    own = float(w @ (y - predicted) ** 2) + price * total * result.tree.n_nodes
    assert result.objective == pytest.approx(own)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1))
def test_shifted_targets_are_the_best_of_all_trees(seed: int) -> None:
    check(seed)


def test_all_trees_are_those_of_the_twin() -> None:
    X = np.random.default_rng(0).random((12, 3)) < 0.5
    sizes = {size for _, size in trees(X)}
    assert sizes == {size for _, size in twin.all_trees(X, 1, 2)} | {0, 1, 2, 3}


class Stumps(mean_gap._Gap):
    """The slow twin: trees of two levels by a stump in each child of each feature."""

    def pairs(self, rows: np.ndarray, nodes: int) -> np.ndarray:
        found = np.full(self.has.shape[1], np.inf)
        for feature in self.stumps(rows)[0].tolist():
            side = self.has[rows, feature] > 0
            parts = rows[~side], rows[side]
            alone = [self.least(part, 0, 0) for part in parts]
            split = [self.least(part, 1, 1) for part in parts]
            both = min(split[0] + alone[1], alone[0] + split[1])
            found[feature] = (both if nodes == 2 else sum(split)) + self.price
        return found


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(1, 3))
def test_tables_of_pairs_say_what_stumps_say(seed: int, nodes: int, least_rows: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 40))
    X = (rng.random((n, 5)) < rng.uniform(0.2, 0.8, 5)).astype(np.uint8)
    weights = rng.random(n) + 0.1 if rng.random() < 0.5 else np.ones(n)
    groups = np.append([0, 1], rng.integers(0, 2, n - 2))
    price = float(rng.choice([0.0, 0.02]))
    task = streed.tasks.ParityOfMeans(rng.normal(size=n), groups, 0.1, weights, cost_complexity=price)
    run = Run(task, X, None, check_limits(max_depth=3, min_samples_leaf=least_rows), False)
    run.keep(None)
    multiplier = float(rng.normal()) * n
    fast, slow = (kind(run, task, multiplier) for kind in (mean_gap._Gap, Stumps))
    rows = np.arange(len(fast.has))
    assert fast.least_splits(rows, 2, nodes) == pytest.approx(slow.least_splits(rows, 2, nodes))
    assert fast.least(rows, 3, nodes) == pytest.approx(slow.least(rows, 3, nodes))
