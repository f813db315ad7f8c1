"""One call of the native engine on a problem, checked by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from streed import _core
from tests.properties.naive import Problem, check_result


def run(problem: Problem, **options: Any) -> dict[str, Any]:
    """Solve to the end and check everything that can be checked without knowing the optimum."""
    limits = {"time_limit": math.inf, "memory_limit": 0, "n_threads": 1}
    result: dict[str, Any] = _core.solve(
        problem.X, problem.y, problem.w, problem.n_labels, **problem.options(), **{**limits, **options}
    )
    assert result["optimal"]
    check_result(problem, result)
    return result


def same_tree(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return all(np.array_equal(a[name], b[name]) for name in ("feature", "left", "right", "label"))
