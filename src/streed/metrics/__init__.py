"""Metrics of binary classification as objects: ``OptimalTreeClassifier(objective=streed.metrics.FBeta(2))``.

A name in `METRICS`, an object, or a function ``metric(tp, fp, fn, tn)`` is accepted wherever a metric is
expected. To add a metric, write a class in ``classic.py``, add it to `METRICS`, and add a task in
``streed/tasks/metric.py`` if it is to have a name as an objective.
"""

from __future__ import annotations

from collections.abc import Mapping

from streed.metrics.base import (
    Function,
    Metric,
    Ratio,
    check_monotone,
    evaluate,
    is_function_of_cells,
    weight_of,
)
from streed.metrics.classic import (
    BalancedAccuracy,
    FBeta,
    GMean,
    Jaccard,
    MacroF1,
    MatthewsCorrelation,
    MinRecall,
)
from streed.spelling import did_you_mean

__all__ = [
    "METRICS",
    "BalancedAccuracy",
    "FBeta",
    "Function",
    "GMean",
    "Jaccard",
    "MacroF1",
    "MatthewsCorrelation",
    "Metric",
    "MinRecall",
    "Ratio",
    "as_metric",
    "check_monotone",
    "evaluate",
    "is_function_of_cells",
    "weight_of",
]

METRICS: Mapping[str, Metric] = {
    metric.name: metric
    for metric in (
        FBeta(1),
        Jaccard(),
        MatthewsCorrelation(),
        GMean(),
        MinRecall(),
        BalancedAccuracy(),
        MacroF1(),
    )
}
"""The metrics that have a name."""


def as_metric(metric: object) -> Metric:
    """Return the metric that a name, an object or a function of four arguments stands for.

    Parameters
    ----------
    metric : str, Metric or callable
        A name in `METRICS`, a metric object, or a function ``metric(tp, fp, fn, tn)``.

    Returns
    -------
    Metric
        The metric.

    Examples
    --------
    >>> from streed.metrics import as_metric
    >>> as_metric("f1"), as_metric(lambda tp, fp, fn, tn: tp - fp)
    (FBeta(1), Function(<lambda>))
    >>> as_metric("f3")
    Traceback (most recent call last):
    ValueError: metric must be one of 'f1', 'jaccard', 'mcc', 'g_mean', 'min_recall', 'balanced_accuracy', \
'macro_f1', a streed.metrics.Metric or a function of tp, fp, fn, tn; got 'f3'
    """
    if isinstance(metric, Metric):
        return metric
    if isinstance(metric, str) and metric in METRICS:
        return METRICS[metric]
    if is_function_of_cells(metric):
        return Function(metric)  # type: ignore[arg-type]
    error = ValueError if isinstance(metric, str) else TypeError
    raise error(
        f"metric must be one of {', '.join(map(repr, METRICS))}, a streed.metrics.Metric or a function of "
        f"tp, fp, fn, tn; got {metric!r}{did_you_mean(metric, METRICS)}"
    )
