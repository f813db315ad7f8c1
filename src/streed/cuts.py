"""Where to cut a numeric column, and which categories to keep apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def quantile_cuts(
    values: NDArray[np.float64], weights: NDArray[np.float64] | None, n_thresholds: int | None
) -> list[float]:
    """Cut between distinct values, as evenly by weight as the values allow.

    All cuts are taken if there are no more than `n_thresholds`, or if that is None. A whole weight does what
    repeating the row would do.

    Examples
    --------
    >>> quantile_cuts(np.array([1.0, 2.0, 2.0, 4.0]), None, 8)
    [1.5, 3.0]
    >>> quantile_cuts(np.arange(100.0), None, 3)
    [24.5, 49.5, 74.5]
    """
    if weights is None:
        ordered = np.sort(values)
        ends = np.flatnonzero(ordered[1:] != ordered[:-1])
        below, total = (ends + 1).astype(np.float64), float(values.size)
    else:
        order = np.argsort(values)
        ordered = values[order]
        ends = np.flatnonzero(ordered[1:] != ordered[:-1])
        running = np.cumsum(weights[order])
        below, total = running[ends], float(running[-1])
    if n_thresholds is not None and ends.size > n_thresholds:
        aims = total * np.arange(1, n_thresholds + 1) / (n_thresholds + 1)
        after = np.clip(np.searchsorted(below, aims), 1, ends.size - 1)
        nearest = after - (aims - below[after - 1] <= below[after] - aims)
        ends = ends[np.unique(nearest)]
    return [_between(a, b) for a, b in zip(ordered[ends].tolist(), ordered[ends + 1].tolist(), strict=True)]


def _between(low: float, high: float) -> float:
    """Return the middle of two numbers, without the noise of its last digits; always low <= cut < high."""
    middle = low / 2 + high / 2
    tidy = float(f"{middle:.12g}")
    if low <= tidy < high:
        return tidy
    return middle if low <= middle < high else low


def count_categories(
    codes: NDArray[Any], categories: Sequence[Any], weights: NDArray[np.float64] | None
) -> dict[Any, float]:
    """Return the weight of each category that occurs, sorted; codes are positions in `categories`."""
    totals = np.bincount(codes, weights=weights, minlength=len(categories))
    counts = {categories[code]: float(totals[code]) for code in np.flatnonzero(totals).tolist()}
    try:
        order = sorted(counts)
    except TypeError:
        order = sorted(counts, key=lambda value: (type(value).__name__, str(value)))
    return {value: counts[value] for value in order}


def split_rare(counts: dict[Any, float], max_categories: int | None) -> tuple[list[Any], tuple[Any, ...]]:
    """Return the categories to keep apart and the rare ones to join, for at most `max_categories` features.

    Examples
    --------
    >>> split_rare({"blue": 5, "green": 1, "red": 9, "teal": 1}, 3)
    (['blue', 'red'], ('green', 'teal'))
    """
    if max_categories is None or len(counts) <= max_categories:
        return list(counts), ()
    frequent = set(sorted(counts, key=lambda value: -counts[value])[: max_categories - 1])
    return [value for value in counts if value in frequent], tuple(
        value for value in counts if value not in frequent
    )
