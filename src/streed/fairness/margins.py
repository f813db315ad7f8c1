"""A parity as linear limits with whole numbers, which the engine keeps exactly.

With n_a of N_a units of group a counted, a difference of rates is D / (N_a N_b) with D = n_a N_b - n_b N_a:
a sum over rows of whole numbers, N_b for a counted row of a and -N_a for one of b. |rate_a - rate_b| <= d
holds exactly if |D| <= floor(d N_a N_b), so that a tree on the limit is feasible, however the limit looks as
a double. A least ratio p/q asks q n_a N_b - p n_b N_a >= 0 for both orders of each pair. All numbers are
divided by gcd(N_a, N_b).

Example: groups of 4 and 6 rows, limit 0.1. D = 6 n_a - 4 n_b, by the gcd 3 n_a - 2 n_b, and |3 n_a - 2 n_b|
may be floor(0.1 * 24 / 2) = 1 at most: 2 of 4 against 3 of 6 is feasible (0), 1 of 4 against 2 of 6 too (-1).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from streed.fairness.parity import Parity, Rate
from streed.options import MOST_COMPONENTS

LARGEST = 2**51
"""Sums of the components stay below this, so that they are exact in a double."""


@dataclass(frozen=True)
class Margin:
    """One additive component: per row and label whole numbers, and what |difference| = 1 is in them."""

    costs: NDArray[np.float64]
    whole: int


def pairs_of(
    rate: Rate,
    is_positive: NDArray[np.bool_],
    groups: NDArray[np.int32],
    n_groups: int,
    units: NDArray[np.int64],
) -> list[tuple[int, int, int, int]]:
    """Pairs of groups a < b that both have a rate, each with N_a and N_b."""
    about = rate.about(is_positive)
    sizes = np.bincount(groups, weights=about * units, minlength=n_groups).astype(np.int64).tolist()
    present = [group for group in range(n_groups) if sizes[group] > 0]
    return [(a, b, sizes[a], sizes[b]) for a, b in itertools.combinations(present, 2)]


def margins(
    parity: Parity,
    is_positive: NDArray[np.bool_],
    positive: int,
    groups: NDArray[np.int32],
    n_groups: int,
    units: NDArray[np.int64],
    ratio: Fraction | None = None,
) -> list[Margin]:
    """Components of a parity: one per rate and pair of groups, or two of them for a least ratio."""
    check_groups(parity, is_positive, groups, n_groups, units, ratio)
    found = []
    for rate in parity.rates:
        counted = np.stack(
            [rate.about(is_positive) & rate.counts(is_positive, label == positive) for label in (0, 1)],
            axis=1,
        )
        for a, b, size_a, size_b in pairs_of(rate, is_positive, groups, n_groups, units):
            common = math.gcd(size_a, size_b)
            whole = size_a * size_b // common
            if whole * (1 if ratio is None else ratio.denominator) >= LARGEST:
                raise ValueError(
                    f"min_ratio has too many digits to be kept exactly with groups of {size_a} and {size_b} "
                    f"units of weight, got {ratio}"
                )
            by_a, by_b = size_b // common, size_a // common
            p, q = (1, 1) if ratio is None else (ratio.numerator, ratio.denominator)
            factors = [{a: q * by_a, b: -p * by_b}]
            if ratio is not None:
                factors.append({a: -p * by_a, b: q * by_b})
            for factor in factors:
                per_row = np.array([factor.get(group, 0) for group in range(n_groups)])[groups] * units
                found.append(Margin(np.where(counted, per_row[:, None], 0).astype(np.float64), whole))
    return found


def with_margins(errors: NDArray[np.float64], margins: Sequence[Margin]) -> NDArray[np.float64]:
    """costs[row, label] = (its error, its share in each margin), for a search under limits."""
    return np.ascontiguousarray(np.stack([errors, *(margin.costs for margin in margins)], axis=2))


def margin_limits(
    margins: Sequence[Margin], difference: Fraction, strict: bool = False
) -> tuple[list[float], list[float]]:
    """Limits on the margins that hold exactly if all differences are at most, or (strict) below, a limit."""
    most = [
        float(math.ceil(difference * margin.whole) - 1 if strict else math.floor(difference * margin.whole))
        for margin in margins
    ]
    return [-value for value in most], most


def check_groups(
    parity: Parity,
    is_positive: NDArray[np.bool_],
    groups: NDArray[np.int32],
    n_groups: int,
    units: NDArray[np.int64],
    ratio: Fraction | None,
) -> None:
    """Refuse more pairs of groups than the engine can compare, and say how many groups it can."""
    per_pair = 1 if ratio is None else 2
    pairs = sum(len(pairs_of(rate, is_positive, groups, n_groups, units)) for rate in parity.rates)
    if pairs * per_pair < MOST_COMPONENTS:
        return
    most = most_groups(len(parity.rates) * per_pair)
    limit = "a difference" if ratio is None else "a ratio"
    raise ValueError(
        f"every pair of groups is compared: under a limit on {limit} of {parity.name} at most {most} groups "
        f"are possible, got {n_groups} in sensitive_features; join small groups"
    )


def most_groups(per_pair: int) -> int:
    """Most groups of which all pairs have so many components each, beside one for the errors.

    Examples
    --------
    >>> most_groups(1), most_groups(2), most_groups(4)
    (16, 11, 8)
    """
    fits = (MOST_COMPONENTS - 1) // per_pair
    return (1 + math.isqrt(1 + 8 * fits)) // 2
