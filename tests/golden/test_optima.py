"""Every known optimum for accuracy is reached and proven; the best known values are reached or beaten."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import streed
from tests.support import optima

LINES = optima("accuracy")


def name(line: dict[str, Any]) -> str:
    nodes = f"-{line['max_nodes']}-nodes" if "max_nodes" in line else ""
    return f"{line['data'].removeprefix('classification/')}-{line['max_depth']}{nodes}"


@pytest.mark.skipif(not LINES, reason="no table of known optima (set STREED_REFERENCE)")
@pytest.mark.parametrize("line", [pytest.param(line, id=name(line)) for line in LINES])
def test_known_optimum(line: dict[str, Any], dataset: Callable[[str], tuple[np.ndarray, np.ndarray]]) -> None:
    X, y = dataset(line["data"])
    result = streed.solve(
        streed.tasks.Accuracy(y), X, max_depth=line["max_depth"], max_nodes=line.get("max_nodes")
    )
    assert result.optimal
    assert result.status == "optimal"
    assert result.gap == 0
    assert result.lower_bound == result.objective == np.sum(result.tree.predict(X) != y)
    assert result.tree.depth <= line["max_depth"]
    assert result.tree.n_nodes <= line.get("max_nodes", 2 ** line["max_depth"] - 1)
    if line["kind"] == "optimum":
        assert result.objective == line["objective"]
    else:
        assert result.objective <= line["objective"]
