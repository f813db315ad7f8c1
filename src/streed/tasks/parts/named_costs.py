"""Cost matrices whose rows and columns have the names of labels: dicts, and frames of pandas."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from streed.table.columns import is_pandas

WHAT = "the matrix of misclassification costs"


def in_order(matrix: Any, classes: NDArray[Any]) -> Any:
    """Put a matrix with names into the order of the classes; one without names is returned as it is.

    Examples
    --------
    >>> import numpy as np
    >>> costs = {"well": {"ill": 1}, "ill": {"well": 10}}
    >>> in_order(costs, np.array(["ill", "well"]))
    [[0.0, 10], [1, 0.0]]
    >>> in_order({("well", "ill"): 1, ("ill", "well"): 10}, np.array(["ill", "well"]))
    [[0.0, 10], [1, 0.0]]
    """
    names = classes.tolist()
    if isinstance(matrix, Mapping):
        return _of_pairs(_pairs(matrix), names)
    if is_pandas(matrix):
        return _of_frame(matrix, names)
    return matrix


def _pairs(matrix: Mapping[Any, Any]) -> dict[tuple[Any, Any], Any]:
    """Give the cost of each pair of a true and a predicted label."""
    if all(isinstance(line, Mapping) for line in matrix.values()):
        return {(true, predicted): c for true, line in matrix.items() for predicted, c in line.items()}
    if all(isinstance(key, tuple) and len(key) == 2 for key in matrix):
        return dict(matrix)
    raise TypeError(
        f"{WHAT} as a dict must be {{true: {{predicted: cost}}}} or {{(true, predicted): cost}}, "
        f"got {matrix!r}"
    )


def _of_pairs(costs: dict[tuple[Any, Any], Any], names: list[Any]) -> list[list[Any]]:
    """Make the table of the pairs; a label predicted for itself costs nothing if that is not given."""
    unknown = [
        label for label in dict.fromkeys(label for pair in costs for label in pair) if label not in names
    ]
    if unknown:
        raise ValueError(f"{WHAT} has labels {unknown!r} that are not in y, whose labels are {names!r}")
    every = [(true, predicted) for true in names for predicted in names if true != predicted]
    missing = next((pair for pair in every if pair not in costs), None)
    if missing is not None:
        raise ValueError(f"{WHAT} has no cost for {missing[0]!r} taken for {missing[1]!r}")
    return [[costs.get((true, predicted), 0.0) for predicted in names] for true in names]


def _of_frame(frame: Any, names: list[Any]) -> Any:
    """Reorder a frame whose lines and columns are named by the labels; other names do not matter."""
    lines, columns = list(frame.index), list(frame.columns)
    named = [len(given) == len(names) and set(given) == set(names) for given in (lines, columns)]
    if all(named):
        return frame.loc[names, names]
    if any(named) and names not in (lines, columns):
        raise ValueError(
            f"{WHAT} must have the labels {names!r} as index and as columns, got the index {lines!r} and the "
            f"columns {columns!r}"
        )
    return frame
