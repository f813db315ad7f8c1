"""streed's whole front of false positives and negatives, and the point on it with the best F1 score.

This is what the paper does. `streed.tasks.F1Score` finds the same value by a few searches for one number.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock import measure
from benchmarks.peers import Options
from experiments.methods.streed import flat, warm_up

DISTRIBUTION = "streed"


def run(X: NDArray[np.uint8], y: NDArray[np.int32], options: Options) -> dict[str, Any]:
    """Find the front, then take the best point."""
    streed = import_module("streed")
    warm_up(streed)
    data = X.astype(bool)
    wrong = np.zeros((2, len(y), 2))
    wrong[0, y == 0, 1] = wrong[1, y == 1, 0] = 1.0
    found: list[Any] = [None]

    def call() -> None:
        task = streed.combine(*map(streed.tasks.LabelCosts, wrong))
        found[0] = streed.solve(
            task, data, max_depth=options["max_depth"], time_limit=float(options["time_limit"])
        )

    timing = measure(call, float(options["time_limit"]))
    positives = int(np.count_nonzero(y))
    best = max(found[0].front, key=lambda point: f1(positives, *point.values))
    return timing | {
        "prediction": np.asarray(best.tree.predict(data)),
        "tree": flat(best.tree),
        "proven": bool(found[0].optimal),
        "objective": f1(positives, *best.values),
        "figures": {"points": float(len(found[0].front)), "nodes": float(best.tree.n_nodes)},
    }


def f1(positives: int, false_positives: float, false_negatives: float) -> float:
    """F1 score of the positive label."""
    right = positives - false_negatives
    return float(right / (right + (false_positives + false_negatives) / 2)) if right > 0 else 0.0
