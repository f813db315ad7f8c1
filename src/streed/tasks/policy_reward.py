"""Policies: which treatment each row gets, for the greatest mean reward."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from streed.table.units import in_units
from streed.tasks.base import CostTable
from streed.tasks.parts.row_costs import CostSummary, RowCosts, check_costs, check_names


class PolicyReward(RowCosts):
    """Maximise the mean reward of the treatments that a tree prescribes.

    The reported value is the mean reward Q, less ``cost_complexity`` times the mean spread of the rewards per
    branching node. It is maximised, so `Result.lower_bound` is an upper bound.

    Parameters
    ----------
    rewards : array-like of shape (n, n_treatments)
        What each row is expected to gain from each treatment, e.g. doubly robust scores.
    treatments : array-like of shape (n_treatments,), optional
        Names of the treatments, in the order of the columns; 0, 1, ... by default.
    cost_complexity : float, default=0.0
        Price of a branching node, as a share of the mean over the rows of their greatest less their least
        reward.

    Examples
    --------
    >>> import streed
    >>> task = streed.tasks.PolicyReward([[1, 0], [1, 0], [0, 2]], treatments=["none", "drug"])
    >>> result = streed.solve(task, [[0], [0], [1]], max_depth=1)
    >>> round(result.objective, 4), result.tree.predict([[0], [1]]).tolist()
    (1.3333, ['none', 'drug'])
    """

    name: ClassVar[str] = "policy_reward"
    summary: ClassVar[str] = "mean reward of the prescribed treatments (maximised)"
    estimator: ClassVar[str] = "PolicyTree"
    maximize: ClassVar[bool] = True
    value_name: ClassVar[str] = "reward"
    measure = "mean reward"

    def __init__(
        self, rewards: ArrayLike, treatments: ArrayLike | None = None, *, cost_complexity: float = 0.0
    ) -> None:
        table = check_costs("rewards", rewards, "treatment")
        names = check_names("treatments", treatments, table.shape[1])
        summary = CostSummary.of(table)
        self._lower_costs(
            lambda unit: CostTable(np.ascontiguousarray(in_units(-table, unit))),
            names,
            summary,
            n_rows=table.shape[0],
            cost_complexity=cost_complexity,
        )

    def report(self, cost: float) -> float:
        """Turn engine units into the mean reward."""
        return 0.0 - super().report(cost) / self._n_rows
