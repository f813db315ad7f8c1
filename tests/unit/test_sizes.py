"""Numbers that are no doubles, too large or too small: errors name the argument they came with."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import streed
from streed import TaskError, tasks
from streed.tasks import Accuracy, BalancedAccuracy, CostMatrix, DemographicParity, F1Score, LabelCosts

X = [[0], [1], [1], [0]]
Y = [0, 1, 1, 0]
GROUPS = ["a", "b", "a", "b"]
HUGE = 10**400
LEAST = -HUGE
SIGNAL = Decimal("sNaN")


def solve(task: Any, **options: Any) -> streed.Result:
    return streed.solve(task, X, **({"max_depth": 1} | options))


class Sums(tasks.StatisticsTask):
    name = "sums"

    def leaf_costs(self, sums: Any) -> Any:
        return sums[0]


def second(value: Any) -> list[list[Any]]:
    """Costs of the second label."""
    return [[0.0, value]] * 4


WEIGHTED: dict[str, Callable[[Any], Any]] = {
    "accuracy": lambda w: Accuracy(Y, w),
    "balanced accuracy": lambda w: BalancedAccuracy(Y, w),
    "f1": lambda w: F1Score(Y, w),
    "fairness": lambda w: DemographicParity(Y, GROUPS, sample_weight=w),
    "label costs": lambda w: LabelCosts(second(1.0), sample_weight=w),
    "cost matrix": lambda w: CostMatrix(Y, [[0, 1], [1, 0]], sample_weight=w),
    "rates": lambda w: streed.fairness.group_rates(Y, Y, GROUPS, sample_weight=w),
    "binarizer": lambda w: streed.Binarizer().fit([[1.0], [2.0], [3.0], [4.0]], sample_weight=w),
}


@pytest.mark.parametrize("kind", WEIGHTED)
@pytest.mark.parametrize("value", [1e308, HUGE, 5e-324, 1e-260, SIGNAL])
def test_weights(kind: str, value: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="sample_weight"):
        WEIGHTED[kind]([value] * 4)
    with pytest.raises((ValueError, TypeError), match="sample_weight"):
        WEIGHTED[kind]([value, SIGNAL, 1, 1])


@pytest.mark.parametrize("kind", [name for name in WEIGHTED if name not in ("rates", "binarizer")])
def test_weights_that_vanish_beside_others(kind: str) -> None:
    """Tiny weights are fine where others are not: they count next to nothing."""
    assert solve(WEIGHTED[kind]([5e-324, 1.0, 1.0, 1e-300])).optimal


COSTS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "label costs": ("costs", lambda v: LabelCosts(second(v))),
    "worst leaf": ("costs", lambda v: LabelCosts(second(v), combination="max")),
    "rewards": ("rewards", lambda v: tasks.PolicyReward(second(v))),
    "limited": ("rewards", lambda v: tasks.LimitedPolicyReward(second(v), capacity={1: 1})),
    "matrix": ("misclassification costs", lambda v: CostMatrix(Y, [[0, v], [v, 0]])),
    "class weights": ("class_weight", lambda v: Accuracy(Y, class_weight={0: v, 1: v})),
    "fair class weights": (
        "class_weight",
        lambda v: DemographicParity(Y, GROUPS, class_weight={0: v, 1: v}),
    ),
    "statistics": ("statistics", lambda v: Sums([[v]] * 4, ["a"])),
    "worst row": ("worst_row", lambda v: Sums([[1.0]] * 4, ["a"], least_row=0.0, worst_row=v)),
    "combined": ("costs", lambda v: streed.combine(Accuracy(Y), LabelCosts(second(v)))),
}


@pytest.mark.parametrize("kind", COSTS)
@pytest.mark.parametrize("value", [1e308, HUGE, 5e-324, 1e-260, SIGNAL])
def test_costs(kind: str, value: Any) -> None:
    name, make = COSTS[kind]
    with pytest.raises((ValueError, TypeError, TaskError), match=name):
        make(value)


@pytest.mark.parametrize("value", [1e-200, 1e200])
@pytest.mark.parametrize("kind", [name for name in COSTS if name != "worst row"])
def test_the_largest_and_the_smallest_that_are_taken(kind: str, value: float) -> None:
    assert solve(COSTS[kind][1](value)).optimal


def test_products_that_are_too_large() -> None:
    big = [1e150] * 4
    for make in (
        lambda: Accuracy(Y, big, class_weight={0: 1e150, 1: 1}),
        lambda: LabelCosts(second(1e150), sample_weight=big),
        lambda: CostMatrix(Y, [[0, 1e150], [1e150, 0]], sample_weight=big),
        lambda: CostMatrix(Y, [[0, 1e150], [1e150, 0]], class_weight={0: 1e150, 1: 1}),
        lambda: DemographicParity(Y, GROUPS, sample_weight=big, class_weight={0: 1e150, 1: 1}),
    ):
        with pytest.raises(ValueError, match=r"weight.* must be at most 1e\+200 in size"):
            make()


ARGUMENTS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "price": ("costs", lambda v: streed.FeatureCosts([v])),
    "budget": ("budget", lambda v: limited(treatment_costs={0: 1.0}, budget=v)),
    "treatment cost": ("cost of 0", lambda v: limited(treatment_costs={0: v}, budget=1.0)),
    "difference": ("max_difference", lambda v: DemographicParity(Y, GROUPS, v)),
    "ratio": ("min_ratio", lambda v: DemographicParity(Y, GROUPS, min_ratio=v)),
    "beta": ("beta", lambda v: streed.metrics.FBeta(v)),
    "complexity": ("cost_complexity", lambda v: Accuracy(Y, cost_complexity=v)),
    "threads": ("n_jobs", lambda v: solve(Accuracy(Y), n_jobs=v)),
    "depth": ("max_depth", lambda v: solve(Accuracy(Y), max_depth=v)),
    "leaf": ("min_samples_leaf", lambda v: solve(Accuracy(Y), min_samples_leaf=v)),
    "cuts": ("thresholds", lambda v: streed.Binarizer(thresholds={0: [v]}).fit([[1.0], [2.0]])),
}


def limited(**limits: Any) -> tasks.LimitedPolicyReward:
    return tasks.LimitedPolicyReward(np.ones((4, 2)), **limits)


@pytest.mark.parametrize("kind", ARGUMENTS)
@pytest.mark.parametrize("value", [HUGE, LEAST, SIGNAL])
def test_arguments(kind: str, value: Any) -> None:
    name, make = ARGUMENTS[kind]
    if kind == "threads" and value is LEAST:
        return  # all cores but very many
    with pytest.raises((ValueError, TypeError), match=name):
        make(value)


def test_as_many_threads_as_there_may_be() -> None:
    for n_jobs in (1025, 10**6, 10**30):
        with pytest.raises(ValueError, match=f"n_jobs must be at most 1024, got {n_jobs}"):
            solve(Accuracy(Y), n_jobs=n_jobs)


def test_limits_beyond_all_numbers_are_none() -> None:
    assert solve(Accuracy(Y), time_limit=HUGE, memory_limit=HUGE, max_nodes=HUGE).optimal
    assert solve(streed.combine(Accuracy(Y), LabelCosts(second(1.0)).at_most(HUGE))).optimal
    assert solve(limited(capacity={0: HUGE})).optimal
    assert solve(limited(treatment_costs={0: 1e200}, budget=1e200)).optimal
    with pytest.raises(ValueError, match="time_limit must be"):
        solve(Accuracy(Y), time_limit=-HUGE)
    with pytest.raises(ValueError, match="the capacity of 0 must not be negative"):
        limited(capacity={0: -HUGE})


def test_prices_of_nodes_of_any_size() -> None:
    for complexity in (5e-324, 1e-300, 1e30):
        assert solve(Accuracy(Y, cost_complexity=complexity)).optimal
        assert solve(DemographicParity(Y, GROUPS, 1.0, cost_complexity=complexity)).optimal
    with pytest.raises(ValueError, match=r"cost_complexity must be a number from 0 to 1e30, got 1.7e\+308"):
        Accuracy(Y, cost_complexity=1.7e308)


def test_tables() -> None:
    """Decimals that signal are missing, integers beyond doubles infinite, wide integers as good as others."""
    column: Any = [Decimal(1), SIGNAL, Decimal(3), Decimal(4)]
    binarizer = streed.Binarizer(missing="indicator").fit(pd.DataFrame({"a": column}))
    assert "a is missing" in binarizer.get_feature_names_out()
    for table in (pd.DataFrame({"a": [1, 2, HUGE]}), [[1], [2], [HUGE]], [[1], [2], [-HUGE]]):
        with pytest.raises(ValueError, match="contains infinity"):
            streed.Binarizer().fit(table)
    with pytest.raises(ValueError, match="sensitive_features must not contain missing"):
        DemographicParity(Y, column)
    with pytest.raises(TypeError, match="labels must be hashable"):
        LabelCosts(second(1.0), labels=column[1:3])


@pytest.mark.skipif(not hasattr(pl, "Int128"), reason="polars is too old")
def test_integers_of_128_bits() -> None:
    wide = pl.Series("a", [1, 2, 3, 4], dtype=pl.Int128)
    narrow = wide.cast(pl.Int64)
    found = [streed.Binarizer().fit(pl.DataFrame({"a": one})) for one in (wide, narrow)]
    assert found[0].get_feature_names_out().tolist() == found[1].get_feature_names_out().tolist()
    features = [one.transform(pl.DataFrame({"a": wide})) for one in found]
    assert (features[0] == features[1]).all()
    holes = pl.DataFrame({"a": pl.Series([1, None, 3, 2**100], dtype=pl.Int128)})
    assert "a is missing" in streed.Binarizer(missing="indicator").fit(holes).get_feature_names_out()
    model = streed.OptimalTreeClassifier(max_depth=2).fit(pl.DataFrame({"a": wide}), wide)
    assert model.predict(pl.DataFrame({"a": wide})).tolist() == [1, 2, 3, 4]
    labels: Any = pl.Series([1, 2, 2, 2**100], dtype=pl.Int128)
    assert Accuracy(labels).classes.tolist() == [1, 2, 2**100]
    with pytest.raises(ValueError, match="Unknown label type"):  # of scikit-learn
        model.fit(pl.DataFrame({"a": wide}), labels)
    assert DemographicParity(Y, wide).groups == [1, 2, 3, 4]
    assert Accuracy(Y, wide).n_rows == 4
