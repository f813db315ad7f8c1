"""Step functions of time, as scikit-survival has them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


class StepFunction:
    """A function of time that is constant between its steps.

    It has the attributes and the behaviour of ``sksurv.functions.StepFunction``, so that metrics of
    scikit-survival take it.

    Parameters
    ----------
    x : array-like of shape (t,)
        The steps, increasing.
    y : array-like of shape (t,)
        The value from each step on.
    domain : tuple of two floats
        The times for which there is a value; others are refused. Before the first step the value is `before`.
    before : float
        The value before the first step: 1 for survival, 0 for a cumulative hazard.

    Examples
    --------
    >>> from streed.survival import StepFunction
    >>> survival = StepFunction([1, 3], [0.5, 0.25], domain=(0, 9), before=1)
    >>> survival([0, 1, 2, 3.5]).tolist()
    [1.0, 0.5, 0.5, 0.25]
    """

    def __init__(self, x: ArrayLike, y: ArrayLike, *, domain: tuple[float, float], before: float) -> None:
        self.x: NDArray[np.float64] = np.asarray(x, dtype=np.float64)
        self.y: NDArray[np.float64] = np.asarray(y, dtype=np.float64)
        self.domain = (float(domain[0]), float(domain[1]))
        self.before = float(before)
        if self.x.shape != self.y.shape or self.x.ndim != 1:
            raise ValueError(f"x and y must be arrays of one length, got {self.x.shape} and {self.y.shape}")

    def __call__(self, x: ArrayLike) -> Any:
        """Return the value at a time, or at each of several."""
        times = np.asarray(x, dtype=np.float64)
        low, high = self.domain
        outside = ~((times >= low) & (times <= high))
        if outside.any():
            raise ValueError(f"times must lie between {low} and {high}, got {times[outside].flat[0]}")
        place = np.searchsorted(self.x, times, side="right")
        values = np.concatenate([[self.before], self.y])[place]
        return values if times.ndim else float(values)

    def __repr__(self) -> str:
        return f"StepFunction(x={self.x!r}, y={self.y!r})"
