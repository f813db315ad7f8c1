"""Rows with missing values in columns that had none in the fit: named, refused, or sent the heavier way.

The fit saw no such rows, so no test says where they go. Without a word they would go where the test does not
hold, which is an answer that nobody has chosen.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from streed.errors import MissingAtPredictWarning, warn_caller
from streed.tree.tree import Tree

Absent = Mapping[int, NDArray[np.bool_]]
"""For features of such columns, which rows have no value."""


def check_absent(columns: Mapping[str, NDArray[np.bool_]], policy: str) -> bool:
    """Warn of missing values, or refuse them; return whether rows must be sent the heavier way.

    Parameters
    ----------
    columns : mapping
        For columns without missing values in the fit, which rows have none now.
    policy : {"warn", "route", "error"}
        What is done.
    """
    found = {name: absent for name, absent in columns.items() if absent.any()}
    if not found:
        return False
    names = ", ".join(map(repr, found))
    if policy == "error":
        name, absent = next(iter(found.items()))
        raise ValueError(
            f"column {name!r} has missing values, the first in row {int(absent.argmax())}, but had none in "
            "the fit; missing_at_predict='route' sends such rows where most of the training weight goes"
        )
    if policy == "warn":
        warn_caller(
            f"missing values in {names}, where the fit had none: such rows go where the test does not hold; "
            "missing_at_predict='route' sends them where most of the training weight goes, 'error' refuses "
            "them",
            MissingAtPredictWarning,
        )
    return policy == "route"


def answer_absent(
    tree: Tree, holds: Mapping[int, NDArray[np.bool_]], absent: Absent
) -> tuple[NDArray[np.int64], dict[int, NDArray[np.bool_]]]:
    """Route rows whose missing values go, at each node, to the child with more of the training weight.

    Parameters
    ----------
    tree : Tree
        The tree.
    holds : mapping
        For each feature that the tree tests, which rows have it.
    absent : mapping
        For some of these features, for which rows that cannot be said.

    Returns
    -------
    tuple of array and dict
        The leaf of each row, and the features as if the rows had been answered so on their way.
    """
    weight = tree.n_samples if tree.class_weights is None else tree.class_weights.sum(axis=1)
    answered = {feature: has.copy() for feature, has in holds.items()}
    n_rows = len(next(iter(holds.values())))
    at = np.zeros(n_rows, np.int64)
    for node, left, right in tree.branches():
        feature = int(tree.feature[node])
        here = at == node
        if feature in absent:
            answered[feature][here & absent[feature]] = weight[right] > weight[left]
        at[here] = np.where(answered[feature][here], right, left)
    return at, answered
