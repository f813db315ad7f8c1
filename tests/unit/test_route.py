"""The leaf that each row ends in: native code against one step after the other in NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import streed
from streed import _core
from tests.flat_trees import trees


def slow_route(
    X: NDArray[Any], feature: NDArray[np.int32], left: NDArray[np.int32], right: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Let all rows take one step at a time until all are in leaves."""
    node = np.zeros(X.shape[0], np.int64)
    while (feature[node] >= 0).any():
        rows = np.flatnonzero(feature[node] >= 0)
        at = node[rows]
        node[rows] = np.where(X[rows, feature[at]] != 0, right[at], left[at])
    return node


@given(trees(), st.integers(0, 70), st.integers(0, 2**32 - 1), st.sampled_from(["C", "F", "steps", "bool"]))
def test_rows_end_where_steps_lead(tree: Any, rows: int, seed: int, layout: str) -> None:
    n_features, *arrays = tree
    X = np.random.default_rng(seed).integers(0, 2, (rows, n_features)).astype(np.uint8)
    forms = {
        "C": X,
        "F": np.asfortranarray(X),
        "steps": np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
        "bool": X.astype(bool),
    }
    found = _core.route(forms[layout], *arrays)
    assert found.dtype == np.int64
    assert np.array_equal(found, slow_route(X, *arrays))


def test_a_leaf_alone_needs_no_features() -> None:
    leaf, child = np.array([-1], np.int32), np.array([-1], np.int32)
    assert _core.route(np.zeros((3, 0), np.uint8), leaf, child, child).tolist() == [0, 0, 0]


def test_solved_trees_count_the_rows_of_their_leaves() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 2, (200, 5)).astype(np.uint8), rng.integers(0, 2, 200)
    for depth in (0, 1, 4):
        tree = streed.solve(streed.tasks.Accuracy(y), X, max_depth=depth).tree
        leaf = tree.apply(X)
        assert np.array_equal(leaf, slow_route(X, tree.feature, tree.left, tree.right))
        assert np.array_equal(
            np.bincount(leaf, minlength=tree.node_count)[tree.feature < 0], tree.n_samples[tree.feature < 0]
        )


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (([], [], []), "at least one"),
        (([0, -1, -1], [1, -1], [2, -1, -1]), "one entry per node"),
        (([0, -1, -1], [1, -1, -1], [2, -1]), "one entry per node"),
        (([2, -1, -1], [1, -1, -1], [2, -1, -1]), "from 0 to 1, or -1 at a leaf, got 2 at node 0"),
        (([-2, -1, -1], [1, -1, -1], [2, -1, -1]), "got -2 at node 0"),
        (([0, -1, -1], [0, -1, -1], [2, -1, -1]), "after their parents, before 3, got 0 at node 0"),
        (([0, -1, -1], [1, -1, -1], [3, -1, -1]), "got 3 at node 0"),
        (([0, 0, -1], [1, 0, -1], [2, 2, -1]), "got 0 at node 1"),
        (([0, -1, -1], [-1, -1, -1], [2, -1, -1]), "got -1 at node 0"),
    ],
)
def test_what_is_no_tree_is_refused(arrays: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _core.route(np.zeros((4, 2), np.uint8), *(np.array(array, np.int32) for array in arrays))


def test_tables_of_other_shapes_are_refused() -> None:
    leaf = np.array([-1], np.int32)
    with pytest.raises(TypeError):
        _core.route(np.zeros(4, np.uint8), leaf, leaf, leaf)
    with pytest.raises(TypeError):
        _core.route(np.zeros((4, 2), np.uint8), leaf, leaf, None)  # type: ignore[arg-type]
