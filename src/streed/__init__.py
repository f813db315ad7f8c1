"""Optimal decision trees for separable optimisation tasks.

`solve` and the tasks need NumPy only. The estimators and `Binarizer` are loaded on first use, since they
import scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from streed import fairness, metrics, tasks
from streed.conditions import Condition
from streed.errors import (
    InconsistentVersionWarning,
    InfeasibleError,
    InterruptedWarning,
    StreedError,
    TaskError,
)
from streed.leaf_functions import native
from streed.result import Progress, Result, Solution
from streed.solve import solve
from streed.tree import Tree

if TYPE_CHECKING:
    from streed.binarize import Binarizer
    from streed.estimators import FairTreeClassifier, OptimalTreeClassifier, fairness_front

__all__ = [
    "Binarizer",
    "Condition",
    "FairTreeClassifier",
    "InconsistentVersionWarning",
    "InfeasibleError",
    "InterruptedWarning",
    "OptimalTreeClassifier",
    "Progress",
    "Result",
    "Solution",
    "StreedError",
    "TaskError",
    "Tree",
    "fairness",
    "fairness_front",
    "metrics",
    "native",
    "solve",
    "tasks",
]

_LAZY = {
    "Binarizer": "streed.binarize",
    "FairTreeClassifier": "streed.estimators",
    "OptimalTreeClassifier": "streed.estimators",
    "fairness_front": "streed.estimators",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
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
    return sorted({*globals(), *_LAZY, "__version__"})
