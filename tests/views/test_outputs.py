"""What exports give beside the label: probabilities, leaves, paths, quantiles, spreads, survival."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import numpy as np
import pandas as pd
import pytest

import streed
from streed import OptimalTreeClassifier, OptimalTreeRegressor, SurvivalTree
from streed.model import Model
from streed.views.outputs import OUTPUTS

RNG = np.random.default_rng(1)
N = 80
X = pd.DataFrame({"a": RNG.normal(size=N), "b": RNG.integers(0, 5, N), "c": RNG.choice(["x", "y", "z"], N)})
X.loc[::9, "a"] = None
Y = np.where(X.a.fillna(0) + RNG.normal(size=N) > 0, "yes", "no")
T = np.exp(X.a.fillna(0).to_numpy() + RNG.normal(size=N)).round(2)
EVENTS = np.array(list(zip(Y == "yes", T, strict=True)), dtype=[("event", bool), ("time", float)])
CLASSIFIER = OptimalTreeClassifier("log_loss", max_depth=2).fit(X, Y)
REGRESSOR = OptimalTreeRegressor(max_depth=2, smoothing=None).fit(X, T)
SURVIVAL = SurvivalTree(max_depth=2).fit(X, EVENTS)
BASE = sqlite3.connect(":memory:")
X.to_sql("t", BASE)


def everywhere(estimator: Any, output: str, **options: Any) -> list[Any]:
    """The values by SQL, by Python code and by a model from a file, which must agree."""
    tree = estimator.tree_
    query = f'SELECT {tree.to_sql(output=output, **options)} FROM t ORDER BY "index"'
    by_sql = [row[0] for row in BASE.execute(query)]
    names: dict[str, Any] = {}
    exec(tree.to_python(output=output, **options), names)
    by_python = [names["predict"](row) for row in X.to_dict("records")]
    stored = Model.from_dict(json.loads(json.dumps(Model.from_estimator(estimator).to_dict())))
    by_model: list[Any] = stored.predict_output(X, output, **options).tolist()
    assert by_sql == by_python == by_model
    return by_model


@pytest.mark.parametrize("label", ["no", "yes", None])
def test_probabilities(label: str | None) -> None:
    column = 1 if label is None else ["no", "yes"].index(label)
    options = {} if label is None else {"label": label}
    found = everywhere(CLASSIFIER, "probability", **options)
    assert found == CLASSIFIER.predict_proba(X)[:, column].tolist()


def test_leaves_and_paths() -> None:
    assert everywhere(CLASSIFIER, "leaf") == CLASSIFIER.apply(X).tolist()
    found = everywhere(CLASSIFIER, "path")
    rules = {line.split(" then ")[0].removeprefix("if ") for line in CLASSIFIER.tree_.to_rules().splitlines()}
    assert set(found) == rules
    assert len({*zip(found, CLASSIFIER.apply(X).tolist(), strict=True)}) == CLASSIFIER.n_leaves_
    leaf = OptimalTreeClassifier(max_depth=0).fit(X, Y)
    assert set(everywhere(leaf, "path")) == {"always"}


@pytest.mark.parametrize("estimator", [CLASSIFIER, REGRESSOR], ids=["classes", "numbers"])
def test_labels(estimator: Any) -> None:
    assert everywhere(estimator, "label") == estimator.predict(X).tolist()


@pytest.mark.parametrize("level", [0.05, 0.5, 0.9])
def test_quantiles(level: float) -> None:
    leaf = REGRESSOR.apply(X)
    expected = [float(np.quantile(T[leaf == node], level, method="inverted_cdf")) for node in leaf]
    assert everywhere(REGRESSOR, "quantile", at=level) == expected


def test_quantiles_of_weighted_rows_are_those_of_repeated_rows() -> None:
    weights = RNG.integers(1, 4, N)
    binarizer = streed.Binarizer(missing="side")
    weighted = OptimalTreeRegressor(max_depth=2, cuts="binned", binarizer=binarizer, smoothing=None)
    weighted.fit(X, T, weights)
    leaf = np.repeat(weighted.apply(X), weights)
    targets = np.repeat(T, weights)
    for level in (0.1, 0.25, 0.95):
        expected = [
            float(np.quantile(targets[leaf == n], level, method="inverted_cdf")) for n in weighted.apply(X)
        ]
        assert everywhere(weighted, "quantile", at=level) == expected


def test_spreads() -> None:
    leaf = REGRESSOR.apply(X)
    assert everywhere(REGRESSOR, "spread") == pytest.approx([T[leaf == node].std() for node in leaf])


@pytest.mark.parametrize("time", [0.0, 0.7, 2.5, 1e9])
def test_survival(time: float) -> None:
    last = float(T.max())
    functions = SURVIVAL.predict_survival_function(X)
    assert everywhere(SURVIVAL, "survival", at=time) == [float(f(min(time, last))) for f in functions]
    functions = SURVIVAL.predict_cumulative_hazard_function(X)
    assert everywhere(SURVIVAL, "hazard", at=time) == [float(f(min(time, last))) for f in functions]


MANY = OptimalTreeClassifier(max_depth=2).fit(X, RNG.integers(0, 3, N))


@pytest.mark.parametrize(
    ("estimator", "options", "message"),
    [
        (CLASSIFIER, {"output": "odds"}, "output must be one of 'label', 'probability'"),
        (CLASSIFIER, {"output": "probability", "label": "maybe"}, "label must be one of"),
        (CLASSIFIER, {"label": "yes"}, "label says whose probability is wanted"),
        (CLASSIFIER, {"output": "spread"}, "only trees that predict one number"),
        (CLASSIFIER, {"at": 0.5}, "the output 'label' takes no at="),
        (MANY, {"output": "probability"}, "give label=, one of"),
        (REGRESSOR, {"output": "probability"}, "has no probabilities"),
        (REGRESSOR, {"output": "quantile"}, "needs at="),
        (REGRESSOR, {"output": "quantile", "at": 0.3}, "at must be one of 0.05, 0.1"),
        (REGRESSOR, {"output": "survival", "at": 1}, "only survival trees have a survival"),
        (SURVIVAL, {"output": "survival", "at": -1}, "at must be a time >= 0"),
    ],
)
def test_what_a_tree_does_not_have(estimator: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        estimator.tree_.to_sql(**options)
    with pytest.raises(ValueError, match=message):
        estimator.tree_.to_python(**options)


def test_files_without_quantiles_say_so() -> None:
    description = Model.from_estimator(REGRESSOR).to_dict()
    for name in ("levels", "quantiles"):
        del description["tree"]["details"][name]
    model = Model.from_dict(json.loads(json.dumps(description)))
    with pytest.raises(ValueError, match="not possible here"):
        model.predict_output(X, "quantile", at=0.5)
    assert model.predict_output(X, "spread").tolist() == everywhere(REGRESSOR, "spread")


@pytest.mark.parametrize(
    "quantiles",
    [[[1.0]], [[2.0, 1.0]] * 4, [[1.0, 10**400]] * 4, "none"],
    ids=["few", "falling", "huge", "text"],
)
def test_quantiles_of_files_are_checked(quantiles: Any) -> None:
    description = json.loads(json.dumps(Model.from_estimator(REGRESSOR).to_dict()))
    description["tree"]["details"] |= {"levels": [0.1, 0.9], "quantiles": quantiles}
    with pytest.raises(ValueError, match="details of a tree"):
        Model.from_dict(description)


def test_all_outputs_are_tested() -> None:
    assert set(OUTPUTS) == {
        "label",
        "probability",
        "leaf",
        "path",
        "spread",
        "quantile",
        "survival",
        "hazard",
    }
