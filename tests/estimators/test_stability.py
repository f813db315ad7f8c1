"""`stability`: a split that the data ask for always comes again, one that is chance seldom does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import streed
from streed.survival import survival_target

RNG = np.random.default_rng(4)
N = 200
TABLE = pd.DataFrame({"age": RNG.normal(50, 10, N), "sex": RNG.choice(["f", "m"], N), "noise": RNG.random(N)})
Y = np.where((TABLE["age"] > 52) ^ (RNG.random(N) < 0.03), "yes", "no")
BITS = RNG.integers(2, size=(N, 5))


def twin(model: Any, X: Any, y: Any, n_repeats: int) -> tuple[list[float], list[float]]:
    """The shares, one sample, node and row at a time; samples as documented, from the same numbers."""
    rng = np.random.RandomState(0)
    classes = sorted(set(y.tolist()))
    again, column = np.zeros(model.tree_.n_nodes), np.zeros(model.tree_.n_nodes)
    for _ in range(n_repeats):
        rows: list[int] = []
        for label in classes:
            own = np.flatnonzero(y == label)
            rows += own[rng.randint(own.size, size=own.size)].tolist()
        rows.sort()
        other = clone(model).fit(X[rows], y[rows])
        tested = {k for k in other.tree_.feature.tolist() if k >= 0}
        for place, (node, _, _) in enumerate(model.tree_.branches()):
            feature = int(model.tree_.feature[node])
            here = [row for row in range(len(X)) if node in model.decision_path(X[[row]]).indices]
            column[place] += feature in tested
            found = [
                sum(X[row, k] == X[row, feature] for row in here) / len(here) for k in tested if k == feature
            ]
            again[place] += any(share >= 0.9 for share in found)
    return (again / n_repeats).tolist(), (column / n_repeats).tolist()


def test_shares_are_those_of_a_slow_twin() -> None:
    y = BITS[:, 0] ^ (BITS[:, 1] & (RNG.random(N) < 0.5))
    model = streed.OptimalTreeClassifier(max_depth=2).fit(BITS, y)
    found = model.stability(BITS, y, n_repeats=5)
    again, column = twin(model, BITS, y, 5)
    assert [split.again for split in found.splits] == again
    assert [split.column for split in found.splits] == column


def test_real_splits_come_again_and_chance_does_not() -> None:
    model = streed.OptimalTreeClassifier(max_depth=1).fit(TABLE, Y)
    before = model.tree_.to_text()
    found = model.stability(TABLE, Y, n_repeats=8)
    assert model.tree_.to_text() == before
    root = found.splits[0]
    assert (root.node, root.depth, root.rows) == (0, 0, N)
    assert root.test.startswith("age <=")
    assert root.again >= 0.75
    assert root.column == 1
    chance = streed.OptimalTreeClassifier(max_depth=1).fit(TABLE, RNG.permutation(Y))
    other = chance.stability(TABLE, RNG.permutation(Y), n_repeats=8).splits
    assert all(split.again < root.again for split in other)
    assert found.agreement > 0.85
    assert found == model.stability(TABLE, Y, n_repeats=8)
    shown = str(found)
    assert "comes again" in shown
    assert "8 samples, trees of" in shown
    assert shown.count("\n") == len(found.splits) + 1


CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "numbers": (streed.OptimalTreeRegressor(max_depth=1), {"y": TABLE["age"].to_numpy()}),
    "weights": (streed.OptimalTreeClassifier(max_depth=1), {"y": Y, "sample_weight": RNG.random(N)}),
    "costs": (streed.CostSensitiveTreeClassifier(max_depth=1), {"costs": RNG.random((N, 2))}),
    "policy": (streed.PolicyTree(max_depth=1), {"rewards": RNG.random((N, 2))}),
    "fair": (
        streed.FairTreeClassifier(max_depth=1, max_difference=0.5),
        {"y": Y, "sensitive_features": TABLE["sex"].to_numpy()},
    ),
    "survival": (streed.SurvivalTree(max_depth=1), {"y": survival_target(BITS[:, 0] > 0, TABLE["age"])}),
    "a leaf": (streed.OptimalTreeClassifier(max_depth=0), {"y": Y}),
}


@pytest.mark.parametrize("name", CASES)
def test_every_estimator_has_it(name: str) -> None:
    model, data = CASES[name]
    X = BITS if name in ("survival", "costs") else TABLE
    found = clone(model).fit(X, **data).stability(X, **data, n_repeats=2)
    assert len(found.n_nodes) == 2
    assert np.isnan(found.agreement) == (name in ("numbers", "survival"))
    assert all(0 <= split.again <= split.column <= 1 for split in found.splits)
    assert str(found)


def test_what_is_refused() -> None:
    with pytest.raises(NotFittedError):
        streed.OptimalTreeClassifier().stability(TABLE, Y)
    model = streed.OptimalTreeClassifier(max_depth=1).fit(TABLE, Y)
    with pytest.raises(ValueError, match="n_repeats must be an integer >= 1, got 0"):
        model.stability(TABLE, Y, n_repeats=0)
    with pytest.raises(TypeError, match="n_repeats must be"):
        model.stability(TABLE, Y, n_repeats=1.5)  # type: ignore[arg-type]
