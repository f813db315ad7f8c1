"""The search over bins for many rows, against every tree over the same bins, and the bins themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import streed
from streed import _core
from streed.thresholds.bins import bin_values

LIMITS: dict[str, Any] = {"time_limit": np.inf, "memory_limit": 0, "n_threads": 1}


def search(
    codes: NDArray[np.uint8], rows: tuple[Any, ...], n_labels: int, depth: int, **more: Any
) -> dict[str, Any]:
    labels, weights, costs, statistics = rows
    options: dict[str, Any] = {"branch_cost": 0.0, "min_samples_leaf": 1, **LIMITS, **more}
    options.update(max_depth=depth, max_nodes=2**depth - 1)
    return _core.solve_bins(codes, labels, weights, costs, statistics, n_labels, **options)


def leaves(tree: dict[str, Any], codes: NDArray[np.uint8]) -> NDArray[np.int64]:
    at = np.zeros(codes.shape[1], np.int64)
    for row in range(at.size):
        node = 0
        while tree["column"][node] >= 0:
            up = codes[tree["column"][node], row] > tree["bin"][node]
            node = int(tree["upper" if up else "lower"][node])
        at[row] = node
    return at


def value(
    tree: dict[str, Any], codes: NDArray[np.uint8], costs: Any, targets: Any, branch_cost: float
) -> float:
    leaf = leaves(tree, codes)
    total = branch_cost * int(np.count_nonzero(tree["column"] >= 0))
    for each in set(leaf.tolist()):
        own = leaf == each
        total += (
            costs[own].sum(axis=0).min()
            if targets is None
            else ((targets[own] - targets[own].mean()) ** 2).sum()
        )
    return float(total)


@settings(max_examples=40)
@given(st.data())
def test_two_levels_over_few_bins_are_optimal(data: st.DataObject) -> None:
    """With no more bins than a table of pairs has, the search finds what the search over all cuts proves."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n, width, k = data.draw(st.integers(4, 80)), data.draw(st.integers(1, 4)), data.draw(st.integers(2, 4))
    kind = data.draw(st.sampled_from(["labels", "weights", "costs", "squares"]))
    price, depth = data.draw(st.sampled_from([0.0, 0.5])), data.draw(st.integers(1, 2))
    least = data.draw(st.integers(1, 3)) if kind != "weights" else 1
    codes = rng.integers(0, 5, (width, n)).astype(np.uint8)
    labels = rng.integers(0, k, n).astype(np.int32)
    weights = rng.integers(1, 5, n).astype(np.float64) if kind == "weights" else np.ones(n)
    targets = rng.normal(size=n).round(2) if kind == "squares" else None
    costs = np.where(labels[:, None] == np.arange(k), 0.0, weights[:, None])
    if kind == "costs":
        costs = rng.integers(-3, 9, (n, k)).astype(np.float64)
    given: tuple[Any, ...] = {
        "labels": (labels, weights, None, None), "weights": (labels, weights, None, None),
        "costs": (None, None, costs, None), "squares": (None, None, None, None),
    }[kind]  # fmt: skip
    if targets is not None:
        given = (None, None, None, np.stack([np.ones(n), targets, targets**2], axis=1))
    tree = search(codes, given, k if targets is None else 1, depth, branch_cost=price, min_samples_leaf=least)
    X = np.concatenate([cut >= codes.T for cut in range(4)], axis=1)
    if least > n:
        return
    task: Any = streed.tasks.SquaredError(targets) if targets is not None else streed.tasks.LabelCosts(costs)
    best = min(
        streed.solve(task, X, max_depth=depth, max_nodes=nodes, min_samples_leaf=least).objective
        + price * nodes
        for nodes in range(2**depth)
    )
    assert value(tree, codes, costs, targets, price) == pytest.approx(best, abs=1e-9)
    sizes = np.unique(leaves(tree, codes), return_counts=True)[1]
    assert sizes.min() >= least or sizes.size == 1


@settings(max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(3, 5), st.booleans())
def test_deeper_trees_are_no_worse_than_greedy_ones(seed: int, depth: int, numbers: bool) -> None:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 40, (3, 300)).astype(np.uint8)
    labels = ((codes[0] > 20) ^ (codes[1] > 9) ^ (rng.random(300) < 0.1)).astype(np.int32)
    targets = labels + rng.normal(size=300) if numbers else None
    rows: tuple[Any, ...] = (labels, np.ones(300), None, None)
    if targets is not None:
        rows = (None, None, None, np.stack([np.ones(300), targets, targets**2], axis=1))
    costs = np.stack([labels == 1, labels == 0], axis=1).astype(np.float64)
    found = search(codes, rows, 1 if numbers else 2, depth)
    best = value(found, codes, costs, targets, 0.0)
    assert best <= value(found["greedy"], codes, costs, targets, 0.0) + 1e-9
    assert found["column"].size <= 2 ** (depth + 1) - 1


def test_a_search_with_many_rows_samples_them_for_few_cuts() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 250, (3, 300_000)).astype(np.uint8)
    labels = ((codes[0] > 100) ^ (codes[1] > 140)).astype(np.int32)
    found = search(codes, (labels, np.ones(labels.size), None, None), 2, 3)
    tests = set(zip(found["column"].tolist(), found["bin"].tolist(), strict=True))
    assert {(0, 100), (1, 140)} <= tests


@given(
    st.lists(st.one_of(st.floats(allow_nan=True), st.integers(-3, 3).map(float)), min_size=1, max_size=400)
)
def test_bins_keep_the_order_of_values(values: list[float]) -> None:
    column = np.array(values)
    bins = bin_values(column, None)
    lost = np.isnan(column)
    assert (bins.codes[lost] == 255).all()
    assert bins.missing == lost.any()
    known, codes = column[~lost], bins.codes[~lost]
    assert (codes == np.searchsorted(bins.edges, known, side="left")).all()
    assert (np.diff(bins.edges) > 0).all()
    assert np.isin(bins.edges, known).all()
    n_different = max((np.unique(known[codes == code]).size for code in set(codes.tolist())), default=1)
    assert bins.exact == (n_different == 1)
    assert bins.n_values == np.unique(codes).size


def test_many_values_have_bins_of_about_as_many_rows() -> None:
    column = np.random.default_rng(0).normal(size=100_000)
    bins = bin_values(column, None)
    counts = np.bincount(bins.codes)
    assert not bins.exact
    assert counts.size == 254
    assert counts.max() < 1000


def test_what_the_search_does_not_take_is_refused() -> None:
    codes = np.zeros((1, 3), np.uint8)
    rows = (np.zeros(3, np.int32), np.ones(3), None, None)
    with pytest.raises(ValueError, match="max_depth must be at most 6, got 7"):
        search(codes, rows, 2, 7)
    with pytest.raises(ValueError, match="n_labels must be from 1 to 64, got 65"):
        search(codes, rows, 65, 2)
    with pytest.raises(ValueError, match="same number of rows, got 3, 2 and 3"):
        search(codes, (np.zeros(2, np.int32), np.ones(3), None, None), 2, 2)
    with pytest.raises(ValueError, match="give either labels and weights, or costs"):
        search(codes, (None, None, None, None), 2, 2)
    with pytest.raises(ValueError, match="give statistics alone"):
        search(codes, (*rows[:3], np.ones((3, 3))), 2, 2)
    with pytest.raises(ValueError, match=r"statistics must have shape \(3, 3\), got \(2, 3\)"):
        search(codes, (None, None, None, np.ones((2, 3))), 1, 2)
    with pytest.raises(ValueError, match="codes must have at least one row"):
        search(np.zeros((1, 0), np.uint8), (np.zeros(0, np.int32), np.ones(0), None, None), 2, 2)
