"""Quantities of a tree, and limits on them.

A `Quantity` knows how it is written and what it is made of; compared with a number it becomes a `Limit`. Both
are plain data of their arguments: they print as the code that makes them, and are copied, stored and
compared by it, as scikit-learn wants it of parameters.
"""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from streed.limits.line import Line, TreeShape
from streed.limits.rows import LimitRows
from streed.magnitudes import as_float
from streed.tolerance import slack

Value: TypeAlias = Fraction | float | None
"""What a tree is worth in a quantity: a fraction where sums are whole; None where it has no value."""

LONGEST_LIST = 12
"""Longer lists are written by their shape."""


class Quantity(ABC):
    """Something of a tree that can be limited; made by the functions of `streed.limits`."""

    name: ClassVar[str]
    """The function of `streed.limits` that makes it."""

    share: ClassVar[bool] = True
    """Whether its values are from 0 to 1."""

    groups: Any = None
    """Where its groups come from, if it has any: see `parity`."""

    needs_groups: ClassVar[bool] = False
    """Whether it compares groups."""

    fixed: ClassVar[bool] = False
    """Whether it is one sum over the rows, whatever the limit."""

    two_sided: ClassVar[bool] = True
    """Whether it can be limited from below as well as from above."""

    @abstractmethod
    def arguments(self) -> str:
        """Give its arguments as they are written."""

    @abstractmethod
    def lines(self, rows: LimitRows, limit: Limit) -> list[Line]:
        """Give a limit on it as sums over the rows with limits in whole numbers."""

    @abstractmethod
    def value(self, rows: LimitRows, predicted: NDArray[np.int64], shape: TreeShape) -> Value:
        """Value of a tree and its predictions, as positions among the labels; None where it has none."""

    def __repr__(self) -> str:
        return f"{self.name}({self.arguments()})"

    def __le__(self, value: object) -> Limit:
        return Limit(self, None, value)

    def __ge__(self, value: object) -> Limit:
        return Limit(self, value, None)

    def __lt__(self, value: object) -> Limit:
        raise TypeError(
            f"limits include their ends: write {self!r} <= {value!r}, or {self!r}.below({value!r}) for a "
            "strict one"
        )

    def __gt__(self, value: object) -> Limit:
        raise TypeError(
            f"limits include their ends: write {self!r} >= {value!r}, or {self!r}.above({value!r}) for a "
            "strict one"
        )

    def __eq__(self, other: object) -> bool:
        if isinstance(other, numbers.Real):
            raise TypeError(f"write {self!r}.between({other!r}, {other!r}) for a value that must be met")
        return type(self) is type(other) and _same(vars(self), vars(other))

    def __hash__(self) -> int:
        return hash(repr(self))

    def __bool__(self) -> bool:
        raise TypeError(f"{self!r} is a quantity and has no truth value; compare it with a number")

    def between(self, low: object, high: object) -> Limit:
        """Limit it from below and from above; both ends are allowed.

        Parameters
        ----------
        low, high : number
            The least and the greatest value that is allowed.

        Returns
        -------
        Limit
            For `constraints` of an estimator.
        """
        return Limit(self, low, high)

    def below(self, value: object) -> Limit:
        """Limit it from above, the end left out.

        Parameters
        ----------
        value : number
            All allowed values are below it.

        Returns
        -------
        Limit
            For `constraints` of an estimator.
        """
        return Limit(self, None, value, strict=True)

    def above(self, value: object) -> Limit:
        """Limit it from below, the end left out.

        Parameters
        ----------
        value : number
            All allowed values are above it.

        Returns
        -------
        Limit
            For `constraints` of an estimator.
        """
        return Limit(self, value, None, strict=True)


class Limit:
    """A quantity that must stay within limits, made by comparing it with a number.

    Attributes
    ----------
    quantity : Quantity
        What is limited.
    low, high : number or None
        The limits as they were given.
    strict : bool
        Whether the ends are left out.

    Examples
    --------
    >>> from streed import limits as lim
    >>> lim.recall("ill") >= 0.9
    recall('ill') >= 0.9
    >>> 0.8 <= lim.recall("ill") <= 0.9
    Traceback (most recent call last):
    TypeError: recall('ill') >= 0.8 has no truth value; a chained comparison such as 0.8 <= x <= 0.9 keeps \
only one side: write x.between(0.8, 0.9)
    """

    def __init__(self, quantity: Quantity, low: Any, high: Any, strict: bool = False) -> None:
        self.quantity, self.low, self.high, self.strict = quantity, low, high, strict
        self.least, self.most = (None if end is None else exact(quantity, end) for end in (low, high))
        if self.least is not None and not quantity.two_sided:
            raise ValueError(f"{quantity!r} can only be limited from above, got {self!r}")
        if self.least is not None and self.most is not None and self.least > self.most:
            raise ValueError(f"no value is between {low!r} and {high!r}: {self!r}")

    def keeps(self, value: Any) -> bool:
        """Whether a value is within the limits."""
        if value is None:
            return True
        if isinstance(value, float):  # sums that are not whole numbers may be off by rounding
            play = slack(value)
            low, high = (None if end is None else float(end) for end in (self.least, self.most))
            return (low is None or value >= low - play) and (high is None or value <= high + play)
        if self.strict:
            return (self.least is None or value > self.least) and (self.most is None or value < self.most)
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    def slack(self, value: Any) -> Any:
        """Return how far a value is from the nearer end; below zero outside."""
        ends = ([] if self.least is None else [value - self.least]) + (
            [] if self.most is None else [self.most - value]
        )
        return min(ends)

    def __bool__(self) -> bool:
        raise TypeError(
            f"{self!r} has no truth value; a chained comparison such as 0.8 <= x <= 0.9 keeps only one side: "
            "write x.between(0.8, 0.9)"
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Limit) and repr(self) == repr(other) and self.quantity == other.quantity

    def __hash__(self) -> int:
        return hash(repr(self))

    def __repr__(self) -> str:
        what = repr(self.quantity)
        if self.low is not None and self.high is not None:
            return f"{what}.between({self.low!r}, {self.high!r})"
        if self.strict:
            return f"{what}.above({self.low!r})" if self.high is None else f"{what}.below({self.high!r})"
        return f"{what} >= {self.low!r}" if self.high is None else f"{what} <= {self.high!r}"


def written(value: object) -> str:
    """Write an argument as code; an array by its shape.

    Examples
    --------
    >>> written("sex"), written(np.zeros((3, 2)))
    ("'sex'", '<array of shape (3, 2)>')
    """
    shape = getattr(value, "shape", None)
    if shape is None and isinstance(value, list) and len(value) > LONGEST_LIST:
        shape = np.shape(value)
    return repr(value) if shape is None else f"<array of shape {tuple(shape)}>"


def _same(mine: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Whether all arguments are the same; arrays by their values."""
    return mine.keys() == theirs.keys() and all(
        bool(np.array_equal(one, theirs[name])) if hasattr(one, "shape") else bool(one == theirs[name])
        for name, one in mine.items()
        if not name.startswith("_")
    )


def exact(quantity: Quantity, value: object) -> Fraction:
    """Take a number as it is written: 0.02 is one fiftieth, not the double next to it."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real | Decimal):
        raise TypeError(f"a limit on {quantity!r} must be a number, got {value!r} ({type(value).__name__})")
    if isinstance(value, numbers.Rational):
        found = Fraction(int(value.numerator), int(value.denominator))
    else:
        number = as_float(value)
        if number - number != 0:
            raise ValueError(f"a limit on {quantity!r} must be a finite number, got {value!r}")
        found = Fraction(value) if isinstance(value, Decimal) else Fraction(repr(number))
    if quantity.share and not 0 <= found <= 1:
        raise ValueError(f"{quantity!r} is from 0 to 1, so its limit must be too, got {value!r}")
    return found


def check_constraints(given: object) -> tuple[Limit, ...]:
    """Check what an estimator was given as `constraints`.

    Examples
    --------
    >>> check_constraints([0.9])
    Traceback (most recent call last):
    TypeError: constraints must be limits such as streed.limits.recall('ill') >= 0.9, got 0.9
    """
    if given is None:
        return ()
    limits = (given,) if isinstance(given, Limit | Quantity) else given
    if isinstance(limits, str) or not isinstance(limits, Sequence):
        raise TypeError(
            f"constraints must be a list of limits such as streed.limits.recall('ill') >= 0.9, got {given!r}"
        )
    for limit in limits:
        if isinstance(limit, Quantity):
            raise TypeError(f"{limit!r} has no limit: compare it with a number, as in {limit!r} <= 0.5")
        if not isinstance(limit, Limit):
            raise TypeError(
                f"constraints must be limits such as streed.limits.recall('ill') >= 0.9, got {limit!r}"
            )
    return tuple(limits)
