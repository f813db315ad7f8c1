"""Stored models and views hold what the tree tests, and nothing else of the training rows."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import streed
from streed import OptimalTreeClassifier
from streed.model import Model

ROWS = 60
CANARIES = {
    "name": "Zaphod Beeblebrox",
    "town": "Canaryville",
    "grade": "gradecanary",
    "grown": "orderedcanary",
    "signed": "2031-12-24",
    "seen": "2032-07-09",
    "salary": "987654.125",
    "code": "73717173",
    "score": "4242.5",
}
"""A value of one row in each kind of column that the tree will not test."""


def table() -> pd.DataFrame:
    """One column that explains the labels, and a column of each kind with a canary."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "income": np.arange(ROWS) * 1.5,
            "name": [f"Person {k}" for k in range(ROWS)],
            "town": rng.choice(["Ulm", "Gent", "Delft"], ROWS),
            "grade": pd.Categorical(rng.choice(["a", "b"], ROWS), categories=["a", "b", CANARIES["grade"]]),
            "grown": pd.Categorical(
                rng.choice(["x", "y"], ROWS), categories=["x", "y", CANARIES["grown"]], ordered=True
            ),
            "signed": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, ROWS), unit="D"),
            "seen": [f"2021-0{k}-11" for k in rng.integers(1, 9, ROWS)],
            "salary": rng.normal(size=ROWS).round(3),
            "code": rng.integers(0, 99, ROWS),
            "score": rng.choice([0.5, 1.5, np.nan], ROWS),
            "member": rng.random(ROWS) < 0.5,
            "flag": rng.integers(0, 2, ROWS),
        }
    )
    frame.loc[7, "name"] = CANARIES["name"]
    frame.loc[7:9, "town"] = CANARIES["town"]
    frame.loc[7:9, "grade"] = CANARIES["grade"]
    frame.loc[7:9, "grown"] = CANARIES["grown"]
    frame.loc[7, "signed"] = pd.Timestamp(CANARIES["signed"])
    frame.loc[7, "seen"] = CANARIES["seen"]
    frame.loc[7, "salary"] = float(CANARIES["salary"])
    frame.loc[7, "code"] = int(CANARIES["code"])
    frame.loc[7, "score"] = float(CANARIES["score"])
    return frame


LABELS = np.where(np.arange(ROWS) < 30, "no", "yes")
FORMS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "auto": lambda X: OptimalTreeClassifier(max_depth=1).fit(X, LABELS),
    "binned": lambda X: OptimalTreeClassifier(
        max_depth=1, binarizer=streed.Binarizer(missing="side", strategy="all", max_categories=None)
    ).fit(X, LABELS),
    "chosen cuts": lambda X: OptimalTreeClassifier("macro_f1", max_depth=1).fit(X, LABELS),
    "names kept": lambda X: OptimalTreeClassifier(max_depth=1, identifiers="keep").fit(X, LABELS),
    "parts of dates": lambda X: OptimalTreeClassifier(max_depth=1, dates=["date", "month"]).fit(X, LABELS),
    "tuned": lambda X: OptimalTreeClassifier(max_depth=1, tune=2).fit(X, LABELS),
    "path": lambda X: OptimalTreeClassifier(max_depth=1).path(X, LABELS).estimator(1),
    "survival": lambda X: streed.SurvivalTree(max_depth=1).fit(
        X, np.array([(True, t) for t in 1 + 9 * (LABELS == "no")], dtype=[("event", bool), ("time", float)])
    ),
    "policy": lambda X: streed.PolicyTree(max_depth=1).fit(
        X, rewards=np.column_stack([LABELS == "no", LABELS == "yes"]).astype(float)
    ),
}


def texts_of(found: str) -> list[str]:
    return [name for name, canary in CANARIES.items() if canary in found]


@pytest.fixture(scope="module", params=FORMS)
def estimator(request: pytest.FixtureRequest) -> Any:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", streed.IdentifierWarning)
        return FORMS[request.param](table())


def test_the_tree_tests_the_column_that_explains_the_labels(estimator: Any) -> None:
    tree = estimator.tree_
    assert {tree.conditions[f].column for f in tree.feature.tolist() if f >= 0} == {"income"}


def test_files_and_views_hold_no_canary(estimator: Any) -> None:
    model = Model.from_estimator(estimator, target="answer")
    kept = json.dumps(Model.from_estimator(estimator, keep_unused=True).to_dict())
    for found in (
        json.dumps(model.to_dict()),
        json.dumps(estimator.tree_.to_dict()),
        *(
            getattr(estimator.tree_, view)()
            for view in ("to_text", "to_rules", "to_dot", "to_python", "to_sql")
        ),
        estimator.tree_.to_html(),
        estimator.result_.to_html(),
    ):
        assert texts_of(found) == []
    assert texts_of(kept) or estimator.binarizer_.n_features_in_ == 0
    assert {condition.column for condition in model.conditions} == {"income"}


def readable(stored: bytes) -> str:
    """The texts of a pickle, and its numbers: of every object that it holds."""
    found: list[str] = []
    seen: set[int] = set()

    def walk(value: Any) -> None:
        if id(value) in seen:
            return
        seen.add(id(value))
        if isinstance(value, str | int | float):
            found.append(str(value))
        elif isinstance(value, np.ndarray):
            walk(value.tolist())
        elif isinstance(value, dict):
            walk([*value, *value.values()])
        elif isinstance(value, list | tuple | set | frozenset):
            for each in value:
                walk(each)
        elif hasattr(value, "__dict__"):
            walk(vars(value))
        elif hasattr(value, "__slots__"):
            walk([getattr(value, name, None) for name in value.__slots__])

    walk(pickle.loads(stored))
    return "\n".join(found)


def test_pickles_hold_no_canary_and_predict_the_same(estimator: Any) -> None:
    stored = pickle.dumps(estimator)
    assert texts_of(readable(stored)) == []
    assert texts_of(stored.decode("latin-1")) == []
    again = pickle.loads(stored)
    X = table()
    assert np.array_equal(again.predict(X), estimator.predict(X))
    assert np.array_equal(again.apply(X), estimator.apply(X))
    features = again.binarizer_.transform(X)
    assert np.array_equal(again.tree_.predict(features), estimator.predict(X))
    assert again.tree_.to_text() == estimator.tree_.to_text()
    assert again.result_.tree is again.tree_
    assert again.tree_.n_features <= estimator.tree_.n_features
    assert re.search("income", again.tree_.to_sql())


def test_the_estimator_itself_keeps_its_features(estimator: Any) -> None:
    before = list(estimator.binarizer_.conditions_)
    pickle.dumps(estimator)
    assert estimator.binarizer_.conditions_ == before
    assert estimator.tree_.n_features == len(before)


@pytest.mark.parametrize("column", ["income", "town", "grown", "signed", "seen", "score", "flag", "member"])
def test_pickles_of_trees_that_test_each_kind(column: str, tmp_path: Path) -> None:
    """A pickle predicts the same, also for missing and other values, whatever kind of column is tested."""
    X = table()[[column, "name", "salary"]]
    X.loc[:4, column] = None if column not in ("flag", "member") else X.loc[:4, column]
    codes = pd.factorize(X[column], sort=True)[0]
    y = (codes + (codes < 0)) % 3
    with pytest.warns(streed.IdentifierWarning):
        model = OptimalTreeClassifier(max_depth=3).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    other = table()[["name", "salary"]].assign(
        **{column: X[column].sample(frac=1, random_state=1).to_numpy()}
    )
    other[column] = other[column].astype(X[column].dtype)
    for rows in (X, other[X.columns]):
        assert np.array_equal(model.predict_proba(rows), again.predict_proba(rows))
        stored = Model.from_dict(json.loads(json.dumps(Model.from_estimator(model).to_dict())))
        assert np.array_equal(stored.predict_proba(rows), model.predict_proba(rows))
    assert again.binarizer_.inverse_transform(again.binarizer_.transform(X)).shape == X.shape
