"""A greedy tree beside an optimal one: what a fit of scikit-learn's kind would have been worth.

It is grown on the columns that the search had, by `streed.solver.greedy`, and only where that takes a small
part of the fit; of a small table it is grown when somebody asks.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.options import Limits
from streed.solver import greedy
from streed.solver.thresholds import splits_of
from streed.table.limits import rank_at_most
from streed.tasks.base import Task, form_of
from streed.tasks.forms import OneValue
from streed.tree.baseline import Baseline

FEW_CELLS = 200_000
"""Of tables with no more cells the columns are kept (0.8 MB at most), and the tree is grown when it is asked
for."""
SHARE = 0.05
"""Of larger tables it is grown if it takes no more than this share of the time of the fit."""
BIT, RANK = 1.5e-9, 12e-9
"""Seconds per level and cell: 0.8 to 1.5 ns for bits and 3 to 11 for ranks, measured with 1,000 rows and
more."""


def baseline_of(
    task: Any, bits: NDArray[np.uint8] | None, ranks: NDArray[np.int32] | None, limits: Limits
) -> Baseline | None:
    """Return what the fit is to be compared with; `bits` are of all rows, `ranks` of those that count."""
    columns = bits if ranks is None else ranks
    if columns is None or not columns.size or not isinstance(task, Task) or limits.unlimited:
        return None
    if columns.size <= FEW_CELLS:
        return Baseline(greedy=partial(greedy_value, task, bits, ranks, limits))
    cost = columns.size * limits.max_depth * (BIT if ranks is None else RANK)
    if cost > SHARE * (time.perf_counter() - limits.started):
        return None
    return Baseline(greedy=greedy_value(task, bits, ranks, limits))


def with_single_leaf(baseline: Baseline | None, model: Any, task: Any) -> Baseline | None:
    """Add the value of the best single leaf, where the fit knows what nodes cost and nothing else costs."""
    costs, result = model._node_costs, model.result_
    if not isinstance(task, Task) or task.form is not OneValue:
        return baseline
    priced = result.node_price or getattr(model, "feature_costs", None) is not None
    if priced or not isinstance(costs, np.ndarray) or costs.ndim > 1:
        return baseline
    saved = float(costs[0] - costs[result.tree.feature < 0].sum())
    baseline = baseline or Baseline()
    baseline.single_leaf = result.objective + (-saved if task.maximize else saved)
    return baseline


def greedy_value(
    task: Task, bits: NDArray[np.uint8] | None, ranks: NDArray[np.int32] | None, limits: Limits
) -> float | None:
    """Return the value of a greedy tree; None for tasks whose leaves cost no sum over labels or squares.

    Branching nodes with a price make the comparison unfair, since nothing prunes the greedy tree.
    """
    form = form_of(task)
    target = greedy.target_of(form) if isinstance(form, OneValue) and not form.branch_cost else None
    if target is None or not isinstance(form, OneValue):
        return None
    if ranks is not None:
        within = limits.for_rows(ranks.shape[1])
        tree = greedy.grow(ranks, None, target, within)
        features = _features_of_splits(tree, ranks)
    else:
        assert bits is not None
        features = bits if form.rows is None else np.ascontiguousarray(bits[form.rows])
        tree = greedy.grow_on_bits(features, target, limits.for_rows(features.shape[0]))
    leaf_costs = greedy.label_leaves(tree, features, target, 0.0)
    return float(task.report(leaf_costs))


def _features_of_splits(tree: dict[str, Any], ranks: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Return the splits of a tree as binary features."""
    splits = splits_of(tree)
    features = np.empty((ranks.shape[1], len(splits)), np.uint8)
    for number, split in enumerate(splits):
        features[:, number] = rank_at_most(ranks[split.column], split.rank, missing=split.missing)
    return features
