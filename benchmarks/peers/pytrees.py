"""pytrees-rs: ConTree and DL8.5 in Rust, with default settings or (``anytime``) by limited discrepancy."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock import measure, processor_time
from benchmarks.peers import WARM_X, WARM_Y, Options, require_task

DISTRIBUTION = "pytrees-rs"


def run(X: NDArray[Any], y: NDArray[np.int32], options: Options) -> dict[str, Any]:
    """Fit; its status says whether the tree is proven. Of binary features DL8.5 makes trees."""
    require_task(options, "continuous", "accuracy")
    limit = float(options["time_limit"])
    binary, anytime = options["task"] == "accuracy", bool(options.get("anytime", False))
    data = X.astype(np.int64 if binary else np.float64)

    def make() -> Any:
        package = import_module("pytrees")
        common = {"max_depth": int(options["max_depth"]), "max_time": limit}
        if not binary:
            return package.ConTreeClassifier(**common, use_lds=anytime, sort_by_heuristic=anytime)
        if not anytime:
            return package.DL85Classifier(**common)
        rule = import_module("pytrees.rules").DiscrepancyRule()
        return package.DL85Classifier(**common, heuristic="gini", discrepancy=rule)

    make().fit(WARM_X.astype(data.dtype), WARM_Y)
    model = make()
    timing = measure(lambda: model.fit(data, y), limit)
    proven = model.status_ == "optimal"
    return processor_time(timing, proven=proven) | {
        "prediction": np.asarray(model.predict(data)),
        "proven": proven,
        "objective": float(model.train_error_),
    }
