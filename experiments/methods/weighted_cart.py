"""CART for the F1 score: greedy trees for several weights of the positive class, the best one counts.

A greedy tree cannot optimise F1 itself. Weighting the positive class is the usual way around: of trees
grown with weights from one eighth to eight times the other class's, the one with the best F1 score on the
training rows is taken.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock import measure
from benchmarks.peers import Options
from benchmarks.scores import f1_score
from experiments.methods.cart import flat

DISTRIBUTION = "scikit-learn"
WEIGHTS = tuple(2.0**power for power in range(-3, 4))


def run(X: NDArray[np.uint8], y: NDArray[np.int32], options: Options) -> dict[str, Any]:
    """Grow a tree per weight; the time is that of all."""
    trees = import_module("sklearn.tree")
    found: dict[float, Any] = {}

    def call() -> None:
        for weight in WEIGHTS:
            model = trees.DecisionTreeClassifier(
                max_depth=options["max_depth"], class_weight={0: 1.0, 1: weight}, random_state=0
            )
            found[f1_score({"y": y}, model.fit(X, y).predict(X))] = model

    timing = measure(call, float(options["time_limit"]))
    best = found[max(found)]
    return timing | {
        "prediction": best.predict(X),
        "tree": flat(best),
        "proven": False,
        "figures": {"nodes": float(best.get_n_leaves() - 1)},
    }
