"""Accuracy as a user of streed would write it, in the three ways that there are."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray


def make_task(package: Any, way: str, y: NDArray[Any]) -> Any:
    """Make the task: "label costs", "NumPy" or "Numba"; the last one needs the package of that name."""
    labels, codes = np.unique(y, return_inverse=True)
    if way == "label costs":
        return package.tasks.LabelCosts(1.0 - np.eye(labels.size)[codes], labels)
    if way == "Numba":
        import_module("numba")
    leaf_costs = package.native(errors) if way == "Numba" else errors

    class OwnAccuracy(package.tasks.StatisticsTask):  # type: ignore[misc]
        name = "own_accuracy"

    OwnAccuracy.leaf_costs = staticmethod(leaf_costs)
    return OwnAccuracy(np.eye(labels.size)[codes], list(labels), least_row=0.0, worst_row=1.0)


def errors(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Count the rows of the other classes."""
    wrong: NDArray[np.float64] = sums.sum(axis=0) - sums
    return wrong
