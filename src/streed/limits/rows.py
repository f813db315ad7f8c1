"""The training rows as limits see them: classes, weights in whole units, and groups."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.fairness.groups import columns_by_name, encode_groups
from streed.spelling import did_you_mean
from streed.table.columns import is_frame
from streed.table.labels import check_sample_weight, encode
from streed.table.units import integer_units

UNIT_BITS = 26
"""Rates are products of two weights, which stay exact if these have at most this many bits."""


@dataclass
class LimitRows:
    """Rows with a weight: what every limit is counted on.

    Attributes
    ----------
    labels : list
        What a leaf may predict.
    codes : int array or None
        The class of each row, as a position among `labels`; None where rows have no class.
    units : int64 array
        Weight of each row in whole units.
    kept : int64 array or None
        The rows that have a weight among those of the table; None when all have.
    grouping : callable
        ``grouping(by)``: groups and the group of each kept row.
    pricing : callable or None
        ``pricing(given)``: the prices of tests of binary features, where features and prices are known.
    test_unit : float or None
        What prices are counted in, where the objective pays them, too.
    """

    labels: list[Any]
    codes: NDArray[Any] | None
    units: NDArray[np.int64]
    kept: NDArray[np.int64] | None
    grouping: Callable[[Any], tuple[list[Any], NDArray[np.int32]]]
    pricing: Callable[[Any], Any] | None = None
    test_unit: float | None = None
    _groups: dict[str, Any] = field(default_factory=dict)

    @property
    def n(self) -> int:
        """Number of rows with a weight."""
        return int(self.units.size)

    @property
    def n_classes(self) -> int:
        """Number of classes of rows: those of the labels, or a single one where rows have no class."""
        return 1 if self.codes is None else len(self.labels)

    @functools.cached_property
    def equal(self) -> bool:
        """Whether each row counts one unit."""
        return bool(self.units.max(initial=1) == 1)

    @property
    def total(self) -> int:
        """Weight of all rows, in units."""
        return int(self.units.sum())

    def label(self, what: object, name: object) -> int:
        """Position of a label; refuses one that leaves do not predict."""
        if name in self.labels:
            return self.labels.index(name)
        meant = did_you_mean(name, self.labels) if isinstance(name, str) else ""
        raise ValueError(f"{what!r}: the labels are {', '.join(map(repr, self.labels))}{meant}")

    def classes(self, what: object) -> NDArray[Any]:
        """Return the class of each row; refuses rows without one."""
        if self.codes is None:
            raise ValueError(f"{what!r} counts classes of rows, and these rows have none")
        return self.codes

    def test_prices(self, given: Any) -> Any:
        """Return the prices of tests of the binary features."""
        if self.pricing is None:
            raise ValueError(
                "a limit on tests needs prices and the columns they belong to: an estimator knows these, "
                "streed.tasks.Constrained takes pricing="
            )
        return self.pricing(given)

    def groups(self, by: Any) -> tuple[list[Any], NDArray[np.int32]]:
        """Return the groups, and the group of each row."""
        key = repr(by) if isinstance(by, str | list | tuple | type(None)) else str(id(by))
        if key not in self._groups:
            self._groups[key] = self.grouping(by)
        groups: tuple[list[Any], NDArray[np.int32]] = self._groups[key]
        return groups

    def cells(self, by: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the cell of each row, which is its group and class, and the weight of all cells.

        Weights have the shape (groups, classes). What a limit counts is the same for all rows of a cell.
        """
        key = f"cells {id(self.groups(by))}"
        if key not in self._groups:
            groups, of_row = self.groups(by)
            place = of_row.astype(np.int64)
            if self.codes is not None:
                place = place * self.n_classes + self.codes
            size = len(groups) * self.n_classes
            sizes = np.bincount(place, None if self.equal else self.units, size).astype(np.int64)
            self._groups[key] = place, sizes.reshape(len(groups), self.n_classes)
        cells: tuple[NDArray[np.int64], NDArray[np.int64]] = self._groups[key]
        return cells

    def of_cells(self, cells: NDArray[np.int64], table: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what every row adds under each label, from what a unit of its cell does."""
        costs = table.reshape(-1, len(self.labels)).take(cells, axis=0)
        return costs if self.equal else costs * self.units[:, None]


def limit_rows(
    labels: NDArray[Any],
    y: ArrayLike | None,
    n_rows: int,
    sample_weight: ArrayLike | None = None,
    sensitive_features: Any = None,
    table: Any = None,
) -> LimitRows:
    """Read the rows of a table with their labels, weights and groups."""
    names = labels.tolist()
    weights = check_sample_weight(sample_weight, n_rows)
    kept = None if weights is None or weights.all() else np.flatnonzero(weights)
    codes = None
    if y is not None:
        present, given = encode(y)
        codes = np.array([names.index(label) for label in present.tolist()], dtype=np.int64)[given]
    if kept is not None and weights is not None:
        weights = weights[kept]
        codes = None if codes is None else codes[kept]
    n = n_rows if kept is None else kept.size
    units, _ = integer_units(weights, n, UNIT_BITS)

    def grouping(by: Any) -> tuple[list[Any], NDArray[np.int32]]:
        groups, group_codes = encode_groups(group_values(by, sensitive_features, table), n_rows)
        return groups, group_codes if kept is None else group_codes[kept]

    return LimitRows(names, codes, units, kept, grouping)


def group_values(by: Any, sensitive_features: Any, table: Any) -> Any:
    """Return the values that make the groups: columns of the table, values, or what was given to fit."""
    if by is None:
        if sensitive_features is None:
            raise ValueError(
                "a limit compares groups and says nothing of where they are: name a column, as in "
                "by='sex', or give them to fit(..., sensitive_features=...)"
            )
        return columns_by_name(table, sensitive_features)
    if isinstance(by, int) and not isinstance(by, bool):
        if is_frame(table) or not 0 <= by < table.shape[1]:
            raise ValueError(f"by={by!r} is to be the number of a column of an array")
        return table[:, by]
    try:
        return columns_by_name(table, by)
    except ValueError as error:
        raise ValueError(str(error).replace("sensitive_features=", "by=")) from None
