"""Label costs: what each row costs under each label, as any numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from streed.table.labels import check_sample_weight
from streed.table.units import in_units
from streed.tasks.base import CostTable
from streed.tasks.feature_costs import FeatureCosts, PriceOfColumns
from streed.tasks.parts.combination import check_combination
from streed.tasks.parts.row_costs import CostSummary, RowCosts, check_costs, check_names

if TYPE_CHECKING:
    from streed.tasks.combined import Combined


class LabelCosts(RowCosts):
    """Minimise the sum of the rows' costs, where every row has its own cost under each label.

    The reported value is the total cost, test costs included.

    Parameters
    ----------
    costs : array-like of shape (n, n_labels)
        What each row costs under each label; any finite numbers, negative ones too.
    labels : array-like of shape (n_labels,), optional
        The labels, in the order of the columns; 0, 1, ... by default.
    sample_weight : array-like of shape (n,), optional
        Factor on the costs of each row, not negative. Rows of weight zero are left out altogether.
    feature_costs : streed.FeatureCosts, mapping or sequence, optional
        Prices of tests, paid by every row that reaches a node. All weights must then be equal.
    columns : sequence, optional
        With `feature_costs`: the column that each binary feature comes from. By default every feature is a
        column of its own.
    cost_complexity : float, default=0.0
        Price of a branching node, as a share of the sum over the rows of their greatest less
        their least cost.
    combination : {"sum", "max"}, default="sum"
        What a tree costs: the sum of its leaves, or what the most expensive leaf costs. With "max" neither
        branching nodes nor tests have a price.

    Examples
    --------
    >>> import streed
    >>> task = streed.tasks.LabelCosts([[0, 3], [0, 1], [5, -1]], labels=["wait", "act"])
    >>> result = streed.solve(task, [[0], [0], [1]], max_depth=1)
    >>> result.objective, result.tree.predict([[1]]).tolist()
    (-1.0, ['act'])

    The least largest number of errors in a leaf:

    >>> import numpy as np
    >>> wrong = np.array([0, 1, 1, 1])[:, None] != [0, 1]
    >>> task = streed.tasks.LabelCosts(wrong, combination="max")
    >>> streed.solve(task, [[0, 0], [0, 1], [1, 0], [1, 1]], max_depth=1).objective
    1.0
    """

    name: ClassVar[str] = "label_costs"
    summary: ClassVar[str] = "sum of the rows' costs under their labels (minimised)"
    estimator: ClassVar[str] = "CostSensitiveTreeClassifier"

    def __init__(
        self,
        costs: ArrayLike,
        labels: ArrayLike | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        feature_costs: FeatureCosts | PriceOfColumns | None = None,
        columns: Sequence[Any] | None = None,
        cost_complexity: float = 0.0,
        combination: str = "sum",
    ) -> None:
        charged = feature_costs is not None or cost_complexity != 0
        if check_combination("label_costs", combination, self.maximize, charged, ValueError):
            self.measure = "cost of the most expensive leaf"
        table = check_costs("costs", costs, "label")
        names = check_names("labels", labels, table.shape[1])
        n_rows, rows = table.shape[0], None
        weights = check_sample_weight(sample_weight, n_rows)
        if weights is not None:
            refuse_weighted_tests(weights, feature_costs)
            rows = None if weights.all() else np.flatnonzero(weights)
            table = table * weights[:, None] if rows is None else table[rows] * weights[rows, None]
        self._lower_costs(
            lambda unit: CostTable(np.ascontiguousarray(in_units(table, unit))),
            names,
            CostSummary.of(table),
            n_rows=n_rows,
            rows=rows,
            cost_complexity=cost_complexity,
            feature_costs=feature_costs,
            columns=columns,
            combination=combination,
        )

    @classmethod
    def objectives(cls, costs: ArrayLike, labels: ArrayLike | None = None, **options: Any) -> Combined:
        """Make one task of several objectives: a leaf has one label, and a cost in each of them.

        Parameters
        ----------
        costs : array-like of shape (n, n_labels, n_objectives)
            What each row costs under each label in each objective, two or more of them.
        labels : array-like of shape (n_labels,), optional
            The labels, as for `LabelCosts`.
        **options
            Other parameters of `LabelCosts`, the same for all objectives.

        Returns
        -------
        streed.tasks.Combined
            What `streed.combine` makes of a `LabelCosts` for each objective; solving it gives a front.

        Examples
        --------
        >>> import streed
        >>> task = streed.tasks.LabelCosts.objectives([[[0, 2], [1, 0]], [[3, 0], [0, 1]]])
        >>> [solution.values for solution in streed.solve(task, [[0], [1]], max_depth=1).front]
        [(0.0, 3.0), (1.0, 1.0), (4.0, 0.0)]
        """
        from streed.tasks.combined import combine

        table = np.asarray(costs)
        if table.ndim != 3 or table.shape[2] < 2:
            raise ValueError(
                "costs must have shape (n, n_labels, n_objectives) with two objectives or more, "
                f"got {table.shape}; LabelCosts takes the costs of one"
            )
        return combine(*(cls(table[:, :, j], labels, **options) for j in range(table.shape[2])))


def refuse_weighted_tests(weights: Any, feature_costs: object) -> None:
    """Refuse weights together with prices: a test is paid by rows, and half a row cannot pay."""
    if feature_costs is not None and not np.isin(weights, (0.0, 1.0)).all():
        raise ValueError(
            "feature_costs are paid per row, so sample_weight must be 0 or 1 with them; "
            "repeat rows instead of weighing them"
        )
