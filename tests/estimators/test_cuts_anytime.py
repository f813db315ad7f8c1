"""Default fits of tables too large for a proof: a good tree, a bound over all thresholds, a note on both."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import streed
from tests.estimators.hurry import hurry


def noisy(n_rows: int, n_columns: int = 8) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Labels of two columns, a sixth of them turned round: no search ends soon."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns))
    y = ((X[:, 0] > 0.3) ^ (X[:, 1] > 0.2)).astype(int)
    return X, np.where(rng.random(n_rows) < 0.15, 1 - y, y)


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch, 2e7)


@pytest.mark.usefixtures("hurried")
@pytest.mark.parametrize("depth", [3, 4])
def test_a_large_table_has_a_tree_with_a_gap_and_no_warning(depth: int) -> None:
    X, y = noisy(3000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = streed.OptimalTreeClassifier(max_depth=depth).fit(X, y)
    result = model.result_
    assert (result.optimal, result.status) == (False, "work_limit")
    assert result.lower_bound < result.objective == (model.predict(X) != y).sum()
    greedy = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
    assert result.objective <= (greedy.predict(X) != y).sum()
    assert result.note.startswith("all 23,992 thresholds were searched, but not to the end")
    assert result.note.endswith("a time_limit or cuts='exact' lets the search go on")


def test_exact_cuts_go_on_to_the_end() -> None:
    X, y = noisy(300, 3)
    exact = streed.OptimalTreeClassifier(max_depth=3, cuts="exact").fit(X, y).result_
    assert exact.optimal
    assert exact.note == "every threshold was considered"


@pytest.mark.usefixtures("hurried")
def test_a_time_limit_takes_the_place_of_the_fixed_amount_of_work() -> None:
    X, y = noisy(3000)
    with pytest.warns(streed.NotProvenWarning, match="reached time_limit"):
        model = streed.OptimalTreeClassifier(max_depth=4, time_limit=1.0).fit(X, y)
    assert model.result_.status == "time_limit"
    assert 0 < model.result_.lower_bound < model.result_.objective
    assert f"no tree is better by more than {model.result_.gap:.1%}" in model.result_.note


@pytest.mark.usefixtures("hurried")
def test_numbers_have_a_bound_too() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(2000, 6))
    y = np.where(X[:, 0] > 0, X[:, 1], -1) + rng.normal(size=2000)
    model = streed.OptimalTreeRegressor(max_depth=3).fit(X, y)
    greedy = DecisionTreeRegressor(max_depth=3, random_state=0).fit(X, y)
    assert model.result_.status == "work_limit"
    assert model.result_.lower_bound <= model.result_.objective
    assert model.result_.objective <= ((greedy.predict(X) - y) ** 2).sum() * (1 + 1e-9)


@pytest.mark.usefixtures("hurried")
def test_the_same_fit_gives_the_same_tree() -> None:
    X, y = noisy(3000)
    one, other = (streed.OptimalTreeClassifier(max_depth=3, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert one.tree_.to_text() == other.tree_.to_text()
    assert one.result_.lower_bound == other.result_.lower_bound
