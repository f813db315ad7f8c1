"""The search over all thresholds equals brute force, whatever the columns, costs, limits and switches."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streed import _core
from tests.properties.thresholds_twin import ThresholdProblem, check, optimum, run

UNLIMITED = 2**31 - 1


@st.composite
def columns(draw: st.DrawFn, n_rows: int) -> np.ndarray:
    """Columns of few or many values, copies and mirror images of others, constants, missing values."""
    made: list[list[int]] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["values", "values", "bits", "copy", "mirror", "constant"]))
        if kind in ("copy", "mirror") and made:
            source = draw(st.sampled_from(made))
            made.append(_mirror(source, kind))
            continue
        highest = {"bits": 1, "constant": 0}.get(kind, draw(st.sampled_from([2, 4, n_rows])))
        lowest = draw(st.sampled_from([0, 0, -1]))
        made.append(draw(st.lists(st.integers(lowest, highest), min_size=n_rows, max_size=n_rows)))
    return np.array(made, dtype=np.int32)


def _mirror(source: list[int], kind: str) -> list[int]:
    top = max(source)
    return [v if v < 0 or kind == "copy" else top - v for v in source]


@st.composite
def problems(
    draw: st.DrawFn, models: tuple[str, ...] = ("unit", "weights", "real", "costs")
) -> ThresholdProblem:
    n_rows = draw(st.integers(1, 11))
    n_labels = draw(st.integers(2, 6))
    ranks = draw(columns(n_rows))
    model = draw(st.sampled_from(models))
    labels = weights = costs = None
    if model == "costs":
        unit = draw(st.sampled_from([1.0, 0.37]))
        table = st.lists(st.integers(-3, 9), min_size=n_rows * n_labels, max_size=n_rows * n_labels)
        costs = np.array(draw(table), dtype=np.float64).reshape(n_rows, n_labels) * unit
    else:
        labels = np.array(
            draw(st.lists(st.integers(0, n_labels - 1), min_size=n_rows, max_size=n_rows)), np.int32
        )
        weight = {
            "unit": st.just(1.0),
            "weights": st.integers(1, 300).map(float),
            "real": st.floats(0.01, 50.0),
        }
        weights = np.array(draw(st.lists(weight[model], min_size=n_rows, max_size=n_rows)))
    depth = draw(st.integers(0, 4))
    nodes = draw(st.sampled_from([UNLIMITED, UNLIMITED, 0, 1, 2, 3, 4, 5]))
    leaf = draw(st.sampled_from([1, 1, 2, 3]))
    price = draw(st.sampled_from([0.0, 0.0, 1.0, 0.3, 2.5]))
    return ThresholdProblem(ranks, labels, weights, costs, n_labels, depth, nodes, leaf, price)


@given(problem=problems())
@settings(max_examples=600)
def test_it_equals_brute_force(problem: ThresholdProblem) -> None:
    result = run(problem)
    assert result["optimal"]
    assert abs(result["objective"] - optimum(problem)) <= problem.tolerance()


@given(problem=problems(), data=st.data())
def test_no_switch_changes_the_optimum(problem: ThresholdProblem, data: st.DataObject) -> None:
    best = run(problem)["objective"]
    names = ["cache", "lookahead_order", "drop_features", "narrow_lanes"]
    switches = {name: data.draw(st.booleans(), label=name) for name in names}
    simd = data.draw(st.sampled_from(_core.simd_levels()))
    threads = data.draw(st.sampled_from([1, 2, 5]))
    other = run(problem, switches=switches, simd=simd, n_threads=threads)
    assert other["objective"] == pytest.approx(best, abs=problem.tolerance())


def random_problem(rng: np.random.Generator, n_rows: int, depth: int, **changes: Any) -> ThresholdProblem:
    """More rows than a walk has lanes, with labels that depend on the columns."""
    n_labels = int(rng.integers(2, 5))
    highest = int(rng.choice([3, 20, n_rows]))
    ranks = rng.integers(int(rng.choice([0, -1])), highest + 1, (2, n_rows)).astype(np.int32)
    labels = ((ranks[0] * 7 // (highest + 1) + (rng.random(n_rows) < 0.2)) % n_labels).astype(np.int32)
    made = ThresholdProblem(ranks, labels, np.ones(n_rows), None, n_labels, depth, UNLIMITED)
    return replace(made, **changes)


@pytest.mark.parametrize("seed", range(30))
def test_many_batches_equal_brute_force(seed: int) -> None:
    rng = np.random.default_rng(seed)
    depth = int(rng.choice([2, 3]))
    problem = random_problem(rng, 70 if depth == 2 else 16, depth)
    if seed % 3 == 1:
        problem = replace(problem, weights=0.01 + rng.random((problem.ranks.shape[1],)))
    if seed % 3 == 2:
        costs = rng.integers(0, 20, problem.table().shape).astype(np.float64)
        problem = replace(problem, costs=costs, labels=None, weights=None)
    changes: list[dict[str, Any]] = [{}, {"branch_cost": 0.7}, {"min_samples_leaf": 4}, {"max_nodes": 2}]
    for change in changes:
        changed = replace(problem, **change)
        expected = optimum(changed)
        for simd in _core.simd_levels():
            assert run(changed, simd=simd)["objective"] == pytest.approx(expected, abs=changed.tolerance())


@pytest.mark.parametrize("model", ["labels", "weights", "costs"])
@pytest.mark.parametrize("simd", _core.simd_levels())
def test_more_rows_than_sixteen_bits_hold(model: str, simd: str) -> None:
    rng = np.random.default_rng(4)
    small, copies = random_problem(rng, 40, 2), 1000
    if model == "weights":
        small = replace(small, weights=rng.integers(1, 9, 40).astype(np.float64) * 100_000)
    if model == "costs":
        small = replace(small, costs=rng.integers(0, 9, small.table().shape) * 1.0, labels=None, weights=None)
    repeated: dict[str, Any] = {
        name: np.repeat(value, copies, axis=0)
        for name in ("labels", "weights", "costs")
        if (value := getattr(small, name)) is not None
    }
    large = replace(small, ranks=np.repeat(small.ranks, copies, axis=1), **repeated)
    assert run(large, simd=simd)["objective"] == copies * optimum(small)


def test_three_levels_with_more_rows_than_sixteen_bits_hold() -> None:
    rng = np.random.default_rng(5)
    small = random_problem(rng, 12, 3)
    large = replace(
        small,
        ranks=np.repeat(small.ranks, 3500, axis=1),
        labels=np.repeat(np.asarray(small.labels), 3500),
        weights=np.ones(42000),
    )
    for threads in (1, 3):
        assert run(large, n_threads=threads)["objective"] == 3500 * optimum(small)


def hard(n_rows: int = 3000, depth: int = 5) -> ThresholdProblem:
    rng = np.random.default_rng(0)
    ranks = np.array([rng.permutation(n_rows) for _ in range(8)], dtype=np.int32)
    labels = rng.integers(0, 2, n_rows).astype(np.int32)
    return ThresholdProblem(ranks, labels, np.ones(n_rows), None, 2, depth, UNLIMITED)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_time_limit_leaves_a_tree_and_a_bound(threads: int) -> None:
    result = run(hard(), time_limit=0.5, n_threads=threads)
    assert result["status"] == "time_limit"
    assert not result["optimal"]
    assert result["seconds"] < 5
    assert result["lower_bound"] < result["objective"] < 1500


def test_the_caller_can_end_a_search() -> None:
    seen: list[dict[str, float]] = []

    def poll(progress: dict[str, float]) -> bool:
        seen.append(progress)
        return len(seen) == 3

    result = run(hard(), poll=poll)
    assert result["status"] == "interrupted"
    assert len(seen) == 3
    assert seen[-1]["lower_bound"] <= seen[-1]["objective"] <= seen[0]["objective"]
    assert result["objective"] <= seen[-1]["objective"]


def test_an_error_of_the_caller_is_raised() -> None:
    def poll(progress: dict[str, float]) -> bool:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        run(hard(), poll=poll)


def test_plans_in_the_cache_count_as_memory() -> None:
    """An entry takes 160 bytes and its key; trees of nodes that were solved come on top."""
    draw = np.random.default_rng(3)
    ranks = draw.integers(0, 200, (3, 400)).astype(np.int32)
    labels = ((ranks[0] > 90) ^ (ranks[1] > 120) ^ (draw.random(400) < 0.1)).astype(np.int32)
    problem = ThresholdProblem(ranks, labels, np.ones(400), None, 2, 4, UNLIMITED)
    with_cache = run(problem)["statistics"]
    without = run(problem, switches={"cache": False})["statistics"]
    entries = with_cache["cache_entries"]
    assert entries > 500
    key = 2 + min((400 + 31) // 32, 2 * 3)
    trees = with_cache["peak_memory"] - without["peak_memory"] - entries * (160 + 4 * key)
    assert trees > entries * 20


def test_a_memory_limit_ends_the_search_with_a_tree() -> None:
    problem = hard(20000, 3)
    result = run(problem, memory_limit=100_000)
    assert result["status"] == "memory_limit"
    check(problem, result)


def test_a_small_cache_changes_nothing() -> None:
    problem = replace(hard(60, 4), ranks=hard(60, 4).ranks[:2])
    whole = run(problem)
    small = run(problem, memory_limit=60_000)
    assert whole["statistics"]["cache_entries"] > small["statistics"]["cache_entries"]
    assert (small["status"], small["objective"]) == ("optimal", whole["objective"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ranks": np.array([[0, -2, 1]], np.int32)}, "got -2 in row 1, column 0"),
        ({"ranks": np.zeros((1, 0), np.int32)}, "at least one row"),
        ({"labels": np.array([0, 1, 2], np.int32)}, "labels must be from 0 to 1, got 2 in row 2"),
        ({"labels": np.array([0, 1], np.int32)}, "the same number of rows, got 3, 2 and 3"),
        ({"weights": np.array([1.0, 0.0, 1.0])}, "positive, got 0"),
        ({"weights": np.array([1.0, np.nan, 1.0])}, "positive, got nan"),
        ({"labels": None}, "either labels and weights, or costs"),
        ({"costs": np.zeros((3, 2))}, "either labels and weights, or costs"),
        ({"costs": np.zeros((3, 1)), "labels": None, "weights": None}, r"shape \(3, 2\), got \(3, 1\)"),
        ({"costs": np.full((3, 2), np.inf), "labels": None, "weights": None}, "costs must be finite"),
        ({"max_depth": -1}, "max_depth must be from 0 to 20"),
        ({"min_samples_leaf": 0}, "min_samples_leaf must be at least 1"),
    ],
)
def test_wrong_arguments_are_refused(change: dict[str, Any], message: str) -> None:
    ranks, labels = np.array([[0, 1, 2]], np.int32), np.array([0, 1, 0], np.int32)
    problem = ThresholdProblem(ranks, labels, np.ones(3), None, 2, 2, UNLIMITED)
    with pytest.raises(ValueError, match=message):
        run(replace(problem, **change))


def test_unknown_instruction_sets_are_refused() -> None:
    with pytest.raises(ValueError, match="simd must be 'auto' or a level"):
        run(hard(10, 1), simd="sse9")


def same_tree(a: dict[str, Any], b: dict[str, Any]) -> bool:
    names = ("feature", "left", "right", "label", "column", "rank", "next_rank", "missing_right")
    return all(np.array_equal(a[name], b[name]) for name in names)


@pytest.mark.parametrize("seed", range(8))
def test_the_tree_is_the_same_with_any_number_of_threads(seed: int) -> None:
    """Columns of few values have many trees of equal cost; a small memory limit empties the cache."""
    rng = np.random.default_rng(seed)
    depth = 3 + seed % 2
    problem = random_problem(rng, 120 if depth == 3 else 60, depth, min_samples_leaf=1 + 2 * (seed % 3 == 2))
    problem = replace(problem, ranks=rng.integers(-1, 12, (5, problem.ranks.shape[1])).astype(np.int32))
    options = {"memory_limit": 1_500_000} if seed % 4 == 3 else {}
    alone = run(problem, **options)
    for threads in (2, 3, 7):
        other = run(problem, n_threads=threads, **options)
        assert other["optimal"]
        assert same_tree(alone, other)
        assert other["statistics"]["cache_entries"] == alone["statistics"]["cache_entries"]
        assert other["work"] == alone["work"]


@pytest.mark.parametrize("seed", range(4))
def test_the_bound_of_a_search_that_is_stopped_is_true(seed: int) -> None:
    """More rows than two parts have; labels that no column explains leave errors in every part."""
    rng = np.random.default_rng(seed)
    n = 1100
    ranks = rng.integers(0, 6, (3, n)).astype(np.int32)
    labels = rng.integers(0, 2 + seed % 2, n).astype(np.int32)
    weights = rng.random(n) + 0.1 if seed == 2 else np.ones(n)
    problem = ThresholdProblem(ranks, labels, weights, None, 3, 3, UNLIMITED, 1 + seed, 0.3 * (seed == 1))
    if seed == 3:
        costs = rng.integers(1, 9, (n, 3)).astype(np.float64)
        problem = replace(problem, labels=None, weights=None, costs=costs)
    best = run(problem)["objective"]
    for limit in (0.002, 0.01, 0.05):
        stopped = run(problem, time_limit=limit)
        assert stopped["lower_bound"] <= best + problem.tolerance()
        assert best <= stopped["objective"] + problem.tolerance()
