"""What comes after a search of priced nodes that has not ended: few levels, and pruned greedy trees."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import streed
from streed.leaves import ClassErrors
from streed.options import MOST_DEPTH, Limits
from streed.solver import greedy, one_value
from streed.tasks.forms import OneValue


def form(X: np.ndarray, price: float, seed: int = 0) -> OneValue:
    rng = np.random.default_rng(seed)
    y = ((X[:, :5].sum(axis=1) + (rng.random(len(X)) < 0.1)) % 2).astype(np.int32)
    return OneValue(ClassErrors(y, np.ones(len(y))), np.arange(2), branch_cost=price)


def rows(seed: int, n: int = 200, f: int = 10) -> np.ndarray:
    return np.random.default_rng(seed).integers(2, size=(n, f), dtype=np.uint8)


def limits(time_limit: float) -> Limits:
    return Limits(2**30, 2**30, 1, time_limit, 0, 1)


@pytest.mark.parametrize("price", [0.25, 1.0, 3.0, 1000.0])
def test_pruning_for_a_price_is_the_best_of_all_sizes(price: float) -> None:
    X = rows(1)
    target = greedy.target_of(form(X, price))
    assert target is not None
    tree = greedy.grow_on_bits(X, target, Limits(6, 63, 1, math.inf, 0, 1))
    best = min(part["objective"] for part in greedy.prune(tree, X, target, price))
    pruned = greedy.prune_for_price(tree, X, target, price)
    assert greedy.label_leaves(pruned, X, target, price) == best
    if price == 1000.0:
        assert pruned["feature"].tolist() == [-1]


def stopped(X: np.ndarray, objective: float, **more: Any) -> dict[str, Any]:
    """The answer of a search that has found one leaf."""
    leaf = np.array([-1], np.int32)
    return {
        "feature": leaf,
        "left": leaf,
        "right": leaf,
        "label": np.zeros(1, np.int32),
        "objective": objective,
        "lower_bound": 3.0,
        "optimal": False,
        "status": "time_limit",
        "seconds": 0.5,
        "statistics": {},
        "magnitude": float(len(X)),
    } | more


def test_few_levels_improve_the_tree_and_not_the_bound() -> None:
    X = rows(2)
    problem = form(X, 1.0)
    options = limits(60.0).arguments(None) | {"max_depth": 4, "max_nodes": 15}
    answer = one_value.with_few_levels(problem, X, "test", options, stopped(X, 100.0))
    within = streed.solve(
        streed.tasks.Accuracy(problem.leaf.native_rows()[0][0], cost_complexity=1.0 / len(X)), X, max_depth=4
    )
    assert answer["objective"] == pytest.approx(within.objective)
    assert (answer["lower_bound"], answer["optimal"], answer["status"]) == (3.0, False, "time_limit")
    assert answer["seconds"] > 0.5


@pytest.mark.parametrize("more", [{"status": "interrupted"}, {"status": "memory_limit"}, {"seconds": 60.0}])
def test_no_few_levels_without_time_or_after_an_interrupt(more: dict[str, Any]) -> None:
    X = rows(2)
    options = limits(60.0).arguments(None) | {"max_depth": 4, "max_nodes": 15}
    tried = stopped(X, 100.0, **more)
    assert one_value.with_few_levels(form(X, 1.0), X, "test", options, tried) is tried


def test_never_behind_the_pruned_tree_of_the_same_price() -> None:
    X = rows(3, 1500, 60)
    y = (X[:, :9].sum(axis=1) + (np.random.default_rng(3).random(1500) < 0.2)) % 2
    price = 1 / 300
    result = streed.solve(streed.tasks.Accuracy(y, cost_complexity=price), X, max_depth=None, time_limit=0.5)
    grown = DecisionTreeClassifier(random_state=0).fit(X, y)
    alphas = grown.cost_complexity_pruning_path(X, y).ccp_alphas
    costs = []
    for alpha in alphas[:: max(1, len(alphas) // 40)]:
        tree = DecisionTreeClassifier(random_state=0, ccp_alpha=float(alpha)).fit(X, y)
        errors = float((tree.predict(X) != y).sum())
        costs.append(errors + price * 1500 * (tree.get_n_leaves() - 1))
    assert result.objective <= min(costs) + 1e-9
    assert result.lower_bound <= result.objective
    assert grown.get_depth() <= MOST_DEPTH or result.tree.depth <= MOST_DEPTH


def test_a_fit_that_its_time_limit_ends_also_looks_at_a_tree_by_entropy(monkeypatch: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((3000, 12))
    y = (np.sin(9 * X[:, 0]) + X[:, 1] * X[:, 2] + rng.normal(size=3000) > 0.5).astype(int)
    grown: list[str] = []
    plain = greedy.grow

    def grow(ranks: Any, bits: Any, target: greedy.Target, *more: Any) -> dict[str, Any]:
        grown.append(target.criterion)
        return plain(ranks, bits, target, *more)

    monkeypatch.setattr(greedy, "grow", grow)
    model = streed.OptimalTreeClassifier(max_depth=5, time_limit=0.1)
    with pytest.warns(streed.NotProvenWarning):
        model.fit(X, y)
    assert model.result_.status == "time_limit"
    assert grown[-2:] == ["gini", "entropy"]
