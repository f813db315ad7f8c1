"""The native engine against the naive twin on random problems, and against itself with every switch."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streed import _core, reference
from tests.properties import naive
from tests.properties.engine import run, same_tree
from tests.properties.naive import Problem
from tests.properties.problems import EXAMPLES, SEEDS, problems

SWITCHES = st.dictionaries(st.sampled_from(_core.switch_names()), st.booleans())
LEVELS = _core.simd_levels()


@st.composite
def wide_problems(draw: st.DrawFn) -> Problem:
    """More features than lanes of a register, so that blocks of features have remainders."""
    problem = draw(problems(st.integers(30, 90), max_depth=3))
    rng = np.random.default_rng(draw(SEEDS))
    n_features = draw(st.sampled_from([17, 31, 32, 33, 40, 63, 64, 65, 70]))
    X = (rng.random((len(problem.y), n_features)) < draw(st.sampled_from([0.5, 0.1]))).astype(np.uint8)
    depth = min(problem.max_depth, 2 if n_features > 40 else 3)
    return replace(problem, X=X, max_depth=depth, max_nodes=min(problem.max_nodes, 2**depth - 1))


def assert_optimum(problem: Problem, objective: float, expected: float) -> None:
    assert abs(objective - expected) <= problem.tolerance()


@settings(max_examples=4 * EXAMPLES)
@given(problems())
def test_optimum_equals_naive_twin(problem: Problem) -> None:
    assert_optimum(problem, run(problem)["objective"], naive.optimum(problem))


@given(problems(st.integers(1, 12), max_features=4, max_depth=3, max_labels=3))
def test_optimum_equals_reference(problem: Problem) -> None:
    (expected,) = reference.solve(naive.components(problem), problem.max_depth, problem.max_nodes)
    assert_optimum(problem, run(problem)["objective"], expected.value)


@settings(max_examples=EXAMPLES // 2)
@given(wide_problems())
def test_many_features(problem: Problem) -> None:
    expected = naive.optimum(problem)
    for level in LEVELS:
        assert_optimum(problem, run(problem, simd=level)["objective"], expected)


@given(problems(max_features=5), st.integers(5, 20))
def test_depths_beyond_use(problem: Problem, depth: int) -> None:
    """Depths up to 20 are accepted; with five features nothing below depth five can be gained."""
    deep = replace(problem, X=np.ascontiguousarray(problem.X[:, :5]), max_depth=depth, max_nodes=2**depth - 1)
    assert_optimum(deep, run(deep)["objective"], naive.optimum(replace(deep, max_depth=5, max_nodes=31)))


@pytest.mark.parametrize("name", _core.switch_names())
@given(problem=problems())
def test_a_switch_changes_no_optimum(name: str, problem: Problem) -> None:
    expected = naive.optimum(problem)
    assert_optimum(problem, run(problem, switches={name: False})["objective"], expected)


@settings(max_examples=2 * EXAMPLES)
@given(problems(), SWITCHES, st.sampled_from(LEVELS), st.integers(1, 3))
def test_combined_switches_change_no_optimum(
    problem: Problem, switches: dict[str, bool], level: str, n_threads: int
) -> None:
    result = run(problem, switches=switches, simd=level, n_threads=n_threads)
    assert_optimum(problem, result["objective"], naive.optimum(problem))


@given(problems(max_features=12))
def test_same_tree_for_every_simd_level(problem: Problem) -> None:
    results = [run(problem, simd=level) for level in LEVELS]
    assert all(same_tree(results[0], other) for other in results[1:])


@given(problems(max_features=12))
def test_same_tree_for_every_number_of_threads_and_every_run(problem: Problem) -> None:
    results = [run(problem, n_threads=n_threads) for n_threads in (1, 1, 2, 2, 3)]
    assert all(same_tree(results[0], other) for other in results[1:])
    assert len({result["objective"] for result in results}) == 1


@given(problems(), st.sampled_from([1, 1000, 20_000, 10**6]))
def test_memory_limit_changes_no_optimum(problem: Problem, memory_limit: int) -> None:
    assert_optimum(problem, run(problem, memory_limit=memory_limit)["objective"], naive.optimum(problem))


@given(problems(), SEEDS)
def test_order_of_rows_and_columns_changes_no_optimum(problem: Problem, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(len(problem.y)), rng.permutation(problem.X.shape[1])
    X = np.ascontiguousarray(problem.X[rows][:, columns])
    shuffled = replace(problem, X=X, y=problem.y[rows], w=problem.w[rows])
    assert_optimum(problem, run(shuffled)["objective"], run(problem)["objective"])


@given(problems())
def test_complemented_features_change_no_optimum(problem: Problem) -> None:
    assert_optimum(problem, run(replace(problem, X=1 - problem.X))["objective"], run(problem)["objective"])


@given(problems())
def test_a_weight_is_a_number_of_equal_rows(problem: Problem) -> None:
    """Integer weights mean as many copies of the row (with no limit on leaf sizes, which counts rows)."""
    weighted = replace(problem, w=np.clip(np.round(problem.w), 1, 5), min_samples_leaf=1)
    counts = weighted.w.astype(int)
    X, y = np.repeat(weighted.X, counts, axis=0), np.repeat(weighted.y, counts)
    copied = replace(weighted, X=X, y=y, w=np.ones(len(y)))
    assert_optimum(weighted, run(weighted)["objective"], run(copied)["objective"])
    assert same_tree(run(weighted), run(copied))


@given(problems(st.integers(1, 140)), st.floats(1e-6, 1e6), SEEDS)
def test_arbitrary_real_weights(problem: Problem, scale: float, seed: int) -> None:
    """Weights over nine orders of magnitude; only the value is compared, near ties may go either way."""
    w = scale * 10 ** np.random.default_rng(seed).uniform(-4.5, 4.5, size=len(problem.y))
    real = replace(problem, w=w, branch_cost=0.01 * float(w.max()))
    assert_optimum(real, run(real)["objective"], naive.optimum(real))
