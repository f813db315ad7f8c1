"""What tasks share in which every row has a cost per label: checks, units, prices of tests, components."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.magnitudes import LARGEST, as_floats, check_magnitudes
from streed.options import OPTIONS
from streed.table.units import from_units, largest_unit
from streed.tasks.base import ClassErrors, CostTable, Lowered, Tally, Task, priced
from streed.tasks.feature_costs import FeatureCosts, PriceOfColumns
from streed.tasks.parts.combination import joins
from streed.tasks.parts.price_list import price_list
from streed.tasks.parts.price_rule import PriceTable, node_price

if TYPE_CHECKING:
    from streed.reference import Components


FIRST_LOOK = 16
"""This many costs of a table are tried first: mostly they show that there is no unit."""


class CostSummary(NamedTuple):
    """What is known of all costs: their values, and sums over the rows of the largest and of the spread."""

    distinct: list[float] | NDArray[np.float64] | None
    """None if they have no unit."""
    total: float
    spread: float

    @classmethod
    def of(cls, costs: NDArray[np.float64]) -> CostSummary:
        """Summarise a table (rows, labels); if the first few values have no common unit, none is sought."""
        most, least = costs.max(axis=1), costs.min(axis=1)
        total = float(np.maximum(np.abs(most), np.abs(least)).sum())
        few = costs[:FIRST_LOOK].ravel()[:FIRST_LOOK]
        hopeless = largest_unit(few.tolist(), 0.0) == 1.0 and not bool((few == np.rint(few)).all())
        distinct = None if hopeless else np.unique(costs)
        return cls(distinct, total, float((most - least).sum()))


class RowCosts(Task):
    """Least sum of the rows' costs under the labels of their leaves, plus prices of tests and of nodes.

    Subclasses check their data, call `_lower_costs`, and may report another unit.
    """

    value_name = "cost"
    measure = "total cost"

    def _lower_costs(
        self,
        leaf: Callable[[float], ClassErrors | CostTable],
        labels: NDArray[Any],
        summary: CostSummary,
        *,
        n_rows: int,
        tally: Tally | None = None,
        rows: NDArray[np.int64] | None = None,
        cost_complexity: float = 0.0,
        feature_costs: FeatureCosts | PriceOfColumns | None = None,
        columns: Sequence[Any] | None = None,
        combination: str = "sum",
    ) -> None:
        """Put costs of leaves and prices of tests on one unit, and keep the task in the engine's form.

        ``leaf(unit)`` is what leaves cost in that unit.
        """
        complexity = OPTIONS["cost_complexity"].check(cost_complexity)
        assert complexity is not None
        if not summary.total <= n_rows * LARGEST:
            raise ValueError(f"costs times weights must be at most {LARGEST:g} in size, and are larger")
        self._n_rows = n_rows
        self.measure = priced(self.measure, complexity)
        listed = None
        distinct, total = summary.distinct, summary.total
        if feature_costs is not None:
            listed = price_list(feature_costs, columns)
            distinct = None if distinct is None else [*distinct, *listed.distinct]
            total += n_rows * listed.total
        elif columns is not None:
            raise ValueError("columns say where features with prices come from; feature_costs is missing")
        unit = self._unit = 1.0 if distinct is None else largest_unit(distinct, total)
        self._lowered = Lowered(
            leaf(unit),
            labels,
            branch_cost=node_price(float(complexity), summary.spread) / unit,
            scale=unit,
            prices=None if listed is None else listed.in_units(unit),
            tally=tally,
            rows=rows,
            combination=combination,
        )

    @property
    def n_rows(self) -> int:
        """Number of rows of the data the task was made with, rows of weight zero included."""
        return self._n_rows

    @property
    def labels(self) -> NDArray[Any]:
        """The labels that a leaf may have, in the order of the costs."""
        return self._lowered.classes

    def lower(self) -> Lowered:
        """Give the task in the form that the engine takes."""
        return self._lowered

    def report(self, cost: float) -> float:
        """Turn engine units into the total cost."""
        return from_units(cost, self._unit)

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
            States are a tuple of row numbers with the attributes and the groups tested so far, features are
            column numbers, labels are positions in `labels`.
        """
        from streed.reference import Components

        low = self._lowered
        table = np.asarray(X, dtype=bool)
        has = (table if low.rows is None else table[low.rows]).tolist()
        costs = low.leaf.label_costs(low.classes.size).tolist()
        price = PriceTable(low.prices, table.shape[1])

        def transition(state: Any, feature: int, side: bool) -> Any:
            rows, tested, groups = state
            reached = tuple(i for i in rows if has[i][feature] == side)
            return reached, *price.after(tested, groups, feature)

        join, neutral = joins(low.combination == "max", self.maximize, 0.0)

        def cost_branch(state: Any, feature: int) -> float:
            if low.combination == "max":
                return neutral
            rows, tested, groups = state
            return self.report(len(rows) * price.of(tested, groups, feature) + low.branch_cost)

        return Components(
            cost_leaf=lambda state, label: self.report(math.fsum(costs[i][label] for i in state[0])),
            cost_branch=cost_branch,
            transition=transition,
            better=(lambda v, w: v > w) if self.maximize else (lambda v, w: v < w),
            combine=join,
            feasible=lambda v, state: len(state[0]) >= min_samples_leaf,
            initial_state=(tuple(range(len(costs))), frozenset(), frozenset()),
            labels=range(low.classes.size),
            features=range(table.shape[1]),
        )


def check_costs(name: str, values: ArrayLike, unit: str) -> NDArray[np.float64]:
    """Check a table of numbers, one row per row of the data and one column per label or treatment."""
    try:
        table = as_floats(values)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be a table of numbers: {error}") from error
    if table.ndim == 3 and table.shape[2] == 1:
        table = table[:, :, 0]
    if table.ndim == 3:
        raise ValueError(
            f"{name} of shape {table.shape} are {table.shape[2]} objectives at once: LabelCosts.objectives "
            "makes a task of them, or streed.combine of a task for each"
        )
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(f"{name} must have shape (rows, {unit}s), at least one of each, got {table.shape}")
    if not np.isfinite(table).all():
        row, column = (int(i) for i in np.argwhere(~np.isfinite(table))[0])
        raise ValueError(f"{name} must be finite, got {table[row, column]} in row {row}, {unit} {column}")
    check_magnitudes(name, table)
    return table


def check_names(name: str, given: ArrayLike | None, n: int) -> NDArray[Any]:
    """Check the names of labels or treatments: `n` distinct ones, 0, 1, ... by default."""
    if given is None:
        return np.arange(n)
    names = np.asarray(given)
    if names.shape != (n,):
        raise ValueError(f"{name} must hold one name for each of the {n} columns, got shape {names.shape}")
    try:
        distinct = len(set(names.tolist()))
    except TypeError as error:
        raise TypeError(f"{name} must be hashable: {error}") from error
    if distinct < n:
        raise ValueError(f"{name} must be distinct, got {names.tolist()!r}")
    return names
