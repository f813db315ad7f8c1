"""The paper's Warfarin study on a small scale: one simulated record per setup, one split."""

from __future__ import annotations

import numpy as np
import pytest

import streed
from experiments import paper
from experiments.held_out import held_out_figures
from experiments.methods.streed import flat
from experiments.warfarin import (
    COEFFICIENTS,
    SETUPS,
    TEACHERS,
    binary_features,
    read_patients,
    simulate,
    treatment,
    warfarin_problem,
)
from tests.support import DATA


def test_doses_by_hand() -> None:
    daily = np.array([2.9, 3.1, 6.9, 7.1])
    assert treatment(np.sqrt(7 * daily)).tolist() == [0, 1, 1, 2]


def test_random_records_are_random_and_disturbed_ones_near_the_formula() -> None:
    rng = np.random.default_rng(0)
    design = np.zeros((3000, len(COEFFICIENTS)))
    design[:, 0], design[:, 1] = 1, rng.integers(2, 9, 3000)
    design[:, 2], design[:, 3] = rng.normal(170, 10, 3000), rng.normal(75, 20, 3000)
    design[:, 4] = rng.integers(0, 2, 3000)
    agree = {}
    for setup in SETUPS:
        best, given = simulate(design, setup, rng)
        agree[setup] = float(np.mean(best == given))
    assert agree[None] == pytest.approx(1 / 3, abs=0.05)
    assert agree[None] < agree[0.11] < agree[0.06] < 1


def test_right_doses_are_near_the_paper() -> None:
    path = DATA / "policy" / "warfarin-raw.csv"
    if not path.exists():
        pytest.skip(f"no Warfarin table in {DATA} (set STREED_DATA)")
    assert binary_features(read_patients(path)).shape == (4490, 29)
    shares = np.zeros((len(SETUPS), len(TEACHERS), 3))
    for i, setup in enumerate(SETUPS):
        for j, teacher in enumerate(TEACHERS):
            arrays = warfarin_problem(DATA, setup, 0, 0, teacher, 0)
            assert arrays["X"].shape == (3368, 29)
            for depth in (1, 2, 3):
                task = streed.tasks.PolicyReward(arrays["rewards"])
                tree = streed.solve(task, arrays["X"], max_depth=depth).tree
                shares[i, j, depth - 1] = held_out_figures("policy", arrays, flat(tree))["test_right"]
    found = 100 * shares.mean(axis=(0, 1))
    assert found == pytest.approx([float(paper.WARFARIN[str(d)]["right"]) for d in (1, 2, 3)], abs=2.5)
    assert (np.diff(found) > 0).all()
