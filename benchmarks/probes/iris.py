"""Time the first and later fits of iris at depth three, import excluded."""

from __future__ import annotations

import json
import statistics
import sys
import time
from importlib import import_module

from benchmarks.machine import version_of

LATER_FITS = 20


def main() -> None:
    """Print the seconds of the import, the first fit and the median of later fits."""
    start = time.perf_counter()
    classifier = import_module("streed").OptimalTreeClassifier
    imported = time.perf_counter() - start
    X, y = import_module("sklearn.datasets").load_iris(return_X_y=True)
    times = []
    for _ in range(1 + LATER_FITS):
        start = time.perf_counter()
        classifier(max_depth=3).fit(X, y)
        times.append(time.perf_counter() - start)
    answer = {"import": imported, "first": times[0], "later": statistics.median(times[1:])}
    sys.stdout.write(json.dumps(answer | {"version": version_of("streed")}) + "\n")


if __name__ == "__main__":
    main()
