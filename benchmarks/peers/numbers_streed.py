"""streed on regression and survival; `benchmarks.peers.streed` times what these return."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers import Options

TASKS = ("regression", "survival")


def fit_estimator(package: Any, X: NDArray[Any], y: NDArray[Any], options: Options) -> tuple[Any, Any]:
    """Fit the estimator of the task; returns the result and what predicts."""
    limits = {name: options[name] for name in ("max_depth", "time_limit", "n_jobs")}
    if options["task"] == "survival":
        model = package.SurvivalTree(**limits).fit(X, options["outcome"])
    else:
        price = float(options["price"])
        model = package.OptimalTreeRegressor(cost_complexity=price, **limits).fit(X, options["target"])
    return model.result_, model


def fit_solve(package: Any, X: NDArray[Any], y: NDArray[Any], options: Options) -> tuple[Any, Any]:
    """Call `streed.solve`; returns the result and what predicts."""
    limits = {name: options[name] for name in ("max_depth", "time_limit", "n_jobs")}
    if options["task"] == "survival":
        task = package.tasks.Survival(options["event"], options["time"])
    else:
        task = package.tasks.SquaredError(options["target"], cost_complexity=float(options["price"]))
    result = package.solve(task, X, **limits)
    return result, result.tree


def prepared(package: Any, options: Options) -> Options:
    """Join the options and the structured array of events and times."""
    if options["task"] != "survival":
        return options
    from streed.survival import survival_target

    return options | {"outcome": survival_target(options["event"], options["time"])}


def warm_options(options: Options) -> Options:
    """Options of the tiny fit that comes before the one that counts: eight rows."""
    rows = np.arange(8.0)
    return options | {"target": rows, "time": 1 + rows, "event": np.ones(8, np.int32)}


def answer(task: str, result: Any, predictor: Any, X: NDArray[Any]) -> NDArray[Any]:
    """Return what is re-scored: the leaf of each row, then the number of branching nodes."""
    return np.append(result.tree.apply(X), result.tree.n_nodes)
