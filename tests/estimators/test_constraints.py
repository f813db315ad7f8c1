"""`constraints` of estimators: any limits, kept exactly; cloned, stored, searched, refused with advice."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import streed
from streed import (
    CostSensitiveTreeClassifier,
    FairTreeClassifier,
    InfeasibleError,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    PolicyTree,
)
from streed import limits as lim

RNG = np.random.default_rng(5)
N = 90
TABLE = pd.DataFrame(
    {
        "age": RNG.integers(20, 60, N),
        "sex": RNG.choice(["f", "m"], N),
        "dose": RNG.integers(0, 4, N) / 2,
        "region": RNG.choice(["n", "s", "w"], N),
    }
)
LABELS = np.where(
    (TABLE.age > 45) ^ (TABLE.dose > 1) | ((TABLE.sex == "m") & (RNG.random(N) < 0.5)), "ill", "well"
)


def share(model: Any, label: str, rows: np.ndarray) -> float:
    """Share of some rows that get a label."""
    return float((model.predict(TABLE)[rows] == label).mean())


def test_recall_and_size() -> None:
    model = OptimalTreeClassifier(constraints=[lim.recall("ill") >= 0.9, lim.nodes() <= 2]).fit(TABLE, LABELS)
    free = OptimalTreeClassifier(max_nodes=2).fit(TABLE, LABELS)
    assert share(model, "ill", LABELS == "ill") >= 0.9
    assert model.result_.optimal
    assert model.tree_.n_nodes <= 2
    assert model.result_.objective >= free.result_.objective
    value, slack = model.result_.limits[0][1:3]
    assert value == pytest.approx(share(model, "ill", LABELS == "ill"))
    assert slack == pytest.approx(value - 0.9)
    assert "recall('ill') >= 0.9" in model.result_.summary()


@pytest.mark.parametrize("objective", ["f1", "mcc", "g_mean", "accuracy", "balanced_accuracy"])
def test_objectives_with_a_parity_by_a_column(objective: str) -> None:
    limit = lim.parity(by="sex") <= 0.02
    model = OptimalTreeClassifier(objective, constraints=[limit], max_depth=2).fit(TABLE, LABELS)
    women = (TABLE.sex == "f").to_numpy()
    assert abs(share(model, "well", women) - share(model, "well", ~women)) <= 0.02
    groups = OptimalTreeClassifier(objective, constraints=[lim.parity() <= 0.02], max_depth=2)
    groups.fit(TABLE, LABELS, sensitive_features=TABLE.sex)
    assert groups.result_.objective == model.result_.objective
    named = clone(groups).fit(TABLE, LABELS, sensitive_features="sex")
    assert named.result_.objective == model.result_.objective


def test_fair_trees_take_objectives_and_further_limits() -> None:
    fair = FairTreeClassifier(max_difference=0.05, max_depth=2).fit(TABLE, LABELS, TABLE.sex)
    same = OptimalTreeClassifier(constraints=[lim.parity(by="sex") <= 0.05], max_depth=2).fit(TABLE, LABELS)
    assert fair.result_.objective == same.result_.objective
    metric = FairTreeClassifier(objective="f1", max_difference=0.05, max_depth=2).fit(TABLE, LABELS, "sex")
    assert metric.difference_ <= 0.05
    assert metric.group_rates_ is not None
    assert metric.group_rates_["f"]["selection_rate"] == pytest.approx(
        share(metric, "well", (TABLE.sex == "f").to_numpy())
    )
    more = clone(fair).set_params(constraints=[lim.recall("ill") >= 0.8]).fit(TABLE, LABELS, TABLE.sex)
    assert more.difference_ <= 0.05
    assert share(more, "ill", LABELS == "ill") >= 0.8
    least = FairTreeClassifier(objective="g_mean", min_ratio=0.9, max_depth=2).fit(TABLE, LABELS, "sex")
    assert least.ratio_ >= 0.9


def test_policies_with_capacity_budget_and_parity() -> None:
    rewards = pd.DataFrame(RNG.random((N, 3)), columns=["none", "drug", "surgery"])
    costs = {"drug": 100.0, "surgery": 400.0}
    limits = [lim.share("surgery") <= 0.2, lim.mean(costs) <= 120, lim.parity(by="region") <= 0.2]
    model = PolicyTree(constraints=limits, max_depth=2).fit(TABLE, rewards=rewards)
    given = model.predict(TABLE)
    assert (given == "surgery").mean() <= 0.2
    assert np.mean([costs.get(one, 0.0) for one in given]) <= 120
    for name in rewards:
        assert np.ptp([(given[TABLE.region == region] == name).mean() for region in "nsw"]) <= 0.2
    own = PolicyTree(capacity={"surgery": 0.2}, treatment_costs=costs, budget=120, max_depth=2)
    plain = own.fit(TABLE, rewards=rewards).result_.objective
    asked = PolicyTree(constraints=limits[:2], max_depth=2).fit(TABLE, rewards=rewards)
    assert asked.result_.objective == pytest.approx(plain)
    both = clone(own).set_params(constraints=limits[2:]).fit(TABLE, rewards=rewards)
    assert both.result_.objective == pytest.approx(model.result_.objective)


def test_costs_of_errors_with_parity() -> None:
    costs = {"ill": {"well": 5}, "well": {"ill": 1}}
    model = CostSensitiveTreeClassifier(
        misclassification_costs=costs, constraints=[lim.parity("equal_opportunity") <= 0.02], max_depth=2
    ).fit(TABLE, LABELS, sensitive_features=TABLE.sex)
    assert model.result_.limits[0].value <= 0.02
    assert model.result_.optimal


def test_limits_hold_over_all_thresholds() -> None:
    """Over every threshold the tree is at least as good as over quantiles, and keeps the limits, too."""
    table = RNG.normal(size=(60, 3))
    y = (table[:, 0] + table[:, 1] ** 2 > 0.7).astype(int)
    limits = [lim.recall(1) >= 0.9]
    exact = OptimalTreeClassifier("f1", constraints=limits, cuts="exact", max_depth=2).fit(table, y)
    binned = OptimalTreeClassifier("f1", constraints=limits, cuts="binned", max_depth=2).fit(table, y)
    assert exact.result_.objective >= binned.result_.objective
    assert exact.result_.limits[0].value >= 0.9


def test_they_clone_print_pickle_and_go_through_grid_searches() -> None:
    limits = [lim.recall("ill") >= 0.9, lim.parity("equal_opportunity", by="sex") <= 0.02]
    model = OptimalTreeClassifier(constraints=limits)
    assert clone(model).constraints == limits
    assert pickle.loads(pickle.dumps(limits)) == limits
    assert "recall('ill') >= 0.9" in repr(model)
    for limit in limits:
        assert eval(f"lim.{limit!r}") == limit
    grid = {"constraints": [None, [lim.recall("ill") >= 0.8], [lim.recall("ill") >= 1]]}
    found = GridSearchCV(OptimalTreeClassifier(max_depth=1), grid, cv=2).fit(TABLE, LABELS)
    assert found.best_params_["constraints"] in grid["constraints"]


def test_strict_limits_and_numbers_as_they_are_written() -> None:
    y, X = np.arange(10) % 2, np.arange(10)[:, None] < 5
    for number in (0.8, Fraction(4, 5)):
        limit = lim.share(1) <= number
        assert limit.most == Fraction(4, 5)
    shares = [
        OptimalTreeClassifier(constraints=[limit], max_depth=1).fit(X, y).result_.limits[0].value
        for limit in (lim.share(1) >= 0.5, lim.share(1).above(0.5), lim.share(1).between(0.5, 0.5))
    ]
    assert shares == [0.5, 1.0, 0.5]


def test_infeasible_limits_say_what_can_be_reached() -> None:
    limits = [lim.recall("ill") >= 1, lim.recall("well") >= 1, lim.parity(by="sex") <= 0]
    with pytest.raises(InfeasibleError, match="recall") as error:
        OptimalTreeClassifier(constraints=limits, max_depth=1).fit(TABLE, LABELS)
    table = error.value.reachable
    assert [one.limit for one in table] == [repr(limit) for limit in limits]
    assert [one.alone for one in table] == [1, 1, 0]
    assert pickle.loads(pickle.dumps(error.value)).reachable == table
    two = limits[:2]
    with pytest.raises(InfeasibleError) as error:
        OptimalTreeClassifier(constraints=two, max_depth=1).fit(TABLE, LABELS)
    best = OptimalTreeClassifier(constraints=two[:1], max_depth=1, class_weight={"ill": 1e-6, "well": 1})
    best.fit(TABLE, LABELS)
    assert error.value.reachable[1].together == pytest.approx(share(best, "well", LABELS == "well"))


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: lim.recall("ill") > 0.9, TypeError, "limits include their ends"),
        (lambda: lim.recall("ill") < 0.9, TypeError, "below"),
        (lambda: 0.8 <= lim.recall("ill") <= 0.9, TypeError, "between"),
        (lambda: lim.recall("ill") == 0.9, TypeError, "between"),
        (lambda: bool(lim.recall("ill")), TypeError, "truth value"),
        (lambda: lim.recall("ill") >= 1.5, ValueError, "from 0 to 1"),
        (lambda: lim.recall("ill") >= "much", TypeError, "must be a number"),
        (lambda: lim.nodes() >= 2, ValueError, "from above"),
        (lambda: lim.parity(by="sex") >= 0.1, ValueError, "from above"),
        (lambda: lim.share("ill").between(0.9, 0.1), ValueError, "no value"),
        (lambda: lim.metric("mcc") >= 0.5, ValueError, "no ratio"),
    ],
)
def test_what_is_no_limit_is_refused(make: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize(
    ("constraints", "error", "message"),
    [
        ([lim.recall("sick") >= 0.9], ValueError, "the labels are 'ill', 'well'"),
        ([lim.recall("ill")], TypeError, "has no limit"),
        ([0.9], TypeError, "constraints must be limits"),
        ("recall", TypeError, "constraints must be a list"),
        ([lim.parity(by="gender") <= 0.1], ValueError, "by='gender' is to be a column"),
        ([lim.parity() <= 0.1], ValueError, "sensitive_features"),
        ([lim.ratio(by="sex") <= 0.1], ValueError, "from below"),
    ],
)
def test_limits_that_do_not_fit_the_data_are_refused(
    constraints: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        OptimalTreeClassifier(constraints=constraints).fit(TABLE, LABELS)


def test_groups_that_nothing_compares_are_refused() -> None:
    with pytest.raises(ValueError, match="no limit compares them"):
        OptimalTreeClassifier().fit(TABLE, LABELS, sensitive_features=TABLE.sex)


def test_what_has_no_sums_is_refused() -> None:
    with pytest.raises(streed.TaskError, match="do not cost the sum"):
        OptimalTreeClassifier("gini", constraints=[lim.recall("ill") >= 0.5]).fit(TABLE, LABELS)


def test_exact_cuts_are_proven_under_a_parity() -> None:
    """Where multipliers leave a gap over thresholds, every threshold of a small table is a binary feature."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        table, group = rng.normal(size=(60, 3)), rng.integers(0, 2, 60)
        y = (table[:, 0] + 0.8 * group + 0.5 * rng.normal(size=60) > 0).astype(int)
        model = OptimalTreeClassifier(constraints=[lim.parity() <= 0.02], cuts="exact", max_depth=2)
        result = model.fit(table, y, sensitive_features=group).result_
        assert result.optimal
        assert "every threshold was considered" in result.note


def test_a_budget_of_tests_and_equal_opportunity() -> None:
    prices = {"age": 1.0, "sex": 0.0, "dose": 20.0, "region": 5.0}
    limits = [lim.tests(prices) <= 6, lim.parity("equal_opportunity", by="sex") <= 0.1]
    model = OptimalTreeClassifier(constraints=limits, max_depth=2).fit(TABLE, LABELS)
    assert model.result_.optimal
    assert model.result_.limits[0].value <= 6
    paid = CostSensitiveTreeClassifier(feature_costs=prices, constraints=limits[1:], max_depth=2)
    paid.fit(TABLE, LABELS)
    assert paid.result_.optimal
    assert paid.result_.limits[0].value <= 0.1
    own = clone(paid).set_params(constraints=[lim.tests() <= 3]).fit(TABLE, LABELS)
    assert own.result_.limits[0].value == pytest.approx(own.test_costs(TABLE).mean())


def test_regression_with_equal_means() -> None:
    y = TABLE.age + 30.0 * (TABLE.sex == "m") + RNG.normal(size=N)
    limit = lim.mean_prediction(by="sex") <= 0.5
    model = OptimalTreeRegressor(constraints=[limit], max_depth=2).fit(TABLE, y)
    predicted, women = model.predict(TABLE), (TABLE.sex == "f").to_numpy()
    assert abs(predicted[women].mean() - predicted[~women].mean()) <= 0.5 + 1e-9
    free = OptimalTreeRegressor(max_depth=2).fit(TABLE, y)
    assert model.result_.objective > free.result_.objective
    assert ((y - predicted) ** 2).sum() == pytest.approx(model.result_.objective)
    with pytest.raises(ValueError, match="squared_error"):
        OptimalTreeRegressor("absolute_error", constraints=[limit]).fit(TABLE, y)


@pytest.mark.parametrize("cuts", ["auto", "exact", "binned"])
def test_excluded_columns_are_not_tested(cuts: str) -> None:
    table = TABLE.assign(noise=np.arange(N) % 7)
    free = OptimalTreeClassifier(max_depth=3, cuts=cuts).fit(table, LABELS)
    assert "sex" in free.tree_.to_text()
    limit = lim.parity(by="sex") <= 0.2
    model = OptimalTreeClassifier(max_depth=3, cuts=cuts, exclude=["sex", 0], constraints=[limit])
    text = model.fit(table, LABELS).tree_.to_text()
    assert "sex" not in text
    assert "age" not in text
    assert model.result_.limits[0].kept
    left = OptimalTreeClassifier(max_depth=3, cuts=cuts, constraints=[lim.parity() <= 0.2])
    left.fit(table.drop(columns=["sex", "age"]), LABELS, sensitive_features=table.sex)
    assert left.result_.objective == model.result_.objective
    assert (model.predict(table) == left.predict(table.drop(columns=["sex", "age"]))).all()


def test_what_excluded_columns_refuse_and_warn_of() -> None:
    same = TABLE.assign(gender=TABLE.sex.map({"f": "woman", "m": "man"}))
    with pytest.warns(UserWarning, match="'gender' says the same as 'sex'"):
        OptimalTreeClassifier(max_depth=1, exclude=["sex"]).fit(same, LABELS)
    with pytest.raises(ValueError, match="exclude has 'sexx'"):
        OptimalTreeClassifier(exclude=["sexx"]).fit(TABLE, LABELS)
    with pytest.raises(ValueError, match="exclude goes without a binarizer"):
        OptimalTreeClassifier(exclude=["sex"], binarizer=streed.Binarizer()).fit(TABLE, LABELS)
    bits = np.random.default_rng(0).random((40, 3)) < 0.5
    model = OptimalTreeClassifier(exclude=[0], max_depth=2).fit(bits, bits[:, 0])
    assert not any("x0" in name for name in model.tree_.to_text().split())


def test_the_closest_tree_where_no_tree_keeps_the_limits() -> None:
    limits = [lim.recall("ill") >= 1, lim.recall("well") >= 1]
    with pytest.raises(InfeasibleError, match="least total violation has recall") as error:
        OptimalTreeClassifier(constraints=limits, max_depth=1, cuts="binned").fit(TABLE, LABELS)
    sizes = [LABELS.tolist().count(label) for label in ("ill", "well")]
    missed = [
        (1 - value) * size for value, size in zip(error.value.closest, sizes, strict=True)
    ]  # in all as many rows as the best tree without limits has errors
    free = OptimalTreeClassifier(max_depth=1, cuts="binned").fit(TABLE, LABELS)
    assert sum(missed) == pytest.approx(free.result_.objective)
    assert pickle.loads(pickle.dumps(error.value)).closest == error.value.closest
    assert error.value.__context__ is None  # Dask pickles it along
    groups = np.arange(5) > 2
    with pytest.raises(InfeasibleError, match=r"the least possible is 0\.166667") as error:
        streed.FairTreeClassifier("accuracy_parity", max_depth=1).fit(
            np.zeros((5, 1)), [1, 1, 0, 0, 1], sensitive_features=groups
        )
    assert list(error.value.closest) == [pytest.approx(1 / 6)]


@pytest.mark.parametrize("cost", [0.3, 2 / 7, 7.27, 3e-12])
def test_means_of_costs_that_are_no_unit_fractions(cost: float) -> None:
    """A limit of half the cost allows half of the rows, whatever number the cost is."""
    X, y = np.repeat(np.eye(4), 2, axis=0), np.ones(8, int)
    y[0] = 0
    limit = lim.mean({1: cost}) <= cost / 2
    found = OptimalTreeClassifier(constraints=[limit], max_depth=2).fit(X, y).result_
    assert found.limits[0].value == pytest.approx(cost / 2)


def test_a_parity_that_only_all_or_none_can_meet() -> None:
    """Groups of 7 and 9 rows have equal shares only if all or none are selected; the limits say so."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(2, size=(16, 4)).astype(bool), rng.integers(2, size=16)
    group = np.array([0] * 7 + [1] * 9)
    limits = [lim.parity("demographic_parity") <= 0, lim.recall(1) >= 0.5]
    for some in (limits[:1], limits):
        model = OptimalTreeClassifier(max_depth=2, constraints=some).fit(X, y, sensitive_features=group)
        labels = model.predict(X)
        assert model.result_.optimal
        assert len(set(labels.tolist())) == 1
        assert [one.kept for one in model.result_.limits] == [True] * len(some)
    assert set(labels.tolist()) == {1}


def test_exact_cuts_with_a_gap_that_multipliers_leave() -> None:
    """Hundreds of thresholds become binary features; none is left out, which would be a warning."""
    rng = np.random.default_rng(1)
    table = rng.random((300, 3))
    group = rng.integers(2, size=300)
    y = ((table[:, 0] > 0.5) ^ (rng.random(300) < 0.25) ^ (group * (table[:, 1] > 0.7) > 0)).astype(int)
    limit = lim.parity("demographic_parity") <= 0.02
    model = OptimalTreeClassifier(max_depth=2, cuts="exact", constraints=[limit])
    result = model.fit(table, y, sensitive_features=group).result_
    assert result.optimal
    assert result.limits[0].kept
    assert "every threshold" in result.note
