"""Readers of file formats in which data for these tasks are published."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from streed.tasks.feature_costs import FeatureCosts

__all__ = ["CostFile", "read_cost_file"]


class CostFile(NamedTuple):
    """What a cost file holds.

    Attributes
    ----------
    matrix : float64 array of shape (n_labels, n_labels)
        Misclassification costs [true, predicted].
    feature_costs : streed.FeatureCosts
        Prices of the tests; their `attributes` say which test each binary column belongs to.
    """

    matrix: NDArray[np.float64]
    feature_costs: FeatureCosts


def read_cost_file(path: str | PathLike[str]) -> CostFile:
    r"""Read a file of misclassification and test costs, as they come with the paper's cost-sensitive data.

    The file has K lines of the K x K matrix (row = true label, column = predicted label), a line of column
    heads, and then a line per test: its name, its cost, its discounted cost, its group (``x`` for none), and
    the first and the last of its binary columns, counted from 0.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    CostFile
        The matrix and the prices.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from streed.datasets import read_cost_file
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "costs.csv")
    ...     _ = path.write_text("0 12\n3 0\nname cost discount group begin end\n"
    ...                         "sex 1 1 x 0 0\nalbumin 7.27 5.17 a 1 3\n")
    ...     costs = read_cost_file(path)
    >>> costs.matrix.tolist(), costs.feature_costs.costs["albumin"], costs.feature_costs.attributes
    ([[0.0, 12.0], [3.0, 0.0]], 7.27, ['sex', 'albumin', 'albumin', 'albumin'])
    """
    lines = [line.split() for line in Path(path).read_text(encoding="utf-8").splitlines()]
    lines = [line for line in lines if line]
    k = len(lines[0]) if lines else 0
    if k == 0 or len(lines) <= k:
        raise ValueError(
            f"{path}: a matrix of as many lines as columns must come first, then a line of heads"
        )
    matrix = np.array([_numbers(path, line, k) for line in lines[:k]], np.float64)
    costs: dict[str, float] = {}
    discounted: dict[str, float] = {}
    groups: dict[str, str] = {}
    attributes: list[str] = []
    for line in lines[k + 1 :]:
        if len(line) != 6:
            raise ValueError(
                f"{path}: a line must have name, cost, discounted cost, group, first and last column, "
                f"got {' '.join(line)!r}"
            )
        name, group = line[0], line[3]
        full, cheap, first, last = _numbers(path, [*line[1:3], *line[4:]], 4)
        if name in costs or first != len(attributes) or last < first:
            raise ValueError(
                f"{path}: tests must have distinct names and follow each other without gaps, the next column "
                f"is {len(attributes)}, got {' '.join(line)!r}"
            )
        costs[name], discounted[name] = full, cheap
        if group != "x":
            groups[name] = group
        attributes += [name] * (int(last) - int(first) + 1)
    return CostFile(matrix, FeatureCosts(costs, discounted, groups, attributes))


def _numbers(path: object, words: list[str], n: int) -> list[float]:
    try:
        numbers = [float(word) for word in words]
    except ValueError as error:
        raise ValueError(f"{path}: expected numbers, got {' '.join(words)!r}") from error
    if len(numbers) != n:
        raise ValueError(f"{path}: expected {n} numbers in a line, got {' '.join(words)!r}")
    return numbers
