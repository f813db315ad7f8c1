"""streed itself, through the estimator (``entry="fit"``) or through `streed.solve` (``entry="solve"``)."""

from __future__ import annotations

import functools
import hashlib
import json
import sys
from dataclasses import replace
from fractions import Fraction
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock import measure
from benchmarks.peers import (
    WARM_X,
    WARM_Y,
    Options,
    costs_streed,
    numbers_streed,
    own_streed,
    require_task,
    thresholds_streed,
)
from benchmarks.scores import FAIR_TASKS, SCORES

DISTRIBUTION = "streed"


def run(X: NDArray[np.uint8], y: NDArray[np.int32], options: Options) -> dict[str, Any]:
    """Fit on Booleans; the time covers everything from the arrays to the tree."""
    require_task(options, *SCORES)
    if options["task"] == "continuous":
        return thresholds_streed.run(X, y, options)
    package = import_module("streed")
    core = import_module("streed._core")
    levels = list(core.simd_levels())
    calls = force_simd(core, options["simd"]) if options["simd"] != "auto" else None
    special = numbers_streed if options["task"] in numbers_streed.TASKS else costs_streed
    fits = special if options["task"] in special.TASKS else sys.modules[__name__]
    fit = {"fit": fits.fit_estimator, "front": fit_front}.get(options["entry"], fits.fit_solve)
    data, labels = X.astype(bool), y.astype(np.int64)
    warm = special.warm_options(options) | {"group": np.arange(len(WARM_Y)) % 2}
    fit(package, WARM_X.astype(bool), WARM_Y, special.prepared(package, warm))
    ready = special.prepared(package, options)
    found: list[tuple[Any, Any]] = [(None, None)]

    def call() -> None:
        found[0] = fit(package, data, labels, ready)

    timing = measure(call, float(options["time_limit"]))
    result, predictor = found[0]
    if calls is not None and len(calls) < 2:
        raise RuntimeError(f"the SIMD level {options['simd']} did not reach the engine")
    tree = json.dumps(result.tree.to_dict(), sort_keys=True, default=str)
    return timing | {
        "prediction": special.answer(options["task"], result, predictor, data),
        "proven": bool(result.optimal),
        "objective": float(result.objective),
        "lower_bound": float(result.lower_bound),
        "statistics": {name: float(value) for name, value in dict(result.statistics).items()},
        "tree": hashlib.sha256(tree.encode()).hexdigest()[:16],
        "simd": options["simd"] if calls is not None else levels[-1],
    }


def limits(options: Options) -> dict[str, Any]:
    """Give the limits of the search as keyword arguments."""
    return {name: options[name] for name in ("max_depth", "time_limit", "n_jobs")}


def fit_estimator(package: Any, X: NDArray[Any], y: NDArray[Any], options: Options) -> tuple[Any, Any]:
    """Fit the scikit-learn estimator of the task; returns the result and what predicts."""
    task = options["task"]
    if task in FAIR_TASKS:
        difference = Fraction(*options["limit"].tolist())
        model = package.FairTreeClassifier(task, max_difference=difference, **limits(options))
        model.fit(X, y, sensitive_features=options["group"][: len(y)])
    else:
        model = package.OptimalTreeClassifier(task, **limits(options)).fit(X, y)
    return model.result_, model


def fit_solve(package: Any, X: NDArray[Any], y: NDArray[Any], options: Options) -> tuple[Any, Any]:
    """Call `streed.solve`; returns the result and what predicts."""
    make = package.tasks.REGISTRY[options["task"]]
    if "way" in options:
        task = own_streed.make_task(package, options["way"], y)
    elif options["task"] in FAIR_TASKS:
        task = make(y, options["group"][: len(y)], max_difference=Fraction(*options["limit"].tolist()))
    else:
        task = make(y)
    result = package.solve(task, X, **limits(options))
    return result, result.tree


def fit_front(package: Any, X: NDArray[Any], y: NDArray[Any], options: Options) -> tuple[Any, Any]:
    """Find all nondominated pairs of false positives and negatives; returns the tree with the best F1."""
    wrong = np.zeros((2, len(y), 2))
    wrong[0, y == 0, 1] = wrong[1, y == 1, 0] = 1.0
    task = package.combine(*map(package.tasks.LabelCosts, wrong))
    result = package.solve(task, X, **limits(options))
    positives = np.count_nonzero(y)

    def f1(solution: Any) -> float:
        fp, fn = solution.values
        return float(2 * (positives - fn) / (2 * (positives - fn) + fp + fn)) if fn < positives else 0.0

    best = max(result.front, key=f1)
    counts = {**result.statistics, "front": float(len(result.front))}
    found = replace(result, objective=f1(best), lower_bound=f1(best), tree=best.tree, statistics=counts)
    return found, best.tree


def force_simd(core: Any, level: str) -> list[str]:
    """Make every call of the engine use one SIMD level; returns a list that grows with each call.

    The level is an argument of the native function only, since no user should have to think of it. So the
    native function is wrapped wherever a module of the package holds it.
    """
    calls: list[str] = []
    for native in ("solve", "solve_function", "front", "constrained"):
        force_level(core, native, level, calls)
    return calls


def force_level(core: Any, native: str, level: str, calls: list[str]) -> None:
    """Wrap one native function, if the engine has it."""
    original = getattr(core, native, None)
    if original is None:
        return

    @functools.wraps(original)
    def call(*positional: Any, **named: Any) -> Any:
        calls.append(level)
        return original(*positional, **(named | {"simd": level}))

    for name, module in list(sys.modules.items()):
        if name == "streed" or name.startswith("streed."):
            for attribute, value in list(vars(module).items()):
                if value is original:
                    setattr(module, attribute, call)
