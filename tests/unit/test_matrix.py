"""Binary matrices in all the forms that people have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from streed.table.matrix import check_binary

VALUES = [[0, 1, 1], [1, 0, 0]]


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int32", "uint64", "float16", "float32", "float64", "object"]
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_all_numeric_types(dtype: str, order: Any) -> None:
    matrix = check_binary(np.array(VALUES, dtype=dtype, order=order))
    assert matrix.tolist() == VALUES
    assert matrix.dtype == np.uint8
    assert matrix.flags.c_contiguous


def test_lists_and_frames() -> None:
    columns = {"a": [True, False], "b": [1, 0]}
    for table in (VALUES, pd.DataFrame(VALUES), pl.DataFrame(VALUES, orient="row")):
        assert check_binary(table).tolist() == VALUES
    assert check_binary(pd.DataFrame(columns)).tolist() == [[1, 1], [0, 0]]


def test_a_boolean_matrix_is_not_copied() -> None:
    X = np.zeros((5, 3), dtype=bool)
    assert np.shares_memory(check_binary(X), X)


@pytest.mark.parametrize("shape", [(0, 0), (0, 4), (4, 0)])
def test_matrices_without_entries(shape: tuple[int, int]) -> None:
    assert check_binary(np.zeros(shape)).shape == shape


@pytest.mark.parametrize("bad", [2.0, -1.0, 0.5, np.nan, np.inf, -np.inf, 1 + 1e-9])
def test_other_values_are_named(bad: float) -> None:
    X = np.zeros((4, 3))
    X[2, 1] = bad
    X[3, 2] = 7
    with pytest.raises(ValueError, match=rf"only 0 and 1 .* got {bad} in row 2, column 1"):
        check_binary(X)


def test_small_unsigned_integers_are_looked_at_too() -> None:
    with pytest.raises(ValueError, match="got 255 in row 0, column 1"):
        check_binary(np.array([[0, 255]], dtype=np.uint8))


@pytest.mark.parametrize("bad", [[0, 1], 1, [[[0]]]])
def test_wrong_number_of_dimensions(bad: Any) -> None:
    with pytest.raises(ValueError, match=r"two-dimensional .* got an array of shape"):
        check_binary(bad)


def test_ragged_rows() -> None:
    with pytest.raises(ValueError, match="X must be a matrix"):
        check_binary([[0, 1], [1]])


@pytest.mark.parametrize(
    "bad", [[["a", "b"]], np.array([["a", 1]], dtype=object), [[1j]], np.array([["2020"]], "M8[Y]")]
)
def test_what_is_not_a_number(bad: Any) -> None:
    with pytest.raises(TypeError, match="X must be Boolean or numeric"):
        check_binary(bad)


def test_wrong_number_of_features() -> None:
    with pytest.raises(ValueError, match="must have 4 features, got 3"):
        check_binary(VALUES, 4)
