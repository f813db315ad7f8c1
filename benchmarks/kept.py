"""Finished runs in a file of lines, so that a long study can be run in parts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.data import Arrays
from benchmarks.runner import Outcome


def digest(arrays: Arrays) -> str:
    """Tell data from one another."""
    total = hashlib.sha256()
    for name in sorted(arrays):
        total.update(name.encode() + np.ascontiguousarray(arrays[name]).tobytes())
    return total.hexdigest()[:16]


class KeptRuns:
    """Runs by what was run; each is written as soon as it has ended.

    A run is taken from the file only for the same data, package, interpreter and time limit. After a change
    of a package its lines must go: the file does not know which build was run.

    Parameters
    ----------
    path : Path or None
        The file, made if it is missing; None keeps nothing.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        lines = path.read_text().splitlines() if path is not None and path.exists() else []
        self.known = {json.dumps(one["key"]): one["outcome"] for one in map(json.loads, lines)}

    def run(self, key: list[Any], measure: Callable[[], Outcome]) -> Outcome:
        """Return the kept outcome of `key`, or measure and keep it."""
        text = json.dumps(key)
        if text in self.known:
            return Outcome.from_dict(self.known[text])
        outcome = measure()
        if self.path is not None and outcome.status != "missing":
            with self.path.open("a") as file:
                file.write(json.dumps({"key": key, "outcome": outcome.to_dict()}) + "\n")
        return outcome
