"""Trade-offs of an objective with other quantities, against all trees of two levels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import streed
from streed import limits as lim
from tests.properties import limits_twin as twin

RNG = np.random.default_rng(3)
N = 40
X = RNG.random((N, 4)) < 0.5
Y = np.where(RNG.random(N) < 0.8, X[:, 0] ^ (X[:, 1] & X[:, 2]), RNG.random(N) < 0.5).astype(int)
GROUPS = RNG.integers(0, 2, N)
ONES = np.ones(N, int)


def parity(p: np.ndarray) -> float:
    return float(twin.parity_of("equalized_odds", Y, p, GROUPS, ONES, 2))


def missed(p: np.ndarray) -> float:
    return -float((p[Y == 1] == 1).mean())


def errors(p: np.ndarray) -> float:
    return float((p != Y).sum())


def expected(values: list[Callable[[np.ndarray], float]], with_size: bool) -> set[tuple[float, ...]]:
    """Return all lines of values that no other one beats."""
    found = {
        (*(round(value(labels), 9) for value in values), *([float(nodes)] if with_size else []))
        for labels, nodes in twin.all_trees(X, 2, 2)
    }
    lines = np.array(sorted(found))
    beaten = [((lines <= line).all(axis=1) & (lines != line).any(axis=1)).any() for line in lines]
    return {tuple(line) for line, worse in zip(lines.tolist(), beaten, strict=True) if not worse}


@pytest.mark.parametrize(
    ("quantities", "values", "signs"),
    [
        ([lim.parity("equalized_odds")], [parity], (1, 1)),
        ([lim.nodes()], [], (1, 1)),
        ([lim.recall(1), lim.nodes()], [missed], (1, -1, 1)),
        ([lim.parity("equalized_odds"), lim.nodes()], [parity], (1, 1, 1)),
    ],
)
def test_fronts_hold_every_tree_that_is_not_beaten(quantities: Any, values: Any, signs: Any) -> None:
    groups = GROUPS if quantities[0].needs_groups else None
    found = streed.trade_off(X, Y, ["accuracy", *quantities], sensitive_features=groups, max_depth=2)
    assert found.optimal
    wanted = expected([errors, *values], any(one.name == "nodes" for one in quantities))
    ours = {tuple(round(s * v, 9) for s, v in zip(signs, one.values, strict=True)) for one in found.front}
    assert ours == wanted
    for one in found.front:
        assert (one.tree.predict(X.astype(np.uint8)) != Y).sum() == one.values[0]
    assert "<html" in found.to_html()


def test_metrics_and_limits_within_which_all_trees_are() -> None:
    found = streed.trade_off(
        X, Y, ["f1", lim.parity(by=GROUPS)], within=[lim.recall(1) >= 0.8, lim.nodes() <= 2], max_depth=2
    )
    values = [one.values for one in found.front]
    assert values == sorted(values, reverse=True)
    for one in found.front:
        predicted = one.tree.predict(X.astype(np.uint8))
        assert missed(predicted) <= -0.8
        assert one.tree.n_nodes <= 2


@pytest.mark.parametrize(
    ("objectives", "error", "message"),
    [
        (["accuracy"], ValueError, "one of an objective and quantities"),
        (["accuracy", "f1"], TypeError, "without a limit"),
        (["accuracy", lim.share(1) <= 0.5], TypeError, "without a limit"),
        (["accuracy", lim.share(1), lim.recall(1)], ValueError, "one quantity beside"),
        (["accuracy", lim.precision(1)], ValueError, "no trade-off"),
    ],
)
def test_what_is_no_trade_off_is_refused(objectives: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        streed.trade_off(X, Y, objectives)
