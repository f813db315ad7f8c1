"""What docs/regression.md says of rounding, counted with exact numbers."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from streed import OptimalTreeRegressor


def exact(number: float) -> Fraction:
    return Fraction(float(number))


def table_of_losses(y: np.ndarray) -> list[list[Fraction]]:
    """The absolute error of each row for each distinct target."""
    labels = [exact(label) for label in np.unique(y)]
    return [[abs(exact(target) - label) for label in labels] for target in y]


@pytest.mark.parametrize("far", [1.0, 1e3, 1e9, 1e12])
@pytest.mark.parametrize("seed", [0, 1])
def test_absolute_loss_is_as_exact_as_the_costliest_label_allows(far: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 2, (40, 3)), rng.random(40)
    y[0] = far
    losses = table_of_losses(y)

    def leaf(rows: np.ndarray) -> Fraction:
        labels = range(len(losses[0]))
        return min(sum((losses[row][label] for row in rows.tolist()), Fraction(0)) for label in labels)

    best = min(sum(leaf(np.flatnonzero(X[:, j] == side)) for side in (0, 1)) for j in range(3))
    model = OptimalTreeRegressor("absolute_error", max_depth=1).fit(X, y)
    found = sum(abs(exact(a) - exact(b)) for a, b in zip(y, model.predict(X), strict=True))
    assert model.result_.optimal
    grid = sum((sum(row, Fraction(0)) for row in losses), Fraction(0)) / 2**47
    assert 0 <= found - best <= 40 * grid
    if far == 1e12:
        assert 0.25 <= float(grid) <= 1  # "about half a unit"


@pytest.mark.parametrize("base", [0.0, 1.0, 1e3, 1e6, 1e9, 1e12])
@pytest.mark.parametrize("spread", [1, 5, 100])
def test_poisson_deviance(base: float, spread: int) -> None:
    rng = np.random.default_rng(spread)
    X, y = rng.integers(0, 2, (40, 3)), base + rng.integers(0, spread + 1, 40)
    model = OptimalTreeRegressor("poisson", max_depth=1).fit(X, y)
    with localcontext() as context:
        context.prec = 60
        deviance = Decimal(0)
        for leaf in np.unique(model.apply(X)):
            targets = [Decimal(float(target)) for target in y[model.apply(X) == leaf]]
            mean = sum(targets, Decimal(0)) / len(targets)
            deviance += 2 * sum((each * (each / mean).ln() for each in targets if each), Decimal(0))
    assert abs(model.result_.objective - float(deviance)) <= 2**-50 * y.sum() + 1e-12
    if base == 1e9 and spread == 5:
        assert float(deviance) < 2**-50 * y.sum()
