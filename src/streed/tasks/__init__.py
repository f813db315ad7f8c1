"""Optimisation tasks, and the registry from which their names are derived.

To add a task:

1. Write a file in this folder with a subclass of `Task` that has a ``name`` and a ``summary``.
2. Add the class to ``_TASKS`` below. Allowed names and error messages follow from it.
3. Put the new table (`streed.tasks.table`) into ``docs/own-tasks.md``; a test compares the two. If the task
   needs unusual data, add an example to ``tests/unit/test_separable.py``, where every task has to pass.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from streed import metrics
from streed.errors import TaskError
from streed.spelling import did_you_mean
from streed.tasks.accuracy import Accuracy
from streed.tasks.balanced_accuracy import BalancedAccuracy
from streed.tasks.base import ClassErrors, CostTable, LeafFunction, Lowered, Prices, Tally, Task
from streed.tasks.combined import Combined, combine
from streed.tasks.constrained import Constrained
from streed.tasks.cost_matrix import CostMatrix
from streed.tasks.fairness import (
    AccuracyParity,
    DemographicParity,
    EqualizedOdds,
    EqualOpportunity,
    PredictiveEquality,
)
from streed.tasks.feature_costs import FeatureCosts
from streed.tasks.general import GeneralTask
from streed.tasks.impurity import Entropy, Gini, LogLoss
from streed.tasks.label_costs import LabelCosts
from streed.tasks.limited_policy import LimitedPolicyReward
from streed.tasks.limited_task import LimitedTask
from streed.tasks.macro_f1 import MacroF1
from streed.tasks.metric import F1Score, GMean, JaccardIndex, MatthewsCorrelation, Metric, MinRecall
from streed.tasks.policy_reward import PolicyReward
from streed.tasks.regression import (
    AbsoluteError,
    Gamma,
    LinearLeaves,
    ParityOfMeans,
    Poisson,
    PoissonParity,
    Quantile,
    SimpleLinear,
    SquaredError,
    Tweedie,
)
from streed.tasks.statistics import StatisticsTask
from streed.tasks.survival import Survival

__all__ = [
    "REGISTRY",
    "AbsoluteError",
    "Accuracy",
    "AccuracyParity",
    "BalancedAccuracy",
    "ClassErrors",
    "Combined",
    "Constrained",
    "CostMatrix",
    "CostTable",
    "DemographicParity",
    "Entropy",
    "EqualOpportunity",
    "EqualizedOdds",
    "F1Score",
    "FeatureCosts",
    "GMean",
    "Gamma",
    "GeneralTask",
    "Gini",
    "JaccardIndex",
    "LabelCosts",
    "LeafFunction",
    "LimitedPolicyReward",
    "LimitedTask",
    "LinearLeaves",
    "LogLoss",
    "Lowered",
    "MacroF1",
    "MatthewsCorrelation",
    "Metric",
    "MinRecall",
    "ParityOfMeans",
    "Poisson",
    "PoissonParity",
    "PolicyReward",
    "PredictiveEquality",
    "Prices",
    "Quantile",
    "SimpleLinear",
    "SquaredError",
    "StatisticsTask",
    "Survival",
    "Tally",
    "Task",
    "Tweedie",
    "combine",
    "make_task",
    "resolve",
    "table",
]

_TASKS: tuple[type[Task], ...] = (
    Accuracy,
    BalancedAccuracy,
    CostMatrix,
    LabelCosts,
    PolicyReward,
    LimitedPolicyReward,
    F1Score,
    JaccardIndex,
    MatthewsCorrelation,
    GMean,
    MinRecall,
    MacroF1,
    Gini,
    Entropy,
    LogLoss,
    DemographicParity,
    EqualOpportunity,
    PredictiveEquality,
    EqualizedOdds,
    AccuracyParity,
    SquaredError,
    AbsoluteError,
    Quantile,
    Poisson,
    Gamma,
    Tweedie,
    LinearLeaves,
    SimpleLinear,
    Survival,
)

REGISTRY: Mapping[str, type[Task]] = {task.name: task for task in _TASKS}
"""All tasks by name."""

OBJECTIVES: Mapping[str, type[Task]] = {
    name: task for name, task in REGISTRY.items() if task.estimator == "OptimalTreeClassifier"
}
"""The tasks that need labels only: the objectives of `OptimalTreeClassifier`."""


def table() -> str:
    """Write the table of all tasks in Markdown, as it is in the documentation.

    Examples
    --------
    >>> from streed.tasks import table
    >>> print(table().splitlines()[2])
    | `"accuracy"` | `Accuracy` | weight of the misclassified rows (minimised) |
    """
    lines = ["| name | class | what is optimised |", "|---|---|---|"]
    lines += [f'| `"{name}"` | `{task.__name__}` | {task.summary} |' for name, task in REGISTRY.items()]
    return "\n".join(lines)


def resolve(objective: object) -> Callable[..., Task]:
    """Return what makes a task of labels: a registered class, a class or factory, or that of a metric.

    Examples
    --------
    >>> from streed.tasks import resolve
    >>> resolve("accuracy").__name__
    'Accuracy'
    >>> resolve("demographic_parity")
    Traceback (most recent call last):
    ValueError: objective 'demographic_parity' needs more than labels: use streed.FairTreeClassifier
    """
    expected = f"objective must be one of {', '.join(map(repr, OBJECTIVES))}, a metric, or a Task class"
    if isinstance(objective, str):
        if objective in REGISTRY and objective not in OBJECTIVES:
            needed = REGISTRY[objective].estimator
            raise ValueError(f"objective {objective!r} needs more than labels: use streed.{needed}")
        if objective not in OBJECTIVES:
            raise ValueError(f"{expected}, got {objective!r}{_meant(objective)}")
        return OBJECTIVES[objective]
    if isinstance(objective, metrics.MacroF1):
        return MacroF1
    if isinstance(objective, metrics.Metric) or metrics.is_function_of_cells(objective):
        return functools.partial(Metric, metric=objective)
    if isinstance(objective, type) and not issubclass(objective, Task):
        raise TypeError(f"{expected}, got the class {objective.__name__}")
    if not callable(objective):
        raise TypeError(f"{expected}, got {objective!r}")
    return objective


def _meant(objective: str) -> str:
    """Name the objective that is probably meant, and the estimator if it is not one of labels."""
    meant = did_you_mean(objective, REGISTRY)
    if not meant or any(repr(name) in meant for name in OBJECTIVES):
        return meant
    needed = next(task.estimator for name, task in REGISTRY.items() if repr(name) in meant)
    return f"{meant} It is for streed.{needed}" if needed else meant


def is_binary(objective: object) -> bool:
    """Whether an objective takes two classes only; False where that cannot be known.

    Examples
    --------
    >>> from streed.tasks import is_binary
    >>> is_binary("f1"), is_binary("accuracy"), is_binary(3)
    (True, False, False)
    """
    try:
        factory = resolve(objective)
    except (TypeError, ValueError):
        return False
    return bool(getattr(getattr(factory, "func", factory), "binary", False))


def _refuse_unknown(objective: object, factory: Callable[..., Task], options: Mapping[str, object]) -> None:
    known = inspect.signature(factory).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values()):
        return
    for name, value in options.items():
        if name not in known:
            raise ValueError(f"the objective {objective!r} takes no {name}, got {value!r}")


def make_task(objective: object, *data: object, **options: object) -> Task:
    """Make the task that `objective` stands for from its data; refuse options that it does not take.

    Examples
    --------
    >>> from streed.tasks import make_task
    >>> make_task("balanced_accuracy", [0, 1], class_weight={0: 2})
    Traceback (most recent call last):
    ValueError: the objective 'balanced_accuracy' takes no class_weight, got {0: 2}
    """
    factory = resolve(objective)
    if options:
        _refuse_unknown(objective, factory, options)
    task = factory(*data, **options)
    if not isinstance(task, Task):
        raise TaskError(
            f"the objective {objective!r} made a {type(task).__name__} instead of a streed.tasks.Task"
        )
    return task


def __getattr__(name: str) -> Any:
    if name != "Threshold":
        raise AttributeError(f"module 'streed.tasks' has no attribute {name!r}")
    message = "streed.tasks.Threshold is called streed.tasks.LimitedTask now"
    warnings.warn(message, DeprecationWarning, stacklevel=2)
    return LimitedTask
