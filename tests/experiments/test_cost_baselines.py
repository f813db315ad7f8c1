"""C4.5 and its relatives, MetaCost and TMDP on cases worked by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from experiments.baselines import c45, metacost
from experiments.baselines.grid import Grid, gains
from experiments.baselines.priced_tree import Node, Prices, measure_tree, standard_cost
from experiments.baselines.tmdp import Process, choose
from experiments.cost_data import categories, split_rows

ONE_OFF = 1.0 - np.eye(2)


def free(columns: int) -> Prices:
    numbers = np.arange(columns)
    return Prices(numbers, np.full(columns, -1), np.zeros(columns), np.zeros(columns))


def small_grid() -> Grid:
    """Column 0 tells the class of 7 of 8 rows, column 1 that of 6."""
    table = np.array([[0, 0], [0, 0], [0, 1], [0, 0], [1, 1], [1, 1], [1, 0], [0, 1]])
    return Grid(table, np.array([0, 0, 0, 0, 1, 1, 1, 1]), 2)


def test_gains_by_hand() -> None:
    gain, information = gains(small_grid(), small_grid().counts(np.arange(8)), 2)
    left = -(4 / 5) * math.log2(4 / 5) - (1 / 5) * math.log2(1 / 5)  # column 0: five rows 4:1, three rows 0:3
    assert gain[0] == pytest.approx(1 - 5 / 8 * left)
    assert information[0] == pytest.approx(-(5 / 8) * math.log2(5 / 8) - (3 / 8) * math.log2(3 / 8))
    half = -(3 / 4) * math.log2(3 / 4) - (1 / 4) * math.log2(1 / 4)  # column 1: 3:1 and 1:3
    assert gain[1] == pytest.approx(1 - half)
    assert information[1] == pytest.approx(1.0)


def test_criteria_choose_between_a_good_and_a_cheap_test() -> None:
    gain, information, price = np.array([0.5, 0.4]), np.array([1.0, 1.0]), np.array([4.0, 1.0])
    assert c45.gain_ratio(gain, information, price).argmax() == 0
    assert c45.csid3(gain, information, price).tolist() == pytest.approx([0.0625, 0.16])
    assert c45.eg2(gain, information, price).tolist() == pytest.approx([(2**0.5 - 1) / 5, (2**0.4 - 1) / 2])
    assert c45.idx(gain, information, price).tolist() == pytest.approx([0.125, 0.4])


def test_criteria_grow_trees_with_a_good_and_a_cheap_test() -> None:
    grid = small_grid()  # gains 0.549 and 0.189 bits
    root = {
        (name, price): c45.fit(grid, name, np.array([price, 1.0])).column
        for name in c45.CRITERIA
        for price in (2.0, 5.0, 20.0)
    }
    assert [root["C4.5", price] for price in (2.0, 5.0, 20.0)] == [0, 0, 0]  # no heed of prices
    assert [root["IDX", price] for price in (2.0, 5.0)] == [0, 1]  # 0.274 and 0.110 against 0.189
    assert [root["EG2", price] for price in (2.0, 5.0, 20.0)] == [
        0,
        0,
        1,
    ]  # 0.154, 0.077, 0.022 against 0.070
    assert [root["CSID3", price] for price in (5.0, 20.0)] == [0, 1]  # 0.060 and 0.015 against 0.036


def test_gain_ratio_leaves_out_gains_below_the_average() -> None:
    gain, information = np.array([0.9, 0.2]), np.array([3.0, 0.1])  # the second has the greater ratio
    assert c45.gain_ratio(gain, information, np.ones(2)).argmax() == 0


@pytest.mark.parametrize(
    ("n", "errors", "extra"),
    [(6, 0, 6 * 0.206), (1, 0, 0.750), (16, 1, 16 * 0.157 - 1), (4, 4, 0.0)],
)  # the rates 0.206, 0.750 and 0.157 are the example of Quinlan's book, section 4.2
def test_pessimistic_errors_are_quinlans(n: int, errors: int, extra: float) -> None:
    assert c45.extra_errors(n, errors) == pytest.approx(extra, abs=0.06)


def test_c45_prunes_what_does_not_pay() -> None:
    grid = small_grid()
    tree = c45.fit(grid, "C4.5", np.ones(2))
    assert tree.column == 0
    assert not tree.children[1].children  # pure
    assert not tree.children[0].children  # one error among five: a split would be pruned
    labels = c45.labelled(tree, ONE_OFF)
    assert [labels.children[v].label for v in (0, 1)] == [0, 1]
    dear = np.array([[0.0, 1.0], [9.0, 0.0]])  # a missed 1 costs nine times as much
    assert c45.labelled(tree, dear).children[0].label == 1


def test_metacost_relabels_by_expected_cost() -> None:
    shares = np.array([[0.8, 0.2], [0.95, 0.05]])
    assert metacost.relabel(shares, np.array([[0.0, 1.0], [9.0, 0.0]])).tolist() == [
        1,
        0,
    ]  # 1.8 > 0.8, 0.45 < 0.95
    grid = small_grid()
    again = metacost.fit(grid, np.eye(2)[grid.y], ONE_OFF, np.ones(2))
    assert again.column == 0


def test_metacost_from_the_samples_to_the_tree() -> None:
    table = np.array([[0], [1]] * 20)
    grid = Grid(table, np.array([0, 1] * 20), 2)  # every sample shows that the column is the class
    shares = metacost.class_shares(grid, np.ones(1), np.random.default_rng(0))
    assert shares.tolist() == np.eye(2)[grid.y].tolist()
    tree = metacost.fit(grid, shares, ONE_OFF, np.ones(1))
    assert {value: child.label for value, child in tree.children.items()} == {0: 0, 1: 1}
    half = metacost.fit(grid, np.full((40, 2), 0.5), np.array([[0.0, 1.0], [9.0, 0.0]]), np.ones(1))
    assert (half.is_leaf, half.label) == (True, 1)  # all rows get the label 1: 0.5 against 4.5


def test_shares_of_values_that_a_tree_has_not_seen() -> None:
    tree = c45.Grown(np.array([3.0, 1.0]), 0, {0: c45.Grown(np.array([0.0, 1.0]))})
    shares = np.zeros((2, 2))
    metacost.add_shares(tree, np.array([[0], [5]]), np.arange(2), shares)
    assert shares.tolist() == [[0.0, 1.0], [0.75, 0.25]]


def test_cost_of_a_tree_by_hand() -> None:
    prices = Prices(
        np.array([0, 0, 1]), np.array([7, 7, 7]), np.array([5.0, 5.0, 3.0]), np.array([1.0, 1.0, 2.0])
    )
    assert prices.total == 7.0  # attribute 0 in full, attribute 1 at a discount
    tree = Node(0, 0, {0: Node(0), 1: Node(0, 1, {0: Node(1), 1: Node(0, 2, {0: Node(0), 1: Node(1)})})})
    table = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 1]])
    matrix = np.array([[0.0, 10.0], [20.0, 0.0]])
    found = measure_tree(tree, table, np.array([1, 1, 0]), matrix, prices)
    # row 0: 5 and an error of 20; row 1: 5, the second test of the attribute is free; row 2: 5 + 2 and 10
    assert found.cost == pytest.approx((25 + 5 + 17) / 3)
    assert (found.depth, found.leaves, found.question_length) == (3, 4, 2.0)
    assert standard_cost(np.array([1, 1, 0]), matrix, prices) == pytest.approx(7 + 20 / 3)


def test_unseen_values_get_the_label_of_the_node() -> None:
    tree = Node(1, 0, {0: Node(0)})
    found = measure_tree(tree, np.array([[4]]), np.array([1]), ONE_OFF, free(1))
    assert (found.cost, found.question_length) == (0.0, 1.0)


def test_tmdp_weighs_price_against_errors() -> None:
    table = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 3)
    y = table[:, 0].copy()
    for price, tested in ((0.4, True), (0.6, False)):  # classifying at once costs 6 errors of 12 rows
        prices = Prices(np.arange(2), np.full(2, -1), np.array([price, 0.1]), np.array([price, 0.1]))
        tree = Process(Grid(table, y, 2), prices).solve(ONE_OFF)
        assert tree.is_leaf != tested
        if tested:
            assert tree.column == 0
            assert {value: child.label for value, child in tree.children.items()} == {0: 0, 1: 1}


def test_tmdp_is_never_better_than_the_best_tree() -> None:
    rng = np.random.default_rng(0)
    for _ in range(10):
        table = rng.integers(0, 3, (30, 3))
        y = ((table[:, 0] == 2) ^ (table[:, 1] == 0) ^ (rng.random(30) < 0.1)).astype(np.int64)
        full = rng.uniform(0.01, 0.2, 3)
        prices = Prices(np.arange(3), np.full(3, -1), full, full)
        tree = Process(Grid(table, y, 2), prices).solve(ONE_OFF)
        cost = measure_tree(tree, table, y, ONE_OFF, prices).cost * 30
        constant = min(np.bincount(y, minlength=2))
        assert best_multiway(table, y, full, frozenset()) <= cost + 1e-9 <= constant + 2e-9


def best_multiway(table: np.ndarray, y: np.ndarray, full: np.ndarray, tested: frozenset[int]) -> float:
    """Least cost of any tree with a branch per value."""
    best = float(min(np.bincount(y, minlength=2)))
    for column in set(range(table.shape[1])) - tested:
        parts = [table[:, column] == value for value in np.unique(table[:, column])]
        below = sum(best_multiway(table[part], y[part], full, tested | {column}) for part in parts)
        best = min(best, len(y) * float(full[column]) + below)
    return best


def test_choice_of_tmdp_is_that_of_c45() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        gain, information = rng.uniform(0.01, 1, 4), rng.uniform(0.5, 2, 4)
        candidates = [(j, float(gain[j]), float(information[j])) for j in range(4)]
        assert choose(candidates) == c45.gain_ratio(gain, information, np.ones(4)).argmax()
    assert choose([]) == -1


def test_categories_tell_all_combinations_apart() -> None:
    X = np.array(list(itertools.product([0, 1], repeat=3)))
    codes = categories(X, np.array([0, 0, 1]))
    assert len(np.unique(codes, axis=0)) == 8
    assert codes.max(axis=0).tolist() == [3, 1]


def test_splits_are_disjoint_complete_and_differ() -> None:
    train, test = split_rows(50, 3, 0)
    assert sorted([*train, *test]) == list(range(50))
    assert len(test) == 10
    assert set(test) != set(split_rows(50, 4, 0)[1])
    assert (test == split_rows(50, 3, 0)[1]).all()
