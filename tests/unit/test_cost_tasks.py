"""Tasks with costs per row and label: what they accept, how they lower, what they report."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import streed
from streed import reference, tasks
from streed.datasets import read_cost_file
from streed.table.units import from_units, in_units, largest_unit
from streed.tasks.base import ClassErrors, CostTable

# Bad arguments are given on purpose: no types here.
CostMatrix: Any = tasks.CostMatrix
FeatureCosts: Any = tasks.FeatureCosts
LabelCosts: Any = tasks.LabelCosts
LimitedPolicyReward: Any = tasks.LimitedPolicyReward
PolicyReward: Any = tasks.PolicyReward

X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
Y = ["a", "a", "b", "a"]
MATRIX = [[0, 2], [5, 0]]


def optimum(task: Any, depth: int = 2) -> float:
    [solution] = reference.solve(task.components(X), depth)
    return float(solution.value)


def test_errors_that_cost_the_same_lower_to_class_errors() -> None:
    lowered = CostMatrix(["a", "b", "c"], [[0, 2, 2], [3, 0, 3], [0.5, 0.5, 0]]).lower()
    assert isinstance(lowered.leaf, ClassErrors)
    assert lowered.leaf.weights.tolist() == [4, 6, 1]
    assert lowered.scale == 0.5


@pytest.mark.parametrize(
    "matrix",
    [
        [[0, 2, 1], [3, 0, 3], [1, 1, 0]],  # errors of one class differ
        [[1, 2, 2], [3, 0, 3], [1, 1, 0]],  # being right costs something
        [[0, 0, 0], [3, 0, 3], [1, 1, 0]],  # errors of one class are free, its rows still pay for tests
    ],
)
def test_other_matrices_lower_to_a_table(matrix: list[list[float]]) -> None:
    task = CostMatrix(["c", "a", "b"], matrix)
    lowered = task.lower()
    assert isinstance(lowered.leaf, CostTable)
    assert (lowered.leaf.costs * lowered.scale).tolist() == [matrix[2], matrix[0], matrix[1]]


def test_labels_give_the_order_of_the_matrix_and_may_have_no_rows() -> None:
    task = CostMatrix(Y, [[0, 1, 9], [5, 0, 9], [9, 2, 0]], labels=["b", "c", "a"])
    assert task.labels.tolist() == ["b", "c", "a"]
    assert optimum(task, 0) == 3 * 2 + 1  # "c" for all: 2 for each a, 1 for b


def test_the_diagonal_counts_everywhere() -> None:
    task = CostMatrix(Y, [[1, 4], [6, 2]])
    assert optimum(task, 0) == 3 * 1 + 6
    assert optimum(task, 2) == 3 * 1 + 2


def test_class_weight_multiplies_errors_but_not_tests() -> None:
    prices = FeatureCosts([0.25, 0.25])
    task = CostMatrix(Y, MATRIX, class_weight={"b": 2}, feature_costs=prices)
    assert optimum(task, 0) == 10 - 4  # "b" for all: 2 for each a
    assert optimum(task, 2) == 4 * 0.25 + 2 * 0.25
    balanced = CostMatrix(Y, MATRIX, class_weight="balanced")
    assert optimum(balanced, 0) == pytest.approx(2 * 2)


def test_sample_weight_multiplies_costs_and_zero_leaves_rows_out() -> None:
    task = CostMatrix(Y, MATRIX, sample_weight=[1, 1, 0, 2])
    assert task.n_rows == 4
    assert task.lower().rows is not None
    assert optimum(task, 0) == 0
    costs = LabelCosts([[0, 3], [0, 3], [5, -1], [0, 1]], sample_weight=[1, 2, 3, 0])
    assert optimum(costs, 0) == min(15, 3 + 6 - 3)


def test_prices_are_paid_once_per_path_and_discounted_in_groups() -> None:
    prices = FeatureCosts([4.0, 3.0], discounted=[4.0, 1.0], groups=["lab", "lab"])
    components = CostMatrix(Y, [[0, 100], [100, 0]], feature_costs=prices).components(X)
    assert reference.cost(components, (0, 0, (1, 1, 0))) == 4 * 4 + 2 * 1
    assert reference.cost(components, (1, (0, 0, 1), 0)) == 4 * 3 + 2 * 4
    assert reference.cost(components, (0, (0, 0, 0), 1)) == 4 * 4 + 100


def test_prices_do_not_change_with_what_was_given() -> None:
    given = {"x0": 1.0, "x1": 2.0}
    prices = FeatureCosts(given)
    before = prices.total(["x0", "x1"])
    given["x0"] = 5.0
    assert prices.total(["x0", "x1"]) == before == 3.0
    assert FeatureCosts(given).total(["x0", "x1"]) == 7.0


def test_binary_features_of_one_column_share_its_price() -> None:
    prices = FeatureCosts({"age": 2.0})
    components = CostMatrix(Y, [[0, 9], [9, 0]], feature_costs=prices, columns=["age", "age"]).components(X)
    assert reference.cost(components, (0, 0, (1, 1, 0))) == 4 * 2


def test_policy_reports_the_mean_reward() -> None:
    rewards = np.array([[1.0, 0.0], [0.5, 0.25], [0.0, -1.0], [0.0, 4.0]])
    task = PolicyReward(rewards, treatments=["no", "yes"])
    assert optimum(task) == pytest.approx(rewards.max(axis=1).mean())
    assert task.report(task.lower().leaf.costs[:, 1].sum()) == pytest.approx(rewards[:, 1].mean())


def test_cost_complexity_is_a_share_of_the_spread() -> None:
    task = CostMatrix(Y, MATRIX, cost_complexity=0.1)
    assert task.report(task.lower().branch_cost) == pytest.approx(0.1 * (3 * 2 + 5))
    policy = PolicyReward([[0, 3], [1, 0]], cost_complexity=0.1)
    assert policy.report(policy.lower().branch_cost) == pytest.approx(-0.1 * 2)


def test_capacity_and_budget_in_the_reference() -> None:
    rewards = [[0, 1], [0, 2], [0, 3], [0, 4]]
    task = LimitedPolicyReward(rewards, capacity={1: 1})
    front = reference.solve(task.components(X), 2)
    assert max(one.value[0] for one in front) == 1.0
    task = LimitedPolicyReward(rewards, treatment_costs={1: 0.3}, budget=0.15)
    front = reference.solve(task.components(X), 2)
    assert max(one.value[0] for one in front) == 7 / 4


def test_limited_policies_check_their_limits() -> None:
    task = LimitedPolicyReward([[0, 1]] * 4, capacity={1: 1})
    with pytest.raises(ValueError, match="min_samples_leaf must be at most the number of rows, 4, got 5"):
        streed.solve(task, X, max_depth=1, min_samples_leaf=5)
    with pytest.raises(ValueError, match="X has 3 rows"):
        streed.solve(task, X[:3], max_depth=1)


def test_units() -> None:
    assert largest_unit([1 / 3, 2 / 3, 1.0], 10.0) == pytest.approx(1 / 3)
    assert largest_unit([2.0**40, 2.0**40 + 1], 2.0**47) == 1.0
    assert largest_unit([np.pi, 1.0], 10.0) == 1.0
    assert largest_unit([0.0] * 3, 0.0) == 1.0
    assert in_units(np.array([7.27, 5.17]), 0.01).tolist() == [727, 517]
    assert from_units(94797, 0.01) == 947.97
    assert from_units(3, 2.0) == 6.0


def test_costs_above_two_to_the_31_and_negative_costs() -> None:
    large = CostMatrix(Y, [[0, 3e9], [2.0**33, 0]], feature_costs=FeatureCosts([1e9, 1e10]))
    assert streed.solve(large, X, max_depth=2).objective == optimum(large)
    negative = LabelCosts([[-3.5, 1], [2, -7], [0, 0], [-1, -2]])
    result = streed.solve(negative, X, max_depth=2)
    assert result.objective == optimum(negative) == -12.5
    assert result.optimal


BAD_TASKS = [
    (lambda: CostMatrix(Y, [[0, 1, 2], [1, 0, 2], [1, 1, 0]]), ValueError, "shape (2, 2) for the labels"),
    (lambda: CostMatrix(Y, [0, 1]), ValueError, "shape (2, 2)"),
    (lambda: CostMatrix(Y, [[0, -1], [1, 0]]), ValueError, "got -1.0 for 'a' taken for 'b'"),
    (lambda: CostMatrix(Y, [[0, np.nan], [1, 0]]), ValueError, "finite"),
    (lambda: CostMatrix(Y, [["x", 1], [1, 0]]), TypeError, "must hold numbers"),
    (lambda: CostMatrix(Y, MATRIX, labels=["a", "c"]), ValueError, "labels ['b'] that are not among"),
    (lambda: CostMatrix(Y, MATRIX, labels=["a", "a"]), ValueError, "distinct"),
    (lambda: CostMatrix(Y, MATRIX, class_weight="equal"), ValueError, "'balanced' or a dict"),
    (lambda: CostMatrix(Y, MATRIX, columns=[0, 1]), ValueError, "feature_costs is missing"),
    (lambda: CostMatrix(Y, MATRIX, feature_costs=3), TypeError, "must be a streed.FeatureCosts"),
    (
        lambda: CostMatrix(Y, MATRIX, feature_costs=FeatureCosts({"age": 1})),
        ValueError,
        "columns must say which one",
    ),
    (
        lambda: CostMatrix(Y, MATRIX, feature_costs=FeatureCosts({"age": 1}), columns=["sex", "size"]),
        ValueError,
        "costs has 'age', which is none of the columns: 'sex', 'size'",
    ),
    (
        lambda: CostMatrix(Y, MATRIX, feature_costs=FeatureCosts([1, 2]), sample_weight=[1, 2, 1, 1]),
        ValueError,
        "paid per row",
    ),
    (
        lambda: CostMatrix(Y, MATRIX, feature_costs=FeatureCosts([1, 2]), columns=[-1, 0]),
        ValueError,
        "positions from 0 on",
    ),
    (lambda: LabelCosts([[1, 2], [np.inf, 0]]), ValueError, "finite, got inf in row 1, label 0"),
    (lambda: LabelCosts([1, 2]), ValueError, "shape (rows, labels)"),
    (lambda: LabelCosts(np.zeros((0, 2))), ValueError, "at least one of each"),
    (lambda: LabelCosts([["a"]]), TypeError, "table of numbers"),
    (lambda: LabelCosts(np.zeros((3, 2, 2))), ValueError, "streed.combine"),
    (lambda: LabelCosts([[1, 2]], labels=["a"]), ValueError, "each of the 2 columns"),
    (lambda: LabelCosts([[1, 2]], cost_complexity=-1), ValueError, "cost_complexity"),
    (
        lambda: PolicyReward([[1, np.nan]]),
        ValueError,
        "rewards must be finite, got nan in row 0, treatment 1",
    ),
    (lambda: LimitedPolicyReward([[1, 0]], capacity={2: 0.5}), ValueError, "none of the treatments [0, 1]"),
    (lambda: LimitedPolicyReward([[1, 0]], capacity={1: 1.5}), ValueError, "share from 0.0 to 1.0"),
    (lambda: LimitedPolicyReward([[1, 0]], capacity={1: -0.1}), ValueError, "share from 0.0 to 1.0"),
    (lambda: LimitedPolicyReward([[1, 0]], capacity={1: -1}), ValueError, "not be negative, got -1"),
    (lambda: LimitedPolicyReward([[1, 0]], capacity={1: "half"}), TypeError, "must be a number"),
    (lambda: LimitedPolicyReward([[1, 0]], capacity=[0.5]), TypeError, "must be a mapping"),
    (lambda: LimitedPolicyReward([[1, 0]], budget=1.0), ValueError, "need each other"),
    (lambda: LimitedPolicyReward([[1, 0]], treatment_costs={1: -2}, budget=1), ValueError, "the cost of 1"),
    (lambda: LimitedPolicyReward([[1, 0]], treatment_costs={1: 2}, budget=np.nan), ValueError, "the budget"),
]


@pytest.mark.parametrize(("make", "error", "message"), BAD_TASKS)
def test_bad_tasks(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        make()


def test_costs_with_one_objective_in_a_third_dimension() -> None:
    assert optimum(LabelCosts(np.ones((4, 2, 1)))) == 4


def test_costs_with_several_objectives() -> None:
    rng = np.random.default_rng(3)
    X, costs = rng.integers(0, 2, (30, 4)), rng.integers(-2, 9, (30, 3, 2)).astype(float)
    parts = [LabelCosts(costs[:, :, j], ["a", "b", "c"]) for j in range(2)]
    one = streed.solve(LabelCosts.objectives(costs, ["a", "b", "c"]), X, max_depth=2)
    several = streed.solve(streed.combine(*parts), X, max_depth=2)
    assert len(one.front) > 1
    assert [s.values for s in one.front] == [s.values for s in several.front]
    for solution in one.front:
        code = np.searchsorted(["a", "b", "c"], solution.tree.predict(X))
        assert solution.values == pytest.approx(costs[np.arange(30), code].sum(axis=0))
    with pytest.raises(ValueError, match="two objectives or more"):
        LabelCosts.objectives(costs[:, :, 0])
    with pytest.raises(ValueError, match=r"LabelCosts\.objectives"):
        LabelCosts(costs)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: FeatureCosts({"a": -1.0}), ValueError, "not negative, got -1.0 for 'a'"),
        (lambda: FeatureCosts([1, np.inf]), ValueError, "finite"),
        (lambda: FeatureCosts({"a": "1"}), TypeError, "must hold numbers"),
        (lambda: FeatureCosts("ab"), TypeError, "one value per column"),
        (lambda: FeatureCosts([1], groups=[["a"]]), TypeError, "hashable"),
        (lambda: FeatureCosts([1], attributes=["a"]), TypeError, "with attributes, costs must be a mapping"),
        (lambda: FeatureCosts([1]).tests(["a", "b"]), ValueError, "each of the 2 columns, got 1"),
        (lambda: FeatureCosts({"c": 1}).tests(["a", "b"]), ValueError, "none of the columns: 'a', 'b'"),
        (lambda: FeatureCosts({2: 1}).tests(["a", "b"]), ValueError, "costs has 2"),
        (lambda: FeatureCosts([1], [2]).tests(["a"]), ValueError, "must not be above its full price"),
    ],
)
def test_bad_feature_costs(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        make()


def test_feature_costs_by_name_position_and_test() -> None:
    by_name = FeatureCosts({"a": 1, "c": 3}, groups={"c": "g"})
    by_position = FeatureCosts({0: 1, 2: 3}, groups={2: "g"})
    names = ["a", "b", "c"]
    assert (
        by_name.tests(names)
        == by_position.tests(names)
        == FeatureCosts([1, 0, 3], groups=[None, None, "g"]).tests(names)
    )
    panel = FeatureCosts({"panel": 5}, attributes={"a": "panel", "c": "panel"})
    prices = panel.prices([0, 0, 1, 2], names)
    assert prices.attribute.tolist() == [0, 0, 1, 0]
    assert prices.full.tolist() == [5, 5, 0, 5]
    assert panel.total(names) == 5
    assert panel == eval(repr(panel))
    assert panel != by_name


def test_total_counts_the_first_of_a_group_in_full() -> None:
    costs = FeatureCosts([7.27, 7.27, 8.3, 1], [5.17, 5.17, 6.2, 1], ["a", "a", "a", None])
    assert costs.total(["p", "q", "r", "s"]) == pytest.approx(7.27 + 5.17 + 6.2 + 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must come first"),
        ("0 1\n1 0\n", "then a line of heads"),
        ("0 1\n1 0 3\nhead\n", "expected 2 numbers"),
        ("0 1\n1 x\nhead\n", "expected numbers, got '1 x'"),
        ("0 1\n1 0\nhead\na 1 1 x 0\n", "must have name, cost"),
        ("0 1\n1 0\nhead\na 1 1 x 0 0\nb 1 1 x 2 3\n", "without gaps, the next column is 1"),
        ("0 1\n1 0\nhead\na 1 1 x 0 0\na 1 1 x 1 1\n", "distinct names"),
        ("0 1\n1 0\nhead\na -1 -1 x 0 0\n", "not negative"),
    ],
)
def test_bad_cost_files(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "costs.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_cost_file(path)


def test_one_class_and_prices_in_large_units() -> None:
    """No error is possible: whatever the unit of the prices, the rows have a positive weight."""
    task = CostMatrix([0, 0, 0, 0], [[0.0]], feature_costs=FeatureCosts([2, 4]))
    result = streed.solve(task, X, max_depth=2)
    assert (result.objective, result.tree.n_leaves) == (0.0, 1)
