"""Known optima for F1 and fairness are reached or beaten; trees are scored by hand, limits in fractions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import streed
from tests.support import optima

Reader = Callable[[str], tuple[np.ndarray, np.ndarray]]
F1 = optima("f1")
FAIR = [*optima("demographic_parity"), *optima("equal_opportunity")]
WITHOUT = "no table of known optima (set STREED_REFERENCE)"


def name(line: dict[str, Any]) -> str:
    return f"{line['task']}-{line['data'].split('/')[1]}-{line['max_depth']}"


@pytest.mark.skipif(not F1, reason=WITHOUT)
@pytest.mark.parametrize("line", [pytest.param(line, id=name(line)) for line in F1])
def test_f1(line: dict[str, Any], dataset: Reader) -> None:
    X, y = dataset(line["data"])
    result = streed.solve(streed.tasks.F1Score(y), X, max_depth=line["max_depth"])
    assert result.optimal
    says = result.tree.predict(X)
    right = np.sum((says == 1) & (y == 1))
    assert result.objective == pytest.approx(2 * right / (np.sum(says == 1) + np.sum(y == 1)), rel=1e-12)
    assert result.objective == pytest.approx(line["objective"], rel=1e-12)
    assert result.tree.depth <= line["max_depth"]


@pytest.mark.skipif(not FAIR, reason=WITHOUT)
@pytest.mark.parametrize("line", [pytest.param(line, id=name(line)) for line in FAIR])
def test_fairness(line: dict[str, Any], dataset: Reader) -> None:
    X, y = dataset(line["data"])
    group, rest = X[:, 0], np.ascontiguousarray(X[:, 1:])
    make: Any = streed.tasks.REGISTRY[line["task"]]
    task = make(y, group, max_difference=line["max_difference"])
    result = streed.solve(task, rest, max_depth=line["max_depth"])
    assert result.optimal
    says = result.tree.predict(rest)
    assert result.objective == result.lower_bound == np.sum(says != y)
    assert result.objective <= line["objective"]
    about = y == 1 if line["task"] == "equal_opportunity" else np.ones(y.size, bool)
    rates = [
        Fraction(int(np.sum(about & (group == g) & (says == 1))), int(np.sum(about & (group == g))))
        for g in (0, 1)
    ]
    assert abs(rates[0] - rates[1]) <= Fraction(str(line["max_difference"]))


def test_a_limit_of_zero_ends_at_its_time_limit_with_a_tree_and_a_gap(dataset: Reader) -> None:
    X, y = dataset("fairness/german-credit")
    task = streed.tasks.DemographicParity(y, X[:, 0], max_difference=0)
    result = streed.solve(task, np.ascontiguousarray(X[:, 1:]), max_depth=4, time_limit=1)
    assert task.is_fair(task.outcome(result.tree.label[result.tree.apply(X[:, 1:])].astype(np.int64)))
    assert result.optimal == (result.gap == 0)
    assert result.lower_bound <= result.objective
