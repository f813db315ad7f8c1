"""Error rate plus a price per leaf, without a depth: streed, FastSmallTree (imodels), GOSDT and PyStreeD.

All of them get the same Booleans and say how many leaves their tree has; the value is counted anew from their
predictions and leaves. PyStreeD prices branching nodes and needs a depth; it gets the greatest that it
allows, so that its answer is exact unless an optimal tree is deeper.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock import measure
from benchmarks.peers import WARM_X, WARM_Y, Options, require_task

DISTRIBUTION = "streed"
DISTRIBUTIONS = {"streed": "streed", "fast_small_tree": "imodels", "gosdt": "gosdt", "pystreed": "pystreed"}
GREATEST_DEPTH = 20

Fitted = tuple[NDArray[Any], int, bool, float | None]
"""Predictions, leaves, whether the optimum is claimed, and the claimed value if there is one."""


def run(X: NDArray[np.uint8], y: NDArray[np.int32], options: Options) -> dict[str, Any]:
    """Fit with the solver that ``options["solver"]`` names."""
    global DISTRIBUTION
    require_task(options, "priced")
    DISTRIBUTION = DISTRIBUTIONS[options["solver"]]
    price, limit = float(options["price"][0]), float(options["time_limit"])
    fit: Callable[..., Fitted] = FITS[options["solver"]]
    fit(np.tile(WARM_X, (4, 1)).astype(np.uint8), np.tile(WARM_Y, 4).astype(np.int32), 0.1, limit)
    found: list[Fitted] = []
    timing = measure(lambda: found.append(fit(X, y, price, limit)), limit)
    prediction, leaves, proven, objective = found[-1]
    answer = {"prediction": np.append(np.asarray(prediction).astype(np.int64), leaves), "proven": proven}
    return timing | answer | ({} if objective is None else {"objective": objective})


def fit_streed(X: NDArray[Any], y: NDArray[Any], price: float, limit: float) -> Fitted:
    """Call the native search for priced nodes."""
    core = import_module("streed._core")
    n = len(y)
    found = core.solve_priced(
        X,
        labels=y,
        weights=np.ones(n),
        n_labels=int(y.max()) + 1,
        branch_cost=price * n,
        time_limit=limit,
        memory_limit=4 * 2**30,
    )
    leaf = core.route(X, found["feature"], found["left"], found["right"])
    leaves = (found["feature"].size + 1) // 2
    return found["label"][leaf], leaves, bool(found["optimal"]), float(found["objective"]) / n + price


def fit_fast_small_tree(X: NDArray[Any], y: NDArray[Any], price: float, limit: float) -> Fitted:
    """Fit FastSmallTree, which is compiled by the first small fit."""
    maker = import_module("imodels").FastSmallTreeClassifier
    model = maker(regularization=price, time_limit=limit).fit(X, y)
    return model.predict(X), int(model.n_leaves_), bool(model.optimal_), float(model.objective_)


def fit_gosdt(X: NDArray[Any], y: NDArray[Any], price: float, limit: float) -> Fitted:
    """Fit GOSDT with one worker; predictions come from its tree object."""
    model = import_module("gosdt").GOSDTClassifier(
        regularization=price, allow_small_reg=True, time_limit=max(1, round(limit)), worker_limit=1
    )
    model.fit(X.astype(bool), y.astype(np.int64))
    tree = model.trees_[0]
    leaves = str(model.result_.model).count('"prediction"')  # its tree as JSON, the only one
    proven = str(model.result_.status).endswith("CONVERGED")
    return np.asarray(tree.predict(X.astype(bool))), leaves, proven, None


def fit_pystreed(X: NDArray[Any], y: NDArray[Any], price: float, limit: float) -> Fitted:
    """Fit PyStreeD's accuracy with a price per branching node."""
    depth = min(GREATEST_DEPTH, math.ceil(0.5 / price))
    model = import_module("pystreed").STreeDClassifier(
        "cost-complex-accuracy", max_depth=depth, cost_complexity=price, time_limit=limit
    )
    data = X.astype(np.intc)
    model.fit(data, y.astype(np.int32))
    leaves = int(model.fit_result.tree_nodes()) + 1
    return np.asarray(model.predict(data)), leaves, bool(model.fit_result.is_optimal()), None


FITS: dict[str, Callable[..., Fitted]] = {
    "streed": fit_streed,
    "fast_small_tree": fit_fast_small_tree,
    "gosdt": fit_gosdt,
    "pystreed": fit_pystreed,
}
