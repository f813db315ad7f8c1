"""Leaf functions that the engine knows: equal to the same functions in Python, whatever the switches.

No switch may change the optimum; instruction sets and threads may not change the tree.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import streed
from streed import _core
from streed.leaves import LeafFunction
from streed.tasks import Entropy, Gini, LogLoss, Poisson, SquaredError, Survival
from tests.properties.problems import SEEDS

SWITCHES = list(_core.switch_names())
EXAMPLES = max(10, settings().max_examples // 3)


def model(kind: str, rng: np.random.Generator, X: np.ndarray) -> LeafFunction:
    n = len(X)
    weights: Any = [None, rng.integers(1, 4, n).astype(float), rng.random(n)][rng.integers(3)]
    y = rng.normal(size=n) + X[:, 0] - 2 * (X[:, 1] & X[:, -1])
    if kind == "squares":
        leaf = SquaredError(y, weights).leaf()
    elif kind == "whole squares":
        leaf = SquaredError(np.rint(3 * y)).leaf()
    elif kind == "several":
        leaf = SquaredError(np.column_stack([y, rng.normal(size=(n, 2))]), weights).leaf()
    elif kind == "gini":
        leaf = Gini(rng.integers(0, rng.integers(1, 5), n), weights).leaf()
    elif kind in ("entropy", "log loss"):
        labels = np.concatenate([[0, 1], rng.integers(0, rng.integers(2, 6), n - 2)])
        smoothing = float(rng.choice([0, 0.1, 1, 1000]))
        smoothed = LogLoss(labels, weights, smoothing=smoothing)
        leaf = (Entropy(labels, weights) if kind == "entropy" else smoothed).leaf()
    elif kind == "poisson":
        leaf = Poisson(rng.poisson(np.exp(y)) + (np.arange(n) == 0), weights).leaf()
    else:
        leaf = Survival(rng.random(n) < 0.6, np.rint(5 * rng.exponential(size=n)), weights).leaf()
    assert leaf.native is not None
    return leaf


def features(rng: np.random.Generator, n: int, f: int, share: float) -> np.ndarray:
    """Independent features, or thresholds of a few columns, each of which holds the ones before it."""
    if rng.random() < 0.5:
        return rng.random((n, f)) < share
    columns = rng.random((n, 3))
    cuts = np.sort(rng.random((3, f // 3 + 1)))
    return np.hstack([columns[:, [k]] <= cuts[k] for k in range(3)])[:, :f]


def two_levels(leaf: LeafFunction, X: np.ndarray) -> float:
    """The least cost of a tree of depth two, each leaf from the sum of its own rows."""

    def cost(rows: np.ndarray) -> float:
        return float(np.ravel(leaf.function(leaf.statistics[rows].sum(axis=0)[:, None]))[0])

    def stump(rows: np.ndarray) -> float:
        sides = [(rows & X[:, j], rows & ~X[:, j]) for j in range(X.shape[1])]
        both = [cost(right) + cost(left) for right, left in sides if right.any() and left.any()]
        return min([cost(rows), *both])

    everything = np.ones(len(X), bool)
    sides = [(X[:, j], ~X[:, j]) for j in range(X.shape[1])]
    both = [stump(right) + stump(left) for right, left in sides if right.any() and left.any()]
    return min([cost(everything), *both])


def solve(leaf: LeafFunction, X: np.ndarray, native: bool, **options: Any) -> dict[str, Any]:
    limits: dict[str, Any] = {
        "max_depth": 4, "max_nodes": 15, "min_samples_leaf": 1, "branch_cost": 0.0,
        "time_limit": np.inf, "memory_limit": 0, "n_threads": 1,
        "parameter": leaf.parameter if native else 0.0,
    }  # fmt: skip

    def function(sums: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(leaf.function(sums))

    assert leaf.native is not None
    return _core.solve_function(
        np.ascontiguousarray(X, np.uint8),
        leaf.statistics,
        leaf.native if native else function,
        1,
        least_row=leaf.least_row,
        worst_row=leaf.worst_row,
        **(limits | options),
    )


def tree(answer: dict[str, Any]) -> list[list[int]]:
    return [np.asarray(answer[name]).tolist() for name in ("feature", "left", "right")]


KINDS = ["squares", "whole squares", "several", "gini", "entropy", "log loss", "poisson", "survival"]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=EXAMPLES)
@given(seed=SEEDS, switch=st.sampled_from(SWITCHES))
def test_equal_to_a_function_in_python(kind: str, seed: int, switch: str) -> None:
    rng = np.random.default_rng(seed)
    n, f = int(rng.integers(2, 90)), int(rng.integers(2, 12))
    X = features(rng, n, f, float(rng.choice([0.2, 0.5, 0.8])))
    leaf = model(kind, rng, X)
    root = float(np.ravel(leaf.function(leaf.statistics.sum(axis=0)[:, None]))[0])
    depth = int(rng.integers(1, 5))
    options: dict[str, Any] = {
        "max_depth": depth,
        "max_nodes": int(rng.choice([2**depth - 1, max(1, 2**depth - 3)])),
        "min_samples_leaf": int(rng.choice([1, 1, 2, 5])) if n >= 5 else 1,
        "branch_cost": float(rng.choice([0, 0, 0.01, 0.1])) * root,
    }
    expected = solve(leaf, X, False, **options)
    found = solve(leaf, X, True, **options)
    off = solve(leaf, X, True, **options, switches={switch: False})
    size = root + 1e-9 * float(np.abs(leaf.statistics).sum())
    assert abs(found["objective"] - expected["objective"]) <= 1e-9 * size
    assert abs(off["objective"] - found["objective"]) <= 1e-9 * size
    assert found["optimal"]
    assert off["optimal"]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=EXAMPLES)
@given(seed=SEEDS, level=st.sampled_from(_core.simd_levels()))
def test_two_levels_equal_brute_force(kind: str, seed: int, level: str) -> None:
    """Pair tables of masks, where rows of features follow from one another, against sums of rows."""
    rng = np.random.default_rng(seed)
    X = features(rng, int(rng.integers(2, 200)), int(rng.integers(2, 12)), 0.3)
    leaf = model(kind, rng, X)
    root = float(np.ravel(leaf.function(leaf.statistics.sum(axis=0)[:, None]))[0])
    size = root + 1e-9 * float(np.abs(leaf.statistics).sum())
    for native in (True, False):
        found = solve(leaf, X, native, max_depth=2, max_nodes=3, simd=level)
        assert abs(found["objective"] - two_levels(leaf, X)) <= 1e-9 * size


def squares_of_levels(statistics: np.ndarray, X: np.ndarray, depth: int) -> float:
    """The least squared error of a tree of depth two at least, from sums over all pairs of features."""

    def cost(sums: np.ndarray) -> np.ndarray:
        n, s, q = np.moveaxis(sums, -1, 0)
        return np.where(n > 0, q - s**2 / np.where(n > 0, n, 1), 0.0)

    own = float(cost(statistics.sum(axis=0)))
    if depth > 2:
        sides = [side for j in range(X.shape[1]) for side in (X[:, j], ~X[:, j])]
        costs = [squares_of_levels(statistics[side], X[side], depth - 1) for side in sides]
        return min([own, *(right + left for right, left in zip(costs[::2], costs[1::2], strict=True))])
    total, single = statistics.sum(axis=0), X.T @ statistics
    both = np.stack([(X * column[:, None]).T @ X for column in statistics.T], axis=-1)
    lacking = single[None, :] - both
    right = np.minimum(cost(single), (cost(both) + cost(single[:, None] - both)).min(axis=1))
    rest = total - single
    left = np.minimum(cost(rest), (cost(lacking) + cost(rest[:, None] - lacking)).min(axis=1))
    return min(own, float((right + left).min()))


@settings(max_examples=EXAMPLES)
@given(seed=SEEDS, level=st.sampled_from(_core.simd_levels()), packed=st.booleans())
def test_many_features_equal_sums_of_pairs(seed: int, level: str, packed: bool) -> None:
    """Strides of one group of masks and of several, and children whose lanes are renumbered."""
    rng = np.random.default_rng(seed)
    X = features(rng, int(rng.integers(2, 150)), int(rng.choice([7, 8, 9, 31, 64, 65, 72, 130])), 0.3)
    leaf = model(str(rng.choice(["squares", "whole squares"])), rng, X)
    found = solve(leaf, X, True, max_depth=3, max_nodes=7, simd=level, switches={"packed_sums": packed})
    expected = squares_of_levels(leaf.statistics, X, 3)
    assert abs(found["objective"] - expected) <= 1e-9 * float(np.abs(leaf.statistics).sum())
    assert found["optimal"]


@settings(max_examples=EXAMPLES)
@given(seed=SEEDS, level=st.sampled_from(_core.simd_levels()))
def test_estimates_change_neither_value_nor_tree(seed: int, level: str) -> None:
    """Chains of thresholds in both directions; targets of all kinds, far from zero and with outliers."""
    rng = np.random.default_rng(seed)
    n, cuts = int(rng.integers(20, 400)), int(rng.integers(3, 12))
    columns = rng.random((n, int(rng.integers(2, 7))))
    if rng.random() < 0.5:
        columns = np.rint(columns * rng.integers(2, 9))
    edges = np.quantile(columns, np.arange(1, cuts + 1) / (cuts + 1), axis=0)
    X = np.hstack([column[:, None] <= edge for column, edge in zip(columns.T, edges.T, strict=True)])
    X[:, :cuts] ^= rng.random() < 0.5
    y = [
        rng.normal(size=n) + 3 * columns[:, 0] * columns[:, 1],
        rng.normal(size=n) + 1e6,
        rng.standard_cauchy(n) ** 3,
        rng.integers(0, 3, n).astype(float),
    ][rng.integers(4)]
    weights = [None, rng.integers(1, 30, n).astype(float)][rng.integers(2)]
    leaf = SquaredError(y, weights).leaf()
    root = float(np.ravel(leaf.function(leaf.statistics.sum(axis=0)[:, None]))[0])
    options: dict[str, Any] = {
        "max_depth": int(rng.integers(3, 5)),
        "branch_cost": float(rng.choice([0, 0, 0.001, 0.05])) * root,
        "simd": level,
    }
    found = solve(leaf, X, True, **options)
    without = solve(leaf, X, True, **options, switches={"screen": False})
    assert found["objective"] == without["objective"]
    assert tree(found) == tree(without)


def test_estimates_rule_children_out() -> None:
    """Most features are closed by bounds before a child of them is solved exactly."""
    rng = np.random.default_rng(0)
    columns = rng.random((500, 6))
    X = np.hstack([columns[:, [k]] <= np.linspace(0.1, 0.9, 9) for k in range(6)])
    leaf = SquaredError(columns @ np.arange(6) + rng.normal(size=500) / 5).leaf()
    found = [solve(leaf, X, True, max_depth=3, max_nodes=7, switches={"screen": on}) for on in (True, False)]
    assert tree(found[0]) == tree(found[1])
    closed = [answer["statistics"]["pruned_bound"] for answer in found]
    assert closed[0] > 1.5 * closed[1]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=EXAMPLES)
@given(seed=SEEDS)
def test_instruction_sets_and_threads_give_the_same_tree(kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = features(rng, int(rng.integers(20, 300)), int(rng.integers(3, 25)), 0.5)
    leaf = model(kind, rng, X)
    options = {"max_depth": 3, "max_nodes": 7, "min_samples_leaf": int(rng.choice([1, 3]))}
    first = solve(leaf, X, True, **options)
    for level in _core.simd_levels():
        again = solve(leaf, X, True, **options, simd=level)
        assert tree(again) == tree(first)
        assert again["objective"] == first["objective"]
    assert tree(solve(leaf, X, True, **options, n_threads=3)) == tree(first)


@pytest.mark.parametrize("kind", ["squares", "survival"])
def test_what_a_price_of_nodes_saves(kind: str) -> None:
    """Fewer pair problems are solved where leaves cost hardly more than a node; the optimum is the same."""
    rng = np.random.default_rng(5)
    X = rng.random((400, 14)) < 0.5
    leaf = model(kind, rng, X)
    root = float(np.ravel(leaf.function(leaf.statistics.sum(axis=0)[:, None]))[0])
    found = [
        solve(leaf, X, True, branch_cost=0.1 * root, switches={"price_bounds": on, "group_bounds": False})
        for on in (True, False)
    ]
    assert found[0]["objective"] == pytest.approx(found[1]["objective"], rel=1e-12)
    assert tree(found[0]) == tree(found[1])
    solves = [answer["statistics"]["depth_two_solves"] for answer in found]
    assert solves[0] < solves[1]


@pytest.mark.parametrize("kind", ["squares", "several", "gini", "survival"])
@settings(max_examples=EXAMPLES)
@given(seed=SEEDS)
def test_deep_trees_of_which_few_nodes_can_pay(kind: str, seed: int) -> None:
    """Depth and nodes shrink to what can pay: the optimum is that of a search without this bound."""
    rng = np.random.default_rng(seed)
    X = features(rng, int(rng.integers(5, 60)), int(rng.integers(2, 7)), 0.5)
    leaf = model(kind, rng, X)
    root = float(np.ravel(leaf.function(leaf.statistics.sum(axis=0)[:, None]))[0])
    depth = int(rng.integers(3, 7))
    options: dict[str, Any] = {
        "max_depth": depth,
        "max_nodes": int(rng.choice([2**depth - 1, rng.integers(depth, 2**depth)])),
        "min_samples_leaf": int(rng.choice([1, 1, 2])),
        "branch_cost": float(rng.choice([0.03, 0.1, 0.2, 0.3, 0.5])) * root,
    }
    plain = {"price_bounds": False, "group_bounds": False, "similarity": False}
    expected = solve(leaf, X, True, **options, switches=plain)
    found = solve(leaf, X, True, **options)
    size = root + 1e-9 * float(np.abs(leaf.statistics).sum())
    assert found["optimal"]
    assert abs(found["objective"] - expected["objective"]) <= 1e-9 * size
    assert tree(solve(leaf, X, True, **options, n_threads=3)) == tree(found)


@pytest.mark.parametrize("kind", ["squares", "gini", "survival"])
def test_levels_that_cannot_pay_are_not_searched(kind: str) -> None:
    """Five nodes can pay at most: a limit of nine levels takes no more work than one of six."""
    rng = np.random.default_rng(5)
    X = rng.random((200, 10)) < 0.5
    leaf = model(kind, rng, X)
    root = float(np.ravel(leaf.function(leaf.statistics.sum(axis=0)[:, None]))[0])
    found = [
        solve(leaf, X, True, max_depth=depth, max_nodes=2**depth - 1, branch_cost=0.2 * root)
        for depth in (6, 9)
    ]
    assert tree(found[0]) == tree(found[1])
    solves = [answer["statistics"]["depth_two_solves"] for answer in found]
    assert solves[0] == solves[1]


def explained(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    """Targets that four features explain but for little noise: their groups bound the leaves closely."""
    some = X[:, :4]
    noise = float(rng.choice([0, 1e-6, 0.02, 0.1])) * rng.normal(size=len(X))
    y = some @ rng.normal(size=some.shape[1]) + some[:, 0] * some[:, -1] * rng.normal() + noise
    return np.asarray(y + float(rng.choice([0, 1e6])), float)


@settings(max_examples=3 * EXAMPLES)
@given(seed=SEEDS, level=st.sampled_from(_core.simd_levels()))
def test_groups_of_targets_bound_no_tree_away(seed: int, level: str) -> None:
    """The same optimum as a function in Python, which has no such bound, and without the bound."""
    rng = np.random.default_rng(seed)
    n, f = int(rng.integers(10, 150)), int(rng.integers(3, 12))
    X = features(rng, n, f, float(rng.choice([0.2, 0.5, 0.8])))
    weights: Any = [None, rng.integers(1, 4, n).astype(float), rng.random(n)][rng.integers(3)]
    leaf = SquaredError(explained(rng, X), weights).leaf()
    root = float(np.ravel(leaf.function(leaf.statistics.sum(axis=0)[:, None]))[0])
    depth = int(rng.integers(3, 6))
    options: dict[str, Any] = {
        "max_depth": depth,
        "max_nodes": int(rng.choice([2**depth - 1, 2**depth - 1, rng.integers(3, 2**depth - 1)])),
        "min_samples_leaf": int(rng.choice([1, 1, 3])),
        "branch_cost": float(rng.choice([0, 1e-4, 0.001, 0.01, 0.1])) * root,
    }
    expected = solve(leaf, X, False, **options)
    found = solve(leaf, X, True, **options, simd=level)
    off = solve(leaf, X, True, **options, switches={"group_bounds": False})
    size = root + 1e-9 * float(np.abs(leaf.statistics).sum())
    assert found["optimal"]
    assert abs(found["objective"] - expected["objective"]) <= 1e-9 * size
    assert abs(off["objective"] - found["objective"]) <= 1e-12 * size
    assert tree(found) == tree(off)


@pytest.mark.parametrize("price", [0.0, 0.001])
def test_what_groups_of_targets_save(price: float) -> None:
    """Features that say nothing of the target are ruled out before their children are solved."""
    rng = np.random.default_rng(8)
    X = rng.random((1500, 24)) < 0.5
    y = X[:, :4] @ [8.0, 4.0, 2.0, 1.0] + 0.2 * rng.normal(size=len(X))
    leaf = SquaredError(y).leaf()
    root = float(np.ravel(leaf.function(leaf.statistics.sum(axis=0)[:, None]))[0])
    found = [
        solve(leaf, X, True, branch_cost=price * root, switches={"group_bounds": on}) for on in (True, False)
    ]
    assert found[0]["objective"] == found[1]["objective"]
    assert tree(found[0]) == tree(found[1])
    solves = [answer["statistics"]["depth_two_solves"] for answer in found]
    assert solves[0] < 0.5 * solves[1]


@pytest.mark.parametrize("rows", [70_000, 300])
def test_sums_that_do_not_fit_one_number(rows: int) -> None:
    """More than 2^16 rows, or weights that are not whole, are added up in doubles, to the same values."""
    rng = np.random.default_rng(6)
    X = rng.random((rows, 5)) < 0.5
    weights = rng.integers(1, 4, rows).astype(float)
    y = rng.normal(size=rows) + X @ [1, 2, 3, 0, 0]
    whole = solve(SquaredError(y, weights).leaf(), X, True, max_depth=3, max_nodes=7)
    real = solve(
        SquaredError(y, weights * (1 + 1e-12 * rng.random(rows))).leaf(), X, True, max_depth=3, max_nodes=7
    )
    apart = solve(
        SquaredError(y, weights).leaf(), X, True, max_depth=3, max_nodes=7, switches={"packed_sums": False}
    )
    assert tree(whole) == tree(real) == tree(apart)
    assert whole["objective"] == pytest.approx(real["objective"], rel=1e-9)
    assert whole["objective"] == pytest.approx(apart["objective"], rel=1e-12)


@pytest.mark.parametrize(
    ("name", "columns", "message"),
    [
        ("cubes", 3, "'squares', 'log_ratio' or 'class_shares'"),
        ("squares", 2, "3 to 60"),
        ("log_ratio", 4, "3 statistics"),
    ],
)
def test_unknown_forms(name: str, columns: int, message: str) -> None:
    leaf = LeafFunction(np.ones((4, columns)), np.sum, 1, native=name)
    with pytest.raises(ValueError, match=message):
        solve(leaf, np.eye(4), True)


@pytest.mark.parametrize(
    ("name", "parameter", "message"),
    [
        ("squares", 1.0, "0, which stands for none"),
        ("class_shares", -1.0, "from 0 to 1e100"),
        ("class_shares", np.nan, "from 0 to 1e100"),
        (None, 1.0, "given by name"),
    ],
)
def test_wrong_parameters(name: str | None, parameter: float, message: str) -> None:
    leaf = LeafFunction(np.ones((4, 3)), np.sum, 1, native=name or "squares")
    with pytest.raises(ValueError, match=message):
        solve(leaf, np.eye(4), name is not None, parameter=parameter)


def test_a_root_of_many_statistics_needs_no_matrices_of_rows() -> None:
    """Filling them took most of the time of small depths, and no Ctrl-C was heard meanwhile."""
    rng = np.random.default_rng(7)
    rows, columns = 4000, 6
    X, Z = rng.random((rows, 40)) < 0.5, rng.normal(size=(rows, columns))
    task = streed.tasks.LinearLeaves(rng.normal(size=rows), Z)
    n_statistics = task.leaf().statistics.shape[1]
    result = streed.solve(task, X, max_depth=2)
    assert result.statistics["peak_memory"] < 0.5 * 8 * rows * 40 * n_statistics


def test_no_split_gains_by_rounding() -> None:
    """Two tests explain the targets. Rounded to the nearest tick, 5 of these 400 trees had a third one."""
    for seed in range(400):
        rng = np.random.default_rng(seed)
        X = rng.integers(2, size=(rng.integers(10, 200), 8)).astype(np.uint8)
        a, b, c = rng.normal(size=3) * 10.0 ** rng.integers(-3, 4)
        y = np.where(X[:, 0] == 1, a, np.where(X[:, 1] == 1, b, c))
        assert streed.solve(SquaredError(y), X, max_depth=3).tree.n_nodes == np.unique(y).size - 1
