"""Metrics of binary classification as tasks: F1 and others, and any monotone function of the four cells."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed import metrics
from streed.errors import TaskError
from streed.leaves import ClassErrors
from streed.table.labels import check_sample_weight, encode
from streed.table.units import integer_units
from streed.tasks.base import Task
from streed.tasks.forms import CountsMetric, OneValue, Sums, Tally

if TYPE_CHECKING:
    from streed.reference import Components

UNIT_BITS = 30
SAME = 1e-15
"""Weights that differ by no more than this share from whole multiples of a unit are meant to be such."""
JUMP = 1e-3
"""Rounding the weights changes a metric without steps by much less than this share of all its values."""
BUILT_IN = frozenset(type(metric) for metric in metrics.METRICS.values())
"""Metrics that are known to be monotone; all others are checked."""

NO_CLASS_WEIGHT = (
    "a metric counts true and false positives as they are: class_weight would change what it means; "
    "weigh rows with sample_weight, or choose a metric that weighs the classes, such as streed.metrics.FBeta"
)
NO_COMPLEXITY = (
    "a metric has no unit in which a branching node could be priced: cost_complexity must be 0; "
    "limit the size with max_nodes or max_depth"
)


def refuse(what: str, value: object, reason: str) -> None:
    """Refuse an argument that is neither absent nor zero."""
    if value is not None and not (isinstance(value, int | float) and value == 0):
        raise ValueError(f"{reason}; got {what}={value!r}")


def position_of(positive: object, classes: NDArray[Any]) -> int:
    """Position of the positive class among two classes; the second one if none is named."""
    known = classes.tolist()
    if positive is None:
        return 1
    if positive not in known:
        raise ValueError(f"positive must be one of the labels {known!r}, got {positive!r}")
    return int(known.index(positive))


class Metric(Task):
    """Maximise a metric of binary classification on the training rows.

    The reported value is the metric; it is maximised, so `Result.lower_bound` is an upper bound.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of two classes.
    metric : str, streed.metrics.Metric or callable
        A name in `streed.metrics.METRICS`, a metric object, or a function ``metric(tp, fp, fn, tn)`` that
        does not fall when fp or fn falls and the class totals stay as they are. That is checked on a grid.
    sample_weight : array-like of shape (n,), optional
        Weight of each row, not negative: the metric then counts weights. Weights that are not whole multiples
        of one unit are rounded to 2^-30 of their total in the search; a metric that jumps within the rounding
        is refused then.
    positive : object, optional
        The label that counts as positive. By default the second one in sorted order: 1 of {0, 1}, True, "yes"
        of {"no", "yes"}.
    class_weight : None
        Not for metrics; refused with the reason.
    cost_complexity : float, default=0.0
        Not for metrics; anything but 0 is refused with the reason.

    Examples
    --------
    >>> import streed
    >>> task = streed.tasks.Metric([0, 0, 0, 1, 1], "g_mean")
    >>> streed.solve(task, [[0], [0], [1], [1], [1]], max_depth=1).objective
    0.816496580927726
    """

    name: ClassVar[str] = "metric"
    summary: ClassVar[str] = "a metric of binary classification (maximised)"
    form: ClassVar[type] = Sums
    maximize: ClassVar[bool] = True
    binary: ClassVar[bool] = True

    def __init__(
        self,
        y: ArrayLike,
        metric: object,
        sample_weight: ArrayLike | None = None,
        positive: object = None,
        class_weight: object = None,
        cost_complexity: float = 0.0,
    ) -> None:
        refuse("class_weight", class_weight, NO_CLASS_WEIGHT)
        refuse("cost_complexity", cost_complexity, NO_COMPLEXITY)
        self.metric = metrics.as_metric(metric)
        self._classes, codes = encode(y)
        weights = check_sample_weight(sample_weight, codes.size)
        self._n_rows = codes.size
        self._rows = None if weights is None or weights.all() else np.flatnonzero(weights)
        if self._rows is not None and weights is not None:
            codes, weights = codes[self._rows], weights[self._rows]
        self._codes = codes
        self._weights = np.ones(codes.size) if weights is None else weights
        self._units, self._scale = integer_units(weights, codes.size, UNIT_BITS)
        kept = metrics.weight_of(self._units, self._scale)
        self._rounded = bool((np.abs(kept - self._weights) > SAME * self._weights).any())
        self._check_classes()
        self._positive = position_of(positive, self._classes) if len(self._classes) == 2 else -1

    def _check_classes(self) -> None:
        present = np.unique(self._codes).size
        if len(self._classes) > 2:
            raise ValueError(
                f"Only binary classification is supported. The metric {self.metric.name} needs two classes, "
                f"got {len(self._classes)}: {self._classes.tolist()!r}"
            )
        if present < 2:
            raise ValueError(
                f"the metric {self.metric.name} needs rows of two classes, got 1 class with a weight above "
                f"zero: the label {self._classes.tolist()[int(self._codes[0])]!r}"
            )
        if type(self.metric) in BUILT_IN:
            return
        positives = self._units[self._codes == 1].sum(), self._units[self._codes == 0].sum()
        metrics.check_monotone(self.metric, int(positives[0]), int(positives[1]), self._scale)

    @property
    def n_rows(self) -> int:
        """Number of rows of the data the task was made with, rows of weight zero included."""
        return self._n_rows

    @property
    def classes(self) -> NDArray[Any]:
        """The distinct labels, sorted."""
        return self._classes

    @property
    def positive(self) -> Any:
        """The label that counts as positive."""
        return self._classes[self._positive]

    def lower(self) -> Sums:
        """Give the metric, and the classes and weights of the rows."""
        leaf, tally = ClassErrors(self._codes, self._weights), Tally(self._codes, self._weights)
        value = OneValue(leaf, self._classes, tally=tally, rows=self._rows)
        counts = self._codes, self._units, self._scale, self._positive
        return Sums(self, CountsMetric(self.metric, value, *counts))

    def report(self, cost: float) -> float:
        """Return the value as it is: searches are watched in natural units."""
        return cost

    def score(self, predicted: NDArray[np.int64]) -> float:
        """Value of predictions, as positions among `classes`, of the rows with a weight above zero."""
        wrong = predicted != self._codes
        true = self._codes == self._positive
        masks = (true & ~wrong, ~true & wrong, true & wrong, ~true & ~wrong)
        if self._rounded:
            return float(self.metric(*(math.fsum(self._weights[mask]) for mask in masks)))
        cells = [metrics.weight_of(int(self._units[mask].sum()), self._scale) for mask in masks]
        return float(self.metric(*cells))

    def check_score(self, objective: float, searched: float) -> None:
        """Refuse a metric that jumps within the rounding of the weights: the searched value means nothing."""
        if not self._rounded or len(self._classes) > 2:
            return
        positives = float(self._weights[self._codes == self._positive].sum())
        negatives = float(self._weights.sum()) - positives
        span = abs(self.metric(positives, 0.0, 0.0, negatives) - self.metric(0.0, negatives, positives, 0.0))
        if abs(objective - searched) > JUMP * span:
            raise TaskError(
                f"the metric {self.metric.name} jumps from {searched:g} to {objective:g} where the weights "
                "are rounded to 2^-30 of their total: give sample_weight as whole multiples of one unit"
            )

    def components(self, X: ArrayLike, *, min_samples_leaf: int = 1) -> Components[Any, Any]:
        """Give the front of mistakes as the six components of the paper; the metric picks from it.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The binary features.
        min_samples_leaf : int, default=1
            Least number of rows of a leaf; it becomes the constraint c.

        Returns
        -------
        streed.reference.Components
            Values are tuples (fp, fn) in whole units, ordered by dominance; labels are positions in
            `classes`.
        """
        from streed.tasks.parts.vectors import vector_components

        costs = np.zeros((self._codes.size, 2, 2), dtype=np.int64)
        true = self._codes == self._positive
        costs[~true, self._positive, 0] = self._units[~true]
        costs[true, 1 - self._positive, 1] = self._units[true]
        return vector_components(X, self._rows, costs, min_samples_leaf)


class F1Score(Metric):
    """Maximise the F1 score, or F-beta: the weighted harmonic mean of precision and recall.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of two classes.
    sample_weight : array-like of shape (n,), optional
        Weight of each row, not negative.
    positive : object, optional
        The label that counts as positive; by default the second one in sorted order.
    beta : float, default=1.0
        How much recall counts against precision.
    class_weight : None
        Not for metrics; refused with the reason.
    cost_complexity : float, default=0.0
        Not for metrics; anything but 0 is refused with the reason.

    Examples
    --------
    >>> import streed
    >>> task = streed.tasks.F1Score(["no", "no", "no", "yes", "yes"])
    >>> streed.solve(task, [[0], [0], [1], [1], [1]], max_depth=1).objective
    0.8
    """

    name: ClassVar[str] = metrics.FBeta(1).name
    summary: ClassVar[str] = "harmonic mean of precision and recall of the positive class (maximised)"
    measure = "F1 score"

    def __init__(
        self,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        positive: object = None,
        beta: float = 1.0,
        class_weight: object = None,
        cost_complexity: float = 0.0,
    ) -> None:
        metric = metrics.FBeta(beta)
        super().__init__(y, metric, sample_weight, positive, class_weight, cost_complexity)


class _Named(Metric):
    """A metric of `streed.metrics` that has a name of its own as an objective: the name of the metric."""

    def __init_subclass__(cls, metric: type[metrics.Metric] | None = None) -> None:
        super().__init_subclass__()
        if metric is not None:
            cls.name = metric.name

    def __init__(
        self,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        positive: object = None,
        class_weight: object = None,
        cost_complexity: float = 0.0,
    ) -> None:
        super().__init__(y, self.name, sample_weight, positive, class_weight, cost_complexity)


class JaccardIndex(_Named, metric=metrics.Jaccard):
    """Maximise tp / (tp + fp + fn).

    Parameters as in `Metric`, but for the metric.
    """

    summary: ClassVar[str] = "tp / (tp + fp + fn) of the positive class (maximised)"
    measure = "Jaccard index"


class MatthewsCorrelation(_Named, metric=metrics.MatthewsCorrelation):
    """Maximise the Matthews correlation coefficient.

    Parameters as in `Metric`, but for the metric.
    """

    summary: ClassVar[str] = "Matthews correlation coefficient (maximised)"
    measure = "Matthews correlation"


class GMean(_Named, metric=metrics.GMean):
    """Maximise the geometric mean of the recalls of both classes.

    Parameters as in `Metric`, but for the metric.
    """

    summary: ClassVar[str] = "geometric mean of the recalls of both classes (maximised)"
    measure = "geometric mean of the recalls"


class MinRecall(_Named, metric=metrics.MinRecall):
    """Maximise the lesser of the recalls of both classes.

    Parameters as in `Metric`, but for the metric.
    """

    summary: ClassVar[str] = "lesser recall of the two classes (maximised)"
    measure = "lesser recall"
