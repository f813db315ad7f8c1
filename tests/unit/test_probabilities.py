"""Probabilities of the nodes of trees: shares that are drawn to those of the parent, and keep their order."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streed import Tree


@st.composite
def counted(draw: st.DrawFn) -> tuple[Tree, float, float]:
    """A random tree whose nodes have the rows of their leaves, and what smooths it."""
    n_classes = draw(st.integers(2, 4))
    nodes: list[list[int]] = []
    weights: list[list[int]] = []

    def grow(depth: int) -> int:
        number = len(nodes)
        nodes.append([-1, -1, -1, 0])
        weights.append([draw(st.integers(0, 9)) for _ in range(n_classes)])
        if depth and draw(st.booleans()):
            left, right = grow(depth - 1), grow(depth - 1)
            nodes[number] = [0, left, right, -1]
            weights[number] = [a + b for a, b in zip(weights[left], weights[right], strict=True)]
        else:
            nodes[number][3] = int(np.argmax(weights[number]))
        return number

    grow(4)
    added = draw(st.sampled_from([0.0, 0.5, 1.0]))
    strength = draw(st.sampled_from([0.0, 0.25, 1.0, 10.0, 1000.0]))
    feature, left, right, label = zip(*nodes, strict=True)
    tree = Tree(
        feature, left, right, label, n_samples=np.sum(weights, axis=1), class_weights=weights,
        classes=range(n_classes), n_features=1, smoothing=added, shrinkage=strength,
    )  # fmt: skip
    return tree, added, strength


def twin(tree: Tree, added: float, strength: float) -> list[list[float]]:
    """The same in fractions, one node at a time, from the definition."""
    weights = [[Fraction(w) for w in row] for row in tree.class_weights.tolist()]
    n_classes = len(weights[0])
    parent = {child: node for node, *children in tree.branches() for child in children}

    def shares(node: int, more: Fraction) -> list[Fraction]:
        total = sum(weights[node]) + more * n_classes
        return [(w + more) / total if total else Fraction(1, n_classes) for w in weights[node]]

    def shrunk(node: int) -> list[Fraction]:
        if node == 0:
            return shares(0, Fraction(0))
        above, n = parent[node], sum(weights[parent[node]])
        factor = n / (n + Fraction(strength))
        old = zip(shrunk(above), shares(node, Fraction(0)), shares(above, Fraction(0)), strict=True)
        return [p + factor * (own - before) for p, own, before in old]

    found = []
    for node in range(len(weights)):
        row = shrunk(node) if strength else shares(node, Fraction(added))
        if strength and row.index(max(row)) != weights[node].index(max(weights[node])):
            row = shares(node, Fraction(added))
        found.append([float(p) for p in row])
    return found


@given(counted())
def test_probabilities_are_those_of_the_definition(case: tuple[Tree, float, float]) -> None:
    tree, added, strength = case
    found = tree.probabilities()
    expected = np.array(twin(*case))
    # In doubles two classes of the same probability may change places: such nodes take Laplace's rule or not.
    gaps = np.sort(expected, axis=1)
    clear = gaps[:, -1] - gaps[:, -2] > 1e-9
    assert np.allclose(found[clear], expected[clear], atol=1e-12)
    assert np.allclose(found.sum(axis=1), 1)
    assert found.min() >= 0
    leaves = tree.feature < 0
    assert (found[leaves].argmax(axis=1) == tree.label[leaves]).all()
    if added and tree.class_weights[0].all():
        assert found.min() > 0
    assert (tree.class_weights == case[0].class_weights).all()
    if not strength and not added:
        assert (found.argmax(axis=1) == tree.class_weights.argmax(axis=1)).all()


@given(counted())
def test_descriptions_and_pickles_keep_what_smooths(case: tuple[Tree, float, float]) -> None:
    tree, _, strength = case
    for again in (
        Tree.from_dict(json.loads(json.dumps(tree.to_dict()))),
        pickle.loads(pickle.dumps(tree)),
        tree.over([0], 1, None),
    ):
        assert again == tree
        assert again.shrinkage == strength
        assert np.array_equal(again.probabilities(), tree.probabilities())


def test_descriptions_and_pickles_from_before_have_raw_shares() -> None:
    tree = Tree([0, -1, -1], [1, -1, -1], [2, -1, -1], [-1, 0, 1], n_samples=[6, 3, 3], classes=["a", "b"],
                class_weights=[[4, 2], [3, 0], [1, 2]], n_features=1)  # fmt: skip
    assert "shrinkage" not in tree.to_dict()
    state = tree.__getstate__()
    del state["shrinkage"]
    old = Tree.__new__(Tree)
    old.__setstate__(state)
    assert old == tree
    assert old.probabilities()[1].tolist() == [1, 0]


@pytest.mark.parametrize("name", ["smoothing", "shrinkage"])
@pytest.mark.parametrize("value", [-1.0, np.inf, np.nan])
def test_what_is_no_weight_is_refused(name: str, value: float) -> None:
    given: dict[str, Any] = {name: value}
    with pytest.raises(ValueError, match=f"{name} must be a finite number >= 0"):
        Tree([-1], [-1], [-1], [0], n_samples=[1], classes=["a"], n_features=1, **given)


def test_descriptions_with_sums_beyond_doubles_are_refused() -> None:
    tree = Tree([-1], [-1], [-1], [0], n_samples=[1], classes=["a", "b"], class_weights=[[1e308, 0]],
                n_features=1)  # fmt: skip
    with pytest.raises(ValueError, match="class_weights and shrinkage must have finite sums"):
        Tree.from_dict(tree.to_dict() | {"shrinkage": 1e308})
