"""From a table of any kind to the columns that an exported tree reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from streed.interop.inputs import How, Input
from streed.model.holds import holds
from streed.model.model import read_column
from streed.table.columns import Column, Kind, column_names, is_frame


class ColumnEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Make the columns that an exported tree reads: numbers as they are, 0 and 1 for every other test.

    Parameters
    ----------
    inputs : sequence of Input
        The columns to make.
    columns : sequence of str
        The columns of the table, in their order; those of a frame are found by their names.
    missing : {"error", "indicator", "side"}
        Whether missing values are refused.
    """

    def __init__(self, inputs: Sequence[Input], columns: Sequence[str], missing: str) -> None:
        self.inputs = inputs
        self.columns = columns
        self.missing = missing

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any = None) -> ColumnEncoder:
        """Do nothing: the columns to make are known."""
        return self

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns."""
        return np.array([str(each) for each in self.inputs], dtype=object)

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Return the columns as doubles, NaN where numbers are missing."""
        table = X if hasattr(X, "shape") else np.array(X, dtype=object)
        read: dict[str, Column] = {}
        encoded = np.empty((table.shape[0], len(self.inputs)))
        for values, each in zip(encoded.T, self.inputs, strict=True):
            if each.how is How.ANY:
                values[:] = self._untested(table, each.column)
                continue
            if each.column not in read:
                read[each.column] = read_column(table, self.columns, each.column)
            values[:] = self._encode(each, read[each.column])
        return encoded

    def _untested(self, table: Any, name: str) -> Any:
        """Return the numbers of a column that no test looks at; it may be missing, or hold anything."""
        if is_frame(table) and name not in column_names(table):
            return np.nan
        column = read_column(table, self.columns, name)
        return column.floats() if column.kind in (Kind.NUMBER, Kind.BOOLEAN) else np.nan

    def _encode(self, each: Input, column: Column) -> NDArray[Any]:
        if each.condition is not None:
            return holds(each.condition, column, self.missing)
        values = _numbers(column)
        absent = np.isnan(values)
        if self.missing == "error" and absent.any():
            row = int(np.flatnonzero(absent)[0])
            raise ValueError(
                f"column {column.name!r} has missing values, the first in row {row}; the model was made to "
                "refuse them"
            )
        if each.how is How.FLAG:
            return np.where(absent, np.nan, values == 1)
        return values


def _numbers(column: Column) -> NDArray[np.float64]:
    if column.kind in (Kind.NUMBER, Kind.BOOLEAN):
        return column.floats()
    if column.kind.is_category and bool((column.values < 0).all()):
        return np.full(column.values.size, np.nan)
    raise TypeError(f"column {column.name!r} must hold numbers or Booleans, got {column.kind}")
