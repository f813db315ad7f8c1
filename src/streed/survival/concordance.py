"""Harrell's concordance index, and an interval for it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.tasks.survival import check_events, check_times


def concordance_index(event: ArrayLike, time: ArrayLike, risk: ArrayLike) -> float:
    """Return the share of comparable pairs in which the row with the greater risk has its event first.

    Two rows are comparable if the earlier time is that of an event (of two equal times, one an event and the
    other censored, the censored row counts as later). Equal risks count one half. It is what
    ``sksurv.metrics.concordance_index_censored`` computes with no tolerance for ties of risks.

    Parameters
    ----------
    event : array-like of shape (n,)
        Whether the event of each row was observed.
    time : array-like of shape (n,)
        Time of the event or of the censoring.
    risk : array-like of shape (n,)
        Predicted risk of each row.

    Returns
    -------
    float
        From 0 to 1; random predictions have 0.5.

    Notes
    -----
    A tree has few distinct risks, so that the rows later than each one are counted by risk, in one walk from
    the last time to the first.

    Examples
    --------
    >>> from streed.survival import concordance_index
    >>> concordance_index([True, True, False], [1.0, 2.0, 3.0], [3, 2, 2])
    0.8333333333333334
    """
    observed, times = check_events(event), check_times(time)
    levels, codes = np.unique(np.asarray(risk, dtype=np.float64), return_inverse=True)
    if not times.shape == observed.shape == codes.shape:
        raise ValueError(
            f"event, time and risk must have the same rows, got {observed.size}, {times.size}, {codes.size}"
        )
    later: NDArray[np.float64] = np.zeros(levels.size)
    concordant = tied = pairs = 0.0
    order = np.argsort(-times, kind="stable")
    ends = np.flatnonzero(np.diff(times[order], append=-np.inf)) + 1
    for begin, end in zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True):
        rows = order[begin:end]
        dead, censored = codes[rows[observed[rows]]], codes[rows[~observed[rows]]]
        later += np.bincount(censored, minlength=levels.size)
        if dead.size:
            below = np.concatenate([[0.0], np.cumsum(later)])
            concordant += float(below[dead].sum())
            tied += float(later[dead].sum())
            pairs += dead.size * float(later.sum())
            later += np.bincount(dead, minlength=levels.size)
    if pairs == 0:
        raise ValueError("no two rows are comparable: there is no event before the time of another row")
    return (concordant + tied / 2) / pairs


NORMAL = 1.959963984540054
"""Of a normal distribution 95 % lie within so many standard deviations."""


def concordance_interval(event: ArrayLike, time: ArrayLike, risk: ArrayLike) -> tuple[float, float, float]:
    """Return the concordance index with a 95 % confidence interval.

    The index C is a ratio of two sums over pairs. Its variance follows from what each row adds to both, p
    comparable pairs of which c are concordant (Pencina and D'Agostino, Statistics in Medicine 23, 2004): the
    standard error is 2 sqrt(sum of (c - C p)^2) / sum of p. Risks are taken as given, so that of training
    rows the interval is too hopeful, as the index is.

    Parameters
    ----------
    event, time, risk : array-like of shape (n,)
        As for `concordance_index`.

    Returns
    -------
    tuple of three floats
        The index, the lower and the upper end of the interval.

    Examples
    --------
    >>> from streed.survival import concordance_interval
    >>> event, time = [True, True, False, True, True, False], [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    >>> [round(value, 3) for value in concordance_interval(event, time, [3, 2, 2, 3, 1, 1])]
    [0.792, 0.614, 0.969]
    """
    observed, times = check_events(event), check_times(time)
    index = concordance_index(observed, times, risk)
    concordant, pairs = _of_rows(observed, times, np.asarray(risk, dtype=np.float64))
    spread = float(((concordant - index * pairs) ** 2).sum())
    half = NORMAL * 2 * math.sqrt(spread) / float(pairs.sum())
    return index, max(0.0, index - half), min(1.0, index + half)


def _of_rows(
    observed: NDArray[np.bool_], times: NDArray[np.float64], risk: NDArray[Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how many pairs of each row are concordant, ties as halves, and how many can be compared.

    Rows later than an event, and events earlier than a row, are counted by risk: a tree has few different
    ones. Of equal times an event comes before what is censored.
    """
    levels, codes = np.unique(risk, return_inverse=True)
    key = np.unique(times, return_inverse=True)[1] * 2 + ~observed  # events before the censored of a time
    order = np.argsort(key, kind="stable")
    of_level = np.zeros((times.size + 1, levels.size))
    of_level[np.arange(1, times.size + 1), codes[order]] = 1
    all_before = of_level.cumsum(axis=0)
    of_level[1:][~observed[order]] = 0
    events_before = of_level.cumsum(axis=0)
    own = np.arange(times.size)
    later = (all_before[-1] - all_before[np.searchsorted(key[order], key, side="right")]) * observed[:, None]
    earlier = events_before[np.searchsorted(key[order], key, side="left")]
    below, above = later.cumsum(axis=1), earlier[:, ::-1].cumsum(axis=1)[:, ::-1]
    concordant = below[own, codes] - later[own, codes] / 2 + above[own, codes] - earlier[own, codes] / 2
    return concordant, later.sum(axis=1) + earlier.sum(axis=1)
