"""The interval of the concordance index: what each row adds, against all pairs."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streed.survival import concordance_index, concordance_interval
from streed.survival.concordance import _of_rows

ROWS = st.lists(st.tuples(st.booleans(), st.integers(1, 6), st.integers(0, 3)), min_size=2, max_size=20)


@given(ROWS)
def test_rows_add_up_as_pairs_do(rows: list[tuple[bool, int, int]]) -> None:
    event, time, risk = map(np.array, zip(*rows, strict=True))
    concordant, pairs = np.zeros(len(rows)), np.zeros(len(rows))
    for i, j in permutations(range(len(rows)), 2):
        if event[i] and (time[i] < time[j] or (time[i] == time[j] and not event[j])):
            for row in (i, j):
                pairs[row] += 1
                concordant[row] += 1.0 if risk[i] > risk[j] else 0.5 if risk[i] == risk[j] else 0.0
    found = _of_rows(event, time.astype(np.float64), risk.astype(np.float64))
    assert np.array_equal(found[0], concordant)
    assert np.array_equal(found[1], pairs)
    if pairs.any():
        index, low, high = concordance_interval(event, time, risk)
        assert index == concordance_index(event, time, risk) == pytest.approx(concordant.sum() / pairs.sum())
        assert 0 <= low <= index <= high <= 1


def test_the_interval_is_that_of_bootstrap_samples() -> None:
    rng = np.random.default_rng(0)
    health = rng.normal(size=400)
    death, left = rng.exponential(np.exp(health)), rng.exponential(2, 400)
    event, time, risk = death <= left, np.minimum(death, left), -np.digitize(health, [-1, 0, 1])
    _, low, high = concordance_interval(event, time, risk)
    again = [
        concordance_index(event[rows], time[rows], risk[rows])
        for rows in (rng.integers(0, 400, 400) for _ in range(300))
    ]
    assert (high - low) / 2 == pytest.approx(1.96 * np.std(again), rel=0.15)
