"""The targets at every node of a tree, by the engine and by NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import streed
from streed import _core
from streed.tree.numbers import BINS, numbers_at_nodes
from streed.tree.tree import Tree

Floats = NDArray[np.float64]


def rows_below(tree: Tree, leaf: NDArray[np.int64], node: int) -> NDArray[np.bool_]:
    """Which rows reach a node."""
    below = {node}
    for parent, left, right in tree.branches():  # parents come before children
        if parent in below:
            below |= {left, right}
    return np.isin(leaf, list(below))


def edges_twin(first: Floats) -> Floats:
    """Equidistant edges, or the two ends where they do not tell anything apart."""
    low, high = first.min(), first.max()
    with np.errstate(over="ignore"):
        edges = low + (high - low) * (np.arange(BINS + 1) / BINS)
    if np.isfinite(edges).all() and (np.diff(edges) > 0).all():
        return np.asarray(edges)
    return np.array([low, high])


@given(
    st.integers(0, 2**31),
    st.integers(1, 60),
    st.integers(1, 3),
    st.sampled_from([0.0, 1.0, 1e-9, 1e9, 1e300]),
)
def test_agrees_with_numpy(seed: int, n: int, outputs: int, middle: float) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n, 4), dtype=np.uint8)
    scale = middle if middle > 1e100 else 1.0
    targets = middle + scale * rng.choice([rng.normal(size=(n, outputs)), rng.integers(0, 2, (n, outputs))])
    if outputs == 1 and rng.integers(2):
        targets = targets[:, 0]
    weights = rng.choice([np.ones(n), rng.uniform(0.1, 3, n)])
    tree = streed.solve(streed.tasks.SquaredError(rng.normal(size=n)), X, max_depth=3).tree
    leaf = tree.route(X)
    found = numbers_at_nodes(tree, leaf, targets, weights)
    table = targets.reshape(n, -1)
    edges = edges_twin(table[:, 0])
    np.testing.assert_array_equal(found.edges, edges)
    place = np.clip(np.searchsorted(edges, table[:, 0], side="right") - 1, 0, edges.size - 2)
    for node in range(tree.node_count):
        own = rows_below(tree, leaf, node)
        mean = np.average(table[own] / 2, axis=0, weights=weights[own]) * 2
        size = np.abs(table).max()
        np.testing.assert_allclose(np.atleast_1d(found.mean[node]), mean, rtol=1e-13, atol=1e-13 * size)
        if size < 1e100:  # squares are finite
            away = weights[own] @ (table[own] - mean) ** 2 / weights[own].sum()
            np.testing.assert_allclose(
                np.atleast_1d(found.spread[node]), np.sqrt(away), rtol=1e-9, atol=1e-13 * size
            )
        counts = np.bincount(place[own], weights[own], edges.size - 1)
        np.testing.assert_allclose(found.counts[node], counts, rtol=1e-12, atol=1e-12)


def test_small_spreads_far_from_zero_are_kept() -> None:
    X = np.array([[0], [0], [1], [1]], np.uint8)
    tree = streed.solve(streed.tasks.SquaredError([0, 0, 1, 1]), X, max_depth=1).tree
    found = numbers_at_nodes(tree, tree.route(X), 1e9 + np.array([0, 0.5, 8, 9]), np.ones(4))
    assert found.mean.tolist() == [1e9 + 4.375, 1e9 + 0.25, 1e9 + 8.5]
    np.testing.assert_allclose(found.spread[1:], [0.25, 0.5], rtol=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"leaf": np.array([0, 1])}, "leaves must be from 0 to 0, got 1 in row 1"),
        ({"leaf": np.array([0])}, "targets must have a row for each of 1 leaves"),
        ({"weights": np.ones(3)}, "weights must have one entry per row, 2, got 3"),
        ({"bars": 0}, "there must be bars"),
    ],
)
def test_refuses_what_does_not_fit(change: dict[str, object], message: str) -> None:
    none = np.array([-1], np.int32)
    given_arrays: dict[str, object] = {
        "feature": none,
        "left": none,
        "right": none,
        "n_features": 1,
        "leaf": np.zeros(2, np.int64),
        "targets": np.zeros((2, 1)),
        "weights": np.ones(2),
        "bars": 4,
    }
    with pytest.raises(ValueError, match=message):
        _core.node_targets(**{**given_arrays, **change})  # type: ignore[arg-type]
