"""The paper's Warfarin study on a small scale: one simulated record per setup, one split."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.warfarin import PAPER, as_prepared, binary_features, read_patients, records, right_doses
from tests.support import DATA


def test_right_doses_are_near_the_paper() -> None:
    path = DATA / "policy" / "warfarin-raw.csv"
    if not path.exists():
        pytest.skip(f"no Warfarin table in {DATA} (set STREED_DATA)")
    patients = read_patients(path)
    assert binary_features(patients).shape == (4490, 29)
    rng = np.random.default_rng(0)
    shares = [
        right_doses(patients, best, given, [1, 2, 3], rng)
        for _, best, given in records(as_prepared(patients), 1, rng)
    ]
    found = 100 * np.mean(shares, axis=(0, 1))
    assert found == pytest.approx([PAPER[1], PAPER[2], PAPER[3]], abs=2.5)
    assert (np.diff(found) > 0).all()
