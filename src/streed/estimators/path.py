"""`path` of the estimators: fitted trees of every size.

A fit with a `Collector` finds all sizes over the same binary features instead of one tree. Where numbers are
cut at thresholds that the search itself chooses, features depend on the size: such a path is one fit per size
that a larger one does not settle.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.base import clone

from streed.errors import silent_fits
from streed.estimators.base import warn_of_identifiers
from streed.estimators.unproven import warn_unproven_sizes
from streed.options import Limits
from streed.paths.interrupted import unsearched
from streed.paths.sizes import SizePath, never_worse, path_checked
from streed.tasks.base import Task
from streed.tree.result import Result


class Collector:
    """What a path wants of a fit, and what the fit leaves behind for it.

    Attributes
    ----------
    candidates : bool
        Whether a few candidate features are enough.
    path : SizePath or None
        All sizes; None where features depend on the size.
    maximize : bool
        Whether larger values are better.
    finish : function or None
        Computes, for a fitted estimator with another tree, what else depends on the tree.
    n_features : int
        Number of binary features that were searched.
    """

    path: SizePath | None = None
    maximize: bool = False
    finish: Callable[[Any], None] | None = None
    n_features = 0

    def __init__(self, candidates: bool = False) -> None:
        self.candidates = candidates

    def solve(self, task: Task, features: Any, names: Any, limits: Limits, progress: Any) -> Result:
        """Find all sizes; the fit goes on with the largest one."""
        self.path = path_checked(task, features, names, limits, progress)
        self.n_features = features.shape[1]
        return self.path[-1]

    def solve_some(
        self, task: Task, features: Any, kept: Any, names: Any, limits: Limits, progress: Any
    ) -> Result:
        """Do so over some of the features; the trees test them by their numbers among all."""
        some = None if names is None else [names[k] for k in kept]
        result = self.solve(task, np.ascontiguousarray(features[:, kept]), some, limits, progress)
        assert self.path is not None
        numbers = np.array([*kept.tolist(), -1], np.int32)  # a leaf has -1
        for tree in {id(each.tree): each.tree for each in self.path}.values():
            tree.feature = numbers[tree.feature]
            tree.n_features, tree.feature_names = features.shape[1], None if names is None else tuple(names)
        return result


@dataclass(frozen=True, repr=False)
class EstimatorPath(SizePath):
    """The best tree with at most k branching nodes, for every k, and an estimator fitted with each.

    Attributes
    ----------
    results, maximize, seconds, searches, total
        As in `streed.paths.SizePath`: ``path[k]`` is the `Result` for at most k branching nodes.
    make : function
        Makes the fitted estimator of a size; see `estimator`.
    n_features : int
        Number of binary features that were searched; 0 where every size has its own.
    """

    make: Callable[[int], Any] = field(default=lambda size: None, compare=False)
    n_features: int = 0

    def estimator(self, size: int) -> Any:
        """Return the estimator with the best tree of at most `size` branching nodes, fitted.

        Parameters
        ----------
        size : int
            Number of branching nodes, from 0 to that of the largest tree.

        Returns
        -------
        estimator
            A new one; its parameters are those of the path's estimator with ``max_nodes=size``.
        """
        if not 0 <= size < len(self):
            raise ValueError(f"size must be from 0 to {len(self) - 1}, got {size!r}")
        return self.make(size)


def quick_path(estimator: Any, **data: Any) -> EstimatorPath:
    """Find the best trees of all sizes over candidate features; `data` is what `fit` takes."""
    with silent_fits():
        return _path(estimator, Collector(candidates=True), **data)


def estimator_path(estimator: Any, *data: Any, **named: Any) -> EstimatorPath:
    """Find the path of an estimator; `data` are the arguments of its `fit`."""
    with silent_fits():
        path = _path(estimator, Collector(), *data, **named)
    warn_of_identifiers(path.estimator(0))
    warn_unproven_sizes(estimator, path.results, estimator._limits())
    return path


def _path(estimator: Any, collector: Collector, *data: Any, **named: Any) -> EstimatorPath:
    started = time.perf_counter()
    model = clone(estimator).set_params(tune=None)
    limits = model._limits()
    if limits.unlimited:
        raise ValueError("a size path needs max_depth, or a max_nodes of at most 20: got max_depth=None")
    model._collector = collector
    try:
        model.fit(*data, **named)
    finally:
        del model._collector
    if collector.path is None:
        return _by_fits(model, collector.maximize, lambda other: other.fit(*data, **named), started)
    conditions = getattr(model.binarizer_, "conditions_", None)
    results = tuple(replace(result, note=model.result_.note) for result in collector.path)
    if conditions is not None:
        for result in results:
            result.explain(conditions)
    path = replace(collector.path, results=results, seconds=time.perf_counter() - started)
    return _with_estimators(
        path, lambda size: _with_tree(model, size, results[size], collector.finish), collector.n_features
    )


def _with_estimators(path: SizePath, make: Callable[[int], Any], n_features: int = 0) -> EstimatorPath:
    return EstimatorPath(
        path.results, path.maximize, path.seconds, path.searches, path.total, make, n_features
    )


def _with_tree(model: Any, size: int, result: Result, finish: Callable[[Any], None] | None) -> Any:
    """Return a copy of a fitted estimator with another tree over the same features."""
    other = copy.copy(model).set_params(max_nodes=size)
    other.result_, other.tree_ = result, result.tree
    if finish is not None:
        finish(other)
    return other


def _unsearched(leaf: Any, larger: Any) -> Any:
    other = copy.copy(leaf)
    other.result_ = unsearched(leaf.result_, larger.result_)
    return other


def _by_fits(largest: Any, maximize: bool, fit: Callable[[Any], Any], started: float) -> EstimatorPath:
    """Fit from the largest size down; a proven tree with fewer nodes serves the sizes between."""
    most = largest._limits().max_nodes
    models: dict[int, Any] = {}
    model, size, searches = largest, most, 1
    while True:
        least = model.tree_.n_nodes if model.result_.optimal else size
        models.update(dict.fromkeys(range(least, size + 1), model))
        if least == 0:
            break
        if model.result_.status == "interrupted":
            leaf = fit(clone(largest).set_params(max_depth=0, max_nodes=0))
            models.update({k: _unsearched(leaf, model) if k else leaf for k in range(least)})
            break
        size, searches = least - 1, searches + 1
        model = fit(clone(largest).set_params(max_nodes=size))
    results = tuple(never_worse([models[k].result_ for k in range(most + 1)], maximize))
    path = SizePath(results, maximize, time.perf_counter() - started, searches)
    fitted = {id(each.tree_): each for each in models.values()}
    return _with_estimators(path, lambda k: _with_tree(fitted[id(results[k].tree)], k, results[k], None))
