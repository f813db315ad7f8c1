"""Times in words."""

from __future__ import annotations

import math

UNITS = (("days", 86400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0))


def duration(seconds: float) -> str:
    """Write a time with one or two digits, in the unit that a person takes.

    Examples
    --------
    >>> duration(0.0123), duration(4.4), duration(75), duration(10000), duration(1e6), duration(1e12)
    ('0.012 s', '4.4 s', '1.2 min', '2.8 h', '12 days', 'many years')
    >>> duration(0.00001), duration(float("nan"))
    ('less than 1 ms', 'an unknown time')
    """
    if math.isnan(seconds):
        return "an unknown time"
    if seconds < 1e-3:
        return "less than 1 ms"
    if seconds > 1e9:
        return "many years"
    name, unit = next(((name, unit) for name, unit in UNITS if seconds >= unit), UNITS[-1])
    number = seconds / unit
    return f"{number:,.0f} {name}" if number >= 10 else f"{number:.2g} {name}"
