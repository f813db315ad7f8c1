"""What a pickle of a fitted estimator holds: its tree, and of the table only what the tree tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from streed.binarize.binarizer import Binarizer
from streed.binarize.tested import keep_tested
from streed.tree.result import with_features


def without_untested(state: dict[str, Any]) -> dict[str, Any]:
    """Return the state of an estimator with features for the tests of its trees alone.

    The estimator itself keeps all features: `Binarizer.transform` of its binarizer serves other columns, too,
    and whoever wants to store them pickles the binarizer beside the estimator.
    """
    result, binarizer = state.get("result_"), state.get("binarizer_")
    if result is None or not isinstance(binarizer, Binarizer) or result.tree.conditions is None:
        return state
    trees = [result.tree, *(solution.tree for solution in result.front)]
    used = {feature for tree in trees for feature in tree.feature.tolist() if feature >= 0}
    kept, numbers = keep_tested(binarizer, used)
    (stored,) = with_features([result], np.maximum(numbers, 0), len(kept.conditions_), kept.names())
    stored.explain(kept.conditions_)
    found = {**state, "binarizer_": kept, "result_": stored}
    if state.get("tree_") is result.tree:
        found["tree_"] = stored.tree
    return found
