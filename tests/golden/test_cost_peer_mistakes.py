"""Wrong answers of other packages about costs, each as a case that must come out right here."""

from __future__ import annotations

import numpy as np
import pytest

from streed import FeatureCosts, solve
from streed.tasks import CostMatrix, LabelCosts

X = np.array([[0, 0], [0, 0], [1, 1], [1, 1]], dtype=np.uint8)
Y = [0, 0, 1, 1]
MATRIX = [[0, 10], [10, 0]]


@pytest.mark.parametrize("prices", [[3.0, 1.0], [1.0, 3.0]])
def test_of_two_identical_columns_the_cheaper_one_is_tested(prices: list[float]) -> None:
    result = solve(CostMatrix(Y, MATRIX, feature_costs=FeatureCosts(prices)), X, max_depth=2)
    assert result.objective == 4.0
    assert result.tree.feature[0] == np.argmin(prices)


def test_of_two_identical_columns_the_one_with_the_discount_is_tested() -> None:
    """The dearer copy is the cheaper one once its group was tested."""
    bits = np.array([[a, b, b] for a in (0, 1) for b in (0, 1)] * 2, dtype=np.uint8)
    y = bits[:, 0] & bits[:, 1]
    prices = FeatureCosts([1.0, 2.0, 3.0], discounted=[1.0, 2.0, 0.5], groups=["g", "h", "g"])
    result = solve(CostMatrix(y, [[0, 50], [50, 0]], feature_costs=prices), bits, max_depth=2)
    assert result.objective == 8 * 1.0 + 4 * 0.5
    assert set(result.tree.feature.tolist()) == {-1, 0, 2}


def test_a_complement_at_a_lower_price_is_tested() -> None:
    bits = np.array([[0, 1], [0, 1], [1, 0], [1, 0]], dtype=np.uint8)
    result = solve(CostMatrix(Y, MATRIX, feature_costs=FeatureCosts([3.0, 1.0])), bits, max_depth=1)
    assert result.objective == 4.0


def test_a_nonzero_diagonal_is_counted_in_every_leaf() -> None:
    result = solve(CostMatrix(Y, [[1, 10], [10, 2]]), X, max_depth=2)
    assert result.objective == 2 * 1 + 2 * 2
    assert (
        solve(CostMatrix(Y, [[9, 1], [1, 9]]), X, max_depth=2).objective == 4
    )  # wrong is cheaper than right


def test_costs_above_two_to_the_31() -> None:
    task = CostMatrix(Y, [[0, 2.0**40], [2.0**40, 0]], feature_costs=FeatureCosts([2.0**33, 2.0**34]))
    assert solve(task, X, max_depth=2).objective == 4 * 2.0**33
    assert solve(task, X, max_depth=0).objective == 2 * 2.0**40


def test_negative_instance_costs() -> None:
    costs = np.array([[-5, 0], [-1, -2], [3, -7], [0, -1]], dtype=float)
    result = solve(LabelCosts(costs), X, max_depth=2)
    assert result.objective == -6 - 8
    assert result.lower_bound == -14


def test_tiny_costs() -> None:
    task = LabelCosts(1e-7 * np.array([[0, 1], [0, 2], [3, 0], [1, 0]]))
    assert solve(task, X, max_depth=0).objective == pytest.approx(3e-7, rel=1e-9)
    assert solve(task, X, max_depth=1).objective == 0
