"""Random small problems of regression, survival and class shares: the engine equals the paper's recursion.

The reference solver has the loss of a leaf from its rows, the engine from sums: two ways to the same number.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import streed
from streed import check_separable, reference, tasks
from streed.tasks.parts.leaf_loss import LeafLoss
from tests.properties.problems import SEEDS

Make = Callable[[np.random.Generator, np.ndarray, dict[str, Any]], LeafLoss]


def numbers(rng: np.random.Generator, X: np.ndarray, outputs: int = 0) -> np.ndarray:
    """Targets of all sizes: reals, whole numbers with ties, far from zero, tiny, huge, or all the same."""
    shape = (len(X), outputs) if outputs else (len(X),)
    y = rng.normal(size=shape) + (X[:, :1] if outputs else X[:, 0])
    kind = rng.integers(7)
    kinds = [y, np.rint(2 * y), y + 1e9, 1e-7 * y, 1e9 * y, np.full(shape, 0.1), np.rint(y) * 0.1]
    return np.asarray(kinds[kind])


def labels(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    return (X[:, 0] + rng.integers(0, rng.integers(1, 4), len(X))).astype(int)


MAKERS: dict[str, Make] = {
    "squared": lambda rng, X, more: tasks.SquaredError(numbers(rng, X), **more),
    "outputs": lambda rng, X, more: tasks.SquaredError(numbers(rng, X, int(rng.integers(1, 4))), **more),
    "absolute": lambda rng, X, more: tasks.AbsoluteError(numbers(rng, X), **more),
    "quantile": lambda rng, X, more: tasks.Quantile(numbers(rng, X), rng.choice([0.1, 0.5, 0.77]), **more),
    "gamma": lambda rng, X, more: tasks.Gamma(rng.gamma(2, 1 + X[:, 0]) * rng.choice([1, 0.3, 1e6]), **more),
    "tweedie": lambda rng, X, more: tasks.Tweedie(
        (rng.poisson(1 + X[:, 0]) * rng.gamma(2, 1, len(X)) + (np.arange(len(X)) == 0))
        * rng.choice([1, 0.3, 1e6]),
        power=rng.choice([1.1, 1.5, 1.9]),
        **more,
    ),
    "poisson": lambda rng, X, more: tasks.Poisson(
        (rng.poisson(1 + X[:, 0]) + (np.arange(len(X)) == 0)) * rng.choice([1, 0.3, 1e6]), **more
    ),
    "linear": lambda rng, X, more: tasks.LinearLeaves(
        numbers(rng, X), rng.normal(size=(len(X), 2)) * [1, 1000], rng.choice([0.1, 1, 100]), **more
    ),
    "simple linear": lambda rng, X, more: tasks.SimpleLinear(
        numbers(rng, X), rng.normal(size=(len(X), 3)), rng.choice([0, 0.1, 10]), **more
    ),
    "survival": lambda rng, X, more: tasks.Survival(
        rng.random(len(X)) < 0.6, np.rint(9 * rng.exponential(size=len(X)) * (1 + X[:, 0])), **more
    ),
    "gini": lambda rng, X, more: tasks.Gini(labels(rng, X), **more),
    "entropy": lambda rng, X, more: tasks.Entropy(labels(rng, X), **more),
    "log loss": lambda rng, X, more: tasks.LogLoss(
        labels(rng, X), smoothing=rng.choice([0, 0.3, 1, 20]), **more
    ),
}


def problem(kind: str, seed: int) -> tuple[LeafLoss, np.ndarray, dict[str, Any]]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 15))
    X = rng.random((n, rng.integers(1, 5))) < rng.choice([0.3, 0.5])
    weights: Any = [None, rng.integers(0, 3, n).astype(float), rng.random(n), 1e4 * rng.random(n)][
        rng.integers(4)
    ]
    if weights is not None and not weights[0]:
        weights[0] = 1.0
    more = {"sample_weight": weights, "cost_complexity": float(rng.choice([0, 0, 0.01, 0.1]))}
    depth = int(rng.integers(0, 4))
    limits = {
        "max_depth": depth,
        "max_nodes": int(rng.integers(0, 2**depth)),
        "min_samples_leaf": int(rng.choice([1, 1, 2])),
    }
    task = MAKERS[kind](rng, X, more)
    rows = n if weights is None else int(np.count_nonzero(weights))
    limits["min_samples_leaf"] = min(limits["min_samples_leaf"], rows)
    return task, X, limits


def size(task: LeafLoss) -> float:
    """What one leaf for all rows costs: the tolerance is relative to it. Zero is not zero in floats."""
    return task.loss(np.arange(task._weights.size)) + 1e-6 * task.unit * float(task._weights.sum())


@pytest.mark.parametrize("kind", MAKERS)
@given(seed=SEEDS)
def test_engine_equals_the_reference_solver(kind: str, seed: int) -> None:
    task, X, limits = problem(kind, seed)
    result = streed.solve(task, X, **limits)
    components = task.components(X, min_samples_leaf=limits["min_samples_leaf"])
    best = reference.solve(components, limits["max_depth"], limits["max_nodes"])[0].value
    tolerance = 1e-10 * size(task)
    assert result.optimal
    assert abs(result.objective - best) <= tolerance
    rows = np.arange(len(X)) if task._rows is None else task._rows
    leaf = result.tree.apply(X[rows])
    by_hand = sum(task.loss(np.flatnonzero(leaf == node)) for node in np.unique(leaf))
    assert abs(by_hand + result.tree.n_nodes * task.branch_cost - result.objective) <= tolerance
    assert result.tree.depth <= limits["max_depth"]
    assert result.tree.n_nodes <= limits["max_nodes"]
    assert min(result.tree.n_samples) >= limits["min_samples_leaf"]
    again = streed.Tree.from_dict(result.tree.to_dict())
    assert again == result.tree


@pytest.mark.parametrize("kind", MAKERS)
def test_bounds_of_rows_hold(kind: str) -> None:
    """`check_separable` tries to break least_row and worst_row, and looks at small samples by brute force."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.random((30, 4)) < 0.5
        task = MAKERS[kind](rng, X, {"sample_weight": rng.random(30)})
        report = check_separable(task, X, n_samples=25)
        assert report.ok, str(report)


@pytest.mark.parametrize("kind", MAKERS)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_deeper_trees_are_never_worse_and_no_thread_changes_them(kind: str, n_jobs: int) -> None:
    rng = np.random.default_rng(3)
    X = rng.random((60, 9)) < 0.5
    task = MAKERS[kind](rng, X, {})
    values = [streed.solve(task, X, max_depth=depth, n_jobs=n_jobs).objective for depth in range(5)]
    assert all(b <= a + 1e-9 * abs(values[0]) for a, b in itertools.pairwise(values))
    trees = [streed.solve(task, X, max_depth=4, n_jobs=jobs).tree for jobs in (1, n_jobs)]
    assert trees[0] == trees[1]
