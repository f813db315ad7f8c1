"""What counts as a missing value."""

from __future__ import annotations

import numbers


def is_missing(value: object) -> bool:
    """Whether a value is None, NaN, or pandas' NA or NaT.

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), "", 0)]
    [True, True, False, False]
    """
    if isinstance(value, numbers.Number):
        try:
            return bool(value != value)
        except ArithmeticError:  # a signalling decimal, which is no number either
            return True
    return value is None or type(value).__name__ in ("NAType", "NaTType")
