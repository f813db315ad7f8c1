"""Figures of a model on rows: shares with intervals, errors, calibration by leaf, rates by group."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Z = 1.959963984540054
"""Quantile of the normal distribution for intervals of 95 %."""


def wilson(successes: float, n: float) -> tuple[float, float]:
    """Return Wilson's interval of 95 % for a share.

    Examples
    --------
    >>> low, high = wilson(8, 10)
    >>> round(low, 3), round(high, 3)
    (0.49, 0.943)
    """
    if n == 0:
        return 0.0, 1.0
    share, square = successes / n, Z * Z
    middle = (share + square / (2 * n)) / (1 + square / n)
    half = Z * math.sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    return max(0.0, middle - half), min(1.0, middle + half)


def share_text(successes: float, n: float) -> str:
    """Write a share with its interval.

    Examples
    --------
    >>> share_text(8, 10), share_text(0, 0)
    ('80.0 % (49.0 to 94.3)', 'no rows')
    """
    if n == 0:
        return "no rows"
    low, high = wilson(successes, n)
    return f"{100 * successes / n:.1f} % ({100 * low:.1f} to {100 * high:.1f})"


def mean_text(values: NDArray[np.float64]) -> str:
    """Write a mean with its interval by the normal distribution."""
    if values.size == 0:
        return "no rows"
    half = Z * float(values.std(ddof=1)) / math.sqrt(values.size) if values.size > 1 else math.inf
    return f"{values.mean():.5g} (± {half:.3g})" if math.isfinite(half) else f"{values.mean():.5g}"


def confusion(y: NDArray[Any], predicted: NDArray[Any], labels: list[Any]) -> NDArray[np.int64]:
    """Count true labels (rows) under predicted ones (columns); labels that are not known come last."""
    place = {label: k for k, label in enumerate(labels)}
    found = np.zeros((len(labels) + 1, len(labels)), np.int64)
    for true, said in zip(y.tolist(), predicted.tolist(), strict=True):
        found[place.get(true, len(labels)), place[said]] += 1
    return found if found[-1].any() else found[:-1]


def roc(scores: NDArray[np.float64], positive: NDArray[np.bool_]) -> tuple[list[tuple[float, float]], float]:
    """Return the points of the ROC curve, and the area below it; NaN if one of the classes has no row.

    Examples
    --------
    >>> import numpy as np
    >>> roc(np.array([0.9, 0.9, 0.2]), np.array([True, False, False]))
    ([(0.0, 0.0), (0.5, 1.0), (1.0, 1.0)], 0.75)
    """
    n_positive, n_negative = int(positive.sum()), int((~positive).sum())
    if not n_positive or not n_negative:
        return [], math.nan
    points = [(0.0, 0.0)]
    for score in np.unique(scores)[::-1]:
        above = scores >= score
        points.append(((above & ~positive).sum() / n_negative, (above & positive).sum() / n_positive))
    area = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(points))
    return [(float(x), float(y)) for x, y in points], float(area)


def group_rows(
    y: NDArray[Any], predicted: NDArray[Any], groups: NDArray[Any], positive: Any
) -> list[list[str]]:
    """Return a row for each group: its rows, its share of positive predictions, and how many are right."""
    found = []
    for group in sorted(set(groups.tolist()), key=str):
        own = groups == group
        true, said = y[own] == positive, predicted[own] == positive
        found.append(
            [
                str(group),
                str(int(own.sum())),
                share_text(said.sum(), said.size),
                share_text((said & true).sum(), true.sum()),
                share_text((said & ~true).sum(), (~true).sum()),
                share_text((y[own] == predicted[own]).sum(), own.sum()),
            ]
        )
    return found
