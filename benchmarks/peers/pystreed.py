"""PyStreeD, the reference implementation of the paper, with its default search settings."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock import measure
from benchmarks.peers import WARM_X, WARM_Y, Options, costs_pystreed, require_task

DISTRIBUTION = "pystreed"


def run(X: NDArray[np.uint8], y: NDArray[np.int32], options: Options) -> dict[str, Any]:
    """Fit `STreeDClassifier`; data as C integers, the type it works on."""
    if options["task"] in costs_pystreed.TASKS:
        return costs_pystreed.run(X, y, options)
    require_task(options, "accuracy", *costs_pystreed.TASKS)
    package = import_module("pystreed")
    limit = float(options["time_limit"])

    def make() -> Any:
        return package.STreeDClassifier("accuracy", max_depth=options["max_depth"], time_limit=limit)

    data, labels = X.astype(np.intc), y.astype(np.int32)
    make().fit(WARM_X.astype(np.intc), WARM_Y.astype(np.int32))
    model = make()
    timing = measure(lambda: model.fit(data, labels), limit)
    return timing | {
        "prediction": np.asarray(model.predict(data)),
        "proven": bool(model.fit_result.is_optimal()),
        "statistics": {"tree_nodes": int(model.fit_result.tree_nodes())},
    }
