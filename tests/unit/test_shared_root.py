"""Roots that several searches share: pieces together prove what one search does, and the tree is the same."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streed import _core

SEEDS = st.integers(0, 2**32 - 1)
TREE = ("feature", "left", "right", "label")


class Case:
    """A problem with one of the leaf models, as the engine takes it."""

    def __init__(self, seed: int, model: str) -> None:
        rng = self.rng = np.random.default_rng(seed)
        n, p = int(rng.integers(20, 90)), int(rng.integers(4, 9))
        X = rng.integers(2, size=(n, p)).astype(np.uint8)
        X[:, -1] = 1 - X[:, 0]
        self.X = np.ascontiguousarray(np.column_stack([X, X[:, 1], np.ones(n, np.uint8)]))
        depth = int(rng.integers(3, 5))
        self.options: dict[str, Any] = {
            "max_depth": depth,
            "max_nodes": int(rng.integers(3, 2**depth)),
            "min_samples_leaf": int(rng.choice([1, 1, 3])),
            "time_limit": math.inf,
            "memory_limit": 0,
            "n_threads": 1,
            "branch_cost": float(rng.choice([0.0, 0.25, 1.5])),
        }
        labels = int(rng.integers(2, 4))
        y = rng.integers(labels, size=n).astype(np.int32)
        w = rng.choice([1.0, 2.0, 0.5], n)
        self.call: tuple[Any, ...]
        if model == "classes":
            self.call = ("solve", self.X, y, np.ones(n) if seed % 2 else w, labels)
        elif model == "costs":
            self.call = ("solve_costs", self.X, np.round(rng.normal(size=(n, 3)), 2))
        elif model == "prices":
            self.call = ("solve_costs", self.X, rng.integers(0, 9, size=(n, 2)).astype(np.float64))
            p = self.X.shape[1]
            full = rng.choice([0.0, 0.5, 1.0], p)
            self.options["prices"] = (
                np.arange(p, dtype=np.int32),
                np.full(p, -1, np.int32),
                full,
                full,
            )
        elif model == "largest":
            self.call = ("solve", self.X, y, np.ones(n), labels)
            self.options |= {"combination": "max", "branch_cost": 0.0}
        else:
            t = np.round(rng.normal(size=n), 1)
            self.call = ("solve_function", self.X, np.column_stack([np.ones(n), t, t * t]), "squares", 1)

    def alone(self) -> dict[str, Any]:
        name, *data = self.call
        answer: dict[str, Any] = getattr(_core, name)(*data, **self.options)
        return answer

    def root(self, n_threads: int = 1) -> Any:
        name, *data = self.call
        return getattr(_core.shared, name)(*data, **{**self.options, "n_threads": n_threads})


def shared(case: Case, n_workers: int, n_threads: int, start: float) -> tuple[dict[str, Any], float]:
    """Share out the root to workers that keep their searches, one feature after the other."""
    roots = [case.root(n_threads) for _ in range(n_workers)]
    order = roots[0].order()
    value, bounds = start, {}
    for k, feature in enumerate(order):
        worker = roots[int(case.rng.integers(n_workers))]
        worker.lower(value)
        answer = worker.solve_roots([feature], n_threads=int(case.rng.integers(1, 4)))
        assert answer["status"] == "optimal"
        bounds[feature] = answer["bounds"][0]
        if answer["tree"] is not None:
            assert answer["tree"]["value"] == answer["ceiling"] < value
        value = min(value, answer["ceiling"])
        assert k or order == roots[-1].order()
    open_roots = [feature for feature in order if bounds[feature] <= value]
    built = roots[int(case.rng.integers(n_workers))].rebuild(value, open_roots)
    return built, roots[0].in_units(value)


@given(
    seed=SEEDS,
    model=st.sampled_from(["classes", "costs", "prices", "largest", "squares"]),
    n_workers=st.integers(1, 3),
    n_threads=st.integers(1, 2),
)
@settings(max_examples=150, deadline=None)
def test_pieces_prove_what_one_search_does(seed: int, model: str, n_workers: int, n_threads: int) -> None:
    case = Case(seed, model)
    alone = case.alone()
    root = case.root()
    known = root.cost(*(alone[name] for name in TREE[:3]))
    assert root.in_units(known) == pytest.approx(alone["objective"], rel=1e-7, abs=1e-9)
    for start in (math.inf, known + 1, known):  # nothing is known, nearly all, all
        built, proven = shared(case, n_workers, n_threads, start)
        assert built["status"] == "optimal"
        assert proven == pytest.approx(alone["objective"], rel=1e-7, abs=1e-9)
        assert built["objective"] == alone["objective"]
        for name in TREE:
            assert built[name].tolist() == alone[name].tolist(), (name, start)


def hard(n: int = 3000, p: int = 60) -> tuple[Any, ...]:
    rng = np.random.default_rng(5)
    X = rng.integers(2, size=(n, p)).astype(np.uint8)
    return "solve", X, rng.integers(2, size=n).astype(np.int32), np.ones(n), 2


LIMITS: dict[str, Any] = {
    "max_depth": 6, "max_nodes": 63, "min_samples_leaf": 1, "time_limit": math.inf, "memory_limit": 0,
    "n_threads": 1, "branch_cost": 0.0,
}  # fmt: skip


def test_a_better_value_is_seen_below_the_root() -> None:
    """With 0 from elsewhere nothing is worth a search, so that a piece of hours ends at once."""
    name, *data = hard()
    root = getattr(_core.shared, name)(*data, **LIMITS)
    order = root.order()
    calls = []

    def poll(state: dict[str, float]) -> bool:
        calls.append(state["objective"])
        root.lower(0.0)
        return False

    answer = root.solve_roots(order[:1], poll)
    assert (answer["status"], answer["ceiling"]) == ("optimal", 0.0)
    assert answer["bounds"][0] >= 0
    assert calls


def test_another_thread_stops_a_piece_and_it_goes_on_where_it_was() -> None:
    name, *data = hard()
    root = getattr(_core.shared, name)(*data, **LIMITS)
    order = root.order()
    timer = threading.Timer(0.3, root.stop)
    timer.start()
    stopped = root.solve_roots(order)
    timer.join()
    assert stopped["status"] == "interrupted"
    assert len(stopped["bounds"]) == len(order)
    again = root.solve_roots(order, lambda _: True)
    assert again["status"] == "interrupted"
    assert (again["bounds"] >= stopped["bounds"]).all()


def test_what_makes_no_sense_is_refused() -> None:
    name, *data = hard(30, 4)
    root = getattr(_core.shared, name)(*data, **LIMITS)
    with pytest.raises(ValueError, match="nan"):
        root.lower(math.nan)
    with pytest.raises(ValueError, match="one entry per node"):
        root.cost(*(np.zeros(k, np.int32) for k in (1, 1, 2)))
    with pytest.raises(ValueError, match="parents must come before"):
        root.cost(*(np.zeros(1, np.int32) for _ in range(3)))
    with pytest.raises(ValueError, match="poll is an argument"):
        getattr(_core.shared, name)(*data, **LIMITS, poll=print)
