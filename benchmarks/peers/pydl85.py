"""PyDL8.5 with the settings of its classifier (depth-two solver, similarity bound, dynamic order)."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock import measure
from benchmarks.peers import WARM_X, WARM_Y, Options, require_task

DISTRIBUTION = "pydl8.5"


def run(X: NDArray[np.uint8], y: NDArray[np.int32], options: Options) -> dict[str, Any]:
    """Fit `DL85Classifier`; data as 32-bit integers, the type it works on, and the limit in whole seconds."""
    require_task(options, "accuracy")
    package = import_module("pydl85")
    limit = float(options["time_limit"])

    def make() -> Any:
        return package.DL85Classifier(
            max_depth=options["max_depth"], min_sup=1, time_limit=max(1, round(limit))
        )

    data, labels = X.astype(np.int32), y.astype(np.int32)
    make().fit(WARM_X.astype(np.int32), WARM_Y.astype(np.int32))
    model = make()
    timing = measure(lambda: model.fit(data, labels), limit)
    return timing | {
        "prediction": np.asarray(model.predict(data)),
        "proven": not model.timeout_,
        "objective": float(model.error_),
        "statistics": {"lattice_size": int(model.lattice_size_)},
    }
