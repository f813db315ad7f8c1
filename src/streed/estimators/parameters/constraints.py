"""The parameter `constraints` of estimators: limits on further quantities of the tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.limits.counts import Nodes
from streed.limits.groups import MeanPrediction
from streed.limits.limit import Limit, check_constraints
from streed.limits.prices import Tests
from streed.limits.rows import group_values
from streed.options import Limits
from streed.table.columns import column_names
from streed.tasks.base import Prices, Task
from streed.tasks.constrained import Constrained, most_nodes
from streed.tasks.feature_costs import as_feature_costs
from streed.tasks.regression import ParityOfMeans, Poisson, PoissonParity, SquaredError


def constrained(
    model: Any,
    task: Task,
    X: Any,
    table: Any,
    *,
    y: Any = None,
    sample_weight: Any = None,
    sensitive_features: Any = None,
    further: Sequence[Limit] = (),
    pricing: Callable[[Any], Prices] | None = None,
) -> Any:
    """Return a task under the limits of an estimator and further ones; the task itself if there are none.

    Groups that no limit asks for are refused: they would be taken for a promise of fairness. A limit on tests
    makes it a function of the binary features, unless their prices are known.
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
    rows = {"y": y, "sample_weight": sample_weight, "sensitive_features": sensitive_features, "table": X}
    if pricing is not None or not any(isinstance(limit.quantity, Tests) for limit in limits):
        return Constrained(task, limits, **rows, pricing=pricing)
    names = column_names(table)
    return lambda features: Constrained(task, limits, **rows, pricing=pricing_of(model, names, features))


def sizes_of(model: Any, limits: Limits) -> Limits:
    """Return the limits of a search with those on nodes in `constraints`."""
    given = check_constraints(model.constraints)
    most = most_nodes([limit for limit in given if isinstance(limit.quantity, Nodes)])
    return limits if most is None else replace(limits, max_nodes=min(limits.max_nodes, most))


def equal_means(
    model: Any, task: Task, X: Any, y: Any, options: dict[str, Any], sensitive_features: Any
) -> Task:
    """Return a task of regression under a limit on the difference of mean predictions, if one is given."""
    given = check_constraints(model.constraints)
    means = [limit for limit in given if isinstance(limit.quantity, MeanPrediction)]
    sizes = [limit for limit in given if isinstance(limit.quantity, Nodes)]
    if sensitive_features is not None and not any(limit.quantity.groups is None for limit in means):
        raise ValueError(
            "sensitive_features are given, but no limit compares them: give constraints=[...] with "
            "streed.limits.mean_prediction() <= 5, which says nothing of by="
        )
    if len(means) > 1 or len(means) + len(sizes) < len(given):
        raise ValueError(
            "regression takes limits on one difference of mean predictions, and on nodes: "
            f"streed.limits.mean_prediction(by=...) <= 5; got {list(given)!r}"
        )
    if not means:
        return task
    kinds: dict[type, Any] = {SquaredError: ParityOfMeans, Poisson: PoissonParity}
    if type(task) not in kinds:
        raise ValueError(
            f"{means[0]!r} goes with loss='squared_error' or 'poisson', and leaf_model='constant'"
        )
    groups = group_values(means[0].quantity.groups, sensitive_features, X)
    found: Task = kinds[type(task)](y, groups, float(means[0].most or 0), **options)
    return found


def pricing_of(
    model: Any, names: Sequence[str], features: NDArray[np.uint8], default: Any = None
) -> Callable[[Any], Prices]:
    """Return what gives the prices of the binary features of a table for prices of its columns."""

    def pricing(given: Any) -> Prices:
        prices = default if given is None else given
        if prices is None:
            raise ValueError("lim.tests() needs prices here: give them, as in lim.tests({'blood': 7.3}) <= 5")
        columns = model._columns_of_features(features.shape[1])
        return as_feature_costs(prices).prices(columns, names)

    return pricing
