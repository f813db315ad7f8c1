"""All searches of the native module read their options in one place: unknown and missing ones are named."""

import math
from typing import Any

import numpy as np
import pytest

from streed import _core

X = np.array([[0, 1], [1, 0], [1, 1]], np.uint8)
LABELS, WEIGHTS = np.array([0, 1, 1], np.int32), np.ones(3)
COMMON: dict[str, Any] = {"time_limit": math.inf, "memory_limit": 0, "branch_cost": 0.5}
BY_DEPTH: dict[str, Any] = {"max_depth": 2, "max_nodes": 3, "min_samples_leaf": 1, "n_threads": 1, **COMMON}
CALLS: dict[str, tuple[Any, tuple[Any, ...], dict[str, Any], dict[str, Any]]] = {
    "solve": (_core.solve, (X, LABELS, WEIGHTS, 2), {}, BY_DEPTH),
    "sizes.solve": (_core.sizes.solve, (X, LABELS, WEIGHTS, 2), {}, BY_DEPTH),
    "solve_priced": (_core.solve_priced, (X,), {"labels": LABELS, "weights": WEIGHTS, "n_labels": 2}, COMMON),
    "solve_thresholds": (
        _core.solve_thresholds,
        (np.ascontiguousarray(X.T.astype(np.int32)), LABELS, WEIGHTS, None, 2),
        {},
        BY_DEPTH,
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_options_of_a_search(name: str) -> None:
    function, rows, data, options = CALLS[name]
    found = function(*rows, **data, **options)
    assert found.get("trees", [found])[-1]["objective"] == 0.5  # one split
    for missing in options:
        left = {key: value for key, value in options.items() if key != missing}
        with pytest.raises(TypeError, match=f"missing option '{missing}'"):
            function(*rows, **data, **left)
    with pytest.raises(TypeError, match="unknown option 'depth'"):
        function(*rows, **data, **options, depth=2)
    with pytest.raises(TypeError, match="time_limit has the wrong type: str"):
        function(*rows, **data, **options | {"time_limit": "long"})


@pytest.mark.parametrize(
    ("name", "option"),
    [("solve", "work_limit"), ("solve_priced", "max_depth"), ("solve_thresholds", "prices")],
)
def test_options_of_other_searches_are_unknown(name: str, option: str) -> None:
    function, rows, data, options = CALLS[name]
    with pytest.raises(TypeError, match=f"unknown option '{option}'"):
        function(*rows, **data, **options, **{option: 1})
