"""What one fold gives: the score of every size, or of every price."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils import _safe_indexing

from streed.errors import silent_fits
from streed.tree.result import Result
from streed.tuning.clock import Clock
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


class FoldFit(NamedTuple):
    """What a fold gave for all values that were tried."""

    fitted: dict[float, Fitted]
    n_features: int
    """Binary features of the search."""
    ended: str
    """What ended a search before its trees were proven: an interrupt or a limit; else empty."""
    share: float = 1.0
    """The share of the rows of the fold that were read."""


SECONDS_PER_CELL = 1e-7
"""Reading a fold, its candidate features, and scores take so many seconds for each cell: 1.6 s for 800,000
rows and 20 mixed columns. They may take half of the time of a fold; else fewer rows are read."""

LEAST_ROWS = 10_000
"""Folds of no more rows are read whole, however short the time."""


def thinned(fold: Fold, n_columns: int, seconds: float, classes: Any = None) -> tuple[Fold, float]:
    """Return a fold with as many of its rows as can be read in half of some seconds, and their share.

    Every one of the `classes` of the rows has a row to fit on.

    Examples
    --------
    >>> fold = np.arange(80_000), np.arange(80_000, 100_000)
    >>> few, share = thinned(fold, 20, 0.1)
    >>> [rows.size for rows in few], share
    ([25000, 6250], 0.3125)
    >>> thinned(fold, 20, 10.0)[1]
    1.0
    """
    fit, test = fold
    share = 0.5 * seconds / (SECONDS_PER_CELL * n_columns * len(fit))
    share = min(1.0, max(share, LEAST_ROWS / len(fit)))
    if share == 1:
        return fold, 1.0
    draw = np.random.default_rng(0)
    few, scored = (np.sort(draw.choice(rows, int(share * len(rows)), replace=False)) for rows in (fit, test))
    if classes is not None:
        few = np.union1d(few, fit[np.unique(np.asarray(classes)[fit], return_index=True)[1]])
    return (few, scored), share


class Scorer(NamedTuple):
    """How models of a fold are scored on the rows held out."""

    name: str
    of: Callable[[Any, Mapping[str, Any]], float]
    prepare: Callable[[Any, Mapping[str, Any]], Mapping[str, Any]]
    """Computes, by one of the models, what all of them need of the rows."""


@dataclass(frozen=True)
class FoldSearch:
    """How folds are searched and scored."""

    estimator: Any
    data: Mapping[str, Any]
    scorer: Scorer
    candidates: bool
    clock: Clock

    def fit_sizes(
        self, params: dict[str, Any], sizes: list[int], fold: Fold, job: int, progress: Any
    ) -> FoldFit | None:
        """Score the best tree of every size, from one path over a fold; None if the time is up."""
        seconds = self.clock.seconds(job)
        if seconds is None:
            return None
        classes = self.data.get("y") if is_classifier(self.estimator) else None
        fold, share = thinned(fold, np.shape(self.data["X"])[-1], seconds, classes)
        fit, test, total = self._parts(fold)
        model = self._model(params, seconds, progress).set_params(max_nodes=max(sizes))
        with silent_fits():
            path = model._quick_path(**fit) if self.candidates else model.path(**fit)
        test = self.scorer.prepare(path.estimator(max(sizes)), test)
        known: dict[int, Fitted] = {}
        out: dict[float, Fitted] = {}
        for size in sizes:
            tree = id(path[size].tree)
            if tree not in known:
                known[tree] = self._fitted(path.estimator(size), test, total)
            out[size] = known[tree]
        return FoldFit(out, path.n_features, _ended(path), share)

    def fit_prices(
        self, params: dict[str, Any], prices: list[float], fold: Fold, job: int, progress: Any
    ) -> FoldFit | None:
        """Score the best tree for every price, without a limit of the depth; None if the time is up."""
        seconds = self.clock.seconds(job)
        if seconds is None:
            return None
        fit, test, total = self._parts(fold)
        out: dict[float, Fitted] = {}
        results: list[Result] = []
        for price in prices:
            model = self._model(params, seconds / len(prices), progress).set_params(cost_complexity=price)
            with silent_fits():
                model.fit(**fit)
            if model.result_.status == INTERRUPTED:
                raise KeyboardInterrupt
            test = test if results else self.scorer.prepare(model, test)
            out[price] = self._fitted(model, test, total)
            results.append(model.result_)
        return FoldFit(out, max(each.tree.n_features for each in results), _ended(results))

    def _parts(self, fold: Fold) -> tuple[dict[str, Any], Mapping[str, Any], float]:
        fit, test = ({name: take(values, rows) for name, values in self.data.items()} for rows in fold)
        weights = fit.get("sample_weight")
        return fit, test, float(len(fold[0]) if weights is None else np.sum(weights))

    def _model(self, params: dict[str, Any], seconds: float, progress: Any) -> Any:
        time_limit = None if seconds == math.inf else seconds
        return clone(self.estimator).set_params(**params, time_limit=time_limit, progress=progress)

    def _fitted(self, model: Any, test: Mapping[str, Any], total: float) -> Fitted:
        value = float(np.ravel(model.result_.objective)[0])
        return Fitted(int(model.tree_.n_nodes), value, self.scorer.of(model, test), total)


INTERRUPTED = "interrupted"
ENDS = (INTERRUPTED, "time_limit", "memory_limit")
"""How a search ends early that could have gone on."""


def _ended(results: Iterable[Result]) -> str:
    found = {result.status for result in results}
    return next((status for status in ENDS if status in found), "")


def take(values: Any, rows: Any) -> Any:
    """Take rows of an array, a frame or a list; None stays None."""
    return None if values is None else _safe_indexing(values, rows)
