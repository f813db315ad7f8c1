"""What accuracy and balanced accuracy share: a row has a label and a weight, an error costs the weight."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.magnitudes import check_magnitudes
from streed.options import OPTIONS
from streed.table.labels import check_sample_weight, class_factors, encode
from streed.table.units import balanced_units, whole_units
from streed.tasks.base import ClassErrors, Lowered, Tally, Task, worth_of_an_error

if TYPE_CHECKING:
    from streed.reference import Components


class WeightedErrors(Task):
    """Least total weight of misclassified rows, plus a price per branching node.

    Subclasses only say what the weights are and how the value is reported.
    """

    def __init__(
        self, y: ArrayLike, sample_weight: ArrayLike | None, class_weight: object, cost_complexity: float
    ) -> None:
        classes, codes = encode(y)
        weights = check_sample_weight(sample_weight, codes.size)
        complexity = OPTIONS["cost_complexity"].check(cost_complexity)
        assert complexity is not None
        if isinstance(class_weight, str) and class_weight != "balanced":
            raise ValueError(f"class_weight must be None, 'balanced' or a dict, got {class_weight!r}")
        if class_weight is not None and class_weight != "balanced":
            given = np.ones(codes.size) if weights is None else weights
            weights = given * class_factors(class_weight, classes)[codes]
            check_magnitudes("sample_weight times class_weight", weights)

        rows = None
        if weights is not None and not weights.all():
            rows = np.flatnonzero(weights)
            if rows.size == 0:
                raise ValueError("class_weight leaves no row with a weight above zero")
            codes, weights = codes[rows], weights[rows]

        units, scale = np.ones(codes.size), 1.0
        if weights is not None:
            units, scale = whole_units(weights)
        if class_weight == "balanced":
            units, factor = balanced_units(codes, units, classes.size)
            scale *= factor

        self._n_rows = int(np.shape(y)[0])
        self._cost_complexity = float(complexity)
        self._total = float(units.sum())
        branch_cost = self._cost_complexity * self._total
        self._errors = ClassErrors(codes, units)
        self._lowered = Lowered(
            self._errors, classes, branch_cost, scale, tally=Tally(codes, units * scale), rows=rows
        )

    @property
    def n_rows(self) -> int:
        """Number of rows of the data the task was made with, rows of weight zero included."""
        return self._n_rows

    @property
    def classes(self) -> NDArray[Any]:
        """The distinct labels, sorted."""
        return self._lowered.classes

    def share_of_gain(self, gain: float, n_rows: float, unexplained: Callable[[], float]) -> float:
        """Return the price of a node: as many rows as gain so much in log-likelihood, as a share of all."""
        return gain / worth_of_an_error(unexplained()) / n_rows

    def lower(self) -> Lowered:
        """Give the task in the form that the engine takes."""
        return self._lowered

    def components(self, X: ArrayLike, *, min_samples_leaf: int = 1) -> Components[Any, float]:
        """Give the task on binary features as the six components of the paper, in natural units.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The binary features.
        min_samples_leaf : int, default=1
            Least number of rows of a leaf; it becomes the constraint c.

        Returns
        -------
        streed.reference.Components
            States are tuples of row numbers, features are column numbers, labels are positions in `classes`.
        """
        from streed.reference import Components

        low = self._lowered
        table = np.asarray(X, dtype=bool)
        has = (table if low.rows is None else table[low.rows]).tolist()
        codes = self._errors.codes.tolist()
        natural = [abs(self.report(weight) - self.report(0.0)) for weight in self._errors.weights.tolist()]
        branch = abs(self.report(low.branch_cost) - self.report(0.0))

        def cost_leaf(rows: tuple[int, ...], label: int) -> float:
            return math.fsum(natural[i] for i in rows if (codes[i] == label) == self.maximize)

        def transition(rows: tuple[int, ...], feature: int, side: bool) -> tuple[int, ...]:
            return tuple(i for i in rows if has[i][feature] == side)

        return Components(
            cost_leaf=cost_leaf,
            cost_branch=lambda rows, feature: -branch if self.maximize else branch,
            transition=transition,
            better=(lambda v, w: v > w) if self.maximize else (lambda v, w: v < w),
            combine=lambda v, w: v + w,
            feasible=lambda v, rows: len(rows) >= min_samples_leaf,
            initial_state=tuple(range(len(codes))),
            labels=range(low.classes.size),
            features=range(table.shape[1]),
        )
