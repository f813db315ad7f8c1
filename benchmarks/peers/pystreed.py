"""PyStreeD, the reference implementation of the paper, with its default search settings."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock import measure
from benchmarks.peers import WARM_X, WARM_Y, Options, costs_pystreed, numbers_pystreed, require_task

DISTRIBUTION = "pystreed"

CLASSIFIERS = {"accuracy": "accuracy", "f1": "f1-score"}
FAIR = {"demographic_parity": "group-fairness", "equal_opportunity": "equality-of-opportunity"}


def run(X: NDArray[np.uint8], y: NDArray[np.int32], options: Options) -> dict[str, Any]:
    """Fit the estimator of the task; data as C integers, the type it works on."""
    if options["task"] in costs_pystreed.TASKS:
        return costs_pystreed.run(X, y, options)
    if options["task"] in numbers_pystreed.TASKS:
        return numbers_pystreed.run(X, y, options)
    task = options["task"]
    require_task(options, *CLASSIFIERS, *FAIR, *costs_pystreed.TASKS)
    package = import_module("pystreed")
    limit = float(options["time_limit"])
    shared = {"max_depth": options["max_depth"], "time_limit": limit}

    def make() -> Any:
        if task in FAIR:
            allowed = int(options["limit"][0]) / int(options["limit"][1])
            return package.STreeDGroupFairnessClassifier(FAIR[task], discrimination_limit=allowed, **shared)
        return package.STreeDClassifier(CLASSIFIERS[task], **shared)

    data, labels = X.astype(np.intc), y.astype(np.int32)
    if task in FAIR:  # the sensitive attribute is its first column, on which it does not branch
        data = np.ascontiguousarray(np.column_stack([options["group"].astype(np.intc), data]))
    make().fit(WARM_X.astype(np.intc), WARM_Y.astype(np.int32))
    model = make()
    timing = measure(lambda: model.fit(data, labels), limit)
    return timing | {
        "prediction": np.asarray(model.predict(data)),
        "proven": bool(model.fit_result.is_optimal()),
        "statistics": {"tree_nodes": int(model.fit_result.tree_nodes())},
    }
