"""Default fits of many rows: a tree over bins, never worse than a greedy tree, within all limits."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import streed
from streed.estimators import many
from streed.estimators.many.columns import BinColumns
from streed.estimators.many.costs import RowCosts
from streed.estimators.many.moves import Branch, Mover, divide
from streed.solver.engines import bins as engine


@pytest.fixture(autouse=True)
def _many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "MANY_CELLS", 1)


def noisy(seed: int, n: int, classes: int = 2) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).round(4)
    y = ((X[:, 0] > 0.3).astype(int) + (X[:, 1] * X[:, 2] > 0.2)) % classes
    return X, np.where(rng.random(n) < 0.1, rng.integers(0, classes, n), y)


def errors(model: Any, X: Any, y: Any) -> int:
    return int((model.predict(X) != y).sum())


@pytest.mark.parametrize("depth", [3, 4])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("seed", [0, 1])
def test_trees_are_no_worse_than_greedy_ones(seed: int, classes: int, depth: int) -> None:
    X, y = noisy(seed, 3000, classes)
    model = streed.OptimalTreeClassifier(max_depth=depth).fit(X, y)
    result = model.result_
    assert result.status == "work_limit"
    assert not result.optimal
    assert "250 quantiles" in result.note
    assert result.objective == errors(model, X, y)
    assert 0 <= result.lower_bound < result.objective
    assert result.seconds > result.statistics["engine_seconds"]
    greedy = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
    assert result.objective <= errors(greedy, X, y)
    assert model.get_depth() <= depth


@pytest.mark.parametrize("seed", [0, 1])
def test_deep_trees_end_without_a_limit_of_time(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "LEAST_LAST", 0.05)
    monkeypatch.setattr(many, "TIMES_AS_LONG", 0.0)
    X, y = noisy(seed, 5000)
    model = streed.OptimalTreeClassifier(max_depth=7).fit(X, y)
    greedy = DecisionTreeClassifier(max_depth=7, random_state=0).fit(X, y)
    assert model.result_.status == "work_limit"
    assert model.result_.objective == errors(model, X, y) <= errors(greedy, X, y)


def test_trees_are_near_the_best_ones() -> None:
    X, y = noisy(3, 1500)
    best = streed.OptimalTreeClassifier(max_depth=3, cuts="exact").fit(X, y).result_
    assert best.optimal
    found = streed.OptimalTreeClassifier(max_depth=3).fit(X, y).result_
    assert best.objective <= found.objective <= 1.05 * best.objective


@pytest.mark.parametrize("seed", range(3))
def test_regression(seed: int) -> None:
    X, y = noisy(seed, 2000)
    target = y + 0.3 * X[:, 3]
    model = streed.OptimalTreeRegressor(max_depth=3).fit(X, target)
    assert "250 quantiles" in model.result_.note
    squared = ((model.predict(X) - target) ** 2).sum()
    assert model.result_.objective == pytest.approx(squared)
    greedy = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, target)
    assert squared <= ((greedy.predict(X) - target) ** 2).sum() * (1 + 1e-12)


def test_costs() -> None:
    X, y = noisy(5, 1500, 3)
    matrix = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [1.0, 3.0, 0.0]])
    model = streed.CostSensitiveTreeClassifier(max_depth=3, misclassification_costs=matrix).fit(X, y)
    assert "250 quantiles" in model.result_.note
    assert model.result_.objective == pytest.approx(matrix[y, model.predict(X)].sum())
    assert model.result_.objective < min(matrix[y, k].sum() for k in range(3))


def test_policies_are_bounded_by_the_best_reward_of_each_row() -> None:
    X, y = noisy(6, 1500)
    rewards = np.stack([np.where(y == k, 2.0, -1.0) for k in range(2)], axis=1)
    result = streed.PolicyTree(max_depth=3).fit(X, rewards=rewards).result_
    assert "250 quantiles" in result.note
    assert result.objective < result.lower_bound == pytest.approx(2.0)


@pytest.mark.parametrize("max_nodes", [0, 2, 6])
def test_a_limit_of_nodes_holds(max_nodes: int) -> None:
    """The tree over bins is a full one; the best tree over its tests keeps the limit."""
    X, y = noisy(4, 2000)
    model = streed.OptimalTreeClassifier(max_depth=3, max_nodes=max_nodes).fit(X, y)
    assert model.tree_.n_nodes <= max_nodes
    assert "250 quantiles" in model.result_.note
    assert model.result_.objective == errors(model, X, y)
    greedy = DecisionTreeClassifier(max_depth=3, max_leaf_nodes=max(2, max_nodes + 1), random_state=0)
    if max_nodes:
        assert model.result_.objective <= errors(greedy.fit(X, y), X, y)


def test_exact_fits_search_bins_where_their_time_is_short() -> None:
    X, y = noisy(0, 2000)
    model = streed.OptimalTreeClassifier(max_depth=3, cuts="exact", time_limit=0.004)
    with pytest.warns(streed.NotProvenWarning, match=r"time_limit=0\.004"):
        result = model.fit(X, y).result_
    assert result.status == "time_limit"
    assert "a time_limit above 0.008 s lets the search go on" in result.note
    assert result.objective == errors(model, X, y)
    greedy = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    assert result.objective <= errors(greedy, X, y)
    assert model.set_params(time_limit=None).fit(X, y).result_.optimal


def test_notes_name_no_limit_that_was_given() -> None:
    X, y = noisy(0, 2000)
    note = streed.OptimalTreeClassifier(max_depth=3).fit(X, y).result_.note
    assert note.endswith("a time_limit above 0.008 s or cuts='exact' lets the search go on over all of them")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", streed.NotProvenWarning)
        note = streed.OptimalTreeClassifier(max_depth=3, time_limit=0.006).fit(X, y).result_.note
    assert note.endswith("a time_limit above 0.008 s lets the search go on over all of them")


def test_a_tree_without_errors_is_proven() -> None:
    X, _ = noisy(0, 2000)
    y = (X[:, 0] > 0.3) ^ (X[:, 1] > 0)
    result = streed.OptimalTreeClassifier(max_depth=3).fit(X, y).result_
    assert result.objective == 0
    assert result.optimal


def test_columns_of_all_kinds_and_missing_values() -> None:
    rng = np.random.default_rng(0)
    n = 2000
    table = pd.DataFrame(
        {
            "number": rng.normal(size=n),
            "short": rng.normal(size=n).astype(np.float32),
            "whole": rng.integers(0, 10**6, n) ** 2,
            "few": rng.integers(0, 3, n),
            "date": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 10**6, n), unit="min"),
            "kind": rng.choice(["a", "b", "c"], n),
            "flag": rng.random(n) < 0.5,
            "lost": np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n)),
        }
    )
    for name in ["number", "short", "whole", "date", "lost"]:
        high = (table[name] > table[name].median()) | table[name].isna()
        y = high ^ (table["kind"] == "b")
        model = streed.OptimalTreeClassifier(max_depth=3).fit(table, y)
        assert errors(model, table, y) == model.result_.objective == 0, name
        assert any(condition.column == name for condition in model.tree_.conditions or ())


def test_whole_numbers_that_name_rows_are_left_out() -> None:
    X, y = noisy(0, 2000)
    table = pd.DataFrame(X).add_prefix("x").assign(customer=np.random.default_rng(0).permutation(2000))
    with pytest.warns(streed.IdentifierWarning, match="customer"):
        model = streed.OptimalTreeClassifier(max_depth=3).fit(table, y)
    assert "customer" in model.result_.note
    assert all(condition.column != "customer" for condition in model.tree_.conditions or ())


@settings(max_examples=15)
@given(st.integers(0, 2**32 - 1), st.sampled_from([1, 5, 60]), st.sampled_from([0.0, 0.01]), st.booleans())
def test_limits_and_weights_hold(seed: int, least: int, price: float, weighted: bool) -> None:
    rng = np.random.default_rng(seed)
    X, y = noisy(seed, 400)
    weights = rng.integers(0, 3, 400).astype(float) if weighted else None
    model = streed.OptimalTreeClassifier(max_depth=3, min_samples_leaf=least, cost_complexity=price)
    result = model.fit(X, y, sample_weight=weights).result_
    given = np.ones(400) if weights is None else weights
    n_tests = int((model.tree_.feature >= 0).sum())
    expected = given[model.predict(X) != y].sum() + price * given.sum() * n_tests
    assert result.objective == pytest.approx(expected)
    leaf = np.unique(model.apply(X)[given > 0], return_counts=True)[1]
    assert leaf.min() >= least


def test_few_thresholds_are_all_searched() -> None:
    X, y = noisy(0, 2000)
    result = streed.OptimalTreeClassifier(max_depth=3).fit(np.round(X), y).result_
    assert result.optimal


@pytest.mark.parametrize("status", ["interrupted", "memory_limit"])
def test_what_ends_the_search_over_bins_is_said(status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = noisy(0, 1000)
    search = engine.search
    monkeypatch.setattr(engine, "search", lambda *given: search(*given) | {"status": status})
    warning = streed.InterruptedWarning if status == "interrupted" else streed.NotProvenWarning
    with pytest.warns(warning, match="interrupted" if status == "interrupted" else "memory_limit"):
        model = streed.OptimalTreeClassifier(max_depth=3).fit(X, y)
    assert model.result_.status == status
    assert not model.result_.optimal


def total(node: Branch, table: BinColumns, costs: RowCosts, inside: NDArray[np.bool_]) -> float:
    if node.sides is None or node.test is None:
        return float(costs.of(np.flatnonzero(inside), node.prediction).sum())
    parts = zip(node.sides, divide(table, node.test, inside), strict=True)
    return sum(total(side, table, costs, rows) for side, rows in parts)


@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_moved_cuts_are_the_best_ones_beside_them(seed: int) -> None:
    """Against all values of the two bins beside each cut, with everything else fixed."""
    X, y = noisy(seed, 900)
    from streed.estimators.fitting.columns import FitColumns
    from streed.estimators.fitting.plan import default_binarizer

    table = BinColumns(FitColumns(default_binarizer(), X, y, None, slice(None)))
    assert table.worth
    table.codes()
    costs = RowCosts((y.astype(np.int32), np.ones(y.size)), None, None, 2)
    sides = tuple(Branch(table.test(k + 1, 100), (Branch(), Branch())) for k in range(2))
    tree = Branch(table.test(0, 120), (sides[0], sides[1]))
    everywhere = np.ones(y.size, np.bool_)
    mover = Mover(table, costs)
    for _ in range(50):
        if not mover.move(tree):
            break
    now = total(tree, table, costs, everywhere)
    for node in (tree, *sides):
        test = node.test
        assert test is not None
        first, last = table.window(test)
        near = (table.bins(test) >= first) & (table.bins(test) <= last)
        for cut in np.unique(X[near, test.column]):
            node.test = type(test)(test.column, float(cut), missing=test.missing)
            assert total(tree, table, costs, everywhere) >= now - 1e-9
        node.test = test
