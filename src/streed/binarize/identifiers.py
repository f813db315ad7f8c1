"""Columns that name their rows, such as numbers of customers: a tree learns nothing from them about new rows.

Texts do so if hardly any of them occurs twice. Of whole numbers this alone says little: incomes may all be
different, too. But numbers that are measured hit a value as often as the next whole number, as far as chance
goes. So where many values are followed by the next whole number, others occur several times: of n draws at a
density of d rows per number n * d pairs are neighbours and n * d / 2 are equal. Numbers that were given out,
each of them once, have neighbours, but hardly any equal ones, also in a sample of their rows.

>>> customers = np.random.default_rng(0).permutation(2000)[:500] + 1_000_000
>>> numbers_identify(np.sort(customers), 500)
True
>>> ages = np.random.default_rng(0).integers(18, 80, 500)
>>> numbers_identify(np.unique(ages), 500)
False
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEW_TEXTS = 20
"""Up to so many different texts are categories, however often each occurs."""
MOST_ROWS = 0.05
"""A text that more than this share of the rows have is a category worth a test."""
NEIGHBOURS = 50
"""Of numbers that were measured, so many neighbours would go with 25 pairs of equal ones."""
EQUAL = 0.05
"""Numbers that were given out may have so many equal pairs for each pair of neighbours: chance gives .5."""

DATE_LIKE = re.compile(
    r"\d{1,4}\s*([-/.]\s*\d{1,2}\s*[-/.]|[a-z]{3,9}\.?,?)\s*\d{1,4}|\b[a-z]{3,9}\.? \d{1,2},? \d{4}", re.I
)
"""Texts such as 24/12/2025, 24 Dec 2025 and Dec 24, 2025."""


def texts_identify(codes: NDArray[Any], categories: Sequence[Any]) -> bool:
    """Whether there are more than half as many different texts as rows, and none of them is frequent."""
    counts = np.bincount(codes)
    n_different = np.count_nonzero(counts)
    if n_different <= FEW_TEXTS or 2 * n_different <= codes.size:
        return False
    return counts.max() <= max(1, MOST_ROWS * codes.size) and all(isinstance(c, str) for c in categories)


def look_like_dates(categories: Sequence[Any]) -> bool:
    """Whether the texts, judged by the first ones, may be dates in a form that is not read."""
    some = categories[:20]
    return len(some) > 0 and all(isinstance(c, str) and DATE_LIKE.search(c) for c in some)


def are_whole(values: NDArray[Any]) -> bool:
    """Whether all numbers are whole; mostly the first ones tell."""
    if values.dtype.kind in "iu":
        return True
    return all(bool((np.floor(part) == part).all()) for part in (values[:100], values))


def numbers_identify(distinct: NDArray[Any], n_rows: int) -> bool:
    """Whether whole numbers, given by their sorted distinct values, were given out one by one."""
    neighbours = int(np.count_nonzero(distinct[1:] - distinct[:-1] == 1))
    return neighbours >= NEIGHBOURS and n_rows - distinct.size <= EQUAL * neighbours
