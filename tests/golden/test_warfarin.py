"""The paper's Warfarin study on a small scale: one simulated record per setup, one split."""

from __future__ import annotations

import numpy as np
import pytest

from experiments.warfarin import PAPER, as_prepared, binary_features, read_patients, records, right_doses
from tests.support import DATA, needs_costs


@needs_costs
def test_right_doses_are_near_the_paper() -> None:
    path = DATA / "policy" / "warfarin-raw.csv"
    if not path.exists():
        pytest.skip(f"no Warfarin table in {DATA} (set STREED_DATA)")
    design = read_patients(path)
    X = binary_features(design)
    assert X.shape == (4490, 29)
    rng = np.random.default_rng(0)
    shares = [
        right_doses(X, best, given, [1, 2, 3], rng) for _, best, given in records(as_prepared(design), 1, rng)
    ]
    found = 100 * np.mean(shares, axis=(0, 1))
    assert found == pytest.approx([PAPER[1], PAPER[2], PAPER[3]], abs=2.5)
    assert (np.diff(found) > 0).all()
