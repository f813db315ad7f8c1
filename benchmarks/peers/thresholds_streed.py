"""streed's search over all thresholds, from the table of numbers to the tree."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock import measure, processor_time
from benchmarks.peers import WARM_X, WARM_Y, Options


def run(X: NDArray[Any], y: NDArray[np.int32], options: Options) -> dict[str, Any]:
    """Search all thresholds; the time covers ranks and conditions, too."""
    package = import_module("streed.thresholds")
    limits = {"max_depth": options["max_depth"], "time_limit": options["time_limit"]}
    more = {"n_threads": options["n_jobs"] or 1, "simd": options["simd"]}
    found: list[Any] = [None]

    def fit(table: NDArray[Any], labels: NDArray[np.int32]) -> None:
        columns = [
            SimpleNamespace(name=f"x{j}", kind="numbers", values=table[:, j], categories=())
            for j in range(table.shape[1])
        ]
        found[0] = package.solve_thresholds(columns, labels=labels, **limits, **more)

    fit(WARM_X.astype(np.float64), WARM_Y.astype(np.int32))
    timing = measure(lambda: fit(X, y), float(options["time_limit"]))
    result = found[0]
    return processor_time(timing, proven=result.optimal) | {
        "prediction": result.predicted(),
        "proven": result.optimal,
        "objective": result.objective,
        "lower_bound": result.lower_bound,
        "statistics": {name: float(value) for name, value in result.statistics.items()},
        "simd": options["simd"],
    }
