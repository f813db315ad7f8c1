"""Where numbers are cut for squared errors: every threshold, or quantiles and a greedy tree's cuts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.tree import DecisionTreeRegressor

from streed import Binarizer, CutsWarning, NotProvenWarning, OptimalTreeClassifier, OptimalTreeRegressor
from streed.estimators.fitting import plan
from tests.estimators.hurry import hurry

Data = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]


@st.composite
def tables(draw: st.DrawFn, missing: bool = True) -> Data:
    """Numbers with ties and missing values, targets of any size, weights or none."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, m = draw(st.integers(2, 24)), draw(st.integers(1, 3))
    X = rng.normal(size=(n, m)).round(draw(st.sampled_from([0, 1, 3])))
    if missing and draw(st.booleans()):
        X[rng.random(X.shape) < 0.2] = np.nan
    y = rng.normal(size=n).round(draw(st.sampled_from([0, 3])))
    y = y * draw(st.sampled_from([1.0, 1e-6, 1e8])) + draw(st.sampled_from([0.0, 1e3]))
    weights = draw(st.sampled_from([None, rng.integers(1, 4, n).astype(float), rng.random(n) + 0.1]))
    return X, y, weights


def loss(model: Any, data: Data) -> float:
    X, y, weights = data
    return float(((model.predict(X) - y) ** 2) @ (np.ones(y.size) if weights is None else weights))


def slack(data: Data) -> float:
    """Ticks of the engine, and what means of huge targets lose."""
    _, y, weights = data
    w = np.ones(y.size) if weights is None else weights
    mean = w @ y / w.sum()
    return 1e-9 * float(w @ (y - mean) ** 2) + float(w.sum()) * (1e-13 * float(np.abs(y).max())) ** 2


@settings(max_examples=120)
@given(
    tables(),
    st.integers(1, 3),
    st.sampled_from([None, 2, 4]),
    st.sampled_from([1, 1, 2, 5]),
    st.sampled_from([0.0, 0.0, 0.02, 0.2]),
)
def test_exact_is_as_good_as_all_cuts(data: Data, depth: int, nodes: Any, least: int, price: float) -> None:
    X, y, weights = data
    options: dict[str, Any] = {
        "max_depth": depth,
        "max_nodes": nodes,
        "min_samples_leaf": min(least, y.size),
        "cost_complexity": price,
    }
    with pytest.MonkeyPatch.context() as patch:  # one chosen cut, so that all thresholds are searched
        patch.setattr(plan, "default_binarizer", one_cut)
        exact = OptimalTreeRegressor(cuts="exact", **options).fit(X, y, weights)
    every = OptimalTreeRegressor(binarizer=Binarizer(strategy="all", missing="side"), **options)
    every.fit(X, y, weights)
    assert exact.result_.optimal
    assert abs(exact.result_.objective - every.result_.objective) <= slack(data)
    if not price:
        assert abs(loss(exact, data) - exact.result_.objective) <= slack(data)


def one_cut(model: OptimalTreeRegressor) -> Binarizer:
    return Binarizer(missing="side", n_thresholds=1)


@settings(max_examples=60)
@given(tables(missing=False), st.integers(1, 4), st.booleans())
def test_the_default_is_never_worse_than_a_greedy_tree(data: Data, depth: int, cheap: bool) -> None:
    X, y, weights = data
    greedy = [DecisionTreeRegressor(max_depth=depth, random_state=seed).fit(*data) for seed in range(12)]
    with pytest.MonkeyPatch.context() as patch:
        if not cheap:
            hurry(patch)
        model = OptimalTreeRegressor(max_depth=depth).fit(X, y, weights)
    assert model.result_.optimal or not cheap
    assert loss(model, data) <= max(loss(tree, data) for tree in greedy) + slack(data)


@settings(max_examples=40)
@given(tables(missing=False), st.integers(1, 4), st.booleans())
def test_a_stopped_search_is_not_worse_than_a_greedy_tree(data: Data, depth: int, exact: bool) -> None:
    X, y, weights = data
    centre = np.average(y, weights=weights)  # or else the greedy tree's own sums lose the digits that matter
    centred = (X, y - centre, weights)
    greedy = [  # of equal splits each takes another one
        DecisionTreeRegressor(max_depth=depth, random_state=seed).fit(*centred) for seed in range(12)
    ]
    with pytest.MonkeyPatch.context() as patch:
        if not exact:
            hurry(patch)
        model = OptimalTreeRegressor(max_depth=depth, progress=lambda state: True).fit(X, y, weights)
    assert loss(model, data) <= max(loss(tree, centred) for tree in greedy) + slack(data)
    assert model.result_.lower_bound <= model.result_.objective


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_real_data(depth: int) -> None:
    X, y = load_diabetes(return_X_y=True)
    model = OptimalTreeRegressor(max_depth=depth).fit(X, y)
    greedy = DecisionTreeRegressor(max_depth=depth, random_state=0).fit(X, y)
    assert model.result_.optimal
    assert model.result_.note == plan.ALL
    data = X, y, None
    assert loss(model, data) <= loss(greedy, data) * (1 + 1e-12)
    if depth < 3:
        every = OptimalTreeRegressor(max_depth=depth, binarizer=Binarizer(strategy="all")).fit(X, y)
        assert model.result_.objective == pytest.approx(every.result_.objective, rel=1e-9)


def test_a_time_limit_leaves_a_tree_as_good_as_a_greedy_one() -> None:
    X, y = load_diabetes(return_X_y=True)
    greedy = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, y)
    with pytest.warns(NotProvenWarning):
        model = OptimalTreeRegressor(max_depth=4, cuts="exact", time_limit=0.001).fit(X, y)
    assert model.result_.status == "time_limit"
    assert loss(model, (X, y, None)) <= loss(greedy, (X, y, None))


def test_weights_are_repetitions() -> None:
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:80], y[:80]
    times = np.random.default_rng(0).integers(0, 4, y.size)
    weighted = OptimalTreeRegressor(max_depth=3, cuts="exact").fit(X, y, times.astype(float))
    repeated = OptimalTreeRegressor(max_depth=3, cuts="exact").fit(
        np.repeat(X, times, 0), np.repeat(y, times)
    )
    assert weighted.result_.objective == pytest.approx(repeated.result_.objective, rel=1e-9)
    assert weighted.predict(X) == pytest.approx(repeated.predict(X))


@pytest.mark.parametrize(
    "options",
    [{"leaf_model": "linear"}, {"leaf_model": "simple_linear"}, {"loss": "poisson"}],
)
def test_other_losses_fall_back_to_chosen_cuts(options: dict[str, Any]) -> None:
    X, y = load_diabetes(return_X_y=True)
    with pytest.warns(CutsWarning, match="not possible"):
        model = OptimalTreeRegressor(max_depth=1, cuts="exact", **options).fit(X[:60], y[:60])
    assert "cuts were considered" in model.result_.note


def test_several_targets_fall_back_to_chosen_cuts() -> None:
    X, y = load_diabetes(return_X_y=True)
    with pytest.warns(CutsWarning, match="not possible"):
        OptimalTreeRegressor(max_depth=1, cuts="exact").fit(X[:60], np.column_stack([y, y**2])[:60])


def test_gini_of_two_classes_is_a_squared_error() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    X, y = X[::4, :6], y[::4]
    exact = OptimalTreeClassifier(objective="gini", max_depth=2, cuts="exact").fit(X, y)
    every = OptimalTreeClassifier(objective="gini", max_depth=2, binarizer=Binarizer(strategy="all")).fit(
        X, y
    )
    assert exact.result_.note == plan.ALL
    assert exact.result_.objective == pytest.approx(every.result_.objective, rel=1e-9)
