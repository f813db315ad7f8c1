"""Random small problems with costs, prices and limits: the engine equals the paper's recursion."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import streed
from streed import FeatureCosts, InfeasibleError, reference
from streed.tasks import CostMatrix, LabelCosts, LimitedPolicyReward, PolicyReward
from tests.properties.problems import EXAMPLES, SEEDS
from tests.rescore import rescore

PRICES = st.sampled_from([0.0, 0.1, 0.25, 1.0, 1.3, 2.0])


@st.composite
def features(draw: st.DrawFn, most_rows: int = 14) -> np.ndarray:
    """Few rows and features, often with the same column twice."""
    rng = np.random.default_rng(draw(SEEDS))
    X = rng.integers(0, 2, (draw(st.integers(1, most_rows)), draw(st.integers(1, 4))))
    copies = draw(st.lists(st.integers(0, X.shape[1] - 1), max_size=2))
    return np.concatenate([X, X[:, copies]], axis=1).astype(np.uint8)


@st.composite
def feature_costs(draw: st.DrawFn, n_features: int) -> tuple[FeatureCosts, list[str]]:
    """Prices with groups and discounts; several binary features may come from one column."""
    names = [f"c{j}" for j in range(draw(st.integers(1, n_features)))]
    columns = draw(st.lists(st.sampled_from(names), min_size=n_features, max_size=n_features))
    names = list(dict.fromkeys(columns))
    full = {name: draw(PRICES) for name in names}
    discounted = {name: full[name] * draw(st.sampled_from([0.0, 0.5, 1.0])) for name in names}
    groups = {name: draw(st.sampled_from(["g", "h", None])) for name in names}
    return FeatureCosts(full, discounted, groups), columns


@st.composite
def tables(draw: st.DrawFn, n_rows: int) -> np.ndarray:
    """Costs per row and label: small whole numbers, quarters or reals, of either sign."""
    rng = np.random.default_rng(draw(SEEDS))
    table = rng.integers(-4, 8, (n_rows, draw(st.integers(1, 4)))).astype(float)
    kind = draw(st.sampled_from(["whole", "quarters", "real"]))
    return (
        table / 4 if kind == "quarters" else table + rng.normal(size=table.shape) if kind == "real" else table
    )


@st.composite
def limits(draw: st.DrawFn) -> dict[str, Any]:
    depth = draw(st.sampled_from([2, 3, 1, 0]))
    return {
        "max_depth": depth,
        "max_nodes": draw(st.integers(0, 2**depth - 1)),
        "min_samples_leaf": draw(st.sampled_from([1, 1, 1, 2])),
    }


def check(task: Any, X: np.ndarray, bounds: dict[str, Any], costs: np.ndarray, tests: Any = None) -> None:
    """The value equals the reference solver's, and the tree is worth what is claimed."""
    assume(bounds["min_samples_leaf"] <= len(X))
    result = streed.solve(task, X, **bounds)
    components = task.components(X, min_samples_leaf=bounds["min_samples_leaf"])
    [best] = reference.solve(components, bounds["max_depth"], bounds["max_nodes"])
    assert result.optimal
    assert result.objective == pytest.approx(best.value, rel=1e-9, abs=1e-9)
    counted = rescore(result.tree, X, costs, tests)
    counted = -counted / len(X) if task.maximize else counted
    nodes = task.report(task.lower().branch_cost * result.tree.n_nodes)
    assert result.objective == pytest.approx(counted + nodes, rel=1e-9, abs=1e-9)
    assert result.tree.depth <= bounds["max_depth"]
    assert result.tree.n_nodes <= bounds["max_nodes"]


def bought_of(prices: FeatureCosts, columns: list[str]) -> list[tuple[Any, ...]]:
    names = list(dict.fromkeys(columns))
    tests = dict(zip(names, prices.tests(names), strict=True))
    return [(t.name, t.group, t.full, t.discounted) for t in (tests[column] for column in columns)]


@settings(max_examples=EXAMPLES)
@given(st.data())
def test_label_costs(data: st.DataObject) -> None:
    X = data.draw(features())
    costs = data.draw(tables(len(X)))
    complexity = data.draw(st.sampled_from([0.0, 0.0, 0.05]))
    check(LabelCosts(costs, cost_complexity=complexity), X, data.draw(limits()), costs)


@settings(max_examples=EXAMPLES)
@given(st.data())
def test_label_costs_with_prices(data: st.DataObject) -> None:
    X = data.draw(features())
    costs = data.draw(tables(len(X)))
    prices, columns = data.draw(feature_costs(X.shape[1]))
    task = LabelCosts(costs, feature_costs=prices, columns=columns)
    check(task, X, data.draw(limits()), costs, bought_of(prices, columns))


@settings(max_examples=EXAMPLES)
@given(st.data())
def test_cost_matrix_with_prices(data: st.DataObject) -> None:
    X = data.draw(features())
    n_labels = data.draw(st.integers(1, 3))
    y = np.array(data.draw(st.lists(st.integers(0, n_labels - 1), min_size=len(X), max_size=len(X))))
    entry = st.sampled_from([0.0, 1.0, 2.0, 2.5, 7.0])
    rows = [data.draw(st.lists(entry, min_size=n_labels, max_size=n_labels)) for _ in range(n_labels)]
    matrix = np.array(rows)
    if data.draw(st.booleans()):  # every wrong label of a class costs the same, the right one nothing
        matrix = np.where(np.eye(n_labels, dtype=bool), 0.0, matrix[:, :1])
    prices, columns = data.draw(feature_costs(X.shape[1]))
    task = CostMatrix(y, matrix, labels=range(n_labels), feature_costs=prices, columns=columns)
    check(task, X, data.draw(limits()), matrix[y], bought_of(prices, columns))


@settings(max_examples=EXAMPLES)
@given(st.data())
def test_policy(data: st.DataObject) -> None:
    X = data.draw(features())
    rewards = data.draw(tables(len(X)))
    complexity = data.draw(st.sampled_from([0.0, 0.0, 0.05]))
    check(PolicyReward(rewards, cost_complexity=complexity), X, data.draw(limits()), -rewards)


@settings(max_examples=EXAMPLES // 2)
@given(st.data())
def test_capacity_and_budget(data: st.DataObject) -> None:
    """Capacities and budgets, with the engine for constraints if there is one, else with its slow twin."""
    X = data.draw(features(9))
    rewards = data.draw(tables(len(X)))
    n, k = rewards.shape
    share = st.one_of(st.integers(0, n), st.sampled_from([0.0, 0.25, 0.5, 1.0]))
    capacity = data.draw(st.dictionaries(st.integers(0, k - 1), share, max_size=k))
    spending: dict[str, Any] = {}
    if data.draw(st.booleans()):
        spending["treatment_costs"] = data.draw(st.dictionaries(st.integers(0, k - 1), PRICES, min_size=1))
        spending["budget"] = data.draw(PRICES)
    task = LimitedPolicyReward(rewards, capacity=capacity, **spending)
    bounds: dict[str, Any] = {"max_depth": data.draw(st.sampled_from([2, 1, 0]))}
    front = reference.solve(task.components(X), bounds["max_depth"])
    if not front:
        with pytest.raises(InfeasibleError, match="the least that works is"):
            streed.solve(task, X, **bounds)
        return
    result = streed.solve(task, X, **bounds)
    assert result.objective == pytest.approx(max(one.value[0] for one in front), rel=1e-9, abs=1e-9)
    given_to = np.bincount(result.tree.predict(X), minlength=k)
    for treatment, most in capacity.items():
        assert given_to[treatment] <= (most if isinstance(most, int) else most * n + 1e-9)
    costs = [spending.get("treatment_costs", {}).get(j, 0.0) for j in range(k)]
    assert given_to @ costs <= spending.get("budget", np.inf) * n + 1e-9
