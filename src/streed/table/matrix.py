"""Binary matrices as users give them, turned into what the engine takes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def check_binary(X: ArrayLike, n_features: int | None = None) -> NDArray[np.uint8]:
    """Return `X` as a C-contiguous uint8 matrix of zeros and ones, or say which value is neither.

    Boolean matrices are taken as they are, without a copy if they are C-contiguous.

    Examples
    --------
    >>> check_binary([[True, False]]).tolist()
    [[1, 0]]
    >>> check_binary([[0.0, 0.5]])
    Traceback (most recent call last):
    ValueError: X must hold only 0 and 1 (or False and True), got 0.5 in row 0, column 1; see streed.Binarizer
    """
    try:
        matrix = np.asarray(X)
    except ValueError as error:
        raise ValueError(f"X must be a matrix of zeros and ones: {error}") from error
    if matrix.ndim != 2:
        raise ValueError(f"X must be two-dimensional (rows, features), got an array of shape {matrix.shape}")
    if n_features is not None and matrix.shape[1] != n_features:
        raise ValueError(f"X must have {n_features} features, got {matrix.shape[1]}")
    if matrix.size == 0:
        return np.zeros(matrix.shape, dtype=np.uint8)
    if matrix.dtype == object:
        matrix = _from_objects(matrix)
    if matrix.dtype.kind not in "biuf":
        raise TypeError(f"X must be Boolean or numeric, got an array of {matrix.dtype}")
    if matrix.dtype.kind != "b":
        _refuse_other_values(matrix)
    if matrix.dtype.itemsize == 1 and matrix.flags.c_contiguous:
        return matrix.view(np.uint8)
    return np.ascontiguousarray(matrix, dtype=np.uint8)


def _from_objects(matrix: NDArray[np.object_]) -> NDArray[np.float64]:
    try:
        return matrix.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"X must be Boolean or numeric, got an array of objects: {error}") from error


def _refuse_other_values(matrix: NDArray[np.generic]) -> None:
    if matrix.dtype.kind in "iu" and matrix.dtype.isnative and matrix.flags.c_contiguous:
        unsigned = matrix.view(f"u{matrix.dtype.itemsize}")  # without a sign negative numbers are large
        fine = bool(unsigned.max() <= 1)
    else:
        fine = bool(((matrix == 0) | (matrix == 1)).all())
    if not fine:
        row, column = (int(i) for i in np.argwhere((matrix != 0) & (matrix != 1))[0])
        raise ValueError(
            f"X must hold only 0 and 1 (or False and True), got {matrix[row, column]} "
            f"in row {row}, column {column}; see streed.Binarizer"
        )
