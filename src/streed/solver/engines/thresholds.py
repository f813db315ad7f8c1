"""One value over all thresholds of columns of ranks (``core/thresholds``)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.options import Limits
from streed.solver import led
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


class ThresholdProblem(NamedTuple):
    """What the engine searches over all thresholds.

    Attributes
    ----------
    kind : {"thresholds", "threshold_numbers"}
        The function of the engine: rows with labels or costs, or with the numbers of a row model.
    data : tuple
        Its arguments.
    """

    kind: str
    data: tuple[Any, ...]


def search(
    ranks: NDArray[np.int32], labels: Any, costs: Any, n_labels: int, options: dict[str, Any]
) -> dict[str, Any]:
    """Search the least sum over the rows: labels are (codes, weights), or there are costs per label."""
    codes, weights = (None, None) if labels is None else labels
    return _search(ThresholdProblem("thresholds", (ranks, codes, weights, costs, n_labels)), options)


def search_squares(
    ranks: NDArray[np.int32], statistics: NDArray[np.float64], options: dict[str, Any]
) -> dict[str, Any]:
    """Search the least squared error, from the weight, sum and square of each row."""
    return _search(ThresholdProblem("threshold_numbers", (ranks, "squares", statistics, 1)), options)


def _search(problem: ThresholdProblem, options: dict[str, Any]) -> dict[str, Any]:
    leader = led.leader()
    return search_here(problem, options) if leader is None else leader.thresholds(problem, options)


def search_here(problem: ThresholdProblem, options: dict[str, Any], helper: Any = None) -> dict[str, Any]:
    """Search by the engine of this process; `helper` evaluates thresholds of the root elsewhere."""
    answer: dict[str, Any] = getattr(_core, f"solve_{problem.kind}")(*problem.data, helper=helper, **options)
    return answer


def evaluator(problem: ThresholdProblem, options: dict[str, Any]) -> Any:
    """Return what evaluates thresholds of the root for the search of another process."""
    return getattr(_core.shared, problem.kind)(*problem.data, **options)
