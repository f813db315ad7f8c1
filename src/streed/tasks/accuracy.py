"""Accuracy: as few misclassified rows as possible, or as little weight of them."""

from __future__ import annotations

from typing import Any, ClassVar

from numpy.typing import ArrayLike

from streed.tasks.base import errors_of, priced
from streed.tasks.parts.weighted_errors import WeightedErrors


class Accuracy(WeightedErrors):
    """Minimise the number, or the weight, of misclassified rows.

    The reported value is the total weight of the misclassified rows, plus ``cost_complexity`` times the total
    weight of all rows times the number of branching nodes.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of any type that can be sorted: numbers, strings, booleans.
    sample_weight : array-like of shape (n,), optional
        Weight of each row, not negative. Rows of weight zero are left out altogether: they do not count
        towards ``min_samples_leaf`` either.
    class_weight : dict or "balanced", optional
        Factor of each label on the weight of its rows. "balanced" gives all classes the same total weight and
        leaves the total as it is.
    cost_complexity : float, default=0.0
        Price of a branching node as a share of the total weight.

    Examples
    --------
    >>> import streed
    >>> task = streed.tasks.Accuracy(["a", "b", "b"], sample_weight=[1, 1, 2])
    >>> streed.solve(task, [[0], [0], [1]], max_depth=1).objective
    1.0
    """

    name: ClassVar[str] = "accuracy"
    summary: ClassVar[str] = "weight of the misclassified rows (minimised)"

    def __init__(
        self,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        class_weight: Any = None,
        cost_complexity: float = 0.0,
    ) -> None:
        super().__init__(y, sample_weight, class_weight, cost_complexity)
        self.measure = priced(errors_of(sample_weight, class_weight), self._cost_complexity)

    def report(self, cost: float) -> float:
        """Turn engine units into the weight of misclassified rows."""
        return cost * self._lowered.scale
