"""Times to events as scikit-survival has them: structured arrays of a Boolean and a numeric field."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.tasks.survival import check_events, check_times

EXPECTED = (
    "y must be a structured array of events (Boolean) and times, as sksurv.util.Surv or "
    "streed.survival.survival_target makes it"
)


def survival_target(event: ArrayLike, time: ArrayLike) -> NDArray[Any]:
    """Make the structured array that `streed.SurvivalTree` takes of events and times.

    Parameters
    ----------
    event : array-like of shape (n,)
        Whether the event of each row was observed (True, 1), or the row was censored (False, 0).
    time : array-like of shape (n,)
        Time of the event or of the censoring, not negative.

    Returns
    -------
    structured array of shape (n,)
        With the fields ``event`` and ``time``.

    Examples
    --------
    >>> from streed.survival import survival_target
    >>> survival_target([1, 0], [3, 5]).tolist()
    [(True, 3.0), (False, 5.0)]
    """
    observed, times = check_events(event), check_times(time)
    if observed.shape != times.shape:
        raise ValueError(f"event and time must have the same rows, got {observed.size} and {times.size}")
    y = np.empty(times.size, dtype=[("event", np.bool_), ("time", np.float64)])
    y["event"], y["time"] = observed, times
    return y


def event_and_time(y: Any) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Take events and times out of a structured array with two fields; the Boolean one has the events."""
    if y is None:
        raise ValueError(f"SurvivalTree requires y to be passed, but the target y is None: {EXPECTED}")
    if not isinstance(y, np.ndarray) or y.dtype.names is None:
        raise TypeError(f"{EXPECTED}, got {type(y).__name__}")
    if len(y.dtype.names) != 2 or y.ndim != 1:
        raise ValueError(f"{EXPECTED}, got shape {y.shape} with the fields {y.dtype.names}")
    first, second = y.dtype.names
    if y.dtype[first] != np.bool_ and y.dtype[second] == np.bool_:
        first, second = second, first
    return check_events(y[first]), check_times(y[second])
