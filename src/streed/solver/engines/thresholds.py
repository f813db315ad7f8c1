"""One value over all thresholds of columns of ranks (``core/thresholds``)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.options import Limits
from streed.tasks.forms import CountsMetric, OneValue, Sums


def refusal(form: Any, limits: Limits) -> str:
    """Take sums over rows, squared errors, and what is solved by searches for such sums."""
    metric = form.objective if isinstance(form, Sums) else form
    if isinstance(metric, CountsMetric) and metric.positive < 0:
        return "the metric of more than two classes needs a front"
    if not isinstance(metric, OneValue | CountsMetric):
        return "it needs a front"
    value = value_of(form)
    if isinstance(form, Sums) and not _same_rows(value.rows, form.rows):
        return "limits count rows that the objective leaves out"
    sums = value.leaf.affine or (value is form and value.leaf.squares is not None)
    if not sums or value.combination != "sum":
        return "its leaves do not cost the sum of their rows"
    paid = isinstance(form, Sums) and any(line.tests is not None for line in form.all_lines)
    if paid or value.prices is not None:
        return "tests have prices"
    return "there is no limit of the depth" if limits.unlimited else ""


def _same_rows(own: NDArray[np.int64] | None, kept: NDArray[np.int64] | None) -> bool:
    return own is kept if own is None or kept is None else np.array_equal(own, kept)


def value_of(form: Any) -> OneValue:
    """Return the value that is searched in a form that is taken."""
    value: OneValue = form if isinstance(form, OneValue) else form.value
    return value


def search(
    ranks: NDArray[np.int32], labels: Any, costs: Any, n_labels: int, options: dict[str, Any]
) -> dict[str, Any]:
    """Search the least sum over the rows: labels are (codes, weights), or there are costs per label."""
    codes, weights = (None, None) if labels is None else labels
    answer: dict[str, Any] = _core.solve_thresholds(ranks, codes, weights, costs, n_labels, **options)
    return answer


def search_squares(
    ranks: NDArray[np.int32], statistics: NDArray[np.float64], options: dict[str, Any]
) -> dict[str, Any]:
    """Search the least squared error, from the weight, sum and square of each row."""
    answer: dict[str, Any] = _core.solve_threshold_numbers(ranks, "squares", statistics, 1, **options)
    return answer
