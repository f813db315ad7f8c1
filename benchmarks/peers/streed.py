"""streed itself, through the estimator (``entry="fit"``) or through `streed.solve` (``entry="solve"``)."""

from __future__ import annotations

import functools
import hashlib
import json
import sys
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock import measure
from benchmarks.peers import WARM_X, WARM_Y, Options, costs_streed, require_task

DISTRIBUTION = "streed"


def run(X: NDArray[np.uint8], y: NDArray[np.int32], options: Options) -> dict[str, Any]:
    """Fit on Booleans; the time covers everything from the arrays to the tree."""
    require_task(options, "accuracy", *costs_streed.TASKS)
    package = import_module("streed")
    core = import_module("streed._core")
    levels = list(core.simd_levels())
    calls = force_simd(core, options["simd"]) if options["simd"] != "auto" else None
    fits = costs_streed if options["task"] in costs_streed.TASKS else sys.modules[__name__]
    fit = fits.fit_estimator if options["entry"] == "fit" else fits.fit_solve
    data, labels = X.astype(bool), y.astype(np.int64)
    fit(package, WARM_X.astype(bool), WARM_Y, costs_streed.warm_options(options))
    found: list[tuple[Any, Any]] = []
    timing = measure(lambda: found.append(fit(package, data, labels, options)), float(options["time_limit"]))
    result, predictor = found[0]
    if calls is not None and len(calls) < 2:
        raise RuntimeError(f"the SIMD level {options['simd']} did not reach the engine")
    tree = json.dumps(result.tree.to_dict(), sort_keys=True, default=str)
    return timing | {
        "prediction": costs_streed.answer(options["task"], result, predictor, data),
        "proven": bool(result.optimal),
        "objective": float(result.objective),
        "lower_bound": float(result.lower_bound),
        "statistics": {name: float(value) for name, value in dict(result.statistics).items()},
        "tree": hashlib.sha256(tree.encode()).hexdigest()[:16],
        "simd": options["simd"] if calls is not None else levels[-1],
    }


def fit_estimator(package: Any, X: NDArray[Any], y: NDArray[Any], options: Options) -> tuple[Any, Any]:
    """Fit the scikit-learn estimator; returns the result and what predicts."""
    model = package.OptimalTreeClassifier(
        max_depth=options["max_depth"], time_limit=options["time_limit"], n_jobs=options["n_jobs"]
    )
    model.fit(X, y)
    return model.result_, model


def fit_solve(package: Any, X: NDArray[Any], y: NDArray[Any], options: Options) -> tuple[Any, Any]:
    """Call `streed.solve`; returns the result and what predicts."""
    result = package.solve(
        package.tasks.Accuracy(y),
        X,
        max_depth=options["max_depth"],
        time_limit=options["time_limit"],
        n_jobs=options["n_jobs"],
    )
    return result, result.tree


def force_simd(core: Any, level: str) -> list[str]:
    """Make every call of the engine use one SIMD level; returns a list that grows with each call.

    The level is an argument of the native function only, since no user should have to think of it. So the
    native function is wrapped wherever a module of the package holds it.
    """
    original = core.solve
    calls: list[str] = []

    @functools.wraps(original)
    def solve(*positional: Any, **named: Any) -> Any:
        calls.append(level)
        return original(*positional, **(named | {"simd": level}))

    for name, module in list(sys.modules.items()):
        if name == "streed" or name.startswith("streed."):
            for attribute, value in list(vars(module).items()):
                if value is original:
                    setattr(module, attribute, solve)
    return calls
