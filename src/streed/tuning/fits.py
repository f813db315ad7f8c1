"""All sizes of one fold: fits from the largest size down, as in `streed.size_path`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from streed.tuning.folds import Fold


class Fitted(NamedTuple):
    """What one size of one fold gave."""

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
) -> dict[int, Fitted]:
    """Fit and score one fold; a proven tree with fewer nodes than allowed serves smaller sizes too."""
    fit, test = ({name: take(values, rows) for name, values in data.items()} for rows in fold)
    weights = fit.get("sample_weight")
    total = float(len(fold[0]) if weights is None else np.sum(weights))
    out: dict[int, Fitted] = {}
    wanted = sorted(sizes, reverse=True)
    while wanted:
        size = wanted[0]
        model = clone(estimator).set_params(**params, max_nodes=size)
        model.fit(**fit)
        score = _score(model, scoring, test)
        result = model.result_
        nodes = int(model.tree_.n_nodes)
        least = nodes if result.optimal else size
        found = Fitted(nodes, float(np.ravel(result.objective)[0]), score, total)
        out.update({k: found for k in wanted if k >= least})
        wanted = [k for k in wanted if k < least]
    return out


def _score(model: Any, scoring: Any, test: dict[str, Any]) -> float:
    if scoring is None:
        return float(model.score(**test))
    others = {name: values for name, values in test.items() if name not in ("X", "y")}
    return float(scoring(model, test["X"], test.get("y"), **others))


def take(values: Any, rows: Any) -> Any:
    """Take rows of an array, a frame or a list; None stays None."""
    return None if values is None else _safe_indexing(values, rows)
