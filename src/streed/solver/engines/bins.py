"""A good tree for many rows, over columns in bins (``core/thresholds/many``); nothing is proven."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.options import Limits
from streed.tasks.forms import OneValue

MOST_DEPTH, MOST_LABELS = 6, 64
"""The engine's limits: sums of every node of a level by bin and label stay in the cache of the processor."""


def refusal(form: object, limits: Limits) -> str:
    """Take sums of costs of labels, and of squares."""
    if not isinstance(form, OneValue) or form.combination != "sum" or form.prices is not None:
        return "bins are searched for one value, a sum over leaves without prices of tests"
    if not (form.leaf.affine or form.leaf.squares is not None):
        return "leaves must cost sums of their rows, or squared errors"
    if form.classes.size > MOST_LABELS:
        return f"there may be at most {MOST_LABELS} labels, got {form.classes.size}"
    if limits.max_depth > MOST_DEPTH:
        return f"the depth must be at most {MOST_DEPTH}"
    return ""


def search(form: OneValue, codes: NDArray[np.uint8], options: dict[str, Any]) -> dict[str, Any]:
    """Search a full tree; its nodes have a column and a bin, and the nodes for codes up to the bin and above.

    `codes` has the shape (columns, rows), with the rows that have a weight.
    """
    labels = weights = costs = None
    n_labels, statistics = 1, form.leaf.squares
    if statistics is None:
        n_labels = form.classes.size
        labels, costs = form.leaf.native_rows()
        labels, weights = (None, None) if labels is None else labels
    else:
        statistics = _centred(statistics)
    answer: dict[str, Any] = _core.solve_bins(
        codes, labels, weights, costs, statistics, n_labels, **options, branch_cost=form.branch_cost
    )
    return answer


def _centred(statistics: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return weights and sums of targets less their mean, so that squares of sums keep their digits."""
    weights, sums = statistics[:, 0], statistics[:, 1]
    out = statistics.copy()
    out[:, 1] -= weights * (sums.sum() / weights.sum())
    return out
