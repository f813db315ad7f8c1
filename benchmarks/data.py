"""The data sets: where they are, how they are read, and how one is told from another."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Problem:
    """One problem that every package gets: arrays, task and depth.

    Parameters
    ----------
    name : str
        Name of the data set.
    task : str
        What is optimised; a key of `benchmarks.scores.SCORES`.
    max_depth : int
        Greatest depth of the tree.
    arrays : dict of ndarray
        ``X`` (n x F, uint8, values 0 and 1), ``y`` (n, int32) and whatever else the task needs.
    settings : dict
        Further settings of the task, handed to the packages as they are.
    """

    name: str
    task: str
    max_depth: int
    arrays: Arrays
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Short name with the depth, for messages: ``splice-1/4``; other tasks than accuracy are named."""
        task = "" if self.task == "accuracy" else f" {self.task}"
        return f"{self.name}/{self.max_depth}{task}"

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and features."""
        rows, features = self.arrays["X"].shape
        return int(rows), int(features)

    @property
    def effort(self) -> float:
        """Rough guess of the work, n F^depth, used only to run small problems first."""
        rows, features = self.shape
        return float(rows) * float(features) ** self.max_depth

    def fingerprint(self) -> str:
        """Digest of the arrays; cached times are only used for the very same data."""
        digest = hashlib.sha256()
        for name in sorted(self.arrays):
            array = np.ascontiguousarray(self.arrays[name])
            digest.update(f"{name} {array.dtype} {array.shape} ".encode())
            digest.update(array.tobytes())
        return digest.hexdigest()[:16]


def default_folder() -> Path:
    """Folder of the data sets: ``STREED_DATA``, else ``../shared/data`` beside the project."""
    named = os.environ.get("STREED_DATA")
    return Path(named) if named else Path(__file__).resolve().parents[2] / "shared" / "data"


def set_names(data: Path, folder: str) -> list[str]:
    """Names of all data sets in one folder below `data`."""
    names = sorted(path.stem for path in (data / folder).glob("*.csv"))
    if not names:
        raise SystemExit(f"no data sets in {data / folder}; name the folder with --data or STREED_DATA")
    return names


def read_classification(data: Path, name: str) -> Arrays:
    """Read label and binary features; labels become 0, 1, ... in sorted order.

    The peers ask for labels without gaps (PyStreeD ends the process for others), so that all get these.
    """
    path = data / "classification" / f"{name}.csv"
    if not path.is_file():
        raise SystemExit(f"no data set {name!r}: {path} does not exist")
    table = np.loadtxt(path, dtype=np.int32, ndmin=2)
    _, labels = np.unique(table[:, 0], return_inverse=True)
    return {
        "X": np.ascontiguousarray(table[:, 1:], dtype=np.uint8),
        "y": labels.reshape(-1).astype(np.int32),
    }


def read_continuous(data: Path, name: str, *, own: bool) -> Arrays:
    """Read label and columns of numbers; `own` names a set that comes with scikit-learn."""
    if own:
        datasets = import_module("sklearn.datasets")
        columns, labels = getattr(datasets, f"load_{name}")(return_X_y=True)
    else:
        path = data / "continuous" / f"{name}.csv"
        if not path.is_file():
            raise SystemExit(f"no data set {name!r}: {path} does not exist")
        table = np.loadtxt(path, ndmin=2)
        columns, labels = table[:, 1:], table[:, 0]
    _, codes = np.unique(labels, return_inverse=True)
    return {"X": np.ascontiguousarray(columns, np.float64), "y": codes.reshape(-1).astype(np.int32)}


def read_fairness(data: Path, name: str, limit: Fraction) -> Arrays:
    """Read label, group (the first feature column) and other features; the limit becomes two integers."""
    path = data / "fairness" / f"{name}.csv"
    if not path.is_file():
        raise SystemExit(f"no data set {name!r}: {path} does not exist")
    table = np.loadtxt(path, dtype=np.int32, ndmin=2)
    return {
        "X": np.ascontiguousarray(table[:, 2:], dtype=np.uint8),
        "y": np.ascontiguousarray(table[:, 0]),
        "group": np.ascontiguousarray(table[:, 1]),
        "limit": np.array([limit.numerator, limit.denominator], dtype=np.int64),
    }


def structured_rows(rows: int, features: int, seed: int = 0) -> Arrays:
    """Make random rows with structure: correlated features and labels from a noisy tree of depth four.

    Every third feature is its left neighbour with a tenth of the values flipped, the densities run from 0.1
    to 0.9, and 15 % of the labels are flipped. The tree is one level deeper than the study asks for, so
    that no tree of depth three fits it.
    """
    rng = np.random.default_rng(seed)
    densities = rng.uniform(0.1, 0.9, size=features)
    X = np.empty((rows, features), dtype=np.uint8)
    for j in range(features):
        if j % 3 == 2:
            X[:, j] = X[:, j - 1] ^ (rng.random(rows, dtype=np.float32) < 0.1)
        else:
            X[:, j] = rng.random(rows, dtype=np.float32) < densities[j]
    leaf = np.zeros(rows, dtype=np.int64)
    for level in range(4):
        tested = rng.integers(0, features, size=2**level)
        leaf = 2 * leaf + X[np.arange(rows), tested[leaf]]
    y = (rng.integers(0, 2, size=16)[leaf] ^ (rng.random(rows) < 0.15)).astype(np.int32)
    return {"X": X, "y": y}
