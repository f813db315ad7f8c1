"""Time limit, memory limit, Ctrl-C, threads: whatever ends a search, a tree with its proven gap is there."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import streed
from streed import _core
from streed.tasks import Accuracy


def endless_problem() -> tuple[np.ndarray, np.ndarray]:
    """Noise: hours of proof at depth five."""
    rng = np.random.default_rng(0)
    return rng.integers(0, 2, (2000, 200), dtype=np.uint8), rng.integers(0, 2, 2000)


def check_interrupted(result: streed.Result, X: np.ndarray, y: np.ndarray, status: str) -> None:
    assert not result.optimal
    assert result.status == status
    assert result.objective == np.sum(result.tree.predict(X) != y)
    assert result.objective <= min(np.bincount(y))
    assert 0 <= result.lower_bound < result.objective
    assert 0 < result.gap <= 1


@pytest.mark.parametrize("time_limit", [0.001, 0.05, 0.5])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_time_limit(time_limit: float, n_jobs: int) -> None:
    X, y = endless_problem()
    result = streed.solve(Accuracy(y), X, max_depth=5, time_limit=time_limit, n_jobs=n_jobs)
    check_interrupted(result, X, y, "time_limit")
    assert result.tree.n_nodes > 0 or time_limit < 0.01


@pytest.mark.parametrize("n_features", [1500, 3000])
def test_time_limit_with_very_many_features(n_features: int) -> None:
    """One pair table takes long here: the clock is looked at inside it, too."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (300, n_features), dtype=np.uint8), rng.integers(0, 2, 300)
    result = streed.solve(Accuracy(y), X, max_depth=3, time_limit=0.3)
    check_interrupted(result, X, y, "time_limit")


@pytest.mark.parametrize("time_limit", [1e-6, 0.002, 0.005, 0.02, 0.1])
def test_bounds_enclose_the_optimum_at_any_time(
    time_limit: float, dataset: Callable[[str], tuple[np.ndarray, np.ndarray]]
) -> None:
    X, y = dataset("classification/german-credit")
    result = streed.solve(Accuracy(y), X, max_depth=4, time_limit=time_limit)
    assert result.lower_bound <= 204 <= result.objective == np.sum(result.tree.predict(X) != y)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_memory_limit(n_jobs: int, dataset: Callable[[str], tuple[np.ndarray, np.ndarray]]) -> None:
    """The cache stops growing at half the size it would have, the search goes on to the same tree."""
    X, y = dataset("classification/diabetes")
    free = streed.solve(Accuracy(y), X, max_depth=5, n_jobs=n_jobs)
    limit = free.statistics["peak_memory"] / 2
    limited = streed.solve(Accuracy(y), X, max_depth=5, n_jobs=n_jobs, memory_limit=limit)
    assert limited.optimal
    assert limited.objective == free.objective == 106
    assert limited.tree == free.tree
    assert limited.statistics["peak_memory"] <= 1.1 * limit


INTERRUPTED = """
import json, signal, sys, warnings
import numpy as np
import streed
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
X, y = rng.integers(0, 2, (2000, 200), dtype=np.uint8), rng.integers(0, 2, 2000)
task = streed.tasks.Accuracy(y)
print("started", flush=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    result = streed.solve(task, X, max_depth=5, n_jobs=int(sys.argv[1]))
wrong = int((result.tree.predict(X) != y).sum())
print(json.dumps([result.status, result.optimal, result.objective, wrong, [str(w.message) for w in caught]]))
"""


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_interrupt_key_returns_the_best_tree(n_jobs: int) -> None:
    command = [sys.executable, "-c", INTERRUPTED, str(n_jobs)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0
    status, optimal, objective, wrong, caught = json.loads(output)
    assert (status, optimal) == ("interrupted", False)
    assert objective == wrong < 967
    assert any("interrupt" in message for message in caught)


def test_other_python_threads_go_on() -> None:
    X, y = endless_problem()
    ticks, done = 0, threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.01):
            ticks += 1

    ticker = threading.Thread(target=tick)
    ticker.start()
    try:
        streed.solve(Accuracy(y), X, max_depth=5, time_limit=1.0)
    finally:
        done.set()
        ticker.join()
    assert ticks > 10, "with the interpreter lock held there would be next to none"


def test_two_solves_at_once(dataset: Callable[[str], tuple[np.ndarray, np.ndarray]]) -> None:
    sets = [dataset("classification/anneal"), dataset("classification/heart-cleveland")] * 4

    def fit(data: tuple[np.ndarray, np.ndarray]) -> dict[str, object]:
        return streed.solve(Accuracy(data[1]), data[0], max_depth=4, n_jobs=2).tree.to_dict()

    alone = [fit(data) for data in sets[:2]] * 4
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(fit, sets)) == alone


def test_a_limit_that_is_not_reached_changes_nothing(
    dataset: Callable[[str], tuple[np.ndarray, np.ndarray]],
) -> None:
    X, y = dataset("classification/anneal")
    result = streed.solve(Accuracy(y), X, max_depth=3, time_limit=600, memory_limit=10**9)
    assert (result.optimal, result.status, result.objective, result.gap) == (True, "optimal", 112, 0)


def call_engine(poll: Callable[[dict[str, float]], bool]) -> dict[str, Any]:
    X, y = endless_problem()
    result: dict[str, Any] = _core.solve(
        X,
        y.astype(np.int32),
        np.ones(len(y)),
        2,
        max_depth=5,
        max_nodes=31,
        min_samples_leaf=1,
        branch_cost=0.0,
        time_limit=60.0,
        memory_limit=0,
        n_threads=2,
        poll=poll,
    )
    return result


def test_poll_sees_the_state_and_can_stop_the_engine() -> None:
    seen: list[dict[str, float]] = []

    def poll(state: dict[str, float]) -> bool:
        seen.append(state)
        return len(seen) == 3

    result = call_engine(poll)
    assert (result["optimal"], result["status"], len(seen)) == (False, "interrupted", 3)
    for before, after in pairwise(seen):
        assert before["elapsed"] < after["elapsed"]
        assert before["objective"] >= after["objective"]
        assert before["lower_bound"] <= after["lower_bound"]
        assert before["root_done"] <= after["root_done"] <= 1
    assert (
        0 <= seen[-1]["lower_bound"] <= result["lower_bound"] <= result["objective"] <= seen[-1]["objective"]
    )
    assert seen[-1]["memory"] > 0


def test_an_exception_in_poll_comes_out() -> None:
    def poll(state: dict[str, float]) -> bool:
        raise RuntimeError("from poll")

    with pytest.raises(RuntimeError, match="from poll"):
        call_engine(poll)
