"""The exhaustive search and the synthetic trials."""

from __future__ import annotations

import numpy as np
import pytest

import streed
from experiments.baselines.exhaustive_policy import search
from experiments.held_out import policy_figures, route
from experiments.synthetic import (
    TEACHERS,
    TEST_ROWS,
    TRAIN_ROWS,
    VARIABLES,
    bins,
    mean_effect,
    outcomes,
    propensities,
    simulate,
    synthetic_problem,
    treatment_effect,
)


@pytest.mark.parametrize("depth", [0, 1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_search_equals_streed(seed: int, depth: int) -> None:
    rng = np.random.default_rng(seed)
    X, rewards = rng.integers(0, 2, (25, 4)), rng.normal(size=(25, 3))
    ours = streed.solve(streed.tasks.PolicyReward(rewards), X, max_depth=depth)
    value, tree = search(X.astype(float), rewards, depth)
    assert value / 25 == pytest.approx(ours.objective)
    chosen = route(np.array(tree), X)
    assert rewards[np.arange(25), chosen].sum() == pytest.approx(value)


def test_search_by_hand() -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
    rewards = np.array(
        [[1.0, 0.0], [0.0, 1.0], [0.0, 1.0], [1.0, 0.0]]
    )  # exclusive or: one split gains nothing
    assert search(X, rewards, 1) == (2.0, [[-1, -1, -1, 0]])
    value, tree = search(X, rewards, 2)
    assert value == 4.0
    assert route(np.array(tree), X).tolist() == [0, 1, 1, 0]


def test_effects_are_those_of_the_papers_table() -> None:
    x = np.array([[2.0, 3.0]])
    assert mean_effect(x).tolist() == [4.0]
    assert treatment_effect(x).tolist() == [1.0]
    x = np.arange(1.0, 11.0)[None]
    assert mean_effect(x).tolist() == [0.5 * (1 + 2) + 3 + 4 + 5 + 6]
    assert treatment_effect(x * [-1, *[1] * 9]).tolist() == [2.0]
    x = np.arange(1.0, 21.0)[None]
    assert mean_effect(x).tolist() == [0.5 * (1 + 2 + 3 + 4) + 5 + 6 + 7 + 8]
    assert treatment_effect(x).tolist() == [10.0]


@pytest.mark.parametrize("variables", VARIABLES)
def test_better_treatments_are_given_as_often_as_asked(variables: int) -> None:
    trial = simulate(variables, 20_000, 0.75, np.random.default_rng(0))
    better = treatment_effect(trial.x) >= 0
    assert np.mean(trial.given == better) == pytest.approx(0.75, abs=0.02)
    assert set(np.unique(trial.propensity)) == {0.25, 0.75}
    assert (trial.propensity[trial.given == better] == 0.75).all()
    effect = trial.potential[:, 1] - trial.potential[:, 0]
    assert effect == pytest.approx(treatment_effect(trial.x))


def test_bins_have_equal_frequency_and_one_value_each() -> None:
    x = np.random.default_rng(0).normal(size=(500, 2))
    columns = bins(x, x)
    assert columns.shape == (500, 20)
    assert columns.sum(axis=0).tolist() == [50] * 20
    assert (columns.reshape(500, 2, 10).sum(axis=2) == 1).all()


def test_models_of_teachers() -> None:
    trial = simulate(2, 4000, 0.75, np.random.default_rng(1))
    assert outcomes(trial, "lr")[:, 1] - outcomes(trial, "lr")[:, 0] == pytest.approx(
        treatment_effect(trial.x), abs=0.05
    )  # both are linear here
    for model in ("dt", "log"):
        given = propensities(trial, model)
        assert ((given > 0) & (given <= 1)).all()
        assert np.corrcoef(given, trial.propensity)[0, 1] > 0.5
    assert (propensities(trial, "true") == trial.propensity).all()


def test_eleven_teachers_score_the_same_rows() -> None:
    assert len(TEACHERS) == 11
    arrays = {teacher: synthetic_problem(2, 0.5, 0, teacher, 0) for teacher in TEACHERS}
    first = arrays["DM lr"]
    assert first["X"].shape == (TRAIN_ROWS, 20)
    assert first["X_test"].shape == (TEST_ROWS, 20)
    assert all((one["X"] == first["X"]).all() for one in arrays.values())
    rows, given = np.arange(TRAIN_ROWS), first["y"]
    treated = arrays["IPW true"]["rewards"]
    assert (treated[rows, 1 - given] == 0).all()
    assert treated[rows, given] == pytest.approx(2 * first["observed"][:, 1])  # outcome over one half
    robust = arrays["DR true lr"]["rewards"]
    direct = first["rewards"]
    assert robust[rows, 1 - given] == pytest.approx(direct[rows, 1 - given])
    residual = first["observed"][:, 1] - direct[rows, given]
    assert robust[rows, given] == pytest.approx(direct[rows, given] + 2 * residual)


def test_ties_are_right() -> None:
    found = policy_figures(np.array([0, 1, 1]), np.array([[1.0, 1.0], [0.0, 2.0], [3.0, 2.0]]))
    assert found == {"test_right": pytest.approx(2 / 3), "test_value": pytest.approx(5 / 3)}
