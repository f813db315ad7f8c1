"""`smoothing` of the classifiers: how shares of training rows become probabilities.

The weight of the rows stays what it is in all nodes, and labels are those of the search: only what
`streed.Tree.probabilities` makes of the weights changes. The strength of shrinkage is given in rows, and
trees know weights: `streed.table.labels.counted_rows` says how many rows the weights stand for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from streed.estimators.fitting.job import Job
from streed.options import check_smoothing
from streed.table.labels import check_sample_weight, counted_rows
from streed.tree.result import Result


def weight_of_rows(smoothing: object, sample_weight: Any, n_rows: int) -> float:
    """Return the strength of `smoothing` as a weight, which is given in rows of mean weight."""
    rows = check_smoothing(smoothing)
    weights = check_sample_weight(sample_weight, n_rows)
    if weights is None or not rows:
        return rows
    return rows * math.fsum(weights.tolist()) / counted_rows(weights, n_rows)


LAPLACE_ROWS = 1.0
"""Rows that are added to every class of a node where shrinkage would change its most probable class."""


def smooth(model: Any, results: Iterable[Result], job: Job) -> None:
    """Let all trees of some results smooth their shares as the classifier says.

    A task that adds a weight to every class itself, as the log loss does, keeps it.
    """
    rows = check_smoothing(model.smoothing)
    found = list(results)
    if not rows or found[0].tree.class_weights is None:
        return
    weight = _weight_of_a_row(model, found[0], job)
    for tree in {id(tree): tree for result in found for tree in _trees(result)}.values():
        tree.shrinkage = rows * weight
        tree.smoothing = tree.smoothing or LAPLACE_ROWS * weight


def _trees(result: Result) -> list[Any]:
    return [result.tree, *(solution.tree for solution in result.front)]


def _weight_of_a_row(model: Any, result: Result, job: Job) -> float:
    """Return what a row weighs on average in the tree."""
    if job.sample_weight is None and model.class_weight in (None, "balanced"):
        return 1.0
    total = math.fsum(result.tree.class_weights[0].tolist())
    return total / counted_rows(job.sample_weight, job.table.shape[0])
