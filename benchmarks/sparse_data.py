"""The sets of the studies on sparse trees: columns of numbers, cut wherever the label changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Arrays, read_classification, set_names

PREFIX = "sparse/"


def sparse_names(data: Path) -> list[str]:
    """Names of all sets of this study: those of ``classification/``, then ``sparse/NAME``."""
    return set_names(data, "classification") + [PREFIX + name for name in set_names(data, "sparse")]


def read_sparse(data: Path, name: str) -> Arrays:
    """Read a set by its name in `sparse_names`, as label and Booleans."""
    if not name.startswith(PREFIX):
        return read_classification(data, name)
    path = data / f"{name}.csv"
    if not path.is_file():
        raise SystemExit(f"no data set {path}; known: {' '.join(sparse_names(data))}")
    table = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
    _, y = np.unique(table[:, 0], return_inverse=True)
    columns = [column <= cut for column in table[:, 1:].T for cut in label_cuts(column, y)]
    return {"X": np.ascontiguousarray(np.stack(columns, axis=1), dtype=np.uint8), "y": y.astype(np.int32)}


def label_cuts(column: NDArray[np.float64], y: NDArray[np.intp]) -> list[float]:
    """Return the values after which the label changes.

    Between two values whose rows all have one and the same label no cut is needed: some cut at an end of the
    run of such values is as good.

    Examples
    --------
    >>> label_cuts(np.array([1.0, 2.0, 3.0, 4.0, 4.0]), np.array([0, 0, 1, 1, 0]))
    [2.0, 3.0]
    """
    values = np.unique(column)
    labels = [np.unique(y[column == value]) for value in values]
    changes = zip(values[:-1], labels[:-1], labels[1:], strict=True)
    return [float(value) for value, a, b in changes if a.size > 1 or b.size > 1 or a[0] != b[0]]
