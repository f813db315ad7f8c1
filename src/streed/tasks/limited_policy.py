"""Policies under capacities and a budget: the greatest mean reward within limits on treatments."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.limits.counts import mean, share
from streed.limits.limit import Limit
from streed.magnitudes import LARGEST, as_float, check_magnitudes
from streed.options import MOST_COMPONENTS
from streed.table.units import from_units, in_units, largest_unit
from streed.tasks.forms import LimitedValue
from streed.tasks.policy_reward import PolicyReward
from streed.tolerance import LAST_DIGITS, TOLERANCE

if TYPE_CHECKING:
    from streed.reference import Components


@dataclass(frozen=True)
class CountLimit:
    """One limit: what a row counts under each treatment, and how much all rows may count together.

    `unit` is what a count of one stands for, `words` how messages begin, `share` whether the user spoke of
    a share of the rows.
    """

    counts: NDArray[np.float64]
    most: float
    unit: float
    words: str
    share: bool = False

    def describe(self, count: float, n: int) -> str:
        """Say a count in the terms in which the user gave the limit."""
        if self.words.startswith("budget"):
            return f"{from_units(count, self.unit) / n:g} per row"
        return f"{count / n:.6g} of the rows" if self.share else f"{count:g} rows"


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
    form: ClassVar[type] = LimitedValue

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
        names = self.labels.tolist()
        self._limits = capacity_limits(capacity, names, self._n_rows)
        self._limits += budget_limits(treatment_costs, budget, names, self._n_rows)
        if len(self._limits) >= MOST_COMPONENTS:
            raise ValueError(
                f"at most {MOST_COMPONENTS - 1} limits can be kept together, got {len(self._limits)} "
                "in capacity and budget"
            )

    @property
    def count_limits(self) -> list[CountLimit]:
        """The capacities and the budget."""
        return self._limits

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
        limits = self._limits
        nothing = (0.0,) * len(limits)

        def counts(state: Any, label: int) -> tuple[float, ...]:
            return tuple(float(limit.counts[label]) * len(state[0]) for limit in limits)

        def feasible(value: tuple[float, ...], state: Any) -> bool:
            kept = all(count <= limit.most for count, limit in zip(value[1:], limits, strict=True))
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

    def lower(self) -> LimitedValue:  # type: ignore[override]
        """Give the rewards as costs, and what each treatment counts towards each limit."""
        counts = np.array([limit.counts for limit in self._limits]).reshape(-1, self.labels.size)
        return LimitedValue(self._lowered, counts, np.array([limit.most for limit in self._limits], float))

    def why_infeasible(self, closest: Sequence[float] | None) -> str:
        """Say which limits no tree keeps, and what the least ones are that work, if the search knows them."""
        n = self._n_rows
        wanted = [f"{limit.words} {limit.describe(limit.most, n)}" for limit in self._limits]
        if closest is None:
            return f"no tree keeps {', '.join(wanted)}"
        least = [
            f"{limit.words} {limit.describe(math.ceil(count - TOLERANCE), n)}"
            for limit, count in zip(self._limits, closest, strict=True)
            if count > limit.most + TOLERANCE
        ]
        others = "" if len(least) == len(wanted) else ", with the other limits as they are"
        return f"no tree keeps {', '.join(wanted)}; the least that works is {', '.join(least)}{others}"


def limits_of(capacity: Any, treatment_costs: Any, budget: Any, names: list[Any], n: int) -> list[Limit]:
    """Return capacities and a budget as limits on shares and on the mean of the costs."""
    capacity_limits(capacity, names, n), budget_limits(treatment_costs, budget, names, n)
    found = []
    for treatment, most in (capacity or {}).items():
        rows = isinstance(most, numbers.Integral)
        found.append(share(treatment) <= (Fraction(min(int(most), n), n) if rows else most))
    return found if budget is None else [*found, mean(treatment_costs) <= budget]


def capacity_limits(capacity: object, names: list[Any], n: int) -> list[CountLimit]:
    """Turn capacities into limits on the number of rows."""
    if capacity is None:
        return []
    if not isinstance(capacity, Mapping):
        raise TypeError(f"capacity must be a mapping from treatments to shares or counts, got {capacity!r}")
    limits = []
    for treatment, most in capacity.items():
        counts = np.zeros(len(names))
        counts[_position("capacity", treatment, names)] = 1.0
        if isinstance(most, bool | np.bool_) or not isinstance(most, numbers.Real):
            raise TypeError(f"a capacity must be a number, got {most!r} for {treatment!r}")
        share = not isinstance(most, numbers.Integral)
        if share and not 0 <= as_float(most) <= 1:
            raise ValueError(
                f"the capacity of {treatment!r} must be a share from 0.0 to 1.0 or an integer, a number of "
                f"rows, got {most!r}"
            )
        if most < 0:
            raise ValueError(f"the capacity of {treatment!r} must not be negative, got {most!r}")
        rows = math.floor(float(most) * n + TOLERANCE) if share else min(int(most), n)  # type: ignore[call-overload]
        limits.append(CountLimit(counts, float(min(rows, n)), 1.0, f"{treatment!r} for at most", share))
    return limits


def budget_limits(treatment_costs: object, budget: object, names: list[Any], n: int) -> list[CountLimit]:
    """Turn a budget into a limit on what the treatments of all rows cost."""
    if treatment_costs is None and budget is None:
        return []
    if not isinstance(treatment_costs, Mapping) or budget is None:
        raise ValueError(
            "budget and treatment_costs, a mapping from treatments to costs per row, need each other; "
            f"got treatment_costs={treatment_costs!r} and budget={budget!r}"
        )
    costs = np.zeros(len(names))
    for treatment, cost in treatment_costs.items():
        costs[_position("treatment_costs", treatment, names)] = _amount(f"the cost of {treatment!r}", cost)
    check_magnitudes("treatment_costs", costs, "place {}")
    most = _amount("the budget", budget)
    unit = largest_unit(costs, n * float(costs.max()))
    units = in_units(costs, unit)
    whole = bool((units == np.rint(units)).all())
    allowed = min(most * n / unit, LARGEST)
    allowed = math.floor(allowed + TOLERANCE) if whole else allowed * (1 + LAST_DIGITS)
    return [CountLimit(units, allowed, unit, "budget of at most")]


def _amount(what: str, value: object) -> float:
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        raise TypeError(f"{what} must be a number, got {value!r}")
    number = as_float(value)
    if not 0 <= number <= LARGEST:
        raise ValueError(f"{what} must be finite (at most {LARGEST:g}) and not negative, got {value!r}")
    return number


def _position(name: str, treatment: object, names: list[Any]) -> int:
    if treatment not in names:
        raise ValueError(f"{name} has {treatment!r}, which is none of the treatments {names!r}")
    return names.index(treatment)
