"""streed's search over all thresholds, from the table of numbers to the tree with its conditions."""

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
    encode = import_module("streed.thresholds").encode_columns
    core = import_module("streed._core")
    limits = {
        "max_depth": options["max_depth"],
        "max_nodes": 2 ** options["max_depth"] - 1,
        "min_samples_leaf": 1,
        "branch_cost": 0.0,
        "time_limit": float(options["time_limit"]),
        "memory_limit": 0,
        "n_threads": options["n_jobs"] or 1,
        "simd": options["simd"],
    }
    found: list[Any] = [None]

    def fit(table: NDArray[Any], labels: NDArray[np.int32]) -> None:
        columns = [
            SimpleNamespace(name=f"x{j}", kind="numbers", values=table[:, j], categories=())
            for j in range(table.shape[1])
        ]
        encoded = encode(columns)
        ranks = np.array([one.codes for one in encoded], np.int32)
        weights, n_labels = np.ones(labels.size), int(labels.max()) + 1
        answer = core.solve_thresholds(ranks, labels, weights, None, n_labels, **limits)
        parts = (answer[name].tolist() for name in ("column", "rank", "next_rank", "missing_right"))
        tests = [
            encoded[j].test(rank, after, missing=bool(side))
            for j, rank, after, side in zip(*parts, strict=True)
        ]
        features = np.array([holds for _, holds in tests], np.uint8).reshape(len(tests), labels.size)
        leaf = core.route(features.T, answer["feature"], answer["left"], answer["right"])
        found[0] = answer | {"prediction": answer["label"][leaf]}

    fit(WARM_X.astype(np.float64), WARM_Y.astype(np.int32))
    timing = measure(lambda: fit(X, y), float(options["time_limit"]))
    result = found[0]
    return processor_time(timing, proven=result["optimal"]) | {
        "prediction": result["prediction"],
        "proven": result["optimal"],
        "objective": result["objective"],
        "lower_bound": result["lower_bound"],
        "statistics": {name: float(value) for name, value in result["statistics"].items()},
        "simd": options["simd"],
    }
