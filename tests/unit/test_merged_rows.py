"""Rows that are equal are put together: the same problem, in one order, whatever the order they came in."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streed.solver import merged_rows
from streed.solver.merged_rows import MOST_COPIES, in_order, merge_classes, merge_sums


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n, width = draw(st.integers(1, 12)), draw(st.integers(1, 3))
    row = st.lists(st.integers(-1, 2), min_size=width, max_size=width)
    ranks = np.array(draw(st.lists(row, min_size=n, max_size=n)), np.int32).T
    codes = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), np.int32)
    weight = draw(st.sampled_from([st.just(1.0), st.integers(1, 20).map(float), st.sampled_from([0.5, 1.5])]))
    weights = np.array(draw(st.lists(weight, min_size=n, max_size=n)))
    return np.ascontiguousarray(ranks), codes, weights


def test_large_tables_of_different_rows_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows that differ in one column are not compared; whole weights become rows again where few."""
    monkeypatch.setattr(merged_rows, "MANY", 2)
    monkeypatch.setattr(merged_rows, "in_order", None)
    ranks, codes = np.array([[2, 0, 1], [0, 0, 0]], np.int32), np.array([1, 0, 1], np.int32)
    for weights, expected in (([1, 1, 1], [0, 1, 2]), ([0.5, 2, 1], [0, 1, 2]), ([1, 1, 1.0], [0, 1, 2])):
        merged = merge_classes(ranks, codes, np.array(weights, np.float64))
        assert merged[0][0].tolist() == expected
        assert merged[1].tolist() == [0, 1, 1]
        assert merged[2].tolist() == [weights[1], weights[2], weights[0]]


def slow_classes(ranks: np.ndarray, codes: np.ndarray, weights: np.ndarray) -> dict[tuple[int, ...], float]:
    """The twin: the weight of each different row with its class, by a dictionary."""
    sums: Counter[tuple[int, ...]] = Counter()
    for row, code, weight in zip(ranks.T.tolist(), codes.tolist(), weights.tolist(), strict=True):
        sums[(*row, code)] += weight
    return dict(sums)


@given(tables())
def test_classes_equal_the_twin(data: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    merged = merge_classes(*data)
    expected = slow_classes(*data)
    assert slow_classes(*merged) == pytest.approx(expected)
    total, different = float(data[2].sum()), len(expected)
    whole = all(weight == int(weight) for weight in expected.values())
    if whole and total <= MOST_COPIES * different:
        assert merged[1].size == total
        assert (merged[2] == 1).all()
    else:
        assert merged[1].size == different


@given(tables(), st.integers(1, 4))
def test_costs_equal_the_twin(data: tuple[np.ndarray, np.ndarray, np.ndarray], n_labels: int) -> None:
    ranks, codes, weights = data
    costs = np.arange(1, n_labels + 1) * weights[:, None] + codes[:, None]
    expected: dict[tuple[int, ...], Any] = {}
    for row, cost in zip(ranks.T.tolist(), costs, strict=True):
        expected[tuple(row)] = expected.get(tuple(row), 0) + cost
    merged, sums = merge_sums(ranks, costs)
    found = {tuple(row): cost for row, cost in zip(merged.T.tolist(), sums, strict=True)}
    assert len(found) == merged.shape[1] == len(expected)
    for row, cost in expected.items():
        np.testing.assert_allclose(found[row], cost)


@given(tables(), st.randoms())
def test_the_order_of_rows_does_not_matter(
    data: tuple[np.ndarray, np.ndarray, np.ndarray], random: Any
) -> None:
    ranks, codes, weights = data
    order = list(range(codes.size))
    random.shuffle(order)
    one = merge_classes(ranks, codes, weights)
    other = merge_classes(np.ascontiguousarray(ranks[:, order]), codes[order], weights[order])
    np.testing.assert_array_equal(one[0], other[0])
    np.testing.assert_array_equal(one[1], other[1])
    np.testing.assert_allclose(one[2], other[2])


@given(tables())
def test_rows_of_equal_hashes_are_told_apart(data: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    ranks, codes, _ = data
    with pytest.MonkeyPatch.context() as patch:
        zero = np.uint64(0)  # all hashes are equal then
        patch.setattr(merged_rows, "_factors", lambda n: (np.zeros(n, np.uint64), zero))
        order, first = in_order(np.vstack([ranks, codes]))
        merged = merge_classes(*data)
    assert slow_classes(*merged) == pytest.approx(slow_classes(*data))
    rows = [tuple(row) for row in np.vstack([ranks, codes]).T[order].tolist()]
    assert first.tolist() == [k == 0 or rows[k] != rows[k - 1] for k in range(len(rows))]
    assert all(rows[k] == rows[k + 1] or rows[k] not in rows[k + 1 :] for k in range(len(rows) - 1))


@pytest.mark.parametrize("column", [0, 1])
def test_large_tables_with_distinct_values_are_put_in_their_order(
    column: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The order does not depend on that of the rows, and no row is lost or merged."""
    monkeypatch.setattr(merged_rows, "MANY", 10)
    rng = np.random.default_rng(column)
    ranks = rng.integers(0, 5, (2, 40)).astype(np.int32)
    ranks[column] = rng.permutation(40)
    codes, values = rng.integers(0, 3, 40).astype(np.int32), rng.random((40, 2))
    shuffled = rng.permutation(40)
    for rows in (np.arange(40), shuffled):
        got, own, weights = merged_rows.merge_classes(ranks[:, rows], codes[rows], np.ones(40))
        assert (got[column] == np.arange(40)).all()
        assert (weights == 1).all()
        order = np.argsort(ranks[column])
        assert (got == ranks[:, order]).all()
        assert (own == codes[order]).all()
        merged, sums = merged_rows.merge_sums(ranks[:, rows], values[rows])
        assert (merged == ranks[:, order]).all()
        assert (sums == values[order]).all()


def test_equal_rows_of_large_tables_are_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merged_rows, "MANY", 10)
    ranks = np.tile(np.arange(10, dtype=np.int32), (2, 3))
    assert merged_rows.merge_sums(ranks, np.ones((30, 1)))[1].ravel().tolist() == [3.0] * 10
