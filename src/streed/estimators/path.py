"""`path` of the estimators: fitted trees of every size.

A fit with a `Collector` finds all sizes instead of one tree: over the same binary features, or, where numbers
are cut at thresholds that the search itself chooses, over features of their own
(`streed.estimators.choosing.sizes`).
"""

from __future__ import annotations

import copy
import functools
import inspect
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from sklearn.base import clone

from streed.errors import silent_fits
from streed.estimators.base import warn_of_identifiers
from streed.estimators.choosing.smoothing import smooth
from streed.estimators.fitted.importance import costs_of_nodes
from streed.estimators.fitted.record import data_facts, fit_record, seen, settings
from streed.estimators.fitting.job import Job
from streed.estimators.fitting.unproven import warn_unproven_sizes
from streed.options import Limits
from streed.paths.sizes import SizePath, path_checked
from streed.table.encoded import EncodedRows
from streed.tasks.base import Task
from streed.tree.result import Result, with_features


class Collector:
    """What a path wants of a fit, and what the fit leaves behind for it.

    Attributes
    ----------
    candidates : bool
        Whether a few candidate features are enough.
    path : SizePath
        All sizes.
    binarizers : dict from int to Binarizer
        Where sizes have features of their own: by the ``id`` of a tree, what made its features.
    n_features : int
        Number of binary features that were searched.
    """

    path: SizePath
    n_features = 0

    def __init__(self, candidates: bool = False) -> None:
        self.candidates = candidates
        self.binarizers: dict[int, Any] = {}

    def binarizer_of(self, result: Result, model: Any) -> Any:
        """Return what makes the features of the tree of a result."""
        return self.binarizers.get(id(result.tree), model.binarizer_)

    def solve(self, task: Task, features: Any, names: Any, limits: Limits, progress: Any) -> Result:
        """Find all sizes; the fit goes on with the largest one."""
        self.path = path_checked(task, features, names, limits, progress)
        self.n_features = features.shape[1]
        return self.path[-1]

    def solve_some(
        self, task: Task, features: Any, kept: Any, n_all: int, names: Any, limits: Limits, progress: Any
    ) -> Result:
        """Do so over those features that are kept; the trees test them by their numbers among all."""
        some = None if names is None else [names[k] for k in kept]
        self.solve(task, features, some, limits, progress)
        results = tuple(with_features(self.path, kept, n_all, names))
        self.path = replace(self.path, results=results)
        return self.path[-1]


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
    given = inspect.signature(model.fit).bind(*data, **named)
    job = model._prepare(**given.arguments)
    model._solve(job, sizes=collector)
    results = collector.path.results
    shared = {"node_price": model.result_.node_price}
    if not collector.binarizers:
        shared["note"] = model.result_.note
    results = tuple(replace(result, **shared) for result in results)
    for result in results:
        if isinstance(job.table, EncodedRows):
            result.tree.n_samples = job.table.count(result.tree)
        conditions = getattr(collector.binarizer_of(result, model), "conditions_", None)
        if conditions is not None:
            result.explain(conditions)
    smooth(model, results, job)

    facts = functools.cache(lambda: data_facts(seen(model, given.arguments)))

    def make(size: int) -> Any:
        other = _with_tree(model, job, size, results[size], collector)
        if not collector.candidates:
            other.result_ = replace(other.result_, record=fit_record(settings(other), other.result_, facts()))
        return other

    found = replace(collector.path, results=results, seconds=time.perf_counter() - started)
    n_features = 0 if collector.binarizers else collector.n_features
    return EstimatorPath(
        found.results, found.maximize, found.seconds, found.searches, found.total, make, n_features
    )


def _with_tree(model: Any, job: Job, size: int, result: Result, collector: Collector) -> Any:
    """Return a copy of a fitted estimator with another tree."""
    other = copy.copy(model).set_params(max_nodes=size)
    other.result_, other.tree_ = result, result.tree
    other.binarizer_ = collector.binarizer_of(result, model)
    other._node_costs = costs_of_nodes(job.task, other, job.table)
    if job.finish is not None:
        job.finish(other)
    return other
