"""Optimal decision trees for separable optimisation tasks.

`solve` and the tasks need NumPy only. All of it is loaded on first use: estimators and `Binarizer` import
scikit-learn, and a stored model that predicts needs neither these nor the tasks.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from streed.errors import (
    CutsWarning,
    ExportError,
    IdentifierWarning,
    InconsistentVersionWarning,
    InfeasibleError,
    InterruptedWarning,
    MissingAtPredictWarning,
    NoEventsWarning,
    NotNative,
    NotProvenWarning,
    StreedError,
    TaskError,
)
from streed.moved import make_importable
from streed.tree import Tree
from streed.tree.conditions import Condition
from streed.tree.result import Progress, Result, Solution

make_importable()

if TYPE_CHECKING:
    from streed import distributed, fairness, limits, metrics, tasks
    from streed.binarize import Binarizer
    from streed.estimators import (
        CostSensitiveTreeClassifier,
        FairTreeClassifier,
        OptimalTreeClassifier,
        OptimalTreeRegressor,
        PolicyTree,
        SurvivalTree,
        fairness_front,
        trade_off,
    )
    from streed.estimators.estimate import estimate
    from streed.leaves.compiled import native
    from streed.merged import merge_rows
    from streed.paths import complexity_path, size_path
    from streed.separable import check_separable
    from streed.solver.solve import solve
    from streed.tasks.combined import combine
    from streed.tasks.feature_costs import FeatureCosts
    from streed.tuning.tune import tune

__all__ = [
    "Binarizer",
    "Condition",
    "CostSensitiveTreeClassifier",
    "CutsWarning",
    "ExportError",
    "FairTreeClassifier",
    "FeatureCosts",
    "IdentifierWarning",
    "InconsistentVersionWarning",
    "InfeasibleError",
    "InterruptedWarning",
    "MissingAtPredictWarning",
    "NoEventsWarning",
    "NotNative",
    "NotProvenWarning",
    "OptimalTreeClassifier",
    "OptimalTreeRegressor",
    "PolicyTree",
    "Progress",
    "Result",
    "Solution",
    "StreedError",
    "SurvivalTree",
    "TaskError",
    "Tree",
    "check_separable",
    "combine",
    "complexity_path",
    "distributed",
    "estimate",
    "fairness",
    "fairness_front",
    "limits",
    "merge_rows",
    "metrics",
    "native",
    "size_path",
    "solve",
    "tasks",
    "trade_off",
    "tune",
]

_LAZY = {
    "Binarizer": "streed.binarize",
    "FeatureCosts": "streed.tasks.feature_costs",
    "combine": "streed.tasks.combined",
    "native": "streed.leaves.compiled",
    "solve": "streed.solver.solve",
    "check_separable": "streed.separable",
    "complexity_path": "streed.paths",
    "size_path": "streed.paths",
    "merge_rows": "streed.merged",
    "tune": "streed.tuning",
    "estimate": "streed.estimators.estimate",
    "CostSensitiveTreeClassifier": "streed.estimators",
    "OptimalTreeClassifier": "streed.estimators",
    "OptimalTreeRegressor": "streed.estimators",
    "SurvivalTree": "streed.estimators",
    "PolicyTree": "streed.estimators",
    "FairTreeClassifier": "streed.estimators",
    "fairness_front": "streed.estimators",
    "trade_off": "streed.estimators",
}

_MODULES = ("distributed", "fairness", "limits", "metrics", "tasks")
"""Packages that are loaded on first use, since a model that only predicts needs none of them."""


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value: Any = import_module(f"streed.{name}")
    elif name in _LAZY:
        value = getattr(import_module(_LAZY[name]), name)
    elif name == "__version__":
        value = _version()
    else:
        raise AttributeError(f"module 'streed' has no attribute {name!r}")
    globals()[name] = value
    return value


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("streed")
    except PackageNotFoundError:  # used from its source folder, without being installed
        return "0+unknown"


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, *_MODULES, "__version__"})
