"""Searches that end before their first answer: what comes back is a tree, or an error that says why not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import streed
from streed import InfeasibleError, StreedError, _core, tasks
from streed.tasks import Accuracy, LabelCosts

N = 600
RNG = np.random.default_rng(0)
X = RNG.integers(2, size=(N, 40)).astype(np.uint8)
Y = RNG.integers(2, size=N)
CLASSES = RNG.integers(3, size=N)
GROUPS = RNG.integers(3, size=N)
REWARDS = RNG.random((N, 3))
COSTS = RNG.random((N, 3))


class Spread(tasks.StatisticsTask):
    """Squared distances from the mean."""

    name = "spread"

    def __init__(self) -> None:
        value = REWARDS[:, 0]
        super().__init__(np.column_stack([np.ones(N), value, value**2]), ["mean"])

    def leaf_costs(self, sums: Any) -> Any:
        return sums[2] - sums[1] ** 2 / sums[0]


KINDS: dict[str, Callable[[], Any]] = {
    "accuracy": lambda: Accuracy(Y),
    "balanced accuracy": lambda: tasks.BalancedAccuracy(CLASSES),
    "general": lambda: Accuracy(Y).components(X),
    "label costs": lambda: LabelCosts(COSTS),
    "worst leaf": lambda: LabelCosts(COSTS, combination="max"),
    "function": Spread,
    "f1": lambda: tasks.F1Score(Y),
    "g mean": lambda: tasks.GMean(Y),
    "own metric": lambda: tasks.Metric(Y, lambda tp, fp, fn, tn: tp * tn),
    "macro f1": lambda: tasks.MacroF1(CLASSES),
    "fairness": lambda: tasks.DemographicParity(Y, GROUPS, 0.05),
    "ratio of rates": lambda: tasks.EqualizedOdds(Y, GROUPS, min_ratio=0.9),
    "capacity": lambda: tasks.LimitedPolicyReward(REWARDS, capacity={1: 0.2, 2: 0.2}),
    "front": lambda: streed.combine(Accuracy(CLASSES), LabelCosts(COSTS)),
    "front of three": lambda: streed.combine(
        Accuracy(CLASSES), LabelCosts(COSTS), tasks.PolicyReward(REWARDS, [0, 1, 2])
    ),
    "limit": lambda: streed.combine(Accuracy(CLASSES), LabelCosts(COSTS).at_most(0.9 * N)),
    "front with a limit": lambda: streed.combine(
        Accuracy(CLASSES), LabelCosts(COSTS), tasks.PolicyReward(REWARDS, [0, 1, 2]).at_least(0.1)
    ),
    "mixed": lambda: streed.combine(Accuracy(CLASSES), LabelCosts(COSTS, combination="max")),
    "mixed with a limit": lambda: streed.combine(
        Accuracy(CLASSES), LabelCosts(COSTS, combination="max").at_most(0.9 * N)
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seconds", [1e-9, 1e-4, 1e-3])
def test_no_time(kind: str, seconds: float) -> None:
    task, caught = KINDS[kind](), None
    try:
        result = streed.solve(task, X, max_depth=4, time_limit=seconds)
    except StreedError as error:
        caught = error
    if caught is not None:
        assert "limit" in kind or kind in ("fairness", "capacity")
        assert "before the search ended" in str(caught) or "in the time" in str(caught)
        assert not isinstance(caught, InfeasibleError)
        return
    assert result.status == "time_limit"
    assert not result.optimal
    assert result.front
    assert result.tree.predict(X).shape == (N,)


@pytest.mark.parametrize("kind", KINDS)
def test_stopped_at_once(kind: str) -> None:
    if kind == "front with a limit":  # the first look is before the first tree within the limit
        with pytest.raises(StreedError, match="no feasible tree was found before the search ended"):
            streed.solve(KINDS[kind](), X, max_depth=4, progress=lambda _: True)
        return
    result = streed.solve(KINDS[kind](), X, max_depth=4, progress=lambda _: True)
    assert result.status == "interrupted"
    assert not result.optimal
    assert result.tree.predict(X).shape == (N,)


@pytest.mark.parametrize("constraint", ["demographic_parity", "equalized_odds"])
@pytest.mark.parametrize("seconds", [1e-9, 1e-3, 1e-2])
def test_trade_off_without_time(constraint: str, seconds: float) -> None:
    front = streed.fairness_front(
        X.astype(bool), Y, GROUPS, constraint=constraint, max_depth=4, time_limit=seconds
    )
    assert (front.status, front.complete) == ("time_limit", False)
    assert len(front) > 0
    assert front[0].error == (front[0].tree.predict(X) != Y).sum()
    proven = [point.values for point in front.to_result().proven]
    assert proven == [(point.error, point.difference) for point in front][: len(proven)]
    assert len(proven) < len(front)
    assert seconds > 1e-9 or not proven
    assert "<html" in front.to_html()


def test_trade_off_that_is_interrupted_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(_core, "constrained", interrupted)
    y = np.array(["no", "yes", "yes", "yes"])
    front = streed.fairness_front(np.eye(4, dtype=bool), y, ["a", "b", "a", "b"])
    assert (front.status, front.complete) == ("interrupted", False)
    assert [(point.error, point.difference) for point in front] == [(1.0, 0.0)]
    assert front[0].tree.predict(np.eye(4)).tolist() == ["yes"] * 4


WITHIN = [
    lambda: tasks.LimitedPolicyReward(RNG.random((16, 3)), capacity={0: 2, 1: 2, 2: 2}),
    lambda: tasks.AccuracyParity(np.arange(16) % 2, np.arange(16) < 5, 0.0),
    lambda: streed.combine(
        Accuracy(np.arange(16) % 2), LabelCosts(1 + np.arange(32.0).reshape(16, 2)).at_most(3)
    ),
    lambda: streed.combine(
        Accuracy(np.arange(16) % 2),
        LabelCosts(np.arange(32.0).reshape(16, 2)),
        LabelCosts(1 + np.arange(32.0).reshape(16, 2)).at_most(3),
    ),
]


def sixteen(n_features: int) -> np.ndarray:
    """Sixteen rows, the first two alike: a tree is wrong about one of them, and right about the other."""
    table = np.random.default_rng(1).integers(2, size=(16, n_features))
    table[1] = table[0]
    return table


@pytest.mark.parametrize("make", WITHIN)
def test_infeasible_with_little_time(make: Callable[[], tasks.Task]) -> None:
    """Whatever the time: an error of streed."""
    table = sixteen(10)
    for seconds in np.geomspace(1e-5, 1e-2, 30):
        with pytest.raises(StreedError):
            streed.solve(make(), table, max_depth=4, time_limit=seconds)


@pytest.mark.parametrize("make", WITHIN)
def test_infeasible_without_the_closest_tree(
    make: Callable[[], tasks.Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The proof is there, the closest tree is not: the message goes without it."""
    whole = _core.constrained

    def cut_short(*arguments: Any, **options: Any) -> Any:
        answer = whole(*arguments, **options)
        return {name: value for name, value in answer.items() if name != "closest"}

    monkeypatch.setattr(_core, "constrained", cut_short)
    with pytest.raises(InfeasibleError, match="no tree") as caught:
        streed.solve(make(), sixteen(6), max_depth=2)
    assert "closest" not in str(caught.value)
