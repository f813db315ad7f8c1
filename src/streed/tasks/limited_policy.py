"""Policies under capacities and a budget: the greatest mean reward within limits on treatments."""

from __future__ import annotations

import numbers
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from streed.limits.counts import mean, share
from streed.limits.limit import Limit
from streed.limits.rows import limit_rows
from streed.magnitudes import LARGEST, as_float, check_magnitudes
from streed.options import MOST_COMPONENTS
from streed.tasks.forms import Sums
from streed.tasks.policy_reward import PolicyReward
from streed.tolerance import TOLERANCE

if TYPE_CHECKING:
    from streed.reference import Components


class LimitedPolicyReward(PolicyReward):
    """Maximise the mean reward of a policy that keeps capacities and a budget.

    Parameters
    ----------
    rewards : array-like of shape (n, n_treatments)
        What each row is expected to gain from each treatment.
    treatments : array-like of shape (n_treatments,), optional
        Names of the treatments, in the order of the columns; 0, 1, ... by default.
    capacity : mapping, optional
        Most rows that may get a treatment: an integer is a number of rows, any other number a share of them,
        from 0.0 to 1.0.
    treatment_costs : mapping, optional
        What a treatment costs per row; those left out are free.
    budget : float, optional
        Most that the treatments may cost per row on average.
    cost_complexity : float, default=0.0
        Price of a branching node, as a share of the mean over the rows of their greatest less their least
        reward.

    Raises
    ------
    streed.InfeasibleError
        When solved, if no tree keeps the limits.
    """

    name: ClassVar[str] = "limited_policy_reward"
    summary: ClassVar[str] = "mean reward of a policy under capacities and a budget (maximised)"
    estimator: ClassVar[str] = "PolicyTree"
    form: ClassVar[type] = Sums

    def __init__(
        self,
        rewards: ArrayLike,
        treatments: ArrayLike | None = None,
        *,
        capacity: Mapping[Any, float] | None = None,
        treatment_costs: Mapping[Any, float] | None = None,
        budget: float | None = None,
        cost_complexity: float = 0.0,
    ) -> None:
        super().__init__(rewards, treatments, cost_complexity=cost_complexity)
        self.limits = tuple(limits_of(capacity, treatment_costs, budget, self.labels.tolist(), self._n_rows))
        if len(self.limits) >= MOST_COMPONENTS:
            raise ValueError(
                f"at most {MOST_COMPONENTS - 1} limits can be kept together, got {len(self.limits)} "
                "in capacity and budget"
            )
        self._given: list[Any] = [*(capacity or {}).items(), *([] if budget is None else [("", budget)])]
        self._counted = limit_rows(self.labels, None, self._n_rows)
        self._lines = tuple(tuple(limit.quantity.lines(self._counted, limit)) for limit in self.limits)

    def components(self, X: ArrayLike, *, min_samples_leaf: int = 1) -> Components[Any, Any]:
        """Give the task as the six components of the paper: the reward first, then what the limits count.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            The binary features.
        min_samples_leaf : int, default=1
            Least number of rows of a leaf.

        Returns
        -------
        streed.reference.Components
            Values are tuples. A tree is better if its reward is not less, no count is greater, and one of
            them differs.
        """
        from streed.reference import Components

        plain = super().components(X, min_samples_leaf=min_samples_leaf)
        lines = [line for lines in self._lines for line in lines]
        nothing = (0.0,) * len(lines)

        def counts(state: Any, label: int) -> tuple[float, ...]:
            return tuple(float(line.costs[0, label]) * len(state[0]) for line in lines)

        def feasible(value: tuple[float, ...], state: Any) -> bool:
            kept = all(count <= line.upper for count, line in zip(value[1:], lines, strict=True))
            return kept and plain.feasible(value[0], state)

        return Components(
            cost_leaf=lambda state, label: (plain.cost_leaf(state, label), *counts(state, label)),
            cost_branch=lambda state, feature: (plain.cost_branch(state, feature), *nothing),
            transition=plain.transition,
            better=lambda v, w: (
                v != w and v[0] >= w[0] and all(a <= b for a, b in zip(v[1:], w[1:], strict=True))
            ),
            combine=lambda v, w: tuple(a + b for a, b in zip(v, w, strict=True)),
            feasible=feasible,
            initial_state=plain.initial_state,
            labels=plain.labels,
            features=plain.features,
        )

    def lower(self) -> Sums:  # type: ignore[override]
        """Give the rewards as costs, and the limits as sums over the rows."""
        return Sums(self, self._lowered, self.limits, self._lines, self._counted, why=self.why_infeasible)

    def why_infeasible(self, closest: Sequence[float] | None) -> str:
        """Say which limits no tree keeps, and what the least ones are that work, if the search knows them."""
        limits = list(zip(self.limits, self._given, strict=True))
        wanted = ", ".join(self._words(given, float(limit.most or 0)) for limit, given in limits)
        if closest is None:
            return f"no tree keeps {wanted}"
        least = [
            self._words(given, value)
            for (limit, given), value in zip(limits, closest, strict=True)
            if value > (limit.most or 0) + TOLERANCE
        ]
        others = "" if len(least) == len(limits) else ", with the other limits as they are"
        return f"no tree keeps {wanted}; the least that works is {', '.join(least)}{others}"

    def _words(self, given: tuple[Any, Any], value: float) -> str:
        """Say a limit with some value, in the terms in which the user gave the limit."""
        treatment, most = given
        if treatment == "":
            return f"budget of at most {value:g} per row"
        if isinstance(most, numbers.Integral):
            return f"{treatment!r} for at most {round(value * self._n_rows)} rows"
        return f"{treatment!r} for at most {value:.6g} of the rows"


def limits_of(capacity: Any, treatment_costs: Any, budget: Any, names: list[Any], n: int) -> list[Limit]:
    """Return capacities and a budget as limits on shares and on the mean of the costs."""
    check_capacity(capacity, names)
    check_budget(treatment_costs, budget, names)
    found = []
    for treatment, most in (capacity or {}).items():
        rows = isinstance(most, numbers.Integral)
        found.append(share(treatment) <= (Fraction(min(int(most), n), n) if rows else most))
    return found if budget is None else [*found, mean(treatment_costs) <= budget]


def check_capacity(capacity: object, names: list[Any]) -> None:
    """Refuse what are no capacities."""
    if capacity is None:
        return
    if not isinstance(capacity, Mapping):
        raise TypeError(f"capacity must be a mapping from treatments to shares or counts, got {capacity!r}")
    for treatment, most in capacity.items():
        _check_treatment("capacity", treatment, names)
        if isinstance(most, bool | np.bool_) or not isinstance(most, numbers.Real):
            raise TypeError(f"a capacity must be a number, got {most!r} for {treatment!r}")
        if not isinstance(most, numbers.Integral) and not 0 <= as_float(most) <= 1:
            raise ValueError(
                f"the capacity of {treatment!r} must be a share from 0.0 to 1.0 or an integer, a number of "
                f"rows, got {most!r}"
            )
        if most < 0:
            raise ValueError(f"the capacity of {treatment!r} must not be negative, got {most!r}")


def check_budget(treatment_costs: object, budget: object, names: list[Any]) -> None:
    """Refuse what is no budget, or has no costs."""
    if treatment_costs is None and budget is None:
        return
    if not isinstance(treatment_costs, Mapping) or budget is None:
        raise ValueError(
            "budget and treatment_costs, a mapping from treatments to costs per row, need each other; "
            f"got treatment_costs={treatment_costs!r} and budget={budget!r}"
        )
    for treatment in treatment_costs:
        _check_treatment("treatment_costs", treatment, names)
    costs = [_amount(f"the cost of {treatment!r}", cost) for treatment, cost in treatment_costs.items()]
    check_magnitudes("treatment_costs", np.array(costs), "place {}")
    _amount("the budget", budget)


def _amount(what: str, value: object) -> float:
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        raise TypeError(f"{what} must be a number, got {value!r}")
    number = as_float(value)
    if not 0 <= number <= LARGEST:
        raise ValueError(f"{what} must be finite (at most {LARGEST:g}) and not negative, got {value!r}")
    return number


def _check_treatment(name: str, treatment: object, names: list[Any]) -> None:
    if treatment not in names:
        raise ValueError(f"{name} has {treatment!r}, which is none of the treatments {names!r}")
