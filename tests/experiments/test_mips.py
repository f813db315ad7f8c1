"""The integer programs find the optimum that streed finds, on small data."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import streed
from benchmarks.scores import SCORES
from experiments.baselines import aghaei_mip, flow_mip
from experiments.baselines.highs import Model
from experiments.held_out import route
from experiments.methods.mip import fair_limits

pytest.importorskip("highspy")


def random_problem(seed: int, rows: int = 24, features: int = 4) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (rows, features)).astype(np.uint8)
    noise = rng.random(rows) < 0.2
    return {
        "X": X,
        "y": ((X[:, 0] & X[:, 1]) ^ noise).astype(np.int32),
        "group": (X[:, 0] ^ (rng.random(rows) < 0.3)).astype(np.int32),
        "limit": np.array([1, 10]),
    }


def test_knapsack_by_hand() -> None:
    model = Model()
    x = model.variables((3,), cost=np.array([5.0, 4.0, 3.0]), integer=True)
    row = model.rows(1, upper=5.0)
    model.add(row[0], x, np.array([4.0, 3.0, 2.0]))
    solved = model.solve(10.0)
    assert solved.optimal
    assert solved.objective == pytest.approx(7.0)
    assert solved.values is not None
    assert solved.values.round().tolist() == [0, 1, 1]


def test_policy_by_hand() -> None:
    X = np.array([[0], [0], [1]], dtype=np.uint8)
    rewards = np.array([[1.0, 0.0], [1.0, 0.0], [-3.0, -1.0]])
    solved, tree = flow_mip.solve(X, rewards, 1, [], 10.0)
    assert solved.objective == pytest.approx(1.0)
    assert tree is not None
    assert route(tree, X).tolist() == [0, 0, 1]


@pytest.mark.parametrize("program", ["Jo", "Aghaei"])
def test_fair_tree_by_hand(program: str) -> None:
    """Column 0 is the label, whose rates are 1/4 and 3/4; column 1 is fair and right for 6 of 8 rows."""
    group = np.array([0, 0, 0, 0, 1, 1, 1, 1], dtype=np.int32)
    y = np.array([0, 0, 0, 1, 0, 1, 1, 1], dtype=np.int32)
    X = np.stack([y, np.array([0, 0, 1, 1, 0, 0, 1, 1])], axis=1).astype(np.uint8)
    for limit, right, predicted in ((100, 8, y), (10, 6, X[:, 1])):
        options = {"task": "demographic_parity", "group": group, "limit": np.array([limit, 100])}
        limits = fair_limits(y, options)
        if program == "Jo":
            rewards = (y[:, None] == np.arange(2)).astype(float)
            solved, tree = flow_mip.solve(X, rewards, 1, limits, 10.0)
        else:
            solved, tree = aghaei_mip.solve(X, y, 1, limits, 10.0)
        assert solved.objective == pytest.approx(right)
        assert tree is not None
        assert route(tree, X).tolist() == predicted.tolist()


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_policies_equal_streed(seed: int, depth: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (20, 4)).astype(np.uint8)
    rewards = rng.normal(size=(20, 3))
    ours = streed.solve(streed.tasks.PolicyReward(rewards), X, max_depth=depth)
    solved, tree = flow_mip.solve(X, rewards, depth, [], 60.0)
    assert solved.optimal
    assert tree is not None
    assert solved.objective / 20 == pytest.approx(ours.objective, abs=1e-6)
    assert SCORES["policy"].function({"rewards": rewards}, route(tree, X)) == pytest.approx(ours.objective)


@pytest.mark.parametrize("task", ["demographic_parity", "equal_opportunity"])
@pytest.mark.parametrize("program", ["Jo", "Aghaei"])
@pytest.mark.parametrize("seed", range(3))
def test_fair_trees_equal_streed(seed: int, program: str, task: str) -> None:
    arrays = random_problem(seed)
    X, y = arrays["X"], arrays["y"]
    limits = fair_limits(y, {"task": task, **arrays})
    made = streed.tasks.REGISTRY[task](y, arrays["group"], max_difference=Fraction(1, 10))  # type: ignore[call-arg]
    ours = streed.solve(made, X, max_depth=2)
    if program == "Jo":
        rewards = (y[:, None] == np.arange(2)).astype(float)
        solved, tree = flow_mip.solve(X, rewards, 2, limits, 60.0)
    else:
        solved, tree = aghaei_mip.solve(X, y, 2, limits, 60.0)
    assert solved.optimal
    assert tree is not None
    assert SCORES[task].function(arrays, route(tree, X)) == ours.objective
