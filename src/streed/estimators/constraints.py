"""The parameter `constraints` of estimators: limits on further quantities of the tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from streed.limits.limit import Limit, check_constraints
from streed.tasks.base import Task
from streed.tasks.constrained import Constrained


def constrained(
    model: Any,
    task: Task,
    X: Any,
    *,
    y: Any = None,
    sample_weight: Any = None,
    sensitive_features: Any = None,
    further: Sequence[Limit] = (),
) -> Task:
    """Return a task under the limits of an estimator and further ones; the task itself if there are none.

    Groups that no limit asks for are refused: they would be taken for a promise of fairness.
    """
    limits = (*further, *check_constraints(model.constraints))
    if sensitive_features is not None and not any(
        limit.quantity.needs_groups and limit.quantity.groups is None for limit in limits
    ):
        raise ValueError(
            "sensitive_features are given, but no limit compares them: give constraints=[...] with "
            "streed.limits.parity(...) <= 0.02, which says nothing of by="
        )
    if not limits:
        return task
    return Constrained(
        task, limits, y=y, sample_weight=sample_weight, sensitive_features=sensitive_features, table=X
    )
