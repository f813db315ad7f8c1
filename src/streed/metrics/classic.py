"""The metrics that come with streed. Where a metric is 0/0 it counts as 0, as in scikit-learn."""

from __future__ import annotations

import numbers
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from streed.magnitudes import as_float
from streed.metrics.base import Linear, Metric, Ratio


def share(part: Any, whole: Any) -> Any:
    """Divide, where 0/0 is 0."""
    part, whole = np.asarray(part, dtype=np.float64), np.asarray(whole, dtype=np.float64)
    return np.divide(part, whole, out=np.zeros(np.broadcast(part, whole).shape), where=whole != 0)[()]


class FBeta(Ratio):
    """The weighted harmonic mean of precision and recall; recall counts ``beta`` times as much.

    Parameters
    ----------
    beta : float, default=1.0
        Weight of recall, above zero; 1 gives the F1 score. It is taken as the decimal number that is written:
        0.1 is one tenth.

    Examples
    --------
    >>> from streed.metrics import FBeta
    >>> float(FBeta(2)(tp=8, fp=2, fn=2, tn=8))
    0.8
    """

    def __init__(self, beta: Any = 1.0) -> None:
        if isinstance(beta, bool) or not isinstance(beta, numbers.Real):
            raise TypeError(f"beta must be a number above zero, got {beta!r} ({type(beta).__name__})")
        if not 1e-3 <= as_float(beta) <= 1e3:
            raise ValueError(f"beta must be between 0.001 and 1000, got {beta!r}")
        self.beta = beta
        self.name = "f1" if beta == 1 else f"f{float(beta):g}"
        self._square = Fraction(repr(float(beta))) ** 2

    def __call__(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        """Value of a confusion matrix."""
        square = float(self._square)
        return share((1 + square) * tp, (1 + square) * tp + square * fn + fp)

    def terms(self, positives: int, negatives: int) -> tuple[Linear, Linear]:
        """(1 + b²)(P - fn) over (1 + b²) P - fn + fp, where b is beta and P - fn are the true positives."""
        one = 1 + self._square
        return (one * positives, Fraction(0), -one), (one * positives, Fraction(1), Fraction(-1))

    def __repr__(self) -> str:
        return f"FBeta({self.beta!r})"


class Jaccard(Ratio):
    """Shared positives over all rows that are positive or predicted so: tp / (tp + fp + fn).

    Examples
    --------
    >>> from streed.metrics import Jaccard
    >>> float(Jaccard()(tp=3, fp=1, fn=2, tn=9))
    0.5
    """

    name = "jaccard"

    def __call__(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        """Value of a confusion matrix."""
        return share(tp, tp + fp + fn)

    def terms(self, positives: int, negatives: int) -> tuple[Linear, Linear]:
        """P - fn over P + fp."""
        p = Fraction(positives)
        return (p, Fraction(0), Fraction(-1)), (p, Fraction(1), Fraction(0))


class BalancedAccuracy(Ratio):
    """The mean of the recalls of both classes.

    Examples
    --------
    >>> from streed.metrics import BalancedAccuracy
    >>> float(BalancedAccuracy()(tp=1, fp=0, fn=1, tn=6))
    0.75
    """

    name = "balanced_accuracy"

    def __call__(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        """Value of a confusion matrix."""
        return (share(tp, tp + fn) + share(tn, tn + fp)) / 2

    def terms(self, positives: int, negatives: int) -> tuple[Linear, Linear]:
        """2PN - P fp - N fn over 2PN, linear."""
        p, n = Fraction(positives), Fraction(negatives)
        return (2 * p * n, -p, -n), (2 * p * n, Fraction(0), Fraction(0))


class MatthewsCorrelation(Metric):
    """The Matthews correlation coefficient, from -1 to 1; 0 for constant predictions.

    Its best tree is a vertex of the convex hull. With class totals P, N and n = P + N, and with q = P - fn +
    fp predicted positives, tp tn - fp fn is L = PN - P fp - N fn, a linear function, and MCC is L over the
    root of P N q (n - q). For c >= 0 let S be the set of points of the box where L <= c root(P N q (n - q)).

    1. S is convex, since L is linear and the root of a product of two linear functions that are not negative
       is concave.
    2. A point of S stays in S when fp or fn grows. If L <= 0 it falls further. Else MCC falls: its logarithm
       changes with fp at the rate -P/L - 1/(2q) + 1/(2(n - q)), and P/L >= P/(tp tn) >= 1/tn >= 1/(n - q).
       For fn the same holds with the classes exchanged.

    Let c be the greatest MCC of the vertices of the lower left hull of all trees, constant ones (MCC 0) among
    them. Then all vertices are in S, hence by 1 and 2 all trees are: none has a greater MCC.

    Examples
    --------
    >>> from streed.metrics import MatthewsCorrelation
    >>> float(MatthewsCorrelation()(tp=4, fp=1, fn=1, tn=4))
    0.6
    """

    name = "mcc"
    hull: ClassVar[bool] = True

    def __call__(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        """Value of a confusion matrix."""
        tp, fp, fn, tn = (np.asarray(cell, dtype=np.float64) for cell in (tp, fp, fn, tn))
        return share(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn)) * np.sqrt((tn + fp) * (tn + fn)))


class GMean(Metric):
    """The geometric mean of the recalls of both classes.

    Examples
    --------
    >>> from streed.metrics import GMean
    >>> float(GMean()(tp=1, fp=0, fn=3, tn=6))
    0.5
    """

    name = "g_mean"

    def __call__(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        """Value of a confusion matrix."""
        return np.sqrt(share(tp, tp + fn) * share(tn, tn + fp))


class MinRecall(Metric):
    """The lesser of the recalls of both classes.

    Examples
    --------
    >>> from streed.metrics import MinRecall
    >>> float(MinRecall()(tp=1, fp=0, fn=3, tn=6))
    0.25
    """

    name = "min_recall"

    def __call__(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        """Value of a confusion matrix."""
        return np.minimum(share(tp, tp + fn), share(tn, tn + fp))


class MacroF1(Metric):
    """The mean of the F1 scores of all classes, each taken as the positive one in turn.

    As an objective it also takes three classes; see `streed.tasks.MacroF1`.

    Examples
    --------
    >>> from streed.metrics import MacroF1
    >>> float(MacroF1()(tp=2, fp=1, fn=1, tn=2))
    0.6666666666666666
    """

    name = "macro_f1"

    def __call__(self, tp: Any, fp: Any, fn: Any, tn: Any) -> Any:
        """Value of a confusion matrix of two classes."""
        return (share(2 * tp, 2 * tp + fp + fn) + share(2 * tn, 2 * tn + fp + fn)) / 2
