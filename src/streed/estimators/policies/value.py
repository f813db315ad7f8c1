"""The value of a policy, with standard errors, beside what was observed and the best constant treatment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Estimate(NamedTuple):
    """A mean and its standard error."""

    value: float
    standard_error: float

    def __str__(self) -> str:
        return f"{self.value:.4g} ± {self.standard_error:.2g}"


@dataclass(frozen=True)
class PolicyValue:
    """What a policy is worth per row, estimated from scores of rows that it was not fitted on.

    Attributes
    ----------
    policy : Estimate
        Mean score of the prescribed treatments.
    observed : Estimate or None
        Mean outcome of the treatments that were given; None if only rewards are known.
    constants : mapping of treatment to Estimate
        Mean score if all rows got the same treatment, for each treatment that can be scored.
    best_constant : object
        The treatment with the greatest of these.
    gain_over_observed : Estimate or None
        Mean difference of policy and observed outcome, row by row.
    gain_over_constant : Estimate
        Mean difference of policy and best constant treatment, row by row.
    """

    policy: Estimate
    observed: Estimate | None
    constants: Mapping[Any, Estimate]
    best_constant: Any
    gain_over_observed: Estimate | None
    gain_over_constant: Estimate

    @property
    def value(self) -> float:
        """The policy's value."""
        return self.policy.value

    @property
    def standard_error(self) -> float:
        """Standard error of the policy's value."""
        return self.policy.standard_error

    def summary(self) -> str:
        """Say in a few lines what the policy is worth."""
        lines = [f"policy          {self.policy}"]
        if self.observed is not None:
            lines.append(f"observed        {self.observed}  (gain {self.gain_over_observed})")
        constant = self.constants[self.best_constant]
        lines.append(f"all get {self.best_constant!s:8}{constant}  (gain {self.gain_over_constant})")
        return "\n".join(lines)


def estimate(values: NDArray[np.float64]) -> Estimate:
    """Mean and standard error of the mean."""
    error = float(values.std(ddof=1)) / values.size**0.5 if values.size > 1 else float("nan")
    return Estimate(float(values.mean()), error)


def policy_value(
    scores: NDArray[np.float64],
    prescribed: NDArray[np.intp],
    treatments: NDArray[Any],
    outcome: NDArray[np.float64] | None,
) -> PolicyValue:
    """Compare the prescribed treatments with the observed ones and with every constant one.

    Scores are NaN for treatments that nobody got; a policy that prescribes such a treatment has no value.
    """
    own = scores[np.arange(prescribed.size), prescribed]
    if np.isnan(own).any():
        lost = prescribed[np.isnan(own)]
        raise ValueError(
            f"the policy prescribes {treatments.tolist()[lost[0]]!r} for {lost.size} rows, but none of these "
            "rows got it: its value cannot be estimated here"
        )
    known = np.flatnonzero(~np.isnan(scores).any(axis=0))
    names = treatments.tolist()
    constants = {names[k]: estimate(scores[:, k]) for k in known}
    best = int(known[np.argmax(scores[:, known].mean(axis=0))])
    return PolicyValue(
        policy=estimate(own),
        observed=None if outcome is None else estimate(outcome),
        constants=constants,
        best_constant=names[best],
        gain_over_observed=None if outcome is None else estimate(own - outcome),
        gain_over_constant=estimate(own - scores[:, best]),
    )
