"""Rows of a table down a tree: of all features of a binarizer only those are evaluated that the tree tests.

Numbers and dates are compared where they lie, each row with the cuts on its own path. Categories, and what
else needs a look at the values of a column, become one byte per row first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.binarize.encode import Encoder, Known, read_fitted
from streed.binarize.features import ColumnFeatures, owners_of, sources_of
from streed.table.columns import Column, Kind, from_pandas, is_frame, is_pandas, read_columns
from streed.table.limits import rounded_down
from streed.tree.missing import answer_absent, check_absent
from streed.tree.tree import ColumnTest, Tree

FEW_ROWS, MANY_COLUMNS = 8, 6
"""Frames of no more rows, and of so many columns of numbers that are not tested, are looked at value by
value: one row of 20 columns then takes .5 ms instead of 1.1, of 3 columns .4 instead of .3."""


def route_table(
    table: Any, columns: Sequence[ColumnFeatures], missing: str, tree: Tree, missing_at_predict: str
) -> NDArray[np.int64]:
    """Return the leaf of each row of a checked table.

    Parameters
    ----------
    table : array or frame
        The table, with its columns in the order of the fit.
    columns : sequence of ColumnFeatures
        The features of all columns, and after those of dates the features of their parts.
    missing : str
        What is done with missing values.
    tree : Tree
        A tree over the features.
    missing_at_predict : {"warn", "route", "error"}
        What is done with missing values in columns that had none in the fit.
    """
    owners = owners_of(columns)
    used = sorted({feature for feature in tree.feature.tolist() if feature >= 0})
    tested = sorted({int(owners[feature]) for feature in used})
    known = _read(table, columns, tested, missing)
    first = np.searchsorted(owners, np.arange(len(columns)))
    encoders = {j: Encoder(known[j], columns[j]) for j in tested}
    tests = [_test(encoders[j], columns[j], known[j], f - int(first[j])) for f, j in _owned(used, owners)]
    leaf = tree.route_columns(used, tests, table.shape[0])
    absent = _absent(columns, known, tested)
    if absent and check_absent({columns[j].name: where for j, where in absent.items()}, missing_at_predict):
        rows = np.flatnonzero(np.any(list(absent.values()), axis=0))
        holds = {f: encoders[j].evaluate(f - int(first[j]))[rows] for f, j in _owned(used, owners)}
        missing_of = {f: absent[j][rows] for f, j in _owned(used, owners) if j in absent}
        leaf[rows], _ = answer_absent(tree, holds, missing_of)
    return leaf


def _absent(
    columns: Sequence[ColumnFeatures], known: Mapping[int, Known], tested: list[int]
) -> dict[int, NDArray[np.bool_]]:
    """Return where values are missing in tested columns of which no condition speaks of missing values."""
    some = {j: where for j in tested if (where := known[j].missing) is not None and where.any()}
    if not some:
        return {}
    names = {c.name for c in columns if any(each.knows_missing for each in c.conditions)}
    return {j: where for j, where in some.items() if columns[j].name not in names}


def _owned(used: list[int], owners: NDArray[np.intp]) -> Iterator[tuple[int, int]]:
    return zip(used, owners[used].tolist(), strict=True) if used else iter(())


def _read(table: Any, columns: Sequence[ColumnFeatures], tested: list[int], missing: str) -> dict[int, Known]:
    """Read the columns that a tree tests, and those in which an error may show.

    Texts and dates that no test looks at are not read, unless missing or unknown values are refused: it takes
    longer than everything else.
    """
    strict = missing == "error" or any(column.known is not None for column in columns)
    plain = (Kind.NUMBER, Kind.BOOLEAN)
    wanted = [j for j, c in enumerate(columns) if strict or j in tested or (c.kind in plain and not c.part)]
    sources = sources_of(columns)
    needed = sorted({sources[j] for j in wanted})
    if not needed:  # a selection of no columns forgets how many rows there are, or is refused
        return {}
    if is_pandas(table):  # a frame of some columns would take longer than to read them
        if not strict and table.shape[0] <= FEW_ROWS and len(wanted) - len(tested) >= MANY_COLUMNS:
            fine = _plain_numbers(table)
            wanted = [j for j in wanted if j in tested or sources[j] not in fine]
            needed = sorted({sources[j] for j in wanted})
        names = [column.name for column in columns if not column.part]
        found = {j: from_pandas(names[j], table.iloc[:, j]) for j in needed}
        return {j: read_fitted(found[sources[j]], columns[j], missing) for j in wanted}
    if is_frame(table):
        part = table[[table.columns[j] for j in needed]] if len(needed) < table.shape[1] else table
    else:
        part = table if len(needed) == table.shape[1] or table.dtype.kind != "O" else table[:, needed]
        needed = needed if part is not table else list(range(table.shape[1]))
    names = [column.name for column in columns if not column.part]
    read: Iterator[Column] = read_columns(part, [names[j] for j in needed])
    known = dict(zip(needed, read, strict=True))
    return {j: read_fitted(known[sources[j]], columns[j], missing) for j in wanted}


def _plain_numbers(table: Any) -> set[int]:
    """Return the columns of a short frame of pandas that hold NumPy's numbers or Booleans, none infinite.

    There is nothing to refuse in them. To read 17 such columns one by one took .6 of 1.0 ms for one row.
    """
    plain = {j for j, kind in enumerate(table.dtypes) if isinstance(kind, np.dtype) and kind.kind in "iufb"}
    rows = table.to_numpy(object).tolist()
    return {j for j in plain if not any(abs(row[j]) == math.inf for row in rows)}


def _test(encoder: Encoder, fitted: ColumnFeatures, known: Known, position: int) -> ColumnTest:
    """Return a condition of a column as a comparison of its values, or evaluated."""
    condition, values = fitted.conditions[position], known.values
    plain = condition.operator == "<=" and (known.missing is None or values.dtype.kind == "f")
    if not plain or values.dtype.kind not in "iuf" or values.dtype.itemsize not in (1, 2, 4, 8):
        return encoder.evaluate(position), None, False
    if not values.dtype.isnative or (values.dtype.kind == "f" and values.dtype.itemsize < 4):
        values = values.astype(values.dtype.newbyteorder("=") if values.dtype.itemsize >= 4 else np.float32)
    cut = encoder.cut(position)
    if values.dtype.kind == "f":
        return values, rounded_down(cut), condition.missing
    limits, whole = np.iinfo(values.dtype), math.floor(cut)
    if whole < -(2**63):
        return encoder.evaluate(position), None, False
    return values, min(max(whole, limits.min - 1), int(limits.max)), False
