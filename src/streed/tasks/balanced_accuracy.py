"""Balanced accuracy: the mean of the recalls of the classes."""

from __future__ import annotations

from typing import ClassVar

from numpy.typing import ArrayLike

from streed import metrics
from streed.tasks.parts.weighted_errors import WeightedErrors


class BalancedAccuracy(WeightedErrors):
    """Maximise the mean, over the classes, of the share of their rows that are classified right.

    The reported value is the balanced accuracy, from 0 to 1, less ``cost_complexity`` times the number of
    branching nodes. It is maximised, so `Result.lower_bound` is an upper bound.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of any type that can be sorted: numbers, strings, booleans.
    sample_weight : array-like of shape (n,), optional
        Weight of each row, not negative. Rows of weight zero are left out altogether.
    cost_complexity : float, default=0.0
        Price of a branching node, in units of balanced accuracy.

    Examples
    --------
    >>> import streed
    >>> task = streed.tasks.BalancedAccuracy([0, 0, 0, 1])
    >>> streed.solve(task, [[0], [0], [1], [1]], max_depth=1).objective
    0.8333333333333334
    """

    name: ClassVar[str] = metrics.BalancedAccuracy.name
    summary: ClassVar[str] = "mean recall of the classes (maximised)"
    maximize: ClassVar[bool] = True
    measure = "balanced accuracy"

    def __init__(
        self, y: ArrayLike, sample_weight: ArrayLike | None = None, cost_complexity: float = 0.0
    ) -> None:
        super().__init__(y, sample_weight, "balanced", cost_complexity)

    def report(self, cost: float) -> float:
        """Turn engine units into balanced accuracy."""
        return 1.0 - cost / self._total
