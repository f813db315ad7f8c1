"""What the result of a tuned fit says: the size that was chosen, and whether larger ones could do better."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.tree.result import Result


def advise_tuned(
    result: Result, results: Mapping[str, NDArray[Any]], chosen: Mapping[str, Any], score: str
) -> None:
    """Put the tuned size into the advice of the last fit; what a limit made it say comes after that.

    Examples
    --------
    >>> import streed
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10, [0, 0, 0, 1] * 10
    >>> model = streed.OptimalTreeClassifier(max_depth=2, tune="holdout").fit(X, y)
    >>> model.result_.advice
    'tuned size: 2 branching nodes, accuracy 1 on rows held out'
    """
    parts = [f"tuned size: {_size(chosen)}, {score}"]
    if _is_largest(results, chosen):
        parts.append("it is the largest that was tried: larger ones could do better")
    if not result.optimal and result.advice:
        parts.append(result.advice)
    result.complete(result.baseline, "; ".join(parts))


def _size(chosen: Mapping[str, Any]) -> str:
    """Say the chosen size in words."""
    if (nodes := chosen.get("max_nodes")) is not None:
        return f"{nodes} branching node{'' if nodes == 1 else 's'}"
    return f"cost_complexity={chosen['cost_complexity']:g}"


def _is_largest(results: Mapping[str, NDArray[Any]], chosen: Mapping[str, Any]) -> bool:
    """Whether of several sizes the largest was chosen, and no depth above it was tried."""
    tried = np.asarray(results["max_nodes"]) if "max_nodes" in results else np.empty(0)
    return tried.size > 1 and chosen["max_nodes"] == tried.max() > tried.min()
