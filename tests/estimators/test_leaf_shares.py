"""`min_samples_leaf` as a share of the rows gives the tree of the number of rows that it stands for."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import streed
from streed.estimators.fitting import plan
from streed.reference import Components
from streed.survival import survival_target
from tests.estimators.hurry import hurry

RNG = np.random.default_rng(3)
N = 90
REAL = RNG.normal(size=(N, 3))
BITS = RNG.integers(2, size=(N, 5))
LABELS = np.where(BITS[:, 0] ^ (RNG.random(N) < 0.2), "b", "a")
NUMBERS = REAL[:, 0] + RNG.normal(size=N)
WEIGHTS = np.where(np.arange(N) % 3 == 0, 0.0, 1.0)

CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "bits": (streed.OptimalTreeClassifier(max_depth=2), {"X": BITS, "y": LABELS}),
    "thresholds": (streed.OptimalTreeClassifier(max_depth=2, cuts="exact"), {"X": REAL, "y": LABELS}),
    "chosen cuts": (streed.OptimalTreeClassifier("mcc", max_depth=2), {"X": REAL, "y": LABELS}),
    "any depth": (
        streed.OptimalTreeClassifier(max_depth=None, cost_complexity=0.05),
        {"X": BITS, "y": LABELS},
    ),
    "numbers": (streed.OptimalTreeRegressor(max_depth=2), {"X": REAL, "y": NUMBERS}),
    "fair": (
        streed.FairTreeClassifier(max_depth=2, max_difference=0.3),
        {"X": BITS, "y": LABELS, "sensitive_features": BITS[:, 4]},
    ),
    "policy": (streed.PolicyTree(max_depth=2), {"X": REAL, "rewards": RNG.normal(size=(N, 2))}),
    "survival": (
        streed.SurvivalTree(max_depth=2),
        {"X": BITS, "y": survival_target(LABELS == "a", np.exp(NUMBERS))},
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("share", [0.2, 0.31])
def test_a_share_is_a_number_of_rows(name: str, share: float) -> None:
    model, data = CASES[name]
    by_share = streed_clone(model, share).fit(**data)
    by_number = streed_clone(model, math.ceil(share * N)).fit(**data)
    assert by_share.result_.objective == by_number.result_.objective
    assert by_share.tree_.to_dict() == by_number.tree_.to_dict()
    leaves = by_share.tree_.feature < 0
    assert by_share.tree_.n_samples[leaves].min() >= share * N


def streed_clone(model: Any, least: float) -> Any:
    from sklearn.base import clone

    return clone(model).set_params(min_samples_leaf=least)


@pytest.mark.parametrize("table", [BITS, REAL])
def test_rows_of_weight_zero_do_not_count(table: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = WEIGHTS > 0
    for work in (plan.CHEAP, 1.0):  # to the end, and a first tree only
        hurry(monkeypatch, work)
        model = streed.OptimalTreeClassifier(max_depth=2, min_samples_leaf=0.25)
        weighted = model.fit(table, LABELS, sample_weight=WEIGHTS).result_.objective
        assert weighted == model.fit(table[kept], LABELS[kept]).result_.objective


def test_solve_paths_and_combinations() -> None:
    task = streed.tasks.Accuracy(LABELS)
    costs = streed.tasks.CostMatrix(LABELS, [[0, 1], [3, 0]])
    for made in (task, streed.combine(task, costs), streed.combine(task, costs.at_most(60))):
        shared, counted = (
            streed.solve(made, BITS, max_depth=2, min_samples_leaf=least) for least in (0.2, 18)
        )
        assert [s.values for s in shared.front] == [s.values for s in counted.front]
    paths = [streed.size_path(task, BITS, max_depth=2, min_samples_leaf=least) for least in (0.2, 18)]
    assert paths[0].objectives.tolist() == paths[1].objectives.tolist()


def test_the_paper_s_components() -> None:
    task: Components[Any, Any] = streed.tasks.Accuracy(LABELS).components(BITS)
    shared, counted = (streed.solve(task, BITS, max_depth=2, min_samples_leaf=least) for least in (0.2, 18))
    assert shared.objective == counted.objective
    with pytest.raises(ValueError, match="share of the rows of X, but X is None"):
        streed.solve(replace(task, size=len), max_depth=2, min_samples_leaf=0.2)
