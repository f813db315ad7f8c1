"""Missing values go to the side that the search chooses: proven, kept by all views, files and pickles."""

from __future__ import annotations

import contextlib
import json
import pickle
import re
import sqlite3
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import cross_val_score
from sklearn.tree import DecisionTreeClassifier

from streed import Binarizer, Condition, CostSensitiveTreeClassifier, OptimalTreeClassifier, Tree
from streed.model import Model
from tests.estimators.hurry import choose_cuts
from tests.properties.thresholds_twin import ThresholdProblem, optimum
from tests.support import one_cut

UNLIMITED = 2**31 - 1


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Columns of few or many values, some of them missing, with labels that depend on both."""
    n, width = draw(st.integers(2, 14)), draw(st.integers(1, 3))
    values = st.sampled_from([0.0, 1.0, 2.5, 4.0, 1e300, np.nan, np.nan])
    if draw(st.booleans()):
        values = st.floats(-1e6, 1e6, width=32) | st.just(np.nan)
    X = np.array(draw(st.lists(st.lists(values, min_size=width, max_size=width), min_size=n, max_size=n)))
    y = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    return X, y


def ranks_of(X: np.ndarray) -> np.ndarray:
    """Columns as the twin takes them: -1 is missing."""
    found = []
    for column in X.T:
        ranks = np.full(column.size, -1, np.int32)
        known = ~np.isnan(column)
        ranks[known] = np.unique(column[known], return_inverse=True)[1]
        found.append(ranks)
    return np.array(found, np.int32)


@settings(max_examples=150)
@given(tables(), st.integers(1, 3), st.sampled_from([1, 1, 2]), st.booleans())
def test_it_equals_brute_force_over_all_thresholds_and_sides(
    data: tuple[np.ndarray, np.ndarray], depth: int, least: int, few: bool
) -> None:
    """All cuts of so small a table are binary features; with one chosen cut, all thresholds are searched."""
    X, y = data
    with one_cut() if few else contextlib.nullcontext():
        model = OptimalTreeClassifier(max_depth=depth, cuts="exact", min_samples_leaf=least).fit(X, y)
    codes = np.unique(y, return_inverse=True)[1].astype(np.int32)
    twin = ThresholdProblem(
        ranks_of(X), codes, np.ones(y.size), None, max(2, codes.max() + 1), depth, UNLIMITED, least
    )
    assert model.result_.optimal
    assert model.result_.objective == optimum(twin) == (model.predict(X) != y).sum()


@settings(max_examples=40)
@given(tables(), st.integers(1, 2))
def test_costs_per_row_equal_brute_force(data: tuple[np.ndarray, np.ndarray], depth: int) -> None:
    X, y = data
    costs = np.random.default_rng(int(y.sum())).integers(0, 9, (y.size, 3)).astype(np.float64)
    with one_cut():
        model = CostSensitiveTreeClassifier(max_depth=depth, cuts="exact").fit(X, costs=costs)
    assert model.result_.objective == optimum(
        ThresholdProblem(ranks_of(X), None, None, costs, 3, depth, UNLIMITED)
    )


@settings(max_examples=60)
@given(tables(), st.integers(1, 3))
def test_chosen_cuts_have_both_sides(data: tuple[np.ndarray, np.ndarray], depth: int) -> None:
    """All cuts as binary features with both sides are as good; so is the default with chosen cuts."""
    X, y = data
    exact = OptimalTreeClassifier(max_depth=depth, cuts="exact").fit(X, y)
    features = Binarizer(strategy="all", missing="side")
    assert OptimalTreeClassifier(max_depth=depth, binarizer=features).fit(X, y).result_.objective == (
        exact.result_.objective
    )
    greedy = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X.clip(-1e30, 1e30), y)
    with pytest.MonkeyPatch.context() as patch, one_cut():
        choose_cuts(patch)
        default = OptimalTreeClassifier(max_depth=depth).fit(X, y)
    assert default.result_.optimal
    assert (default.predict(X) != y).sum() <= (greedy.predict(X.clip(-1e30, 1e30)) != y).sum()


def by_rules(text: str, row: dict[str, Any]) -> str:
    """Find the rule that a row fits, by its words; exactly one fits."""
    fitting = []
    for line in text.splitlines():
        premise, _, label = line.removeprefix("if ").rpartition(" then ")
        if not premise or all(fits(part, row) for part in premise.split(" and ")):
            fitting.append(label.removeprefix("always ").split(" (")[0])
    assert len(fitting) == 1, text
    return fitting[0]


def fits(part: str, row: dict[str, Any]) -> bool:
    column = next(name for name in row if re.search(rf"\b{name}\b", part))
    value = row[column]
    missing = value is None or value != value
    if "is missing" in part or "is not missing" in part:
        return missing == ("is missing" in part)
    if missing:
        return "(or missing)" in part
    part = part.removesuffix(" (or missing)")
    if column == "b":
        return bool(value) != part.startswith("not ")
    return bool(eval(part.replace(" = ", " == ").replace(" is not ", " != "), {}, {column: value}))


@settings(max_examples=60)
@given(tables(), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_all_views_agree(data: tuple[np.ndarray, np.ndarray], depth: int, seed: int) -> None:
    X, y = data
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(X, columns=[f"a{j}" for j in range(X.shape[1])])
    frame["b"] = pd.array([(True, False, None)[k] for k in rng.integers(0, 3, y.size)], dtype="boolean")
    with one_cut():
        model = OptimalTreeClassifier(max_depth=depth, cuts="exact").fit(frame, y)
    check(model, frame)


def test_a_value_that_was_found_missing_is_nothing_else() -> None:
    """A path may ask "b or missing?" and then whether b is missing: the rule says the last alone."""
    tree = Tree(
        feature=[0, -1, 1, -1, -1],
        left=[1, -1, 3, -1, -1],
        right=[2, -1, 4, -1, -1],
        label=[-1, 0, -1, 1, 2],
        n_samples=[6, 2, 4, 2, 2],
        classes=[0, 1, 2],
        n_features=2,
        conditions=[Condition("b", "is", True, missing=True), Condition("b", "is", None)],
    )
    rules = tree.to_rules()
    assert "if b is missing then" in rules
    assert "b and b is missing" not in rules


def check(model: OptimalTreeClassifier, frame: pd.DataFrame) -> None:
    """Python, SQL, rules, a model file and a pickle say what `predict` says."""
    says = model.predict(frame).tolist()
    rows = [
        {name: None if pd.isna(value) else value for name, value in row.items()}
        for row in frame.astype(object).to_dict("records")
    ]
    names: dict[str, Any] = {}
    exec(model.tree_.to_python(), names)
    assert [names["predict"](row) for row in rows] == says
    assert [names["predict"]({k: np.nan if v is None else v for k, v in row.items()}) for row in rows] == says
    assert [by_rules(model.tree_.to_rules(), row) for row in rows] == [str(label) for label in says]
    stored = json.loads(json.dumps(Model.from_estimator(model).to_dict()))
    assert Model.from_dict(stored).predict(frame).tolist() == says
    assert pickle.loads(pickle.dumps(model)).predict(frame).tolist() == says
    tree = Tree.from_dict(json.loads(json.dumps(model.tree_.to_dict(keep_unused=True))))
    assert tree.conditions == model.tree_.conditions
    database = sqlite3.connect(":memory:")
    columns = list(frame.columns)
    database.execute(f"CREATE TABLE t (n INTEGER, {', '.join(columns)})")
    database.executemany(
        f"INSERT INTO t VALUES (?{', ?' * len(columns)})",
        [(n, *row.values()) for n, row in enumerate(rows)],
    )
    found = database.execute(f"SELECT {model.tree_.to_sql()} FROM t ORDER BY n")
    assert [label for (label,) in found] == says


def one_column() -> tuple[pd.DataFrame, np.ndarray]:
    return pd.DataFrame({"age": [20.0, 30.0, 40.0, 50.0, np.nan, np.nan]}), np.array([0, 0, 1, 1, 0, 0])


def test_a_condition_says_where_missing_values_go() -> None:
    X, y = one_column()
    model = OptimalTreeClassifier(max_depth=1).fit(X, y)
    assert model.result_.objective == 0
    assert model.tree_.to_text().startswith("age <= 35 or missing?")
    assert "if age > 35 then 1" in model.tree_.to_rules()
    assert "if age <= 35 (or missing) then 0" in model.tree_.to_rules()
    assert "age <= 35 or missing" in model.tree_.to_dot()
    assert '"orMissing":true' in model.tree_.to_html().replace(" ", "")
    assert '"age" IS NULL OR "age" <= 35.0' in model.tree_.to_sql()
    flipped = OptimalTreeClassifier(max_depth=1).fit(X, np.where(X["age"].isna(), 1, y))
    assert flipped.tree_.to_text().startswith("age <= 35?")
    assert "if age > 35 (or missing) then 1" in flipped.tree_.to_rules()


def test_dates_orders_and_texts() -> None:
    size = pd.Categorical(["s", "m", "l", None] * 9, ["s", "m", "l"], ordered=True)
    day = pd.Series(pd.to_datetime("2024-01-01") + pd.to_timedelta(range(36), "D"))
    day = day.where(np.arange(36) % 5 > 0)
    text = day.dt.strftime("%Y-%m-%d").astype(object).where(day.notna(), None)
    for column, y in (
        (size, np.array([0, 0, 1, 0] * 9)),
        (day, (day > "2024-01-20").astype(int)),
        (text, (day > "2024-01-20").astype(int)),
        (day, ((day > "2024-01-20") | day.isna()).astype(int)),
    ):
        X = pd.DataFrame({"x": column})
        model = OptimalTreeClassifier(max_depth=1, cuts="exact").fit(X, y)
        assert model.result_.objective == 0
        assert Model.from_estimator(model).predict(X).tolist() == list(y)
        names: dict[str, Any] = {}
        exec(model.tree_.to_python(), names)
        rows = [None if pd.isna(value) else value for value in X["x"].tolist()]
        assert [names["predict"]({"x": value}) for value in rows] == list(y)


def test_all_cuts_of_texts_that_are_dates_and_of_long_orders_are_considered() -> None:
    days = pd.Series(pd.to_datetime("2024-01-01") + pd.to_timedelta(range(300), "D"))
    levels = [f"l{k:03}" for k in range(300)]
    for column in (days.dt.strftime("%Y-%m-%d"), pd.Categorical(levels, levels, ordered=True)):
        model = OptimalTreeClassifier(max_depth=1, cuts="exact")
        assert model.fit(pd.DataFrame({"x": column}), np.arange(300) > 100).result_.objective == 0


@pytest.mark.filterwarnings("ignore::streed.MissingAtPredictWarning")
def test_values_that_are_missing_only_later_satisfy_no_condition() -> None:
    X, y = one_column()
    X["other"] = np.arange(6.0)
    model = OptimalTreeClassifier(max_depth=1).fit(X[["other"]], X["other"] > 2)
    changed = X.assign(other=np.nan)
    assert model.predict(changed[["other"]]).all()  # not other <= 2.5
    assert Model.from_estimator(model).predict(changed[["other"]]).all()
    names: dict[str, Any] = {}
    exec(model.tree_.to_python(), names)
    assert names["predict"]({"other": None})
    database = sqlite3.connect(":memory:")
    assert database.execute(f"SELECT {model.tree_.to_sql()} FROM (SELECT NULL AS other)").fetchone()[0]
    with pytest.raises(ValueError, match="contains NaN"):
        OptimalTreeClassifier(cuts="binned").fit(X, y)
    always = OptimalTreeClassifier(max_depth=1).fit(X.assign(other=np.nan), y)
    assert (always.predict(X.assign(other=1.0)) == y).all()


def test_a_value_missing_in_one_fold_only() -> None:
    """Folds differ in which columns have missing values; tuning and cross-validation go on."""
    X = pd.DataFrame({"a": np.arange(40.0), "b": np.arange(40.0) % 7})
    X.loc[3, "b"] = np.nan
    model = OptimalTreeClassifier(max_depth=2, tune=4).fit(X, X["a"] > 20)
    assert model.score(X, X["a"] > 20) == 1
    assert np.isfinite(cross_val_score(OptimalTreeClassifier(max_depth=1), X, X["a"] > 20, cv=5)).all()


def test_rows_without_weight_may_have_missing_values() -> None:
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0, np.nan]})
    model = OptimalTreeClassifier(max_depth=1, cuts="exact").fit(X, [0, 0, 1, 1, 1], [1, 1, 1, 1, 0])
    assert model.result_.objective == 0
    assert model.predict(X).size == 5


def test_inverse_of_both_sides() -> None:
    X = pd.DataFrame({"age": [20.0, 30.0, np.nan, 40.0], "member": pd.array([True, None, False, True])})
    binarizer = Binarizer(missing="side").fit(X)
    assert binarizer.get_feature_names_out().tolist() == [
        "age is missing", "age <= 25", "age <= 35", "age <= 25 or missing", "age <= 35 or missing",
        "member is missing", "member", "member or missing",
    ]  # fmt: skip
    back = binarizer.inverse_transform(binarizer.transform(X))
    assert back["age"].fillna(-1).tolist() == [20, 30, -1, 40]
    assert [None if pd.isna(v) else bool(v) for v in back["member"]] == [True, None, False, True]


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"missing": 1}, "missing must be true or false"),
        (
            {"missing": True, "operator": "is", "value": None},
            "is not for the condition that a value is missing",
        ),
        ({"more": 1}, "described by column, operator, value, ordered"),
    ],
)
def test_descriptions_that_are_refused(entries: dict[str, Any], message: str) -> None:
    described = {"column": "age", "operator": "<=", "value": 1.5, "ordered": False}
    assert Condition.from_dict(described) == Condition("age", "<=", 1.5)
    assert Condition.from_dict({**described, "missing": True}) == Condition("age", "<=", 1.5, missing=True)
    with pytest.raises(ValueError, match=message):
        Condition.from_dict({**described, **entries})
