"""pytrees-rs: ConTree in Rust, with its default settings."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock import measure, processor_time
from benchmarks.peers import WARM_X, WARM_Y, Options, require_task

DISTRIBUTION = "pytrees-rs"


def run(X: NDArray[Any], y: NDArray[np.int32], options: Options) -> dict[str, Any]:
    """Fit; its status says whether the tree is proven."""
    require_task(options, "continuous")
    package = import_module("pytrees")
    limit = float(options["time_limit"])

    def make() -> Any:
        return package.ConTreeClassifier(max_depth=options["max_depth"], max_time=limit)

    make().fit(WARM_X.astype(np.float64), WARM_Y)
    model = make()
    timing = measure(lambda: model.fit(X, y), limit)
    proven = model.status_ == "optimal"
    return processor_time(timing, proven=proven) | {
        "prediction": np.asarray(model.predict(X)),
        "proven": proven,
        "objective": float(model.train_error_),
    }
