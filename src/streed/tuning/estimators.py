"""The parameter `tune` of the estimators."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from sklearn.base import clone
from sklearn.utils.validation import _num_samples

from streed.tuning.tune import tune


def fit_tuned(estimator: Any, data: Mapping[str, Any]) -> None:
    """Tune an estimator as its parameter says, and make it what the chosen one is when it is fitted.

    Its own parameters stay as they were given; `tuned_` has those that were chosen.
    """
    chosen = settings(estimator.tune, _num_samples(data["X"]))
    plain = clone(estimator).set_params(tune=None)
    others = {name: values for name, values in data.items() if name not in ("X", "y")}
    tuned = tune(plain, data["X"], data.get("y"), fit_params=others, **chosen)
    parameters = estimator.get_params(deep=False)
    for name, value in vars(tuned.estimator).items():
        if name not in parameters:
            setattr(estimator, name, value)
    estimator.tuned_ = tuned


def settings(given: Any, n_rows: float = math.inf) -> dict[str, Any]:
    """Give the arguments of `tune` that the parameter stands for.

    Examples
    --------
    >>> from streed.tuning.estimators import settings
    >>> settings(5)
    {'cv': 5, 'random_state': 0}
    """
    if isinstance(given, Mapping):
        unknown = sorted(set(given) - ARGUMENTS)
        if unknown:
            raise ValueError(f"tune must have keys among {sorted(ARGUMENTS)}, got {unknown[0]!r}")
        return {"random_state": 0, **given}
    folds = isinstance(given, int) and not isinstance(given, bool) and 2 <= given <= n_rows
    if not folds and given != "holdout" and (isinstance(given, str) or not hasattr(given, "split")):
        raise ValueError(
            "tune must be 'holdout', a number of folds (from 2 to the number of rows"
            f"{'' if n_rows == math.inf else f', {n_rows}'}), a splitter or a dict, got {given!r}"
        )
    return {"cv": given, "random_state": 0}


ARGUMENTS = {
    "max_depth",
    "max_nodes",
    "cost_complexity",
    "min_samples_leaf",
    "cv",
    "scoring",
    "one_standard_error",
    "random_state",
    "n_jobs",
    "fold_cuts",
    "progress",
}
"""Arguments of `streed.tune` that are not data."""
