"""ConTree: exact thresholds for accuracy, with its default settings. It stores 32-bit floats."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock import measure, processor_time
from benchmarks.peers import WARM_X, WARM_Y, Options, require_task

DISTRIBUTION = "pycontree"


def run(X: NDArray[Any], y: NDArray[np.int32], options: Options) -> dict[str, Any]:
    """Fit; a warning is how it says that the time is over."""
    require_task(options, "continuous")
    package = import_module("pycontree")
    limit = float(options["time_limit"])

    def make() -> Any:
        return package.ConTree(max_depth=options["max_depth"], time_limit=limit)

    labels = y.astype(np.intc)
    make().fit(WARM_X.astype(np.float64), WARM_Y.astype(np.intc))
    model = make()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        timing = measure(lambda: model.fit(X, labels), limit)
    proven = not any("exceeds time limit" in str(one.message) for one in said)
    prediction = np.asarray(model.predict(X))
    return processor_time(timing, proven=proven) | {"prediction": prediction, "proven": proven}
