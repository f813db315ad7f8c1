"""Rows that are equal in all columns, put together: a row of weight two is the same as two rows.

A search over thresholds takes rows as they come. Among equally good trees it returns the first one that it
finds, which depends on the order of the rows and on whether equal rows stand together. So rows are brought
into one order first, and equal rows with equal classes into one row. Whole weights are then given as rows
again where these are few, since the engine counts rows faster than it adds weights.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

MOST_COPIES = 1.25
"""Whole weights become rows again if there are at most so many rows for each different one. Weights took 1.01
to 1.15 times as long as rows at 1.1 rows each, 0.70 to 0.97 at 1.5, 0.52 to 0.76 at 2 and 0.30 to 0.46 at 4
(processor time; rice, segment, page and wilt at depth 2 and 3, random whole weights)."""


MANY = 100_000
"""From so many rows on, a column whose values all differ orders the rows: no equal ones need be looked for.
Of a million rows and 20 columns that takes .4 s less than the hash and the comparison of neighbours."""


def _distinct_order(ranks: NDArray[np.int32]) -> NDArray[np.intp] | None:
    """Return the rows of a large table in the order of the first column whose dense ranks all differ."""
    n_rows = ranks.shape[1]
    if n_rows < MANY:
        return None
    for column in ranks:
        if column.max() == n_rows - 1:
            order = np.full(n_rows, -1, np.intp)
            order[column] = np.arange(n_rows)
            if (order >= 0).all():
                return order
    return None


def in_order(columns: NDArray[np.int32]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return an order of the rows that depends on their values alone, and whether each row is the first.

    Equal rows are neighbours; a row is the first if the one before it differs. Rows are sorted by a hash of
    their values, since comparing whole rows takes as long as a small search. Two rows of the same hash that
    differ are told apart by sorting all rows by all columns.
    """
    factors, added = _factors(len(columns))
    hashes = np.einsum("i,ij->j", factors, columns, dtype=np.uint64, casting="unsafe") + added
    order = np.argsort(hashes, kind="stable")
    hashes = hashes[order]
    first = _differ(columns, order)
    if ((hashes[1:] != hashes[:-1]) != first[1:]).any():
        order = np.lexsort(columns)
        first = _differ(columns, order)
    return order, first


@functools.lru_cache(maxsize=16)
def _factors(n_columns: int) -> tuple[NDArray[np.uint64], np.uint64]:
    """Return the factors of the columns in the hash, and their sum; the same numbers in every process."""
    draw = np.random.default_rng(0)
    factors = np.array([draw.integers(1, 2**63) for _ in range(n_columns)], np.uint64)
    return factors, factors.sum()


def _differ(columns: NDArray[np.int32], order: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Whether each row, in an order, differs in a column from the one before it; the first one does."""
    values = columns.take(order, axis=1)
    first = np.ones(order.size, np.bool_)
    np.logical_or.reduce(values[:, 1:] != values[:, :-1], axis=0, out=first[1:])
    return first


def merge_classes(
    ranks: NDArray[np.int32], codes: NDArray[np.int32], weights: NDArray[np.float64]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """Merge rows that are equal in their ranks and their class.

    Examples
    --------
    >>> ranks = np.array([[1, 0, 1]], np.int32)
    >>> merge_classes(ranks, np.array([0, 1, 0], np.int32), np.array([5.0, 1.0, 4.5]))[2].tolist()
    [1.0, 9.5]
    """
    distinct = _distinct_order(ranks)
    if distinct is not None:
        rows, sums = distinct, weights[distinct]
    else:
        order, is_first = in_order(np.vstack([ranks, codes]))
        first = is_first.nonzero()[0]
        rows, sums = order[first], np.add.reduceat(weights[order], first)
    if (sums == 1).all():
        return ranks.take(rows, axis=1), codes[rows], sums
    if (sums == np.floor(sums)).all() and sums.sum() <= MOST_COPIES * rows.size:
        rows = np.repeat(rows, sums.astype(np.int64))
        sums = np.ones(rows.size)
    return ranks.take(rows, axis=1), codes[rows], sums


def merge_sums(
    ranks: NDArray[np.int32], values: NDArray[np.float64]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Merge rows that are equal in their ranks, and add up their values, of shape (rows, any number).

    The values are costs of labels, or statistics.
    """
    order = _distinct_order(ranks)
    if order is not None:
        return ranks.take(order, axis=1), values[order]
    order, is_first = in_order(ranks)
    first = is_first.nonzero()[0]
    return ranks.take(order[first], axis=1), np.add.reduceat(values[order], first, axis=0)
