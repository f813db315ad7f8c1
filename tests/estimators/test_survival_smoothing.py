"""Curves of survival trees, drawn to those of the nodes above: the definition, units, files and code."""

from __future__ import annotations

import pickle
import sqlite3
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import streed
from streed.model import Model
from streed.survival import survival_target
from streed.tree.details import Curves

RNG = np.random.default_rng(11)
N = 120
X = pd.DataFrame(RNG.integers(2, size=(N, 4)), columns=list("abcd"))
TIME = np.ceil(10 * RNG.exponential(np.exp(-X["a"] - 0.5 * X["b"])))
EVENT = RNG.random(N) < 0.7
Y = survival_target(EVENT, TIME)
MODEL = streed.SurvivalTree(max_depth=3)
COUNTS = RNG.integers(0, 4, size=N)


def curves(model: Any, table: Any = X) -> tuple[Any, Any]:
    return (
        model.predict_survival_function(table, return_array=True),
        model.predict_cumulative_hazard_function(table, return_array=True),
    )


@pytest.mark.parametrize(("smoothing", "strength"), [("auto", 10.0), (3, 3.0), (None, 0.0), (1e30, 1e30)])
def test_curves_are_those_of_the_definition(smoothing: Any, strength: float) -> None:
    """The curve of a leaf is that of the root plus, for each split above, n / (n + s) of what it changes."""
    raw = clone(MODEL).set_params(smoothing=None).fit(X, Y)
    model = clone(MODEL).set_params(smoothing=smoothing).fit(X, Y)
    assert np.array_equal(model.tree_.feature, raw.tree_.feature)
    assert np.array_equal(model.predict(X), raw.predict(X))
    tree = raw.tree_
    above = {child: node for node, *children in tree.branches() for child in children}
    for name, found in zip(("survival", "hazard"), curves(model), strict=True):
        own = getattr(tree.details, name)
        for row, leaf in enumerate(raw.apply(X).tolist()):
            expected, node = np.zeros(own.shape[1]), leaf
            while node in above:
                n = tree.n_samples[above[node]]
                expected += n / (n + strength) * (own[node] - own[above[node]])
                node = above[node]
            assert found[row] == pytest.approx(expected + own[0], abs=1e-12)


def test_curves_stay_curves() -> None:
    survival, hazard = curves(clone(MODEL).fit(X, Y))
    assert (np.diff(survival, axis=1) <= 1e-15).all()
    assert (np.diff(hazard, axis=1) >= -1e-15).all()
    assert survival.min() >= 0 and survival.max() <= 1  # noqa: PT018


def test_weights_count_rows() -> None:
    weighted = clone(MODEL).fit(X, Y, sample_weight=COUNTS)
    repeated = clone(MODEL).fit(X.loc[X.index.repeat(COUNTS)], Y.repeat(COUNTS))
    for one, other in zip(curves(weighted), curves(repeated), strict=True):
        assert one == pytest.approx(other, abs=1e-12)
    scaled = clone(MODEL).fit(X, Y, sample_weight=np.full(N, 0.125))
    plain = clone(MODEL).fit(X, Y)
    raw = clone(MODEL).set_params(smoothing=None).fit(X, Y)
    assert np.abs(curves(plain)[0] - curves(raw)[0]).max() > 0.01
    assert np.array_equal(scaled.tree_.feature, plain.tree_.feature)
    for one, other in zip(curves(scaled), curves(plain), strict=True):
        assert one == pytest.approx(other, abs=1e-12)


def test_files_and_code_say_the_same(tmp_path: Any) -> None:
    model = clone(MODEL).fit(X, Y)
    found = curves(model)[0]
    assert np.array_equal(curves(pickle.loads(pickle.dumps(model)))[0], found)
    Model.from_estimator(model).save(tmp_path / "model.json")
    stored = Model.load(tmp_path / "model.json")
    time = float(model.unique_times_[5])
    details = stored.tree.details
    assert isinstance(details, Curves)
    assert np.array_equal(details.survival[stored.apply(X)], found)
    with sqlite3.connect(":memory:") as database:
        X.to_sql("t", database, index=False)
        told = database.execute(f"SELECT {model.tree_.to_sql(output='survival', at=time)} FROM t").fetchall()
    assert np.array(told)[:, 0] == pytest.approx(found[:, 5], abs=1e-9)


@pytest.mark.parametrize("smoothing", ["much", -1, float("nan"), True])
def test_other_values_are_refused(smoothing: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="smoothing must be"):
        clone(MODEL).set_params(smoothing=smoothing).fit(X, Y)
