"""Known optima over all thresholds are reached and proven."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.support import DATA, optima
from tests.threshold_search import solve_thresholds

SLOW = {"rice-4", "segment-4"}
"""More than four seconds each."""


def name(line: dict[str, Any]) -> str:
    return f"{line['data'].removeprefix('continuous/')}-{line['max_depth']}"


LINES = [line for line in optima("continuous_accuracy") if name(line) not in SLOW]


@pytest.mark.skipif(not LINES, reason="no table of known optima (set STREED_REFERENCE)")
@pytest.mark.parametrize("line", [pytest.param(line, id=name(line)) for line in LINES])
def test_known_optimum(line: dict[str, Any]) -> None:
    path = DATA / f"{line['data']}.csv"
    if not path.exists():
        pytest.skip(f"no data set {line['data']} in {DATA} (set STREED_DATA)")
    table = np.loadtxt(path)
    labels = np.unique(table[:, 0], return_inverse=True)[1].astype(np.int32)
    columns = [
        SimpleNamespace(name=f"x{j}", kind="numbers", values=table[:, j], categories=())
        for j in range(1, table.shape[1])
    ]
    result = solve_thresholds(columns, labels=labels, max_depth=line["max_depth"])
    assert result.optimal
    assert result.objective == np.count_nonzero(result.predicted() != labels)
    # The peer that proved these merges close values: an exact search may only be better.
    assert result.objective <= line["objective"]
