"""Rows, costs, classes and prices of a tree: native code against sums over the rows of each node."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from streed import _core
from tests.flat_trees import trees


def paths(feature: Any, left: Any, right: Any) -> list[list[tuple[int, bool]]]:
    """Return the tests on the way to each node, and how they must turn out."""
    found: list[list[tuple[int, bool]]] = [[] for _ in feature]
    for node, tested in enumerate(feature):
        if tested >= 0:
            found[left[node]] = [*found[node], (tested, False)]
            found[right[node]] = [*found[node], (tested, True)]
    return found


def price(tested: int, before: list[int], prices: Any) -> float:
    """Return what a row pays for a test after others."""
    attribute, group, full, discounted = prices
    if any(attribute[other] == attribute[tested] for other in before):
        return 0.0
    mate = group[tested] >= 0 and any(group[other] == group[tested] for other in before)
    return float(discounted[tested] if mate else full[tested])


@given(trees(), st.integers(1, 60), st.integers(1, 4), st.integers(0, 2**32 - 1), st.data())
def test_nodes_are_counted_as_their_rows(
    tree: Any, rows: int, n_labels: int, seed: int, data: st.DataObject
) -> None:
    n_features, feature, left, right = tree
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (rows, n_features)).astype(np.uint8)
    label = np.where(feature < 0, rng.integers(0, n_labels, feature.size), -1).astype(np.int32)
    codes = rng.integers(0, n_labels, rows).astype(np.int32)
    weights, table = rng.integers(1, 5, rows) / 2, rng.integers(-4, 5, (rows, n_labels)) / 4
    attribute = rng.integers(0, 3, n_features).astype(np.int32)  # which its price and its group belong to
    prices = (
        attribute,
        rng.integers(-1, 2, 3).astype(np.int32)[attribute],
        (rng.integers(2, 5, 3) / 2)[attribute],
        (rng.integers(0, 3, 3) / 2)[attribute],
    )
    form, maximum = data.draw(st.sampled_from(["errors", "costs", "none"])), data.draw(st.booleans())
    weighted, priced = data.draw(st.booleans()), data.draw(st.booleans())
    leaf, samples, cost, values, classes, tests = _core.recount(
        X,
        feature,
        left,
        right,
        label,
        n_labels,
        (codes, weights) if form == "errors" else None,
        table if form == "costs" else None,
        (codes, weights if weighted else None),
        prices if priced else None,
        maximum,
        -2.0,
        0.5,
    )
    assert np.array_equal(leaf, _core.route(X, feature, left, right))
    of_row: dict[str, NDArray[Any]] = {
        "errors": (codes != label[leaf]) * weights,
        "costs": table[np.arange(rows), label[leaf]],
        "none": np.zeros(rows),
    }
    assert classes is not None
    total = 0.0
    for node, path in enumerate(paths(feature.tolist(), left.tolist(), right.tolist())):
        here = np.ones(rows, bool)
        for tested, side in path:
            here &= X[:, tested] == side
        assert samples[node] == here.sum()
        below = [
            float(of_row[form][leaf == end].sum())
            for end, way in enumerate(paths(feature.tolist(), left.tolist(), right.tolist()))
            if feature[end] < 0 and way[: len(path)] == path
        ]
        here_or_one = max(1, int(here.sum()))
        worth = max(below) if maximum else sum(below) / here_or_one
        assert values[node] == pytest.approx(-2.0 * worth)
        total += (max(below) if maximum else sum(below)) if node == 0 else 0
        own = weights if weighted else np.ones(rows)
        assert classes[node].tolist() == [own[here & (codes == k)].sum() for k in range(n_labels)]
        if priced:
            assert tests is not None
            each = price(feature[node], [tested for tested, _ in path], prices) if feature[node] >= 0 else 0
            assert tests[node] == pytest.approx(0.5 * each * min(here.sum(), 1))
            total += each * here.sum()
    assert cost == pytest.approx(total)
    assert (tests is None) == (not priced)


STUMP = ([0, -1, -1], [1, -1, -1], [2, -1, -1], [-1, 0, 1])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"label": [-1, 0, 2]}, "labels of leaves must be from 0 to 1, got 2 at node 2"),
        ({"label": [-1, 0]}, "label must have one entry per node, 3, got 2"),
        ({"errors": ([0, 2], [1.0, 1.0])}, "labels of rows must be from 0 to 1, got 2 in row 1"),
        ({"errors": ([0], [1.0, 1.0])}, "labels of rows must have one entry per row, 2, got 1"),
        ({"errors": ([0, 1], [1.0])}, "weights must have one entry per row, 2, got 1"),
        ({"costs": [[1.0, 2.0]]}, r"costs must have shape \(2, 2\), got \(1, 2\)"),
        ({"classes": ([0, -1], None)}, "classes must be from 0 to 1, got -1 in row 1"),
        ({"prices": ([0], [0], [1.0], [-1.0])}, "prices must be finite and not negative, got -1"),
    ],
)
def test_what_does_not_fit_is_refused(changed: dict[str, Any], message: str) -> None:
    feature, left, right, label = (np.array(values, np.int32) for values in STUMP)
    arguments: dict[str, Any] = {"errors": None, "costs": None, "classes": None, "prices": None}
    arguments |= {"label": label} | changed
    kinds = {"label": np.int32, "costs": np.float64}
    for name, kind in kinds.items():
        if arguments[name] is not None:
            arguments[name] = np.array(arguments[name], kind)
    for name, types in (
        ("errors", (np.int32, np.float64)),
        ("classes", (np.int32, np.float64)),
        ("prices", (np.int32, np.int32, np.float64, np.float64)),
    ):
        if arguments[name] is not None:
            arguments[name] = tuple(
                None if given is None else np.array(given, kind)
                for given, kind in zip(arguments[name], types, strict=True)
            )
    X = np.array([[0], [1]], np.uint8)
    with pytest.raises(ValueError, match=message):
        _core.recount(
            X,
            feature,
            left,
            right,
            n_labels=2,
            maximum=False,
            value_factor=1.0,
            price_factor=1.0,
            **arguments,
        )
