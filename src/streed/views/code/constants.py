"""Texts and numbers as SQL constants that databases read as exactly the value that is meant."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

LEAST = 1e-288
"""From here on SQLite reads 19 digits exactly; it divides twice for numbers below, and rounds twice."""
SHIFT = 2.0**-600
"""Moves all numbers below `LEAST`, the least one of 5e-324, to where they are read exactly."""


def sql_constant(value: Any, quote: str) -> str:
    """Write a constant.

    SQL Server has no Boolean constants, and databases that quote names by backticks read a backslash in a
    string as an escape.
    """
    if isinstance(value, bool):
        return repr(int(value)) if quote == "[" else repr(value).upper()
    if isinstance(value, str):
        if "\0" in value:
            raise ValueError(f"SQL has no constant for the text {value!r}")
        escaped = value.replace("\\", "\\\\") if quote == "`" else value
        return "'" + escaped.replace("'", "''") + "'"
    if not isinstance(value, int | float):
        raise TypeError(f"only strings and numbers can be written as SQL, got {value!r}")
    return sql_number(value)


def sql_number(value: float) -> str:
    """Write a number, with an exponent where a database would otherwise read another one.

    The fewest digits that mean no other number are enough for a reader that rounds correctly. SQLite divides
    80-bit numbers and rounds a second time: digits near the middle of two doubles need more of them. DuckDB
    reads digits without an exponent as a decimal number, which it rounds to 32 bits beside a column of such.

    Examples
    --------
    >>> sql_number(42.5), sql_number(0.1), sql_number(0.0611061), sql_number(1 / 3)
    ('42.5', '0.1e0', '6.110610000000000347e-02', '0.3333333333333333e0')
    """
    if isinstance(value, int) or value == 0.0:
        return repr(value)
    if not math.isfinite(value):
        raise ValueError(f"SQL has no constant for the number {value!r}")
    if abs(value) < LEAST:
        return f"({_nineteen(value / SHIFT)} * {_nineteen(SHIFT)})"
    text = repr(value)
    if not _is_clear(text, value):
        return _nineteen(value)
    with np.errstate(over="ignore", under="ignore"):
        as_decimal = float(np.float32(value)) <= value and sum(map(str.isdigit, text)) <= 15
    return text if as_decimal or "e" in text else f"{text}e0"


def _nineteen(value: float) -> str:
    return f"{value:.18e}"


def _is_clear(text: str, value: float) -> bool:
    """Whether digits lie so far from the middles between doubles that two roundings are as good as one.

    An 80-bit quotient is off by 2^-64 at most; powers of ten of more than 27 digits are rounded as well.
    """
    tolerance = Fraction(abs(value)) / 2 ** (57 if "e" in text else 62)
    middles = [(Fraction(value) + Fraction(math.nextafter(value, way))) / 2 for way in (-math.inf, math.inf)
               if math.isfinite(math.nextafter(value, way))]  # fmt: skip
    return all(abs(Fraction(text) - middle) > tolerance for middle in middles)
