"""Tables of any size: normal columns, and targets that two or three of them explain in part."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

NOISE = 0.15
"""Share of the labels that are drawn anew."""


def make_table(
    n_rows: int, n_columns: int, n_classes: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Make a table; without classes the targets are numbers."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    if n_classes == 0:
        return X, 2 * X[:, 0] + np.where(X[:, 1] > 0, X[:, 2], 0) + rng.normal(size=n_rows)
    label = ((X[:, 0] > 0.3).astype(int) + 2 * (np.exp(X[:, 1]) > 1.2) + 3 * (X[:, 2] > 1)) % n_classes
    drawn = rng.integers(0, n_classes, n_rows)
    return X, np.where(rng.random(n_rows) < NOISE, drawn, label).astype(np.float64)


def errors_of(y: NDArray[np.float64], predicted: NDArray[np.float64], n_classes: int) -> float:
    """Count the errors, or add up the squared errors."""
    return float(np.sum(predicted != y) if n_classes else np.sum((predicted - y) ** 2))
