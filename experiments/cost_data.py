"""The sets of the cost-sensitive study: one table, three levels of misclassification costs, random splits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.cost_data import LEVELS, read_cost_sensitive
from benchmarks.data import Arrays, set_names

HELD_OUT = 0.2


def cost_sets(data: Path) -> list[str]:
    """Names of the sets."""
    return [name for name in set_names(data, "cost-sensitive") if not name.endswith("-costs")]


def read_costs(data: Path, name: str) -> Arrays:
    """Read a set with the cost matrices of all levels, (levels, classes, classes), and category codes."""
    arrays = read_cost_sensitive(data, name, LEVELS[0])
    arrays["matrices"] = np.stack([read_cost_sensitive(data, name, level)["matrix"] for level in LEVELS])
    arrays["values"] = categories(arrays["X"], arrays["attribute"])
    del arrays["matrix"]
    return arrays


def categories(X: NDArray[np.uint8], attribute: NDArray[np.int32]) -> NDArray[np.int64]:
    """Turn the binary columns of each attribute back into one column of categories 0, 1, ...

    >>> import numpy as np
    >>> categories(np.array([[1, 0, 1], [0, 1, 0], [0, 1, 1]]), np.array([0, 0, 1])).tolist()
    [[1, 1], [0, 0], [0, 1]]
    """
    columns = []
    for one in np.unique(attribute):
        _, codes = np.unique(X[:, attribute == one], axis=0, return_inverse=True)
        columns.append(codes.reshape(-1))
    return np.stack(columns, axis=1).astype(np.int64)


def split_rows(n_rows: int, number: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Training and held-out rows of one random split."""
    order = np.random.default_rng([seed, number]).permutation(n_rows)
    held_out, rest = np.split(order, [round(HELD_OUT * n_rows)])
    return np.sort(rest), np.sort(held_out)
