"""The mean F1 score of all classes, for two or three of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed import metrics
from streed.metrics.macro import mean_f1, mistake_costs
from streed.tasks.metric import Metric

if TYPE_CHECKING:
    from streed.reference import Components

MOST_CLASSES = 3


class MacroF1(Metric):
    """Maximise the mean over the classes of their F1 scores, each taken as the positive class in turn.

    Two classes are solved like any other metric. Three classes are solved exactly through a front in the
    false positives and the false negatives of each class. With more classes that front has so many objectives
    that hardly any tree is dominated by another, and a search through it would be a search through all trees:
    they are refused.

    Parameters
    ----------
    y : array-like of shape (n,)
        Labels of two or three classes.
    sample_weight : array-like of shape (n,), optional
        Weight of each row, not negative.
    class_weight : None
        Not for metrics; refused with the reason.
    cost_complexity : float, default=0.0
        Not for metrics; anything but 0 is refused with the reason.

    Examples
    --------
    >>> import streed
    >>> task = streed.tasks.MacroF1([0, 0, 1, 1, 1])
    >>> streed.solve(task, [[0], [0], [1], [1], [0]], max_depth=1).objective
    0.8
    """

    name: ClassVar[str] = metrics.MacroF1.name
    summary: ClassVar[str] = "mean F1 score of two or three classes (maximised)"
    measure = "mean F1 score"
    binary: ClassVar[bool] = False

    def __init__(
        self,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        class_weight: object = None,
        cost_complexity: float = 0.0,
    ) -> None:
        super().__init__(y, self.name, sample_weight, None, class_weight, cost_complexity)

    def _check_classes(self) -> None:
        count = len(self._classes)
        if count > MOST_CLASSES:
            raise ValueError(
                f"macro_f1 is solved exactly for at most {MOST_CLASSES} classes, got {count}: the front that "
                f"decides it has {2 * count} objectives, and hardly any tree is dominated by another; "
                "'balanced_accuracy' takes any number of classes"
            )
        if np.unique(self._codes).size < count or count < 2:
            present = np.unique(self._codes).size
            raise ValueError(
                f"macro_f1 needs at least two classes, all with rows of a weight above zero; got {count} "
                f"class{'' if count == 1 else 'es'}, {present} of them with weight"
            )

    def score(self, predicted: NDArray[np.int64]) -> float:
        """Value of predictions, as positions among `classes`, of the rows with a weight above zero."""
        count, wrong = len(self._classes), predicted != self._codes
        weights = self._weights
        fp = np.bincount(predicted[wrong], weights=weights[wrong], minlength=count)
        fn = np.bincount(self._codes[wrong], weights=weights[wrong], minlength=count)
        return float(mean_f1(np.bincount(self._codes, weights=weights, minlength=count), fp, fn))

    def components(self, X: ArrayLike, *, min_samples_leaf: int = 1) -> Components[Any, Any]:
        """Give the front of mistakes per class as the six components of the paper; the mean picks from it.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The binary features.
        min_samples_leaf : int, default=1
            Least number of rows of a leaf; it becomes the constraint c.

        Returns
        -------
        streed.reference.Components
            Values are tuples (fp, fn, fp, fn, ...), two per class, in whole units, ordered by dominance.
        """
        from streed.tasks.parts.vectors import vector_components

        costs = mistake_costs(self._codes, self._units, len(self._classes)).astype(np.int64)
        return vector_components(X, self._rows, costs, min_samples_leaf)
