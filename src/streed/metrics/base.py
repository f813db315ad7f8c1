"""What a metric of binary classification is, and how a metric of the user is checked.

A metric is a number made of the four cells of the confusion matrix, the better the larger it is. With the
class totals fixed it is a function of the false positives and the false negatives alone. Trees can be
searched for it if it never falls when one of these falls; nothing else is asked of it.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from streed.errors import TaskError
from streed.tolerance import LAST_DIGITS

Linear: TypeAlias = tuple[Fraction, Fraction, Fraction]
"""Coefficients of 1, fp and fn."""

GRID = 24
"""Metrics are checked at this many steps in fp and in fn."""


MOST_DIGITS = 10**15
"""Decimals of up to fifteen digits are the same as doubles and as they were written."""


class Metric(ABC):
    """A metric of binary classification that is maximised.

    To make one, write a class with a `name` and with ``__call__(tp, fp, fn, tn)``, which takes NumPy arrays
    as well as numbers. A plain function of four numbers will do too: see `Function`.
    """

    name: str
    """What the metric is called in results and messages."""

    hull: ClassVar[bool] = False
    """Whether the best tree is always a vertex of the convex hull of all points (fp, fn), so that
    weighted searches alone find it. Claim it only with a proof."""

    @abstractmethod
    def __call__(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        """Value of a confusion matrix: true and false positives, false and true negatives."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class Ratio(Metric):
    """A metric that is one linear function of fp and fn over another: Dinkelbach's iteration maximises it."""

    @abstractmethod
    def terms(self, positives: int, negatives: int) -> tuple[Linear, Linear]:
        """Coefficients of numerator and denominator, given the class totals.

        The denominator must be positive at every point but perhaps those where the numerator is zero.
        """


class Function(Metric):
    """A metric from a function of four numbers.

    Parameters
    ----------
    function : callable
        ``function(tp, fp, fn, tn)``, the better the larger. It is called with plain numbers, once per point
        of interest, and must not fall when fp or fn falls and the class totals stay as they are.
    name : str, optional
        What it is called in results and messages; by default the function's own name.

    Examples
    --------
    >>> from streed.metrics import Function
    >>> kappa_like = Function(lambda tp, fp, fn, tn: tp + 2 * tn - fp * fn, name="my metric")
    >>> kappa_like(3, 1, 0, 4)
    11
    """

    def __init__(self, function: Callable[..., Any], name: str | None = None) -> None:
        self.function = function
        self.name = name or str(getattr(function, "__name__", type(function).__name__))

    def __call__(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        """Value of a confusion matrix."""
        if np.ndim(fp) == 0 and np.ndim(fn) == 0:
            return self._value(tp, fp, fn, tn)
        cells = np.broadcast_arrays(tp, fp, fn, tn)
        rows = zip(*(cell.ravel().tolist() for cell in cells), strict=True)
        values = [self._value(*row) for row in rows]
        return np.array(values, dtype=np.float64).reshape(cells[0].shape)

    def _value(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        where = f"for tp={tp:g}, fp={fp:g}, fn={fn:g}, tn={tn:g}"
        try:
            value = self.function(tp, fp, fn, tn)
        except Exception as error:
            raise TaskError(
                f"the metric {self.name} raised {type(error).__name__}: {error} {where}; "
                "it must give a number for every confusion matrix"
            ) from error
        if not isinstance(value, int | float | np.number) or value != value:
            raise TaskError(f"the metric {self.name} must give a number, got {value!r} {where}")
        return value

    def __repr__(self) -> str:
        return f"Function({self.name})"


def is_function_of_cells(candidate: object) -> bool:
    """Whether a callable must be given exactly four positional arguments, as a metric is.

    Examples
    --------
    >>> is_function_of_cells(lambda tp, fp, fn, tn: tp), is_function_of_cells(lambda y, weight=None: y)
    (True, False)
    """
    if not callable(candidate) or isinstance(candidate, type):
        return False
    try:
        parameters = inspect.signature(candidate).parameters.values()
    except (TypeError, ValueError):
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(one.kind in positional and one.default is one.empty for one in parameters) == 4


def check_monotone(metric: Metric, positives: int, negatives: int, scale: float) -> None:
    """Refuse a metric that falls when fp or fn falls, and name two points where it does.

    The check looks at a grid of points, with the class totals of the data. A metric may still be wrong
    between the points of the grid.

    Examples
    --------
    >>> from streed.metrics import Function
    >>> check_monotone(Function(lambda tp, fp, fn, tn: fp, name="wrong"), 10, 20, 1.0)
    Traceback (most recent call last):
    streed.errors.TaskError: the metric wrong falls from 1 to 0 when fp falls from 1 to 0 (with fn=0, 10 \
positives and 20 negatives): it must not fall when there are fewer mistakes
    """
    fp = np.unique(np.linspace(0, negatives, GRID + 1).astype(np.int64))
    fn = np.unique(np.linspace(0, positives, GRID + 1).astype(np.int64))
    values = evaluate(metric, fp[:, None], fn[None, :], positives, negatives, scale)
    slack = LAST_DIGITS * max(1.0, float(np.abs(values).max()))
    for axis, (name, points, other) in enumerate((("fp", fp, fn), ("fn", fn, fp))):
        rises = np.argwhere(np.diff(values, axis=axis) > slack)
        if rises.size:
            first = tuple(int(i) for i in rises[0])
            after = tuple(int(i) for i in rises[0] + (np.arange(2) == axis))
            raise TaskError(
                f"the metric {metric.name} falls from {values[after]:g} to {values[first]:g} when {name} "
                f"falls from {scale * points[after[axis]]:g} to {scale * points[first[axis]]:g} (with "
                f"{'fn' if name == 'fp' else 'fp'}={scale * other[first[1 - axis]]:g}, "
                f"{scale * positives:g} positives and {scale * negatives:g} negatives): "
                "it must not fall when there are fewer mistakes"
            )


def weight_of(units: Any, scale: float) -> Any:
    """Give what units of a scale weigh: three tenths are 0.3, and not three times the double that is 0.1.

    A metric may have a step there. Decimals are meant as they are written, parts of one as fractions.

    Examples
    --------
    >>> weight_of(3, 0.1), weight_of(3, 0.3), weight_of(3, 1 / 3), weight_of(3, 1.0)
    (0.3, 0.9, 1.0, 3)
    """
    if scale == 1.0:
        return units
    written = Fraction(repr(scale))
    if written.numerator < MOST_DIGITS and written.denominator < MOST_DIGITS:
        return units * float(written.numerator) / float(written.denominator)
    parts = round(1 / scale) if 1e-9 < scale < 1 else 0
    return units / float(parts) if parts and abs(parts * scale - 1) < 1e-12 else units * scale


def evaluate(
    metric: Metric, fp: Any, fn: Any, positives: int, negatives: int, scale: float
) -> NDArray[np.float64]:
    """Values of a metric at points (fp, fn) in whole units, of which one weighs `scale`."""
    cells = [weight_of(units, scale) for units in (positives - fn, fp, fn, negatives - fp)]
    values = np.asarray(metric(*cells), dtype=np.float64)
    if np.isnan(values).any():
        at = np.flatnonzero(np.isnan(np.broadcast_to(values, np.broadcast(fp, fn).shape)))[0]
        point = [np.broadcast_to(cell, np.broadcast(fp, fn).shape).flat[at] for cell in cells]
        raise TaskError(
            f"the metric {metric.name} gave nan for tp={point[0]:g}, fp={point[1]:g}, fn={point[2]:g}, "
            f"tn={point[3]:g}; it must give a number for every confusion matrix"
        )
    return values
