"""GOSDT, whose objective is the share of wrong rows plus a penalty per leaf.

To make it solve the same problem, the penalty is set so low that all leaves of a full tree together cost
half a row: the fewest errors come first, and among those trees GOSDT must find one with the fewest
leaves. That is a little more than the others are asked for, and far from the strong penalties for which GOSDT
was made: its times here say how well it does on plain accuracy within a depth limit, not how good it is at
its own problem.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock import measure
from benchmarks.peers import WARM_X, WARM_Y, Options, require_task

DISTRIBUTION = "gosdt"


def run(X: NDArray[np.uint8], y: NDArray[np.int32], options: Options) -> dict[str, Any]:
    """Fit `GOSDTClassifier` on Booleans with one worker; predictions come from its tree object.

    The estimator's own `predict` passes an argument that scikit-learn 1.8 removed.
    """
    require_task(options, "accuracy")
    package = import_module("gosdt")
    limit = float(options["time_limit"])
    depth = int(options["max_depth"])

    def make(rows: int) -> Any:
        return package.GOSDTClassifier(
            regularization=0.5 / (rows * 2**depth),
            allow_small_reg=True,
            depth_budget=depth,
            time_limit=max(1, round(limit)),
            worker_limit=1,
        )

    data, labels = X.astype(bool), y.astype(np.int64)
    make(len(WARM_Y)).fit(WARM_X.astype(bool), WARM_Y.astype(np.int64))
    model = make(len(labels))
    timing = measure(lambda: model.fit(data, labels), limit)
    return timing | {
        "prediction": np.asarray(model.trees_[0].predict(data)),
        "proven": str(model.result_.status).endswith("CONVERGED"),
        "statistics": {"graph_size": int(model.result_.graph_size)},
    }
