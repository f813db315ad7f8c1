"""A solve on a cluster has the value, the proof and the tree of a local one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import streed
import streed.solver.thresholds
from streed.distributed import Patience
from tests.distributed.support import bits, same_tree, within

pytest.importorskip("distributed", reason="Dask is not installed")

EARLY = Patience(start=1e-4, slice=0.5)
"""Nothing ends locally, so that all of these problems are shared out."""

X, Y = bits(1, 300, 24)
RNG = np.random.default_rng(2)
NUMBERS = np.round(X[:, 2] + X[:, 3] * X[:, 4] + RNG.normal(0, 0.5, len(Y)), 1)
COSTS = RNG.integers(0, 9, size=(len(Y), 3)).astype(float)
TASKS: dict[str, Any] = {
    "accuracy": lambda: streed.tasks.Accuracy(Y),
    "a price of nodes": lambda: streed.tasks.Accuracy(Y, cost_complexity=0.002),
    "costs": lambda: streed.tasks.LabelCosts(COSTS),
    "squares": lambda: streed.tasks.SquaredError(NUMBERS),
    "F1": lambda: streed.tasks.F1Score(Y),
}


@pytest.mark.parametrize("name", TASKS)
def test_the_tree_is_that_of_a_local_solve(client: Any, name: str) -> None:
    limits: dict[str, Any] = {"max_depth": 4}
    local = streed.solve(TASKS[name](), X, **limits)
    shared = within(
        lambda: streed.distributed.solve(TASKS[name](), X, client=client, patience=EARLY, **limits)
    )
    assert shared.optimal
    assert shared.statistics["pieces"] > 1
    assert same_tree(shared, local)
    assert shared.lower_bound == local.lower_bound


def test_prices_of_tests(client: Any) -> None:
    prices = streed.FeatureCosts(RNG.integers(0, 3, X.shape[1]).tolist())
    task = streed.tasks.CostMatrix(Y, np.array([[0, 90], [300, 0]]), feature_costs=prices)
    local = streed.solve(task, X, max_depth=3, max_nodes=5)
    shared = within(
        lambda: streed.distributed.solve(task, X, client=client, patience=EARLY, max_depth=3, max_nodes=5)
    )
    assert same_tree(shared, local)


def test_what_is_short_never_meets_the_cluster(client: Any) -> None:
    result = streed.distributed.solve(streed.tasks.Accuracy(Y), X, client=client, max_depth=2)
    assert "pieces" not in result.statistics
    assert same_tree(result, streed.solve(streed.tasks.Accuracy(Y), X, max_depth=2))


def test_a_front_is_solved_by_one_worker(client: Any) -> None:
    task = streed.combine(streed.tasks.Accuracy(Y), streed.tasks.LabelCosts(COSTS[:, :2]))
    local = streed.solve(task, X, max_depth=3)
    shared = within(lambda: streed.distributed.solve(task, X, client=client, patience=EARLY, max_depth=3))
    assert shared.optimal
    assert [point.values for point in shared.front] == [point.values for point in local.front]


def test_progress_shows_a_gap_that_closes_and_may_stop_the_solve(client: Any) -> None:
    rows, labels = bits(3, 2000, 60)
    seen: list[streed.Progress] = []

    def watch(now: streed.Progress) -> bool:
        seen.append(now)
        return now.elapsed > 2

    result = within(
        lambda: streed.distributed.solve(
            streed.tasks.Accuracy(labels), rows, client=client, patience=EARLY, max_depth=7, progress=watch
        )
    )
    assert result.status == "interrupted"
    assert all(now.lower_bound <= now.objective for now in seen)
    assert result.objective <= seen[0].objective
    assert result.objective >= result.lower_bound


def test_a_client_is_needed() -> None:
    with pytest.raises(ValueError, match="there is no Dask client"):
        streed.distributed.solve(streed.tasks.Accuracy(Y), X, max_depth=2)
    with pytest.raises(TypeError, match=r"client must be a distributed\.Client"):
        streed.distributed.solve(streed.tasks.Accuracy(Y), X, client=3, max_depth=2)


@pytest.mark.parametrize(
    ("model", "target"),
    [
        (streed.OptimalTreeClassifier(max_depth=4), Y),
        (streed.OptimalTreeRegressor(max_depth=4), NUMBERS),
        (streed.FairTreeClassifier(max_depth=2, max_difference=0.1), Y),
    ],
    ids=lambda given: type(given).__name__,
)
def test_estimators_take_a_client(client: Any, monkeypatch: Any, model: Any, target: Any) -> None:
    from streed.distributed import leader

    table = X.astype(bool)
    groups = {"sensitive_features": X[:, 5]} if isinstance(model, streed.FairTreeClassifier) else {}
    local = clone(model).fit(table, target, **groups)
    monkeypatch.setattr(leader.ClusterLeader.__init__, "__defaults__", (EARLY,))
    shared = within(lambda: clone(model).fit(table, target, **groups, client=client))
    assert same_tree(shared.result_, local.result_)
    assert shared.result_.optimal


def test_six_components_are_solved_by_one_worker(client: Any) -> None:
    rows, labels = X[:40, :5], Y[:40]
    components = streed.tasks.Accuracy(labels).components(rows)
    local = streed.solve(components, rows, max_depth=3)
    shared = within(
        lambda: streed.distributed.solve(components, rows, client=client, patience=EARLY, max_depth=3)
    )
    assert shared.optimal
    assert same_tree(shared, local)


def test_all_threads_of_a_worker_share_one_search(local_threads: Any) -> None:
    rows, labels = bits(3, 1500, 36)
    task = streed.tasks.Accuracy(labels)
    local = streed.solve(task, rows, max_depth=5)
    shared = within(
        lambda: streed.distributed.solve(task, rows, client=local_threads, patience=EARLY, max_depth=5)
    )
    assert same_tree(shared, local)
    assert shared.statistics["threads"] == 3


@pytest.mark.parametrize("kind", ["labels", "numbers"])
def test_all_thresholds(client: Any, monkeypatch: Any, kind: str) -> None:
    """The thresholds of the root are evaluated by workers, and the search takes the same steps."""
    from streed.distributed import leader

    rng = np.random.default_rng(7)
    table = np.round(rng.normal(size=(250, 4)), 2)
    target = table[:, 0] * table[:, 1] + table[:, 2] + rng.normal(0, 0.7, 250)
    model = {
        "labels": streed.OptimalTreeClassifier(max_depth=3, cuts="exact"),
        "numbers": streed.OptimalTreeRegressor(max_depth=3, cuts="exact"),
    }[kind]
    given = target > 0 if kind == "labels" else np.round(target, 1)
    monkeypatch.setattr(streed.solver.thresholds, "FIRST_ATTEMPT", 0.0)  # else it is done at once
    local = clone(model).fit(table, given)
    monkeypatch.setattr(leader.ClusterLeader.__init__, "__defaults__", (EARLY,))
    shared = within(lambda: clone(model).fit(table, given, client=client))
    assert shared.result_.statistics["pieces"] > 1
    assert shared.tree_.to_text() == local.tree_.to_text()
    assert shared.result_.objective == local.result_.objective
    assert shared.result_.statistics["nodes"] <= local.result_.statistics["nodes"]
