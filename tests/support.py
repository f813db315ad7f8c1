"""Where the data sets are, and how to read them and the table of known optima."""

from __future__ import annotations

import contextlib
import functools
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from streed.binarize import plan

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("STREED_DATA", ROOT.parent / "shared" / "data"))
REFERENCE = Path(os.environ.get("STREED_REFERENCE", DATA.parent / "reference"))


@functools.cache
def read_dataset(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Features (uint8) and labels of e.g. "classification/anneal"; skips the test when it is missing."""
    path = DATA / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"no data set {name} in {DATA} (set STREED_DATA)")
    table = np.loadtxt(path, dtype=np.int64)
    return np.ascontiguousarray(table[:, 1:], dtype=np.uint8), table[:, 0]


def optima(task: str) -> list[dict[str, Any]]:
    """The lines of the table of known optima for a task; empty when there is no table."""
    path = REFERENCE / "optima.jsonl"
    if not path.exists():
        return []
    lines = (json.loads(line) for line in path.read_text().splitlines())
    return [line for line in lines if line["task"] == task]


@contextlib.contextmanager
def one_cut() -> Iterator[None]:
    """Let estimators choose one cut per column by default, so that small tables have more thresholds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plan, "_n_thresholds", lambda given, n_columns: 1 if given == "auto" else None)
        yield
