"""Questions about parts of one problem: values of subproblems below a limit, and a root that is shared."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streed import _core

LIMITS: dict[str, Any] = {
    "time_limit": math.inf,
    "memory_limit": 0,
    "min_samples_leaf": 1,
    "branch_cost": 0.0,
}
SEEDS = st.integers(0, 2**32 - 1)


class Case:
    """Rows with noise, some of them equal with different labels, and columns that are equal or constant."""

    def __init__(self, seed: int, **limits: Any) -> None:
        self.rng = np.random.default_rng(seed)
        rows, self.labels = int(self.rng.integers(5, 70)), int(self.rng.integers(2, 4))
        X = self.rng.integers(2, size=(rows, int(self.rng.integers(3, 8)))).astype(np.uint8)
        X[:, -1] = X[:, 0]
        self.X = np.ascontiguousarray(np.column_stack([X, np.ones(rows, np.uint8)]))
        self.y = self.rng.integers(self.labels, size=rows).astype(np.int32)
        self.w = self.rng.choice([1.0, 1.0, 2.0, 0.5], rows)
        self.limits = {**LIMITS, **limits}

    def parts(self, n_threads: int = 1, **more: Any) -> _core.Subproblems:
        options = {"max_depth": 4, "max_nodes": 15, "n_threads": n_threads, **self.limits, **more}
        return _core.Subproblems(self.X, self.y, self.w, self.labels, **options)

    def best(self, kept: Any, depth: int, nodes: int) -> float:
        """The value of a search of its own for some of the rows."""
        if not kept.any():
            return 0.0
        options = {"max_depth": depth, "max_nodes": nodes, "n_threads": 1, **self.limits}
        return float(
            _core.solve(self.X[kept], self.y[kept], self.w[kept], self.labels, **options)["objective"]
        )

    def best_below(self, feature: int, depth: int) -> float:
        """The best full tree that begins with a feature."""
        right = self.X[:, feature] != 0
        if right.all() or not right.any():
            return math.inf
        below = [self.best(rows, depth - 1, 2 ** (depth - 1) - 1) for rows in (right, ~right)]
        return sum(below) + float(self.limits["branch_cost"])


@given(seed=SEEDS, price=st.sampled_from([0.0, 0.75]))
@settings(max_examples=60, deadline=None)
def test_a_path_has_the_value_of_its_rows(seed: int, price: float) -> None:
    case = Case(seed, branch_cost=price)
    parts = case.parts()
    for _ in range(8):
        path = [
            (int(feature), bool(case.rng.integers(2)))
            for feature in case.rng.integers(case.X.shape[1], size=case.rng.integers(0, 4))
        ]
        kept = np.ones(case.y.size, bool)
        for feature, side in path:
            kept &= (case.X[:, feature] != 0) == side
        depth = int(case.rng.integers(0, 5))
        nodes = int(case.rng.integers(0, 2**depth))
        value = case.best(kept, depth, nodes)
        for limit in (math.inf, value + 0.3, value, value - 0.3):
            answer = parts.solve(path, depth, nodes, limit)
            assert answer["status"] == "optimal"
            if limit > value + 1e-9:
                assert answer["exact"]
                assert answer["value"] == pytest.approx(value, abs=1e-9)
            elif not answer["exact"]:
                assert min(limit, value) - 1e-9 <= answer["value"] <= value + 1e-9


@given(seed=SEEDS, n_threads=st.integers(1, 3), depth=st.integers(2, 4))
@settings(max_examples=40, deadline=None)
def test_a_root_is_shared(seed: int, n_threads: int, depth: int) -> None:
    """Each of two takes half the features in two rounds, and hears what the other one has found."""
    case = Case(seed, branch_cost=0.25)
    nodes = 2**depth - 1
    everything = np.ones(case.y.size, bool)
    optimum = case.best(everything, depth, nodes)
    both = [case.parts(n_threads), case.parts(n_threads)]
    bounds = np.zeros(case.X.shape[1])
    for _ in range(2):
        for k, parts in enumerate(both):
            parts.lower(both[1 - k].upper)
            mine = list(range(k, case.X.shape[1], 2))
            answer = parts.solve_roots(mine, depth, nodes)
            assert answer["status"] == "optimal"
            bounds[mine] = np.maximum(bounds[mine], answer["bounds"])
    upper = min(parts.upper for parts in both)
    assert upper == pytest.approx(optimum, abs=1e-9)
    leaf = case.best(everything, 0, 0)
    for feature, bound in enumerate(bounds):
        below = case.best_below(feature, depth)
        if depth > 2 and bound < math.inf:
            assert bound <= below + 1e-9
        assert bound >= min(upper, below, leaf) - 1e-9


REASONS = {"leaf", "bound", "kernel", "price", "cache", "branched"}


@given(seed=SEEDS, n_threads=st.integers(1, 3), price=st.sampled_from([0.0, 0.75]))
@settings(max_examples=25, deadline=None)
def test_closed_subproblems_are_told(seed: int, n_threads: int, price: float) -> None:
    """Every bound holds for the rows of its path; the last one is that of the question."""
    case = Case(seed, branch_cost=price)
    parts, told = case.parts(n_threads), []

    def closed(path: Any, depth: int, nodes: int, bound: float, exact: bool, reason: str) -> None:
        told.append((path, depth, nodes, bound, exact, reason))

    first = (int(case.rng.integers(case.X.shape[1])), True)
    for path in ([], [first]):
        answer = parts.solve(path, 4, int(case.rng.integers(3, 16)), math.inf, None, closed)
        if told:
            assert told[-1][3:5] == (answer["value"], True)
    assert told
    parts.solve_roots(list(range(case.X.shape[1])), 4, 15, None, closed)
    for path, depth, nodes, bound, exact, reason in told[:: len(told) // 40 + 1]:
        kept = np.ones(case.y.size, bool)
        for feature, side in path:
            kept &= (case.X[:, feature] != 0) == side
        value = case.best(kept, depth, nodes)
        assert reason in REASONS
        assert bound <= value + 1e-9
        assert not exact or bound == pytest.approx(value, abs=1e-9)
    known = len(told)
    parts.solve([], 3, 7, math.inf)
    assert len(told) == known


def test_all_reasons_occur_and_a_listener_may_fail() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(300, 10)).astype(np.uint8)
    data = (X, rng.integers(2, size=300).astype(np.int32), np.ones(300), 2)
    reasons: set[str] = set()
    for price, switches in ((0.0, {}), (0.0, {"depth_two": False}), (6.0, {})):
        options: dict[str, Any] = {**LIMITS, "max_depth": 5, "max_nodes": 31, "n_threads": 2}
        parts = _core.Subproblems(*data, **{**options, "branch_cost": price, "switches": switches})
        for path in ([], [(0, True)], [(0, True), (1, True), (2, True), (3, True), (4, True)]):
            parts.solve(path, 5, 31, math.inf, None, lambda *given: reasons.add(given[-1]))
            parts.solve(path, 5, 31, 1.0, None, lambda *given: reasons.add(given[-1]))
    assert {"leaf", "bound", "kernel", "cache", "branched"} <= reasons <= REASONS

    def fail(*_: object) -> None:
        raise RuntimeError("no more")

    parts = _core.Subproblems(*data, **options)
    with pytest.raises(RuntimeError, match="no more"):
        parts.solve([], 5, 31, math.inf, None, fail)
    assert parts.solve([], 2, 3, math.inf)["exact"]


def test_a_value_from_elsewhere_ends_the_search_of_a_root() -> None:
    """It comes while the search runs, from its progress callback; then no root split needs to be solved."""
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(400, 12)).astype(np.uint8)
    data = (X, rng.integers(2, size=400).astype(np.int32), np.ones(400), 2)
    options: dict[str, Any] = {**LIMITS, "max_depth": 4, "max_nodes": 15, "n_threads": 1}
    features = list(range(12))
    parts = _core.Subproblems(*data, **options)
    seen: list[float] = []

    def poll(progress: dict[str, float]) -> bool:
        seen.append(progress["objective"])
        parts.lower(-1.0)
        return False

    hinted = parts.solve_roots(features, 4, 15, poll)
    assert (hinted["status"], parts.upper, seen[0]) == ("optimal", -1.0, math.inf)
    alone = _core.Subproblems(*data, **options).solve_roots(features, 4, 15)
    assert (hinted["bounds"] <= alone["bounds"]).all()
    assert (hinted["bounds"] < alone["bounds"]).any()


def test_time_and_interrupts_hold_for_each_question() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(3000, 60)).astype(np.uint8)
    y, w = rng.integers(2, size=3000).astype(np.int32), np.ones(3000)
    options: dict[str, Any] = {**LIMITS, "max_depth": 5, "max_nodes": 31, "n_threads": 1}
    parts = _core.Subproblems(X, y, w, 2, **{**options, "time_limit": 0.05})
    for _ in range(2):
        late = parts.solve([(0, True)], 5, 31, math.inf)
        assert (late["status"], late["exact"]) == ("time_limit", False)
    assert parts.solve([(0, True)], 1, 1, math.inf)["exact"]
    stopped = _core.Subproblems(X, y, w, 2, **options)
    assert stopped.solve_roots([0], 5, 31, lambda _: True)["status"] == "interrupted"
    assert stopped.solve([(0, True)], 1, 1, math.inf)["exact"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda parts: parts.solve([(99, True)], 2, 3, 1.0), "features must be from 0 to"),
        (lambda parts: parts.solve_roots([-1], 2, 3), "features must be from 0 to"),
        (lambda parts: parts.solve([], 21, 3, 1.0), "depth must be from 0 to 20, got 21"),
        (lambda parts: parts.solve([], 2, -3, 1.0), "nodes must not be negative, got -3"),
        (lambda _: Case(0).parts(poll=print), "poll is an argument of each question"),
        (lambda parts: parts.lower(math.nan), "must be a number, got nan"),
    ],
)
def test_questions_that_make_no_sense(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(Case(0).parts())


def test_a_path_into_a_side_that_is_too_small() -> None:
    X = np.array([[1, 0], [0, 1], [0, 0], [0, 1]], np.uint8)
    parts = _core.Subproblems(
        X,
        np.array([0, 1, 0, 1], np.int32),
        np.ones(4),
        2,
        **{**LIMITS, "max_depth": 2, "max_nodes": 3, "n_threads": 1, "min_samples_leaf": 2},
    )
    with pytest.raises(ValueError, match="feature 0 leaves a side with fewer than min_samples_leaf rows"):
        parts.solve([(0, True)], 1, 1, 9.0)
