"""Tasks whose leaves know sums over rows: statistics per row, and a function from their sums to a cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.errors import TaskError
from streed.leaves import LeafFunction
from streed.leaves.compiled import Negated
from streed.magnitudes import as_floats, check_magnitudes
from streed.options import OPTIONS
from streed.tasks.base import Lowered, Task
from streed.tasks.parts.combination import check_combination, joins

if TYPE_CHECKING:
    from streed.reference import Components


class StatisticsTask(Task):
    """Base class of tasks whose leaves cost a function of the sums of their rows' statistics.

    A subclass has a name, hands the statistics of its rows to ``super().__init__`` and has ``leaf_costs``.
    It is solved by the native engine; nothing else is needed. A ``leaf_costs`` that is a static method marked
    with `streed.native` is compiled with Numba where that is installed.

    Parameters
    ----------
    statistics : array-like of shape (n, s)
        What each row adds to the statistics of its leaf.
    labels : sequence, default=(0,)
        What a leaf may predict, one entry per row of the costs.
    branch_cost : float, default=0.0
        Cost of a branching node.
    least_row, worst_row : float or array-like of shape (n,), optional
        Bounds on what adding a row to a leaf (also to an empty one) adds to its cost. With `least_row` the
        search is pruned, with both it is pruned well; a wrong bound gives wrong trees, so
        `streed.check_separable` tries to break them.
    combination : {"sum", "max", "min"}, default="sum"
        What a tree costs: the sum of its leaves and branching nodes, or what the worst leaf costs ("max", or
        "min" where the task is maximised). There is no `branch_cost` then.

    Examples
    --------
    Squared error with the mean of a leaf as its prediction:

    >>> import numpy as np, streed
    >>> class SquaredError(streed.tasks.StatisticsTask):
    ...     name = "squared_error"
    ...     summary = "sum of squared errors (minimised)"
    ...     def __init__(self, y):
    ...         y = np.asarray(y, float)
    ...         super().__init__(np.column_stack([np.ones(len(y)), y, y**2]), least_row=0)
    ...     def leaf_costs(self, sums):
    ...         n, total, squares = sums
    ...         return squares - total**2 / n
    ...     def leaf_label(self, sums):
    ...         return sums[1] / sums[0]
    >>> result = streed.solve(SquaredError([1, 2, 10, 12]), [[0, 0], [0, 1], [1, 0], [1, 1]], max_depth=1)
    >>> result.objective, result.tree.predict([[0, 0], [1, 1]]).tolist()
    (2.5, [1.5, 11.0])
    """

    name: ClassVar[str] = "statistics_task"
    summary: ClassVar[str] = "a function of sums over rows"
    value_name: ClassVar[str] = "cost"

    def __init__(
        self,
        statistics: ArrayLike,
        labels: Sequence[Any] = (0,),
        *,
        branch_cost: float = 0.0,
        least_row: ArrayLike | None = None,
        worst_row: ArrayLike | None = None,
        combination: str = "sum",
    ) -> None:
        table = self._numbers("statistics", statistics)
        if table.ndim != 2 or 0 in table.shape:
            raise TaskError(
                f"{self._who}: statistics must have shape (rows, statistics), both at least 1, "
                f"got {table.shape}"
            )
        if len(labels) < 1:
            raise TaskError(f"{self._who}: at least one label is needed, got {labels!r}")
        cost = OPTIONS["cost_complexity"].check(branch_cost)
        assert cost is not None
        self._statistics = np.ascontiguousarray(table)
        self._labels = _label_array(labels)
        self._branch_cost = float(cost)
        self._worst_leaf = check_combination(self._who, combination, self.maximize, self._branch_cost > 0)
        self._least = self._per_row("least_row", least_row)
        self._worst = self._per_row("worst_row", worst_row)
        if self._worst is not None and self._least is None:
            raise TaskError(f"{self._who}: worst_row needs least_row beside it")
        if self._worst is not None and self._least is not None and (self._worst < self._least).any():
            raise TaskError(f"{self._who}: worst_row is below least_row")

    def leaf_costs(self, sums: NDArray[np.float64]) -> Any:
        """Return the costs of leaves; to be defined by the subclass.

        Parameters
        ----------
        sums : array of shape (s, b)
            The statistics of b leaves, one column each. No leaf is empty.

        Returns
        -------
        array of shape (n_labels, b), or (b,) for one label
            The cost of each leaf under each label; rewards if the task is maximised.
        """
        raise NotImplementedError(f"{type(self).__name__} must define leaf_costs(sums)")

    leaf_label: Any = None
    """``leaf_label(sums)``: what a leaf predicts, where that is computed from its statistics."""

    @property
    def _who(self) -> str:
        return f"the task {self.name!r}"

    def _numbers(self, what: str, values: ArrayLike) -> NDArray[np.float64]:
        try:
            table = as_floats(values)
        except (TypeError, ValueError) as error:
            raise TaskError(f"{self._who}: {what} must be numbers: {error}") from error
        if not np.isfinite(table).all():
            place = tuple(np.argwhere(~np.isfinite(table))[0].tolist())
            raise TaskError(f"{self._who}: {what} must be finite, got {table[place]} at {place}")
        try:
            check_magnitudes(what, table)
        except ValueError as error:
            raise TaskError(f"{self._who}: {error}") from error
        return table

    def _per_row(self, what: str, bound: ArrayLike | None) -> NDArray[np.float64] | None:
        if bound is None:
            return None
        values = self._numbers(what, bound)
        if values.ndim > 1 or (values.ndim == 1 and values.shape != (self.n_rows,)):
            raise TaskError(
                f"{self._who}: {what} must be a number or one per row, {self.n_rows}, got {values.shape}"
            )
        return np.ascontiguousarray(np.broadcast_to(values, (self.n_rows,)))

    @property
    def n_rows(self) -> int:
        """Number of rows of the statistics."""
        return int(self._statistics.shape[0])

    @property
    def statistics(self) -> NDArray[np.float64]:
        """The statistics of each row."""
        return self._statistics

    def lower(self) -> Lowered:
        """Give the task in the form that the engine takes."""
        leaf = LeafFunction(
            self._statistics,
            self._minimised(),
            self._labels.size,
            None if self._least is None else self._bounds()[0],
            None if self._worst is None else self._bounds()[1],
        )
        return Lowered(
            leaf,
            self._labels,
            self._branch_cost,
            leaf_label=self.leaf_label,
            combination="max" if self._worst_leaf else "sum",
        )

    def _minimised(self) -> Any:
        return Negated(self.leaf_costs) if self.maximize else self.leaf_costs

    def _bounds(self) -> tuple[Any, Any]:
        if not self.maximize:
            return self._least, self._worst
        return (None if self._worst is None else -self._worst), (
            None if self._least is None else -self._least
        )

    def report(self, cost: float) -> float:
        """Turn engine units into natural units."""
        return -cost if self.maximize else cost

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
            States are tuples of row numbers, features are column numbers, labels are positions.
        """
        from streed.reference import Components

        has = np.asarray(X, dtype=bool).tolist()
        least = max(1, min_samples_leaf)

        def cost_leaf(rows: tuple[int, ...], label: int) -> float:
            if not rows:
                return 0.0
            sums = self._statistics[list(rows)].sum(axis=0)[:, None]
            return float(np.reshape(self.leaf_costs(sums), self._labels.size)[label])

        def transition(rows: tuple[int, ...], feature: int, side: bool) -> tuple[int, ...]:
            return tuple(i for i in rows if has[i][feature] == side)

        join, branch = joins(self._worst_leaf, self.maximize, self._branch_cost)

        return Components(
            cost_leaf=cost_leaf,
            cost_branch=lambda rows, feature: branch,
            transition=transition,
            better=(lambda v, w: v > w) if self.maximize else (lambda v, w: v < w),
            combine=join,
            feasible=lambda v, rows: len(rows) >= least,
            initial_state=tuple(range(self.n_rows)),
            labels=range(self._labels.size),
            features=range(np.shape(X)[1]),
        )


def _label_array(labels: Sequence[Any]) -> NDArray[Any]:
    """Put labels in an array: of their own type if they are numbers or words of one type, else of objects."""
    plain = [label.item() if isinstance(label, np.generic) else label for label in labels]
    if {type(label) for label in plain} in ({bool}, {int}, {float}, {str}):
        return np.array(plain)
    array = np.empty(len(plain), dtype=object)
    array[:] = plain
    return array
