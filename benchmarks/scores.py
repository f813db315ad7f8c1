"""What a prediction is worth, computed with NumPy from the prediction alone.

No package is believed: the value in the tables is re-scored here from what the package predicts for its
training rows. A task of a later study is one more function and one more line in `SCORES`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Arrays


@dataclass(frozen=True)
class Score:
    """A way to score predictions: the function, whether small values are good, and the tolerance."""

    function: Callable[[Arrays, NDArray[Any]], float]
    smaller_is_better: bool = True
    tolerance: float = 0.0

    def better(self, first: float, second: float) -> bool:
        """Tell whether the first value beats the second by more than the tolerance."""
        gain = second - first if self.smaller_is_better else first - second
        return gain > self.tolerance * max(1.0, abs(second))


def misclassified(arrays: Arrays, prediction: NDArray[Any]) -> float:
    """Count the rows whose predicted label is wrong."""
    y = arrays["y"]
    if prediction.shape != y.shape:
        raise ValueError(f"expected one prediction per row, shape {y.shape}, got shape {prediction.shape}")
    return float(np.count_nonzero(prediction != y))


SCORES: dict[str, Score] = {"accuracy": Score(misclassified)}
