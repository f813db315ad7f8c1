"""The engine's greedy trees against a slow twin, and against scikit-learn's on separate data."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from streed import _core

Table = tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[Any], NDArray[np.float64]]


def grow(table: Table, criterion: str, depth: int, nodes: int, least: int) -> dict[str, Any]:
    ranks, bits, target, weights = table
    labels = None if criterion == "squares" else target.astype(np.int32)
    numbers = target.astype(np.float64).reshape(target.shape[0], -1) if labels is None else None
    n_labels = 1 if labels is None else int(labels.max()) + 1
    answer: dict[str, Any] = _core.grow_greedy(
        ranks, bits, labels, numbers, weights, n_labels, criterion,
        max_depth=depth, max_nodes=nodes, min_samples_leaf=least, time_limit=math.inf,
    )  # fmt: skip
    return answer


def impurity(target: NDArray[Any], weights: NDArray[np.float64], criterion: str) -> float:
    """The weighted impurity of a leaf, straight from its definition."""
    total = weights.sum()
    if criterion == "squares":
        target = target.reshape(weights.size, -1)
        mean = weights @ target / total
        return float((weights @ (target - mean) ** 2).sum())
    shares = np.array([weights[target == label].sum() / total for label in np.unique(target)])
    if criterion == "gini":
        return float(total * (1 - (shares**2).sum()))
    return float(-total * (shares * np.log(shares)).sum())


def splits_of_node(table: Table, rows: NDArray[np.bool_], least: int) -> list[NDArray[np.bool_]]:
    """Every split of a node's rows: who goes right, with missing values on either side."""
    ranks, bits, _, _ = table
    found = [(column != 0) & rows for column in bits.T]
    for column in ranks:
        for rank in np.unique(column[rows]).tolist():
            known = (column >= 0) & (column <= rank)
            found += [known & rows, (known | (column < 0)) & rows]
        found.append((column < 0) & rows)
    return [s for s in found if s.sum() >= least and (rows & ~s).sum() >= least]


def right_side(table: Table, answer: dict[str, Any], split: int) -> NDArray[np.bool_]:
    ranks, bits, _, _ = table
    column, rank = int(answer["column"][split]), int(answer["rank"][split])
    if column >= len(ranks):
        return np.asarray(bits[:, column - len(ranks)] != 0)
    codes = ranks[column]
    side: NDArray[np.bool_] = np.where(codes < 0, bool(answer["missing_right"][split]), codes <= rank)
    return side


@st.composite
def tables(draw: st.DrawFn) -> tuple[Table, str]:
    n, m, k = draw(st.integers(1, 25)), draw(st.integers(0, 3)), draw(st.integers(0, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    criterion = draw(st.sampled_from(["gini", "entropy", "squares"]))
    ranks = rng.integers(-1, draw(st.sampled_from([1, 4, 400])), (m, n)).astype(np.int32)
    bits = rng.integers(0, 2, (n, k)).astype(np.uint8)
    n_targets = draw(st.integers(1, 3))
    target = rng.normal(size=(n, n_targets)) if criterion == "squares" else rng.integers(0, 3, n)
    weights = rng.random(n) + 0.1 if draw(st.booleans()) else np.ones(n)
    return (ranks, bits, target, weights), criterion


@settings(max_examples=300)
@given(tables(), st.integers(0, 4), st.integers(0, 6), st.integers(1, 4))
def test_every_split_is_a_best_one(data: tuple[Table, str], depth: int, nodes: int, least: int) -> None:
    table, criterion = data
    target, weights = table[2:]
    answer = grow(table, criterion, depth, nodes, least)
    feature, left, right = answer["feature"], answer["left"], answer["right"]
    assert np.count_nonzero(feature >= 0) <= nodes
    todo = [(0, np.ones(weights.size, np.bool_), 0)]
    gains, leaves = [], []
    while todo:
        node, rows, level = todo.pop()
        here = impurity(target[rows], weights[rows], criterion)
        values = [
            impurity(target[s], weights[s], criterion)
            + impurity(target[rows & ~s], weights[rows & ~s], criterion)
            for s in splits_of_node(table, rows, least)
        ]
        gain = here - min(values, default=math.inf)
        if feature[node] < 0:
            pure = len(np.unique(target[rows], axis=0)) == 1
            leaves += [gain] if level < depth and values and not pure else []
            continue
        side = right_side(table, answer, int(feature[node])) & rows
        assert min(side.sum(), (rows & ~side).sum()) >= least
        own = sum(impurity(target[s], weights[s], criterion) for s in (side, rows & ~side))
        assert own == pytest.approx(min(values), abs=1e-9)
        gains.append(gain)
        todo += [(int(left[node]), rows & ~side, level + 1), (int(right[node]), side, level + 1)]
    if leaves:  # nodes were left only where the number of nodes forbids more
        assert len(gains) == nodes
        if gains and depth == 1:
            assert max(leaves) <= min(gains) + 1e-9


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_trees_are_as_pure_as_those_of_scikit_learn(depth: int, criterion: str) -> None:
    for load in (load_iris, load_breast_cancer):
        X, y = load(return_X_y=True)
        model = DecisionTreeClassifier(criterion=criterion, max_depth=depth, random_state=0).fit(X, y)
        wrong = int((model.predict(X) != y).sum())
        assert errors(X, y, criterion, depth) <= wrong + 1  # ties are broken otherwise


def errors(X: NDArray[Any], y: NDArray[Any], criterion: str, depth: int) -> float:
    ranks = np.array([np.unique(column, return_inverse=True)[1] for column in X.T], np.int32)
    table = (ranks, np.empty((len(y), 0), np.uint8), y, np.ones(len(y)))
    return leaf_cost(table, grow(table, criterion, depth, 2**depth - 1, 1))


def leaf_cost(table: Table, answer: dict[str, Any]) -> float:
    target, cost = table[2], 0.0
    todo = [(0, np.ones(target.size, np.bool_))]
    while todo:
        node, rows = todo.pop()
        if answer["feature"][node] < 0:
            own = target[rows]
            is_number = own.dtype.kind == "f"
            cost += float(((own - own.mean()) ** 2).sum()) if is_number else own.size - np.bincount(own).max()
            continue
        side = right_side(table, answer, int(answer["feature"][node])) & rows
        todo += [(int(answer["left"][node]), rows & ~side), (int(answer["right"][node]), side)]
    return cost


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_squares_are_as_small_as_those_of_scikit_learn(depth: int) -> None:
    X, y = load_diabetes(return_X_y=True)
    y = y - y.mean()
    model = DecisionTreeRegressor(max_depth=depth, random_state=0).fit(X, y)
    ranks = np.array([np.unique(column, return_inverse=True)[1] for column in X.T], np.int32)
    table = (ranks, np.empty((len(y), 0), np.uint8), y, np.ones(len(y)))
    ours = leaf_cost(table, grow(table, "squares", depth, 2**depth - 1, 1))
    assert ours == pytest.approx(float(((model.predict(X) - y) ** 2).sum()), rel=1e-6)


def test_no_time_leaves_a_leaf() -> None:
    ranks, bits = np.array([[0, 1]], np.int32), np.empty((2, 0), np.uint8)
    labels, weights = np.array([0, 1], np.int32), np.ones(2)
    answer = _core.grow_greedy(ranks, bits, labels, None, weights, 2, "gini", 3, 7, 1, 0.0)
    assert answer["feature"].tolist() == [-1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"criterion": "luck"}, "criterion must be"),
        ({"labels": None}, "give labels"),
        ({"labels": np.array([0], np.int32)}, "the same number of rows"),
        ({"labels": np.array([0, 2], np.int32)}, "labels"),
        ({"bits": np.empty((3, 1), np.uint8)}, "the same number of rows"),
        ({"min_samples_leaf": 0}, "min_samples_leaf"),
        ({"ranks": np.array([[0, -2]], np.int32)}, "ranks must be"),
    ],
)
def test_bad_arguments_are_refused(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {
        "ranks": np.array([[0, 1]], np.int32),
        "bits": None,
        "labels": np.array([0, 1], np.int32),
        "targets": None,
        "weights": np.ones(2),
        "n_labels": 2,
        "criterion": "gini",
        "max_depth": 1,
        "max_nodes": 1,
        "min_samples_leaf": 1,
        "time_limit": 1.0,
    }
    with pytest.raises(ValueError, match=message):
        _core.grow_greedy(**(arguments | change))
