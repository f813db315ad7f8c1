"""The sets of the study of predictions, each one once, as far as possible with its columns as they were."""

from __future__ import annotations

import hashlib
import re
from importlib import import_module
from pathlib import Path

import numpy as np

from benchmarks.data import Arrays, read_continuous, set_names

FOLDERS = ("continuous", "sparse", "cost-sensitive", "fairness", "classification")
"""Of sets of one name the first folder counts: columns of numbers come before binary ones."""

OWN = ("iris", "wine", "breast_cancer", "digits")
"""Sets that come with scikit-learn."""

MOST_ROWS = 1000
"""Rows that trees are fitted to at most, and 70 % of all rows."""

MOST_TEST_ROWS = 5000
FIRST_SPLIT = 34_000
"""Splits begin with this seed: none of them was used to choose a method or a number. Splits from 33,000 on
were those of the first run of the study, and those from 90,000 on served development."""

DEVELOPED = 20
"""The first sets of the order, and all after the first 40, served development (with other splits)."""


def predict_sets(data: Path) -> list[str]:
    """Names of all sets with their folders, in the order of a digest of their names.

    The order is that in which sets are taken, so that no part of the study is a choice.
    """
    found: dict[str, str] = {}
    for folder, names in (("sklearn", OWN), *((folder, set_names(data, folder)) for folder in FOLDERS)):
        for name in names:
            if not name.endswith("-costs"):
                found.setdefault(re.sub("[^a-z0-9]", "", name.lower()), f"{folder}/{name}")
    return sorted(found.values(), key=lambda name: hashlib.sha256(name.encode()).hexdigest())


def read_predict(data: Path, name: str) -> Arrays:
    """Read labels, as 0, 1, ..., and columns."""
    folder, _, own = name.partition("/")
    if folder == "sklearn":
        columns, labels = getattr(import_module("sklearn.datasets"), f"load_{own}")(return_X_y=True)
        return {"X": np.ascontiguousarray(columns, np.float64), "y": labels.astype(np.int32)}
    if folder == "continuous":
        return read_continuous(data, own, own=False)
    headed = folder == "sparse"
    path = data / folder / f"{own}.csv"
    table = np.loadtxt(path, delimiter="," if headed else None, skiprows=int(headed), ndmin=2)
    _, labels = np.unique(table[:, 0], return_inverse=True)
    return {"X": np.ascontiguousarray(table[:, 1:]), "y": labels.reshape(-1).astype(np.int32)}


def split_rows(n_rows: int, split: int) -> tuple[np.ndarray, np.ndarray]:
    """Divide the rows at random: rows to fit on, rows to score on."""
    order = np.random.default_rng(FIRST_SPLIT + split).permutation(n_rows)
    n_train = min(MOST_ROWS, int(0.7 * n_rows))
    return order[:n_train], order[n_train : n_train + MOST_TEST_ROWS]
