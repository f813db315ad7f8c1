"""Harrell's concordance index."""

from __future__ import annotations

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
