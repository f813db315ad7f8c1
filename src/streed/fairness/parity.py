"""Rates of groups, notions of fairness, and exact limits on them.

A *rate* of a group is the weight of some of its rows over the weight of certain rows of it: the selection
rate is the share of its rows that are predicted positive, the true positive rate the share of its positive
rows. A *parity* asks that one or more rates are nearly equal for all groups. As in fairlearn, the difference
is the greatest rate of all groups less the least one, and the ratio is the least over the greatest; with two
rates, as in equalized odds, the worse of the two counts.
"""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from streed.magnitudes import as_float
from streed.spelling import did_you_mean


@dataclass(frozen=True)
class Rate:
    """A rate of a group: which rows it is about, and which predictions count.

    Parameters
    ----------
    name : str
        What it is called in reports.
    rows : {"all", "positive", "negative"}
        The rows whose weight is the denominator, by their true class.
    counted : {"positive", "negative", "right"}
        The predictions that count: of the positive class, of the other one, or the right ones.

    Examples
    --------
    >>> from streed.fairness import Rate
    >>> miss = Rate("false_negative_rate", rows="positive", counted="negative")
    """

    name: str
    rows: Literal["all", "positive", "negative"]
    counted: Literal["positive", "negative", "right"]

    def about(self, is_positive: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which rows the rate is about, given which rows are of the positive class."""
        if self.rows == "all":
            return np.ones_like(is_positive)
        return is_positive if self.rows == "positive" else ~is_positive

    def counts(self, is_positive: NDArray[np.bool_], predicted_positive: Any) -> NDArray[np.bool_]:
        """Which predictions count, given the true classes and whether the prediction is positive."""
        if self.counted == "right":
            right: NDArray[np.bool_] = np.equal(is_positive, predicted_positive)
            return right
        return np.broadcast_to(np.equal(predicted_positive, self.counted == "positive"), is_positive.shape)


RATES: Mapping[str, Rate] = {
    rate.name: rate
    for rate in (
        Rate("selection_rate", "all", "positive"),
        Rate("true_positive_rate", "positive", "positive"),
        Rate("false_positive_rate", "negative", "positive"),
        Rate("accuracy", "all", "right"),
    )
}
"""The rates that are reported for every group."""


@dataclass(frozen=True)
class Parity:
    """A notion of fairness: rates that are to be nearly equal for all groups.

    Parameters
    ----------
    name : str
        What it is called in results and messages.
    rates : tuple of Rate
        The rates; all of them have to keep the limit.

    Examples
    --------
    >>> from streed.fairness import Parity, Rate
    >>> Parity("equal misses", (Rate("false_negative_rate", "positive", "negative"),)).name
    'equal misses'
    """

    name: str
    rates: tuple[Rate, ...]

    def __post_init__(self) -> None:
        if not self.rates or not all(isinstance(rate, Rate) for rate in self.rates):
            raise TypeError(f"rates must be a tuple of at least one Rate, got {self.rates!r}")


DEMOGRAPHIC_PARITY = Parity("demographic_parity", (RATES["selection_rate"],))
EQUAL_OPPORTUNITY = Parity("equal_opportunity", (RATES["true_positive_rate"],))
PREDICTIVE_EQUALITY = Parity("predictive_equality", (RATES["false_positive_rate"],))
EQUALIZED_ODDS = Parity("equalized_odds", (RATES["true_positive_rate"], RATES["false_positive_rate"]))
ACCURACY_PARITY = Parity("accuracy_parity", (RATES["accuracy"],))

CONSTRAINTS: Mapping[str, Parity] = {
    parity.name: parity
    for parity in (
        DEMOGRAPHIC_PARITY,
        EQUAL_OPPORTUNITY,
        PREDICTIVE_EQUALITY,
        EQUALIZED_ODDS,
        ACCURACY_PARITY,
    )
}
"""The notions of fairness that have a name."""


def as_parity(constraint: object) -> Parity:
    """Return the notion of fairness that a name or an object stands for.

    Parameters
    ----------
    constraint : str or Parity
        A name in `CONSTRAINTS` or a `Parity`.

    Returns
    -------
    Parity
        The notion of fairness.

    Examples
    --------
    >>> from streed.fairness import as_parity
    >>> [rate.name for rate in as_parity("equalized_odds").rates]
    ['true_positive_rate', 'false_positive_rate']
    """
    if isinstance(constraint, Parity):
        return constraint
    if isinstance(constraint, str) and constraint in CONSTRAINTS:
        return CONSTRAINTS[constraint]
    error = ValueError if isinstance(constraint, str) else TypeError
    known = ", ".join(map(repr, CONSTRAINTS))
    meant = did_you_mean(constraint, CONSTRAINTS)
    raise error(f"constraint must be one of {known}, or a streed.fairness.Parity; got {constraint!r}{meant}")


def exact_limit(name: str, value: object) -> Fraction:
    """Take a limit from 0 to 1 as the number that is written: 0.01 is one hundredth, not the nearest double.

    Examples
    --------
    >>> exact_limit("max_difference", 0.01)
    Fraction(1, 100)
    >>> exact_limit("max_difference", 2)
    Traceback (most recent call last):
    ValueError: max_difference must be a number from 0 to 1, got 2
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Real | Decimal):
        raise TypeError(f"{name} must be a number from 0 to 1, got {value!r} ({type(value).__name__})")
    if not 0 <= as_float(value) <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, got {value!r}")
    if isinstance(value, numbers.Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    return Fraction(value) if isinstance(value, Decimal) else Fraction(repr(float(value)))
