"""What one fold gives: the score of every size, or of every price."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from streed.errors import silent_fits
from streed.tree.result import Result
from streed.tuning.folds import Fold


class Fitted(NamedTuple):
    """What one size or price of one fold gave."""

    nodes: int
    """Branching nodes that the tree has."""
    value: float
    """Objective on the rows of the fit."""
    score: float
    """On the rows that were held out."""
    total: float
    """Weight of the rows of the fit."""


def fit_sizes(
    estimator: Any, params: dict[str, Any], sizes: list[int], data: dict[str, Any], fold: Fold, scoring: Any
) -> dict[float, Fitted]:
    """Score the best tree of every size, from one path over the rows of a fold."""
    fit, test, total = _parts(data, fold)
    with silent_fits():
        path = clone(estimator).set_params(**params, max_nodes=max(sizes)).path(**fit)
    _check_finished(path)
    known: dict[int, Fitted] = {}
    out: dict[float, Fitted] = {}
    for size in sizes:
        tree = id(path[size].tree)
        if tree not in known:
            known[tree] = _fitted(path.estimator(size), scoring, test, total)
        out[size] = known[tree]
    return out


def fit_prices(
    estimator: Any,
    params: dict[str, Any],
    prices: list[float],
    data: dict[str, Any],
    fold: Fold,
    scoring: Any,
) -> dict[float, Fitted]:
    """Score the best tree for every price, without a limit of the depth."""
    fit, test, total = _parts(data, fold)
    with silent_fits():
        return {
            price: _fitted(
                clone(estimator).set_params(**params, cost_complexity=price).fit(**fit), scoring, test, total
            )
            for price in prices
        }


def _parts(data: dict[str, Any], fold: Fold) -> tuple[dict[str, Any], dict[str, Any], float]:
    fit, test = ({name: take(values, rows) for name, values in data.items()} for rows in fold)
    weights = fit.get("sample_weight")
    return fit, test, float(len(fold[0]) if weights is None else np.sum(weights))


def _check_finished(results: Iterable[Result]) -> None:
    """End tuning after Ctrl-C: what is cut short says nothing about the sizes to choose from."""
    if any(result.status == "interrupted" for result in results):
        raise KeyboardInterrupt


def _fitted(model: Any, scoring: Any, test: dict[str, Any], total: float) -> Fitted:
    _check_finished([model.result_])
    value = float(np.ravel(model.result_.objective)[0])
    return Fitted(int(model.tree_.n_nodes), value, _score(model, scoring, test), total)


def _score(model: Any, scoring: Any, test: dict[str, Any]) -> float:
    """Score a model on rows that were held out, with what its score takes of the data of a fit."""
    if scoring is None:
        taken = inspect.signature(model.score).parameters
        return float(model.score(**{name: values for name, values in test.items() if name in taken}))
    weights = {name: test[name] for name in ("sample_weight",) if name in test}
    return float(scoring(model, test["X"], test.get("y"), **weights))


def take(values: Any, rows: Any) -> Any:
    """Take rows of an array, a frame or a list; None stays None."""
    return None if values is None else _safe_indexing(values, rows)
