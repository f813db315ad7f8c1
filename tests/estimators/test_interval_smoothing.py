"""Quantiles of regression trees, drawn to the nodes above: the definition by hand, units, files, losses."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import streed
from streed.model import Model
from streed.tree.details import Numbers

RNG = np.random.default_rng(12)
N = 150
X = RNG.integers(2, size=(N, 4))
Y = 4.0 * X[:, 0] + 2 * X[:, 1] * X[:, 2] + RNG.normal(size=N).round(2)
COUNTS = RNG.integers(0, 4, size=N)
MODEL = streed.OptimalTreeRegressor(max_depth=3)


def quantiles(model: Any) -> tuple[Any, Any, list[int]]:
    """Levels, quantiles by leaf, and the numbers of the leaves."""
    details = model.tree_.details
    assert isinstance(details, Numbers)
    return details.levels, details.quantiles, np.flatnonzero(model.tree_.feature < 0).tolist()


def by_hand(model: Any, strength: float, weights: Any) -> Any:
    """Distributions over the distinct targets, from the root down, and the first that reaches each level."""
    levels, _, leaves = quantiles(model)
    rows = {leaf: model.apply(X) == leaf for leaf in leaves}
    for node, left, right in reversed(model.tree_.branches()):
        rows[node] = rows[left] | rows[right]
    distinct = np.unique(Y)
    below = {
        node: np.array([weights[own & (y >= Y)].sum() for y in distinct]) / weights[own].sum()
        for node, own in rows.items()
    }
    found = {0: below[0]}
    for node, *children in model.tree_.branches():
        n = weights[rows[node]].sum()
        for child in children:
            found[child] = found[node] + n / (n + strength) * (below[child] - below[node])
    return np.array([[distinct[np.argmax(found[leaf] >= q - 1e-9)] for q in levels] for leaf in leaves])


@pytest.mark.parametrize(("smoothing", "strength"), [("auto", 10.0), (3, 3.0), (1e30, 1e30), (None, 0.0)])
@pytest.mark.parametrize("weights", [None, COUNTS], ids=["rows", "weights"])
def test_quantiles_are_those_of_the_definition(smoothing: Any, strength: float, weights: Any) -> None:
    model = clone(MODEL).set_params(smoothing=smoothing).fit(X, Y, sample_weight=weights)
    raw = clone(MODEL).set_params(smoothing=None).fit(X, Y, sample_weight=weights)
    assert model.tree_.to_text() == raw.tree_.to_text()
    assert np.array_equal(model.predict(X), raw.predict(X))
    own = np.ones(N) if weights is None else weights.astype(float)
    assert np.array_equal(quantiles(model)[1], by_hand(model, strength, own))


def test_intervals_get_wider_and_files_keep_them(tmp_path: Any) -> None:
    model, raw = (clone(MODEL).set_params(smoothing=s).fit(X, Y) for s in ("auto", None))
    width = [(found[:, -1] - found[:, 0]).mean() for found in (quantiles(model)[1], quantiles(raw)[1])]
    assert width[0] > width[1]
    assert np.array_equal(quantiles(pickle.loads(pickle.dumps(model)))[1], quantiles(model)[1])
    Model.from_estimator(model).save(tmp_path / "model.json")
    details = Model.load(tmp_path / "model.json").tree.details
    assert isinstance(details, Numbers)
    assert np.array_equal(details.quantiles, quantiles(model)[1])


@pytest.mark.parametrize(
    "parameters",
    [{"loss": "absolute_error"}, {"loss": "poisson"}, {"loss": "gamma"}, {"leaf_model": "linear"}],
    ids=str,
)
def test_all_losses_take_it(parameters: dict[str, Any]) -> None:
    found = []
    for smoothing in (None, "auto"):
        model = streed.OptimalTreeRegressor(max_depth=2, smoothing=smoothing, **parameters)
        found.append(quantiles(model.fit(X, np.exp(Y / 4)))[1])
    assert not np.array_equal(found[0], found[1])


@pytest.mark.parametrize("smoothing", ["much", -1, float("nan"), True])
def test_other_values_are_refused(smoothing: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="smoothing must be"):
        clone(MODEL).set_params(smoothing=smoothing).fit(X, Y)
