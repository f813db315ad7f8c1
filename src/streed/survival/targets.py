"""Times to events as scikit-survival has them: structured arrays of a Boolean and a numeric field."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.table.columns import is_frame
from streed.tasks.survival import check_events, check_times

EXPECTED = (
    "y must be events and times: a structured array of a Boolean and a numeric field (as sksurv.util.Surv or "
    "streed.survival.survival_target makes it), a pair (event, time), or a frame with the columns event and "
    "time"
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
    """Take events and times out of a structured array, a pair of arrays or a frame with two columns.

    The Boolean part has the events. Where neither or both are Boolean, parts are taken by the names ``event``
    and ``time``, or in this order.
    """
    if y is None:
        raise ValueError(f"SurvivalTree requires y to be passed, but the target y is None: {EXPECTED}")
    first, second = _parts(y)
    if first.dtype != np.bool_ and second.dtype == np.bool_:
        first, second = second, first
    try:
        events = check_events(first)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{error}; {EXPECTED}") from error
    return events, check_times(second)


def as_target(y: Any) -> Any:
    """Make a structured array of a pair or a frame, so that rows can be taken of it; leave all else."""
    return survival_target(*event_and_time(y)) if isinstance(y, tuple) or is_frame(y) else y


def _parts(y: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Take a target apart."""
    if isinstance(y, tuple) and len(y) == 2:
        return np.asarray(y[0]), np.asarray(y[1])
    if is_frame(y):
        names = list(y.columns)
        named = {"event", "time"} <= set(names)
        columns = [np.asarray(y[name]) for name in (("event", "time") if named else names)]
        if named or (len(columns) == 2 and sum(each.dtype == np.bool_ for each in columns) == 1):
            return columns[0], columns[1]
        raise ValueError(f"{EXPECTED} (or two columns, one of them Boolean), got the columns {names}")
    if not isinstance(y, np.ndarray) or y.dtype.names is None:
        raise TypeError(f"{EXPECTED}, got {_shape(y)}")
    if len(y.dtype.names) != 2 or y.ndim != 1:
        raise ValueError(f"{EXPECTED}, got shape {y.shape} with the fields {y.dtype.names}")
    first, second = y.dtype.names
    return y[first], y[second]


def _shape(y: Any) -> str:
    return f"an array of shape {y.shape}" if isinstance(y, np.ndarray) else type(y).__name__
