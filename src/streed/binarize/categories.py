"""Categories: how often each occurs, and which ones are so rare that they share a feature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


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


def split_rare(
    counts: dict[Any, float], max_categories: int | None, min_frequency: float | None = None
) -> tuple[list[Any], tuple[Any, ...]]:
    """Return the categories to keep apart and the rare ones to join, for at most `max_categories` features.

    Categories of less weight than `min_frequency` are rare in any case; below 1 it is a share of the total.

    Examples
    --------
    >>> split_rare({"blue": 5, "green": 1, "red": 9, "teal": 1}, 3)
    (['blue', 'red'], ('green', 'teal'))
    >>> split_rare({"blue": 5, "green": 1, "red": 9, "teal": 1}, None, 0.4)
    (['red'], ('blue', 'green', 'teal'))
    """
    least = 0.0 if min_frequency is None else float(min_frequency)
    if isinstance(min_frequency, float) and least < 1:
        least *= sum(counts.values())
    frequent = [value for value in counts if counts[value] >= least]
    if max_categories is not None and len(frequent) + (len(frequent) < len(counts)) > max_categories:
        frequent = sorted(frequent, key=lambda value: -counts[value])[: max_categories - 1]
    kept = set(frequent)
    rare = tuple(value for value in counts if value not in kept)
    if len(rare) == 1:
        return list(counts), ()
    return [value for value in counts if value in kept], rare
