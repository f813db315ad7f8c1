"""The checked parameters of a `Binarizer`, and which features they give a column."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_consistent_length, column_or_1d

from streed.binarize.cuts import Chosen, Gaps, all_cuts, find_gaps, quantile_gaps, tree_cuts, uniform_cuts
from streed.binarize.encode import Known, strict_dates, values_and_missing
from streed.binarize.features import (
    ColumnFeatures,
    Rows,
    all_zero_one,
    as_sorted,
    boolean_features,
    both_sides,
    category_features,
    number_features,
    ordered_features,
    part_features,
    with_missing,
    with_sides,
    zero_one_features,
)
from streed.binarize.identifiers import are_whole, look_like_dates, numbers_identify, texts_identify
from streed.options import Option
from streed.table.columns import Column, Kind, from_objects
from streed.table.dates import DATE_PARTS, NoDateError, parse_dates

N_THRESHOLDS = Option(
    "n_thresholds", "'auto', an integer >= 1 or None for all cuts", "", low=1, optional=True
)
MAX_CATEGORIES = Option("max_categories", "an integer >= 2 or None for all", "", low=2, optional=True)
MIN_FREQUENCY = Option(
    "min_frequency", "a share above 0 and below 1, an integer >= 1, or None", "",
    integer=False, low=0, above=True, optional=True,
)  # fmt: skip
FEATURES_AIMED_AT = 256
"""``n_thresholds="auto"`` gives each column its share of these, but at least 8 and at most 32 cuts."""
DATE = "date"
CHOICES = {
    "strategy": ("quantile", "uniform", "tree", "all"),
    "missing": ("error", "indicator", "side"),
    "unknown": ("ignore", "error"),
    "identifiers": ("drop", "keep"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What one fit does with every column."""

    strategy: str
    n_thresholds: int | None
    given: Mapping[int, Any]
    max_categories: int | None
    min_frequency: float | None
    missing: str
    refuse_unknown: bool
    dates: tuple[str, ...]
    """What of dates is tested: the date itself, parts of it."""
    drop_identifiers: bool
    """Whether columns that name their rows are left out."""
    all_orders: bool
    """Whether ordered categories are cut between all of them, whatever the strategy."""
    rows: NDArray[np.intp] | None
    weights: NDArray[np.float64] | None
    y: NDArray[Any] | None
    identifiers: dict[str, str] = field(default_factory=dict)
    """The columns that were left out since they name their rows, with what they hold."""

    def read(self, columns: Iterable[Column]) -> list[Known]:
        """Read the columns of a table, and after each column of dates the parts of them that are wanted."""
        found = []
        for source, column in enumerate(columns):
            known = self._read(source, column)
            found.append(known)
            if known.column.kind is Kind.DATE:
                parts = [known.of_dates(part) for part in DATE_PARTS if part in self.dates]
                found += [each for each in parts if self._differ(each)]
        return found

    def _read(self, source: int, column: Column) -> Known:
        """Read texts that are dates as such, and find or refuse missing values."""
        dates = dates_of(column)
        column = column if dates is None else dates
        return Known(column, *values_and_missing(column, self.missing), source, from_text=dates is not None)

    def _differ(self, known: Known) -> bool:
        """Whether a part of dates has more than one value in the rows that count."""
        values = known.values if self.rows is None else known.values[self.rows]
        values = values[~np.isnan(values)]
        return bool((values != values[:1]).any())

    def has_cuts(self, known: Known) -> bool:
        """Whether a column of numbers or dates is cut where the strategy says."""
        if known.column.kind is Kind.DATE:
            return DATE in self.dates or known.source in self.given
        return known.column.kind is Kind.NUMBER and not known.part

    def identify(self, known: Known, distinct: NDArray[Any], n_rows: int) -> bool:
        """Whether whole numbers, with their distinct values among some rows, name these rows; see there."""
        if not self.drop_identifiers or known.source in self.given or known.column.kind is not Kind.NUMBER:
            return False
        return are_whole(distinct) and numbers_identify(distinct, n_rows)

    def gaps(self, known: Known) -> Gaps:
        """Return the gaps between the values of a column of numbers or dates."""
        _, values, missing = known[:3]
        if self.rows is not None:
            values, missing = values[self.rows], None if missing is None else missing[self.rows]
        rows = Rows(values, self.weights, None)
        rows = rows if missing is None else rows.where(~missing)
        return find_gaps(as_sorted(rows.values), rows.weights)

    def features(self, known: Known, given: Any = None, gaps: Gaps | None = None) -> ColumnFeatures:
        """Choose the features of a column.

        Cuts may be given; by default those of the parameters are taken. `gaps` are those of the column, where
        they are known.
        """
        column, values, missing = known[:3]
        if given is None:
            given = self.given.get(known.source)
        if given is None and column.kind is Kind.DATE and DATE not in self.dates:
            given = []
        given = _check_cuts(column, given)
        sides = self.missing == "side" and missing is not None
        if self.rows is not None:
            values, missing = values[self.rows], None if missing is None else missing[self.rows]
        n_missing = 0 if missing is None else int(missing.sum())
        if n_missing == values.size:
            return ColumnFeatures(column.name, column.kind, (), (None,), "it is always missing")
        rows = Rows(values, self.weights, self.y)
        if missing is not None and n_missing:
            rows = rows.where(~missing)
        if known.part:
            found = part_features(column.name, known.part, rows.values)
            return replace(found, conditions=both_sides(found)) if sides else found
        found = self._features(known, rows, given, gaps, some_missing=sides or n_missing > 0)
        return with_sides(found) if sides else with_missing(found) if n_missing else found

    def _features(
        self, known: Known, rows: Rows, given: list[float] | None, gaps: Gaps | None, *, some_missing: bool
    ) -> ColumnFeatures:
        column = known.column
        if column.kind is Kind.BOOLEAN:
            return boolean_features(column.name, rows)
        if column.kind is Kind.CATEGORY:
            if self.drop_identifiers and texts_identify(rows.values, column.categories):
                return self._leave_out(column, rows, np.unique(rows.values).size, "texts")
            most, least, refuse = self.max_categories, self.min_frequency, self.refuse_unknown
            return category_features(column, rows, most, least, refuse=refuse, missing=some_missing)
        if column.kind is Kind.ORDERED:
            choose = _choose_all if self.all_orders else self._choose
            return ordered_features(column, rows, choose, refuse=self.refuse_unknown)
        if given is None and column.kind is Kind.NUMBER:
            if all_zero_one(rows.values):
                return zero_one_features(column.name, rows)
            if self.drop_identifiers and are_whole(rows.values):
                gaps = find_gaps(as_sorted(rows.values), rows.weights) if gaps is None else gaps
                if self.identify(known, gaps.distinct, rows.values.size):
                    return self._leave_out(column, rows, gaps.distinct.size, "whole numbers")
        return number_features(column, rows, self._choose, given, gaps, from_text=known.from_text)

    def _leave_out(self, column: Column, rows: Rows, n_different: int, what: str) -> ColumnFeatures:
        """Give no feature to a column that names its rows, and note so."""
        found = f"it holds {n_different} different {what} in {rows.values.size} rows"
        if look_like_dates(column.categories):
            found += " (dates are read as such if they are written as YYYY-MM-DD hh:mm:ss)"
        self.identifiers[column.name] = found
        some = tuple(column.categories)[:2]
        return ColumnFeatures(column.name, column.kind, (), (None,), "it names its rows", some)

    def _choose(self, gaps: Gaps, rows: Rows) -> Chosen:
        """Apply the strategy to one column."""
        n = self.n_thresholds
        if n is None:
            return all_cuts(gaps)
        if self.strategy == "uniform":
            return uniform_cuts(gaps, n)
        if self.strategy == "tree" and rows.y is not None:
            return tree_cuts(gaps, n, rows.values, rows.weights, rows.y)
        return quantile_gaps(gaps, n)


def _choose_all(gaps: Gaps, rows: Rows) -> Chosen:
    return all_cuts(gaps)


def check_plan(
    binarizer: Any,
    names: list[str],
    weights: Any,
    y: Any,
    n: int,
    *,
    all_orders: bool = False,
) -> Plan:
    """Check the parameters of a `Binarizer` against a table with `n` rows."""
    for name, allowed in CHOICES.items():
        value = getattr(binarizer, name)
        if not isinstance(value, str) or value not in allowed:
            expected = f"{', '.join(map(repr, allowed[:-1]))} or {allowed[-1]!r}"
            raise ValueError(f"{name} must be {expected}, got {value!r}")
    n_thresholds = _n_thresholds(binarizer.n_thresholds, len(names))
    most, least = MAX_CATEGORIES.check(binarizer.max_categories), MIN_FREQUENCY.check(binarizer.min_frequency)
    if least is not None and least >= 1 and not isinstance(binarizer.min_frequency, numbers.Integral):
        raise ValueError(f"min_frequency must be {MIN_FREQUENCY.expected}, got {binarizer.min_frequency!r}")
    rows = None if weights is None or weights.all() else np.flatnonzero(weights)
    target = _target(y, n) if binarizer.strategy == "tree" else None
    return Plan(
        strategy=binarizer.strategy,
        n_thresholds=None if binarizer.strategy == "all" else n_thresholds,
        given=_given(binarizer.thresholds, names),
        max_categories=None if most is None else int(most),
        min_frequency=None if least is None else least if least < 1 else int(least),
        missing=binarizer.missing,
        refuse_unknown=binarizer.unknown == "error",
        dates=check_dates(binarizer.dates),
        drop_identifiers=binarizer.identifiers == "drop" and len(names) > 1,
        all_orders=all_orders,
        rows=rows,
        weights=weights if rows is None else weights[rows],
        y=target if rows is None or target is None else target[rows],
    )


def check_dates(given: object) -> tuple[str, ...]:
    """Return what of dates is to be tested, from one name or several.

    Examples
    --------
    >>> check_dates("date"), check_dates(["hour", "weekday"])
    (('date',), ('hour', 'weekday'))
    """
    found, known = (given,) if isinstance(given, str) else given, (DATE, *DATE_PARTS)
    if not isinstance(found, list | tuple) or not found or not all(each in known for each in found):
        expected = ", ".join(map(repr, known))
        raise ValueError(f"dates must be one of {expected}, or a list of some of them, got {given!r}")
    return tuple(found)


def most_cuts(n_columns: int) -> int:
    """Return how often ``n_thresholds="auto"`` cuts a column at most."""
    return min(32, max(8, FEATURES_AIMED_AT // n_columns))


def _n_thresholds(given: object, n_columns: int) -> int | None:
    if isinstance(given, str) and given == "auto":
        return most_cuts(n_columns)
    number = N_THRESHOLDS.check(given)
    return None if number is None else int(number)


@dataclass(frozen=True, slots=True)
class Numbers:
    """The checked target of a regressor: its whole numbers are no labels."""

    values: NDArray[np.float64]


def _target(y: Any, n: int) -> NDArray[Any]:
    """Return labels as integers, or numbers to predict as floats."""
    if y is None:
        raise ValueError("strategy='tree' requires y to be passed, but the target y is None")
    if isinstance(y, Numbers):
        return y.values
    kind = type_of_target(y, input_name="y", raise_unknown=True)
    if kind not in ("binary", "multiclass", "continuous"):
        raise ValueError(f"strategy='tree' needs one label or number per row in y, got a {kind} target")
    column = column_or_1d(y)
    check_consistent_length(np.empty(n), column)
    if kind == "continuous":
        return np.asarray(column, dtype=np.float64)
    return np.unique(column, return_inverse=True)[1]


def _given(thresholds: object, names: list[str]) -> dict[int, Any]:
    """Return the given cuts by the number of their column."""
    if thresholds is None:
        return {}
    if not isinstance(thresholds, Mapping):
        raise TypeError(f"thresholds must be a dict from column to a list of cuts, got {thresholds!r}")
    position: dict[Any, int] = {
        **{j: j for j in range(len(names))},
        **{name: j for j, name in enumerate(names)},
    }
    for column in thresholds:
        if column not in position:
            raise ValueError(f"thresholds has cuts for {column!r}, but the columns are {names}")
    return {position[column]: cuts for column, cuts in thresholds.items()}


def _check_cuts(column: Column, given: Any) -> list[float] | None:
    """Return given cuts as sorted numbers."""
    if given is None:
        return None
    name = column.name
    if column.kind not in (Kind.NUMBER, Kind.DATE):
        raise TypeError(f"thresholds has cuts for column {name!r}, which holds {column.kind}: give it none")
    if column.kind is Kind.NUMBER and isinstance(given, list) and {float}.issuperset(map(type, given)):
        found = sorted(set(given))
        if all(map(math.isfinite, found)):
            return found  # plain numbers need not be read: it takes longer than a small fit may
    if isinstance(given, list) and not given:
        return given
    try:
        read = from_objects(name, np.asarray(given, dtype=object).ravel().tolist())
        if column.kind is Kind.DATE and read.kind is Kind.CATEGORY:
            read = Column(name, Kind.DATE, parse_dates([read.categories[code] for code in read.values]))
    except (TypeError, NoDateError) as error:
        raise ValueError(f"the thresholds of column {name!r} must be {column.kind}: {error}") from None
    fits = read.kind is column.kind or not read.values.size
    if not fits or not np.isfinite(read.values).all():
        raise ValueError(f"the thresholds of column {name!r} must be {column.kind}, got {given!r}")
    cuts: list[float] = np.unique(read.values).tolist()
    return cuts


def dates_of(column: Column) -> Column | None:
    """Read a column of texts as dates, if it holds nothing else."""
    if column.kind is not Kind.CATEGORY or not len(column.categories):
        return None
    try:
        parse_dates(column.categories[:1])  # mostly this tells already
        return strict_dates(column)
    except ValueError:
        return None
