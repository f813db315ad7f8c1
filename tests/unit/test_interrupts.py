"""Ctrl-C: however many trees a search has found, it does not take long to return them."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import streed
from streed import InterruptedWarning, tasks
from streed.tasks import Accuracy, LabelCosts

N = 3000
RNG = np.random.default_rng(0)
X = RNG.integers(2, size=(N, 60)).astype(np.uint8)
CLASSES = RNG.integers(3, size=N)
MOST_SECONDS = 1.0
"""Processor time from the interrupt to the result; it takes about 0.1 s, with fifty thousand trees."""


def wrong(label: int) -> LabelCosts:
    """Errors on rows of one class."""
    return LabelCosts(1.0 * (np.arange(3) != label) * np.equal(CLASSES, label)[:, None])


def interrupted(solve: Callable[[], Any], seconds: float) -> tuple[Any, float]:
    """Press Ctrl-C after some time; returns the answer and the processor time that it took then."""
    pressed: list[float] = []
    ended = threading.Event()

    def press() -> None:
        if ended.wait(seconds):  # too late: only this test may fail
            return
        pressed.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    finger = threading.Thread(target=press)
    finger.start()
    try:
        with pytest.warns(InterruptedWarning):
            answer = solve()
    finally:
        over = time.process_time()
        ended.set()
        finger.join()
    return answer, over - pressed[0]


@pytest.mark.parametrize("kind", ["macro f1", "three objectives", "three objectives and a limit"])
def test_many_trees(kind: str) -> None:
    made: dict[str, Callable[[], Any]] = {
        "macro f1": lambda: tasks.MacroF1(CLASSES),
        "three objectives": lambda: streed.combine(*map(wrong, range(3))),
        "three objectives and a limit": lambda: streed.combine(*map(wrong, range(3)), wrong(0).at_most(900)),
    }
    task = made[kind]()
    result, took = interrupted(lambda: streed.solve(task, X, max_depth=3 if kind == "macro f1" else 4), 2.5)
    assert (result.status, result.optimal) == ("interrupted", False)
    assert took < MOST_SECONDS


def test_trees_that_are_counted_later() -> None:
    """After Ctrl-C the trees of a front are counted when they are looked at, and then like all others."""
    task = streed.combine(*map(wrong, range(3)))
    result, _ = interrupted(lambda: streed.solve(task, X, max_depth=4), 0.5)
    assert len(result.front) > 10
    for point in [*result.front[:3], result.front[-1]]:
        says = point.tree.predict(X)
        errors = [float(((says != CLASSES) & (label == CLASSES)).sum()) for label in range(3)]
        assert point.values == tuple(errors)
    first, last = result.front[0].tree, result.front[-1].tree
    again = copy.deepcopy(last)
    assert pickle.loads(pickle.dumps(last)) == again == last
    assert first.n_samples[0] == N
    leaves = first.apply(X)
    assert (first.n_samples[first.feature < 0] == np.bincount(leaves)[first.feature < 0]).all()
    assert first.values[0] * N == pytest.approx(result.front[0].values[0])
    with pytest.raises(AttributeError, match="no attribute 'leaves'"):
        first.leaves  # noqa: B018


def test_ctrl_c_while_the_front_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The front is complete, but not called so, and its trees are there."""
    from streed.solver.fronts.trees import FlatTrees

    whole, calls = FlatTrees.sums, []

    def sums(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return whole(*arguments)

    monkeypatch.setattr(FlatTrees, "sums", sums)
    task = streed.combine(Accuracy(CLASSES[:50]), LabelCosts(RNG.random((50, 3))))
    with pytest.warns(InterruptedWarning):
        result = streed.solve(task, X[:50], max_depth=1)
    assert (result.status, result.optimal, len(calls)) == ("interrupted", False, 1)
    assert result.front[0].tree.n_samples[0] == 50
    assert len(calls) == 2


def test_one_interrupt_ends_a_path() -> None:
    """One search has a tree and a bound for every size when it is stopped."""
    path, took = interrupted(lambda: streed.size_path(Accuracy(CLASSES), X, max_depth=6), 0.5)
    assert took < MOST_SECONDS
    assert path.searches == 1
    assert (path[63].status, path[0].status) == ("interrupted", "optimal")
    assert not path.optimal
    assert (np.diff(path.objectives) <= 0).all()
    for size, result in enumerate(path):
        assert result.lower_bound <= result.objective
        assert result.tree.n_nodes <= size


def test_one_interrupt_ends_a_path_of_several_searches() -> None:
    """Sizes that were not searched have the single leaf, with a bound that holds for them, too."""
    task = tasks.MacroF1(CLASSES)
    path, took = interrupted(lambda: streed.size_path(task, X, max_depth=4), 0.5)
    assert took < MOST_SECONDS
    assert path.searches == 1
    assert (path[15].status, path[14].status, path[0].status) == ("interrupted", "interrupted", "optimal")
    for result in path[1:]:
        assert not result.optimal
        assert result.lower_bound == path[15].lower_bound >= result.objective  # a metric is maximised
    assert path[14].tree.n_nodes == 0
    assert path[14].objective == path[0].objective <= path[15].objective


def test_one_interrupt_ends_a_path_over_thresholds() -> None:
    """Sizes that were not proven keep their trees over candidates."""
    table, model = RNG.normal(size=(1500, 8)), streed.OptimalTreeClassifier(max_depth=4, cuts="exact")
    path, took = interrupted(lambda: model.path(table, CLASSES[:1500]), 1.5)
    assert took < MOST_SECONDS
    assert (path[15].status, path[0].status) == ("interrupted", "optimal")
    assert path[15].objective < path[0].objective
    for size, result in enumerate(path):
        assert result.lower_bound <= result.objective
        assert result.tree.n_nodes <= size
        wrong = path.estimator(size).predict(table) != CLASSES[:1500]
        assert np.count_nonzero(wrong) == result.objective


def test_one_interrupt_ends_a_path_of_prices() -> None:
    path, took = interrupted(lambda: streed.complexity_path(Accuracy(CLASSES), X, min_price=3.0), 0.5)
    assert took < MOST_SECONDS
    assert not path.optimal
    assert path.searches <= 2


def test_one_interrupt_ends_tuning() -> None:
    model = streed.OptimalTreeClassifier(max_depth=6)

    def search() -> bool:
        with pytest.raises(KeyboardInterrupt):
            streed.tune(model, X, CLASSES, cv=3, random_state=0)
        return True

    ended, took = interrupted(search, 0.7)
    assert ended
    assert took < MOST_SECONDS
