"""Priced nodes against all trees: every additive task, prices at and next to the break-even of a split."""

from __future__ import annotations

import math
import signal
import threading
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streed import _core
from tests.properties.problems import EXAMPLES, SEEDS

SWITCHES = _core.priced_switch_names()
LEVELS = _core.simd_levels()


@dataclass(frozen=True)
class Priced:
    """A problem: rows, and either labels with weights or costs per label."""

    X: np.ndarray
    price: float
    y: np.ndarray | None = None
    w: np.ndarray | None = None
    costs: np.ndarray | None = None
    n_labels: int = 2

    def table(self) -> np.ndarray:
        """Cost of every row under every label."""
        if self.costs is not None:
            return self.costs
        assert self.y is not None
        assert self.w is not None
        return np.where(np.arange(self.n_labels) == self.y[:, None], 0.0, self.w[:, None])

    def with_price(self, price: float) -> Priced:
        return Priced(self.X, price, self.y, self.w, self.costs, self.n_labels)


def solve(problem: Priced, **options: Any) -> dict[str, Any]:
    data: dict[str, Any] = (
        {"costs": problem.costs}
        if problem.costs is not None
        else {"labels": problem.y, "weights": problem.w, "n_labels": problem.n_labels}
    )
    limits: dict[str, Any] = {"time_limit": math.inf, "memory_limit": 0}
    return _core.solve_priced(problem.X, branch_cost=problem.price, **data, **{**limits, **options})


def least_cost(problem: Priced) -> float:
    """Over all trees: a leaf, or any split with the best trees of both sides, per set of rows."""
    costs, columns = problem.table(), problem.X.T.astype(bool)
    known: dict[bytes, float] = {}

    def value(rows: np.ndarray) -> float:
        key = rows.tobytes()
        if key not in known:
            leaf = costs[rows].sum(axis=0).min()
            known[key] = leaf if leaf - unavoidable[rows].sum() <= problem.price else min(leaf, splits(rows))
        return known[key]

    def splits(rows: np.ndarray) -> float:
        sides = ((rows & column, rows & ~column) for column in columns)
        return min(
            (problem.price + value(a) + value(b) for a, b in sides if a.any() and b.any()), default=math.inf
        )

    unavoidable = costs.min(axis=1)
    return value(np.ones(len(costs), bool))


def least_cost_of_few(problem: Priced, n_splits: int) -> float:
    """Over all trees with at most so many splits: for more features than `least_cost` can bear."""
    costs, columns = problem.table(), problem.X.T.astype(bool)

    def value(rows: np.ndarray, left: int) -> float:
        best = float(costs[rows].sum(axis=0).min())
        for column in columns if left > 0 else ():
            a, b = rows & column, rows & ~column
            if left == 1:
                parts = float(costs[a].sum(axis=0).min() + costs[b].sum(axis=0).min())
                best = min(best, problem.price + parts)
            elif a.any() and b.any():
                ways = (value(a, k) + value(b, left - 1 - k) for k in range(left))
                best = min(best, problem.price + min(ways))
        return best

    return value(np.ones(len(costs), bool), n_splits)


def cost_of(problem: Priced, result: dict[str, Any]) -> float:
    """The returned tree, row by row."""
    costs, total = problem.table(), 0.0
    for row, own in zip(problem.X, costs, strict=True):
        at = 0
        while result["feature"][at] >= 0:
            at = result["right" if row[result["feature"][at]] else "left"][at]
        total += own[result["label"][at]]
    return total + problem.price * (len(result["feature"]) // 2)


def check(problem: Priced, best: float, **options: Any) -> dict[str, Any]:
    result = solve(problem, **options)
    tolerance = 1e-9 * (np.abs(problem.table()).sum() + problem.price + 1)
    assert result["optimal"]
    assert result["status"] == "optimal"
    assert result["objective"] == result["lower_bound"]
    assert result["objective"] == pytest.approx(cost_of(problem, result), abs=tolerance)
    assert result["objective"] == pytest.approx(best, abs=tolerance)
    return result


def features(rng: np.random.Generator, n: int, f: int) -> np.ndarray:
    """Few different rows, noisy copies and complements of columns."""
    X: np.ndarray = (rng.random((n, f)) < rng.choice([0.5, 0.2, 0.8])).astype(np.uint8)
    X = X[rng.integers(max(1, n // int(rng.integers(1, 5))), size=n)]
    for column in range(1, f):
        if rng.random() < 0.3:
            X[:, column] = X[:, rng.integers(column)] ^ rng.integers(2) ^ (rng.random(n) < 0.1)
    return X


def labels(rng: np.random.Generator, X: np.ndarray, k: int) -> np.ndarray:
    code = X[:, :3] @ (2 ** np.arange(min(3, X.shape[1])))
    y = rng.integers(k, size=8)[code]
    noisy = rng.random(len(X)) < rng.choice([0.05, 0.3, 1.0])
    return np.where(noisy, rng.integers(k, size=len(X)), y).astype(np.int32)


def rows_of(kind: str, rng: np.random.Generator, X: np.ndarray) -> Priced:
    """One of the additive tasks; the price comes later."""
    n = len(X)
    k = int(rng.integers(3, 6)) if kind in ("labels", "weighted labels") else 2
    y = labels(rng, X, k)
    whole = rng.integers(1, 8, size=n).astype(float)
    if kind in ("errors", "labels"):
        return Priced(X, 1.0, y, np.ones(n), n_labels=k)
    if kind in ("weights", "weighted labels"):
        weights = whole if rng.random() < 0.6 else whole / 10
        return Priced(X, 1.0, y, weights, n_labels=k)
    if kind == "cost matrix":
        matrix = rng.integers(0, 9, size=(2, int(rng.integers(1, 5)))).astype(float)
        return Priced(X, 1.0, costs=matrix[y], n_labels=matrix.shape[1])
    costs = rng.integers(-9, 9, size=(n, int(rng.integers(2, 5)))).astype(float)
    return Priced(X, 1.0, costs=costs if kind == "row costs" else costs / 7, n_labels=costs.shape[1])


KINDS = ("errors", "weights", "labels", "weighted labels", "cost matrix", "row costs", "real costs")


def break_even(problem: Priced, rng: np.random.Generator) -> float:
    """What a split saves, of all rows or of those on one side of a feature."""
    costs, X = problem.table(), problem.X.astype(bool)
    rows = np.ones(len(X), bool)
    if rng.random() < 0.5:
        rows = X[:, rng.integers(X.shape[1])] ^ bool(rng.integers(2))
    leaf = costs[rows].sum(axis=0).min() if rows.any() else 0.0
    saved = [
        leaf - costs[rows & side].sum(axis=0).min() - costs[rows & ~side].sum(axis=0).min() for side in X.T
    ]
    return max(float(rng.choice(saved)), 0.0)


def priced(problem: Priced, rng: np.random.Generator, least: float = 0.02) -> Priced:
    """With a price at, just below or just above a break-even, or anywhere."""
    size = float(np.ptp(problem.table(), axis=1).sum()) + 1e-3
    choice = rng.integers(5)
    price = size * rng.choice([0.3, 0.1, 0.03]) if choice == 0 else break_even(problem, rng)
    price *= {1: 1 - 1e-7, 2: 1 + 1e-7}.get(int(choice), 1.0)
    return problem.with_price(max(price, least * size))


@pytest.mark.parametrize("kind", KINDS)
@given(
    seed=SEEDS,
    n=st.one_of(st.integers(1, 12), st.integers(13, 60), st.integers(100, 300)),
    f=st.integers(1, 6),
)
@settings(max_examples=EXAMPLES)
def test_equals_all_trees(kind: str, seed: int, n: int, f: int) -> None:
    rng = np.random.default_rng(seed)
    problem = priced(rows_of(kind, rng, features(rng, n, f)), rng)
    check(problem, least_cost(problem))


@pytest.mark.parametrize("kind", KINDS)
@given(seed=SEEDS, n=st.integers(2, 80), f=st.integers(1, 6))
@settings(max_examples=max(5, EXAMPLES // 4))
def test_no_switch_or_level_changes_the_optimum(kind: str, seed: int, n: int, f: int) -> None:
    rng = np.random.default_rng(seed)
    problem = priced(rows_of(kind, rng, features(rng, n, f)), rng)
    best = least_cost(problem)
    for switch in SWITCHES:
        check(problem, best, switches={switch: False})
    check(problem, best, switches=dict.fromkeys(SWITCHES, False))
    trees = [check(problem, best, simd=level) for level in LEVELS]
    for other in trees[1:]:
        assert all(
            np.array_equal(trees[0][name], other[name]) for name in ("feature", "left", "right", "label")
        )


def same_tree(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(np.array_equal(one[name], other[name]) for name in ("feature", "left", "right", "label"))


WAYS = [{"early_prices": True}, *({name: False} for name in ("memo", "alternation", "similarity", "greedy"))]
"""Searches that meet trees of the same value in another order."""


@pytest.mark.parametrize("kind", KINDS)
@given(seed=SEEDS, n=st.integers(20, 120), f=st.integers(3, 9), way=st.sampled_from(WAYS))
@settings(max_examples=max(5, EXAMPLES // 4))
def test_the_tree_depends_on_the_rows_alone(
    kind: str, seed: int, n: int, f: int, way: dict[str, bool]
) -> None:
    rng = np.random.default_rng(seed)
    problem = priced(rows_of(kind, rng, features(rng, n, f)), rng)
    alone = solve(problem)
    early: dict[str, Any] = {"n_threads": 3, "switches": {"early_prices": True}}
    for options in ({"n_threads": 2}, early, {"switches": way}):
        other = solve(problem, **options)
        assert other["optimal"]
        assert other["objective"] == alone["objective"]
        assert same_tree(alone, other)


def test_threads_share_the_root() -> None:
    """Long enough for prices of rows, which all threads wait for; then a time limit ends all of them."""
    rng = np.random.default_rng(3)
    X = rng.integers(2, size=(250, 22), dtype=np.uint8)
    problem = Priced(X, 3.0, y=rng.integers(2, size=250).astype(np.int32), w=np.ones(250))
    alone, together = solve(problem), solve(problem, n_threads=3)
    assert alone["statistics"]["nodes"] > 10_000
    assert same_tree(alone, together)
    assert (together["objective"], together["optimal"]) == (alone["objective"], True)
    ended = solve(problem, n_threads=3, time_limit=0.02)
    assert ended["status"] == "time_limit"
    assert ended["lower_bound"] <= alone["objective"] <= ended["objective"]


@pytest.mark.parametrize("kind", KINDS)
@given(seed=SEEDS, n=st.integers(2, 90), f=st.integers(1, 6), level=st.sampled_from(LEVELS))
@settings(max_examples=max(5, EXAMPLES // 4))
def test_prices_of_rows_do_not_change_the_optimum(kind: str, seed: int, n: int, f: int, level: str) -> None:
    """Prices from the start, with the other bounds and without each of them."""
    rng = np.random.default_rng(seed)
    problem = priced(rows_of(kind, rng, features(rng, n, f)), rng)
    best = least_cost(problem)
    check(problem, best, switches={"early_prices": True}, simd=level)
    for switch in set(SWITCHES) - {"early_prices", "leaf_prices"}:
        check(problem, best, switches={"early_prices": True, switch: False}, simd=level)


@given(seed=SEEDS, n=st.integers(8, 60), f=st.integers(3, 6), share=st.floats(-30, -10))
@settings(max_examples=max(5, EXAMPLES // 4))
def test_prices_of_rows_where_a_split_costs_next_to_nothing(seed: int, n: int, f: int, share: float) -> None:
    """Next to the weight of all rows it is a few of the whole numbers that prices are rounded to."""
    rng = np.random.default_rng(seed)
    problem = rows_of(str(rng.choice(["errors", "weights", "labels"])), rng, features(rng, n, f))
    problem = problem.with_price(max(1e-300, float(np.ptp(problem.table(), axis=1).sum()) * 2.0**share))
    expected = solve(problem, switches={"leaf_prices": False})
    found = solve(problem, switches={"early_prices": True}, time_limit=20.0)
    assert found["optimal"]
    assert found["objective"] == pytest.approx(expected["objective"], rel=1e-9)


def test_prices_of_rows_prove_what_other_bounds_do_not() -> None:
    """Labels that no tree explains: most of the search without prices is done to find that out."""
    rng = np.random.default_rng(0)
    X = rng.integers(2, size=(300, 16), dtype=np.uint8)
    problem = Priced(X, 6.0, y=rng.integers(2, size=300).astype(np.int32), w=np.ones(300))
    slow = solve(problem, switches={"leaf_prices": False})
    fast = solve(problem, switches={"early_prices": True})
    assert fast["objective"] == slow["objective"]
    assert fast["statistics"]["certificates"] > 0
    assert slow["statistics"]["certificates"] == 0
    assert fast["statistics"]["nodes"] < 0.5 * slow["statistics"]["nodes"]


@pytest.mark.parametrize("kind", KINDS)
@given(seed=SEEDS, n=st.integers(20, 90), f=st.integers(33, 50), level=st.sampled_from(LEVELS))
@settings(max_examples=max(3, EXAMPLES // 20))
def test_many_features(kind: str, seed: int, n: int, f: int, level: str) -> None:
    """More features than a block of lanes has; with a price that three splits are not worth."""
    rng = np.random.default_rng(seed)
    problem = rows_of(kind, rng, features(rng, n, f))
    costs = problem.table()
    avoidable = float(costs.sum(axis=0).min() - costs.min(axis=1).sum())
    problem = problem.with_price(max(avoidable / 2.9, 1e-3))
    check(problem, least_cost_of_few(problem, 2), simd=level)


@pytest.mark.parametrize("kind", KINDS)
@given(seed=SEEDS, n=st.integers(20, 150), level=st.sampled_from(LEVELS))
@settings(max_examples=max(3, EXAMPLES // 10))
def test_many_copies(kind: str, seed: int, n: int, level: str) -> None:
    """As many features, but only five that differ: large trees, and blocks of lanes that are full."""
    rng = np.random.default_rng(seed)
    few = features(rng, n, 5)
    chosen = np.concatenate([np.arange(5), rng.integers(5, size=60)])
    problem = priced(rows_of(kind, rng, few), rng)
    wide = np.ascontiguousarray(few[:, chosen] ^ rng.integers(2, size=65, dtype=np.uint8))
    best = least_cost(problem)
    wider = Priced(wide, problem.price, problem.y, problem.w, problem.costs, problem.n_labels)
    check(wider, best, simd=level, switches={"duplicates": False})
    check(wider, best, simd=level)


@given(seed=SEEDS, n=st.integers(20, 200), f=st.integers(3, 6))
@settings(max_examples=max(5, EXAMPLES // 4))
def test_small_prices(seed: int, n: int, f: int) -> None:
    """Prices far below one row: trees are large, and rows that stay together are all that is left."""
    rng = np.random.default_rng(seed)
    problem = rows_of(str(rng.choice(KINDS)), rng, features(rng, n, f)).with_price(
        float(rng.choice([0.01, 0.3, 1e-6]))
    )
    check(problem, least_cost(problem))


@given(seed=SEEDS, n=st.integers(10, 120), f=st.integers(1, 6))
def test_leaf_size_implied_by_the_price(seed: int, n: int, f: int) -> None:
    rng = np.random.default_rng(seed)
    problem = rows_of("errors", rng, features(rng, n, f)).with_price(float(rng.integers(1, 6)))
    least = int(problem.price) + 1
    result = check(problem, least_cost(problem), min_samples_leaf=least)
    if len(result["feature"]) > 1:
        assert np.unique(leaf_of(problem, result), return_counts=True)[1].min() >= least
    with pytest.raises(ValueError, match="min_samples_leaf"):
        solve(problem, min_samples_leaf=least + 1)


def leaf_of(problem: Priced, result: dict[str, Any]) -> np.ndarray:
    return _core.route(problem.X, result["feature"], result["left"], result["right"])


def hard(n: int = 2000, f: int = 60) -> Priced:
    """Labels that no small tree fits, at a price that allows many leaves."""
    rng = np.random.default_rng(5)
    X = (rng.random((n, f)) < 0.5).astype(np.uint8)
    y = ((X[:, :9].sum(axis=1) % 2) ^ (rng.random(n) < 0.2)).astype(np.int32)
    return Priced(X, 4.0, y, np.ones(n))


@pytest.mark.parametrize("level", LEVELS)
def test_time_limit(level: str) -> None:
    problem = hard()
    began = time.monotonic()
    result = solve(problem, time_limit=0.2, simd=level)
    assert time.monotonic() - began < 2
    assert result["status"] == "time_limit"
    assert not result["optimal"]
    assert 0 < result["lower_bound"] < result["objective"]
    assert result["objective"] == pytest.approx(cost_of(problem, result))
    assert result["objective"] <= problem.table().sum(axis=0).min()


@pytest.mark.parametrize("kind", ["errors", "weights"])
def test_bounds_hold_at_any_moment(kind: str) -> None:
    rng = np.random.default_rng(3)
    problem = rows_of(kind, rng, features(rng, 400, 12)).with_price(2.5)
    best = solve(problem)["objective"]
    for limit in (1e-9, 1e-3, 3e-3, 1e-2, 3e-2):
        result = solve(problem, time_limit=limit)
        assert result["lower_bound"] <= best + 1e-6 <= result["objective"] + 2e-6
        assert result["objective"] == pytest.approx(cost_of(problem, result))


def test_memory_limit() -> None:
    result = solve(hard(), memory_limit=4_000_000, time_limit=60)
    assert result["status"] == "memory_limit"
    assert result["statistics"]["peak_memory"] < 8_000_000
    assert 0 < result["lower_bound"] < result["objective"]


@pytest.mark.parametrize("kind", KINDS)
@given(seed=SEEDS, n=st.integers(20, 200), share=st.floats(0.0, 1.2))
@settings(max_examples=max(5, EXAMPLES // 4))
def test_any_memory_limit_leaves_a_tree_and_a_bound(kind: str, seed: int, n: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    problem = priced(rows_of(kind, rng, features(rng, n, 6)), rng)
    best = solve(problem)
    limit = max(1, int(share * best["statistics"]["peak_memory"]))
    result = solve(problem, memory_limit=limit)
    rounding = 1e-9 * (np.abs(problem.table()).sum() + problem.price + 1)
    assert result["status"] in ("optimal", "memory_limit")
    assert result["optimal"] == (result["status"] == "optimal")
    assert result["lower_bound"] <= best["objective"] + rounding
    assert best["objective"] <= result["objective"] + rounding
    assert result["objective"] == pytest.approx(cost_of(problem, result), abs=rounding)


def test_poll_reports_and_ends_the_search() -> None:
    seen: list[dict[str, float]] = []

    def poll(progress: dict[str, float]) -> bool:
        seen.append(progress)
        return len(seen) >= 3

    result = solve(hard(), poll=poll, time_limit=60)
    assert result["status"] == "interrupted"
    assert len(seen) == 3
    assert all(p["lower_bound"] <= p["objective"] for p in seen)
    assert seen[0]["lower_bound"] <= seen[-1]["lower_bound"]

    def fail(progress: dict[str, float]) -> bool:
        raise KeyError("poll")

    with pytest.raises(KeyError, match="poll"):
        solve(hard(), poll=fail, time_limit=60)


@pytest.mark.skipif(not hasattr(signal, "raise_signal"), reason="needs signals")
def test_interrupt_key() -> None:
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    began = time.monotonic()
    result = solve(hard(), time_limit=60)
    timer.join()
    assert time.monotonic() - began < 5
    assert result["status"] == "interrupted"


def test_bad_arguments() -> None:
    X, y, w = np.zeros((2, 1), np.uint8), np.zeros(2, np.int32), np.ones(2)
    good: dict[str, Any] = {"branch_cost": 1.0, "time_limit": 1.0, "memory_limit": 0}
    errors: dict[str, Any] = {"labels": y, "weights": w, "n_labels": 2}
    with pytest.raises(ValueError, match="branch_cost must be positive"):
        _core.solve_priced(X, **errors, **{**good, "branch_cost": 0.0})
    with pytest.raises(ValueError, match="either labels and weights or costs"):
        _core.solve_priced(X, **good)
    with pytest.raises(ValueError, match="either labels and weights or costs"):
        _core.solve_priced(X, **errors, costs=np.zeros((2, 2)), **good)
    with pytest.raises(ValueError, match="same number of rows"):
        _core.solve_priced(X, costs=np.zeros((3, 2)), **good)
    with pytest.raises(ValueError, match="must be finite"):
        _core.solve_priced(X, costs=np.full((2, 2), np.nan), **good)
    with pytest.raises(ValueError, match="labels must be"):
        _core.solve_priced(X, labels=y + 2, weights=w, n_labels=2, **good)
    with pytest.raises(ValueError, match="unknown switch"):
        _core.solve_priced(X, **errors, switches={"nothing": True}, **good)
    with pytest.raises(ValueError, match="simd"):
        _core.solve_priced(X, **errors, simd="mmx", **good)
    with pytest.raises(TypeError, match="poll"):
        _core.solve_priced(X, **errors, **good | {"poll": 3})
