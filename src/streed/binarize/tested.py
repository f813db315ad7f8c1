"""A fitted binarizer without what its tree does not test, so that no stored estimator holds training rows.

A binarizer has cuts, categories and typical values of every column. Some of these are values of single rows:
the names of customers in a column that no test looks at, or the dates of their contracts. What is stored
needs the tests of the tree and the kinds of the columns alone.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.binarize.binarizer import Binarizer
from streed.binarize.features import ColumnFeatures, is_zero_one
from streed.table.columns import Kind
from streed.tree.conditions import Condition

UNUSED = "the tree does not test it"


def keep_tested(binarizer: Binarizer, used: Collection[int]) -> tuple[Binarizer, NDArray[np.int32]]:
    """Return a binarizer whose features are those that a tree tests, and the new number of each old feature.

    Columns of Booleans and of zeros and ones stay as they are: they hold no values of rows. Of a column with
    missing values the feature that says so stays, and "or missing" beside the same test without it. The
    columns and their kinds stay, too.
    """
    numbers = np.full(len(binarizer.conditions_), -1, np.int32)
    columns: list[ColumnFeatures] = []
    names = {binarizer.conditions_[feature].column for feature in used}
    start = n_kept = 0
    for column in binarizer.columns:
        own = range(start, start + len(column.conditions))
        start = own.stop
        places = {feature - own.start for feature in used if feature in own}
        kept = _kept(column, places, is_tested=column.name in names)
        if column.part and not kept:
            continue  # a part of dates is listed beside its dates, and only while it has features
        numbers[[own.start + place for place in kept]] = np.arange(n_kept, n_kept + len(kept))
        n_kept += len(kept)
        columns.append(_without_rows(column, kept))
    other = Binarizer(**binarizer.get_params(deep=False))
    return other.keep(binarizer, columns), numbers


def _kept(column: ColumnFeatures, tested: Collection[int], *, is_tested: bool) -> list[int]:
    """Return the places of the conditions to keep, in their order; dates are tested also by their parts."""
    conditions = column.conditions
    if column.kind is Kind.BOOLEAN or is_zero_one(column):
        return list(range(len(conditions)))
    values = {_of_values(conditions[place]) for place in tested}
    if not is_tested:
        return []
    return [
        place
        for place, each in enumerate(conditions)
        if _of_values(each) in values or (each.operator == "is" and each.value is None)
    ]


def _of_values(condition: Condition) -> Condition:
    return replace(condition, missing=False)


def _without_rows(column: ColumnFeatures, kept: list[int]) -> ColumnFeatures:
    """Return a column with some of its conditions, and values that follow from these alone."""
    if len(kept) == len(column.conditions) and (column.kind is Kind.BOOLEAN or is_zero_one(column)):
        return column
    conditions = tuple(column.conditions[place] for place in kept)
    plain = [each for each in conditions if not each.knows_missing]
    return replace(
        column,
        conditions=conditions,
        values=_values(column.kind, plain),
        reason=column.reason or (None if conditions else UNUSED),
        categories=_sample(column.categories[:1]),
        known=column.known if conditions else None,
        around=(),
    )


def _sample(categories: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return something of the type of a category, which tells numbers from texts."""
    return tuple("" if isinstance(each, str) else 0 for each in categories)


def _values(kind: Kind, conditions: list[Condition]) -> tuple[Any, ...]:
    """Return a value for each condition that satisfies it first, and one that satisfies none."""
    if not conditions:
        return (None,)
    found = [each.value[-1] if isinstance(each.value, tuple) else each.value for each in conditions]
    return (*found, None if kind.is_category else _above(found[-1]))


def _above(cut: Any) -> Any:
    """Return a value above a cut.

    Examples
    --------
    >>> _above(2), _above(2.5), _above("2024-02-29")
    (3, 3.5, '2024-03-01')
    """
    if isinstance(cut, str):
        return (dt.datetime.fromisoformat(cut) + dt.timedelta(days=1)).isoformat(" ")[: max(10, len(cut))]
    return cut + 1 if cut + 1 > cut else math.nextafter(cut, math.inf)
