"""streed through `streed.solve`, for all tasks of the studies."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock import measure
from benchmarks.peers import WARM_X, WARM_Y, Options

DISTRIBUTION = "streed"


def run(X: NDArray[np.uint8], y: NDArray[np.int32], options: Options) -> dict[str, Any]:
    """Solve; the time covers everything from the arrays to the tree."""
    streed = import_module("streed")
    warm_up(streed)
    data = X.astype(bool)
    found: list[Any] = [None]

    def call() -> None:
        task = make_task(streed, y, options)
        found[0] = streed.solve(
            task, data, max_depth=options["max_depth"], time_limit=float(options["time_limit"])
        )

    timing = measure(call, float(options["time_limit"]))
    return timing | describe(found[0], found[0].tree, data)


def warm_up(streed: Any) -> None:
    """Solve something tiny, so that nothing is loaded while the clock runs."""
    streed.solve(streed.tasks.Accuracy(WARM_Y), WARM_X.astype(bool), max_depth=2)


def make_task(streed: Any, y: NDArray[np.int32], options: Options) -> Any:
    """Make the task of a problem from its labels and arrays."""
    name = options["task"]
    if name == "policy":
        return streed.tasks.PolicyReward(options["rewards"])
    if name in ("demographic_parity", "equal_opportunity"):
        limit = Fraction(*(int(part) for part in options["limit"]))
        return streed.tasks.REGISTRY[name](y, options["group"], max_difference=limit)
    return streed.tasks.REGISTRY[name](y)


def describe(result: Any, tree: Any, X: NDArray[np.bool_]) -> dict[str, Any]:
    """Turn a result into the answer of a run."""
    return {
        "prediction": np.asarray(tree.predict(X)),
        "tree": flat(tree),
        "proven": bool(result.optimal),
        "objective": float(result.objective),
        "lower_bound": float(result.lower_bound),
        "figures": {"nodes": float(tree.n_nodes)},
    }


def flat(tree: Any) -> NDArray[np.int64]:
    """Rows of feature, left, right and label; labels are values, not positions."""
    labels = np.where(tree.label < 0, -1, np.asarray(tree.classes)[tree.label])
    return np.stack([tree.feature, tree.left, tree.right, labels], axis=1).astype(np.int64)
