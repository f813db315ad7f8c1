"""Sets of bounds in front searches: they change no front, and they do skip what they can."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.properties.vectors import VectorProblem, costs, solve_front, tree_values


@st.composite
def correlated(draw: st.DrawFn) -> VectorProblem:
    """Features that nearly agree, so that children of one node have nearly the same rows."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    m = draw(st.integers(2, 5))
    n, n_features = draw(st.integers(5, 80 if m < 4 else 30)), draw(st.integers(2, 8 if m < 4 else 5))
    hidden = rng.random((n, 3)) < draw(st.sampled_from([0.5, 0.15]))
    noise = rng.random((n, n_features)) < draw(st.sampled_from([0.05, 0.3]))
    X = np.ascontiguousarray((hidden[:, np.arange(n_features) % 3] ^ noise).astype(np.uint8))
    table = draw(costs(rng, n, draw(st.integers(2, 3)), m))
    if draw(st.booleans()):  # few of the points are left if labels follow the features
        table[np.arange(n), (X[:, 0] ^ X[:, -1]), :] = table.min(axis=(0, 1))
    branch = np.array(draw(st.sampled_from([0.0, 0.0, 1.0]))) * rng.integers(2, size=m)
    depth = draw(st.integers(3, 4))
    nodes = draw(st.sampled_from([2**depth - 1, 2**depth - 1, 5]))
    return VectorProblem(
        X, np.ascontiguousarray(table), branch, depth, nodes, draw(st.sampled_from([1, 1, 1, 2]))
    )


@given(correlated(), st.sampled_from([{}, {"similarity": False}]))
@settings(max_examples=200)
def test_bound_sets_do_not_change_the_front(problem: VectorProblem, switches: dict[str, bool]) -> None:
    plain = solve_front(problem, switches={**switches, "bound_sets": False})
    bounded = solve_front(problem, switches=switches)
    assert plain["statistics"]["children_skipped"] == 0
    assert np.array_equal(plain["values"], bounded["values"])
    for value, tree in list(zip(bounded["values"], bounded["trees"], strict=True))[::7]:
        assert tree_values(problem, tree) == tuple(value)


@pytest.mark.parametrize("noise", [0.02, 0.05, 0.1, 0.2])
def test_bound_sets_over_many_small_tables(noise: float) -> None:
    """A bound that is too high by a few rows is wrong in a few of a hundred such tables."""
    for seed in range(240):
        rng = np.random.default_rng(seed)
        n, n_features, m = rng.integers([10, 4, 2], [60, 10, 4]).tolist()
        hidden = rng.random((n, 1 + seed % 3)) < 0.4
        X = (
            hidden[:, np.arange(n_features) % (1 + seed % 3)] ^ (rng.random((n, n_features)) < noise)
        ).astype(np.uint8)
        depth = 3 + seed % 2
        problem = VectorProblem(X, mistakes_of(rng, rng.random(n) < 0.5, m), np.zeros(m), depth, 2**depth - 1)
        plain = solve_front(problem, switches={"bound_sets": False})
        assert np.array_equal(solve_front(problem)["values"], plain["values"])


def mistakes_of(rng: np.random.Generator, y: np.ndarray, m: int) -> np.ndarray:
    """Rows that are false are counted in the first component, the others each in one of the rest."""
    mistakes = np.zeros((len(y), 2, m))
    kind = rng.integers(1, m, size=len(y))
    mistakes[~y, 1, 0] = 1
    mistakes[np.flatnonzero(y), 0, kind[y]] = rng.integers(1, 3)
    return mistakes


@given(correlated(), st.lists(st.floats(0.2, 1.2), min_size=5, max_size=5))
def test_bound_sets_below_upper_limits(problem: VectorProblem, at: list[float]) -> None:
    table = solve_front(problem, switches={"bound_sets": False})["values"]
    low, high = table.min(axis=0), table.max(axis=0)
    upper = np.floor(4 * (low + np.array(at[: table.shape[1]]) * (high - low))) / 4
    wanted = table[(table <= upper).all(axis=1)]
    assert np.array_equal(solve_front(problem, upper=upper)["values"], wanted)


@pytest.mark.parametrize("m", [3, 4, 7])
def test_bound_sets_skip_children(m: int) -> None:
    rng = np.random.default_rng(m)
    n = 300
    hidden = rng.random((n, 4)) < 0.4
    X = (hidden[:, np.arange(12) % 4] ^ (rng.random((n, 12)) < 0.03)).astype(np.uint8)
    y = (hidden[:, 0] & hidden[:, 1]) | hidden[:, 2]
    problem = VectorProblem(X, mistakes_of(rng, y, m), np.zeros(m), 4, 15)
    plain = solve_front(problem, switches={"bound_sets": False})
    bounded = solve_front(problem)
    assert np.array_equal(plain["values"], bounded["values"])
    assert bounded["statistics"]["children_skipped"] > 100
    assert bounded["statistics"]["front_work"] < plain["statistics"]["front_work"]


def smallest(values: np.ndarray) -> np.ndarray:
    """Lines that no other one covers, each once, in order."""
    values = np.unique(values, axis=0)
    kept = np.empty_like(values)
    size = 0
    for value in values:  # none is covered by a later one
        if not (kept[:size] <= value).all(axis=1).any():
            kept[size] = value
            size += 1
    return kept[:size]


def every_point(problem: VectorProblem, rows: np.ndarray, depth: int) -> np.ndarray:
    """Front of all trees, split by split."""
    found = [problem.costs[rows].sum(axis=0)]
    for feature in range(problem.X.shape[1] if depth else 0):
        has = problem.X[rows, feature] == 1
        if 0 < has.sum() < len(rows):
            left, right = (every_point(problem, rows[side], depth - 1) for side in (~has, has))
            found.append(smallest((left[:, None] + right[None]).reshape(-1, problem.costs.shape[2])))
    return smallest(np.concatenate(found))


@pytest.mark.parametrize(("m", "largest"), [(3, 20), (3, 10**6), (4, 40), (5, 1000)])
def test_long_lists_of_many_components(m: int, largest: int) -> None:
    rng = np.random.default_rng(m + largest)
    X = (rng.random((70, 6)) < rng.uniform(0.2, 0.8, 6)).astype(np.uint8)
    table = rng.integers(-largest, largest + 1, size=(70, 2, m)).astype(float)
    problem = VectorProblem(X, table, np.zeros(m), 3, 7)
    expected = every_point(problem, np.arange(70), 3)
    assert len(expected) > 64
    assert np.array_equal(solve_front(problem)["values"], expected)
