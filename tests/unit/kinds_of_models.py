"""Small models of every kind that a file can hold, with the table that they were fitted to."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd

from streed import (
    Binarizer,
    CostSensitiveTreeClassifier,
    FeatureCosts,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    PolicyTree,
    SurvivalTree,
)
from streed.model import Model
from streed.survival import survival_target

TABLE = pd.DataFrame(
    {
        "age": [20.0, 35.0, 60.0, 50.0, 65.0, 41.5, 28.0, 33.0],
        "city": ["a", "b", "c", "a", "b", "c", "a", "a"],
        "size": pd.Categorical(list("smlsmlsm"), ["s", "m", "l"], ordered=True),
        "day": pd.to_datetime([f"2024-03-0{k}" for k in (1, 2, 3, 4, 5, 6, 7, 8)]),
        "member": [True, False, True, False, True, True, False, False],
    }
)
NUMBERS = np.array([1.0, 2.5, 2.0, 7.0, 1.5, 6.0, 3.0, 4.0])
LABELS = np.where(NUMBERS > 2.2, "yes", "no")


def models() -> dict[str, Model]:
    """One model of every kind of leaf, of details and of conditions."""
    holes = TABLE.copy()
    holes.loc[[0, 4], "age"] = None
    lines: dict[str, Any] = {"leaf_columns": ["age"], "max_depth": 1}
    treatments, outcomes = np.arange(8) % 2, NUMBERS
    costs = np.column_stack([NUMBERS, 8 - NUMBERS])
    prices = FeatureCosts({"age": 2.0, "city": 1.0, "size": 1.0, "day": 1.0, "member": 3.0})
    indicator = Binarizer(missing="indicator", min_frequency=2)
    fitted: dict[str, Any] = {
        "texts": OptimalTreeClassifier(max_depth=2, binarizer=indicator).fit(holes, LABELS),
        "integers": OptimalTreeClassifier("log_loss", max_depth=2).fit(TABLE, np.arange(8) % 3),
        "booleans": OptimalTreeClassifier(max_depth=1).fit(TABLE, LABELS == "yes"),
        "numbers": OptimalTreeRegressor(max_depth=1).fit(TABLE, NUMBERS),
        "vectors": OptimalTreeRegressor(max_depth=1).fit(TABLE, np.column_stack([NUMBERS, NUMBERS % 2])),
        "medians": OptimalTreeRegressor("absolute_error", max_depth=1).fit(TABLE, NUMBERS),
        "line": OptimalTreeRegressor(leaf_model="simple_linear", **lines).fit(TABLE, NUMBERS),
        "lines": OptimalTreeRegressor(leaf_model="linear", **lines).fit(TABLE, NUMBERS),
        "curves": SurvivalTree(max_depth=1).fit(TABLE, survival_target(treatments > 0, 1 + NUMBERS)),
        "costs": CostSensitiveTreeClassifier(max_depth=2, feature_costs=prices).fit(TABLE, LABELS),
        "instances": CostSensitiveTreeClassifier(max_depth=1).fit(TABLE, costs=costs),
        "policy": PolicyTree(max_depth=1).fit(TABLE, treatments, outcomes),
    }
    return {name: Model.from_estimator(estimator, target="y") for name, estimator in fitted.items()}


def described(model: Model) -> dict[str, Any]:
    """What the file of a model holds."""
    description: dict[str, Any] = json.loads(json.dumps(model.to_dict()))
    return description
