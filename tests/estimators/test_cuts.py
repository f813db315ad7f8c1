"""Where numbers are cut: every threshold where that is cheap, and never worse than a greedy tree."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.tree import DecisionTreeClassifier

import streed
from streed import Binarizer, CutsWarning, NotProvenWarning, OptimalTreeClassifier
from streed.estimators.fitting import plan
from streed.model import Model
from tests.estimators.hurry import hurry
from tests.support import DATA, one_cut


def errors(model: Any, X: Any, y: Any) -> int:
    return int((model.predict(X) != y).sum())


@st.composite
def tables(draw: st.DrawFn) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, width, classes = draw(st.integers(2, 60)), draw(st.integers(1, 3)), draw(st.integers(2, 4))
    kind = draw(st.sampled_from(["normal", "few", "large", "tiny"]))
    X = rng.normal(size=(n, width))
    if kind == "few":
        X = np.round(2 * X)
    elif kind == "large":
        X = X * 1e300
    elif kind == "tiny":
        X = 1 + np.round(3 * X) * 2.0**-52
    y = np.where(rng.random(n) < 0.3, rng.integers(0, classes, n), (X[:, 0] > X[0, 0]).astype(int))
    return X, y


@settings(max_examples=60)
@given(tables(), st.integers(1, 3))
def test_exact_cuts_are_as_good_as_all_cuts_as_features(
    data: tuple[NDArray[np.float64], NDArray[np.int64]], depth: int
) -> None:
    X, y = data
    exact = OptimalTreeClassifier(max_depth=depth, cuts="exact").fit(X, y)
    every = OptimalTreeClassifier(max_depth=depth, binarizer=Binarizer(strategy="all")).fit(X, y)
    assert exact.result_.optimal
    assert exact.result_.objective == every.result_.objective == errors(exact, X, y)


@settings(max_examples=60)
@given(tables(), st.integers(1, 4), st.booleans())
def test_the_default_is_never_worse_than_a_greedy_tree(
    data: tuple[NDArray[np.float64], NDArray[np.int64]], depth: int, cheap: bool
) -> None:
    X, y = data
    X = X.clip(-1e30, 1e30)  # scikit-learn's trees hold 32-bit floats
    greedy = [DecisionTreeClassifier(max_depth=depth, random_state=seed).fit(X, y) for seed in range(12)]
    with pytest.MonkeyPatch.context() as patch:
        if not cheap:
            hurry(patch)
        model = OptimalTreeClassifier(max_depth=depth).fit(X, y)
    assert model.result_.optimal or not cheap
    assert errors(model, X, y) <= max(errors(tree, X, y) for tree in greedy)  # ties fall either way


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine, load_iris])
@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_real_data(load: Any, depth: int) -> None:
    X, y = load(return_X_y=True)
    model = OptimalTreeClassifier(max_depth=depth).fit(X, y)
    greedy = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
    assert model.result_.note == plan.ALL
    assert errors(model, X, y) == model.result_.objective <= errors(greedy, X, y)


@pytest.mark.parametrize("name", ["bank", "wilt", "rice", "page", "occupancy", "segment"])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_larger_data(name: str, depth: int) -> None:
    path = DATA / "continuous" / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"no data set {name} in {DATA} (set STREED_DATA)")
    rows = np.loadtxt(path)
    X, y = rows[:, 1:], rows[:, 0].astype(int)
    model = OptimalTreeClassifier(max_depth=depth).fit(X, y)
    greedy = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
    assert errors(model, X, y) == model.result_.objective <= errors(greedy, X, y)


def mixed() -> tuple[pd.DataFrame, NDArray[Any]]:
    rng = np.random.default_rng(3)
    n = 200
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "income": rng.normal(30, 8, n),
            "since": pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 2000, n), "D"),
            "city": rng.choice(["Delft", "Gent", "Ulm"], n),
            "member": rng.random(n) < 0.5,
        }
    )
    y = np.where((frame["age"] > 43) ^ (frame["city"] == "Ulm") & frame["member"], "yes", "no")
    return frame, y


def test_mixed_tables_keep_names_views_and_files(tmp_path: Any) -> None:
    X, y = mixed()
    model = OptimalTreeClassifier(max_depth=3, cuts="exact").fit(X, y)
    assert model.result_.optimal
    assert errors(model, X, y) == model.result_.objective == 0
    assert "age <= 43" in model.tree_.to_text()
    Model.from_estimator(model).save(tmp_path / "model.json")
    for other in (Model.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(model))):
        assert (other.predict(X) == model.predict(X)).all()
    assert clone(model).get_params()["cuts"] == "exact"


def test_weights_prices_and_limits_as_with_all_cuts() -> None:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 3))
    y = rng.integers(0, 3, 80)
    weights = rng.random(80) * (rng.random(80) < 0.8)
    for options in (
        {"max_nodes": 2},
        {"min_samples_leaf": 7},
        {"cost_complexity": 0.03},
        {"class_weight": "balanced"},
        {"objective": "balanced_accuracy"},
    ):
        fits = [
            OptimalTreeClassifier(max_depth=2, **options, **more).fit(X, y, sample_weight=weights).result_
            for more in ({"cuts": "exact"}, {"binarizer": Binarizer(strategy="all")})
        ]
        assert fits[0].optimal
        assert fits[0].objective == pytest.approx(fits[1].objective, rel=1e-9)


def test_costs_per_row_and_policies() -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 2))
    costs = rng.random((60, 3))
    fits = [
        streed.CostSensitiveTreeClassifier(max_depth=2, **more).fit(X, costs=costs).result_.objective
        for more in ({"cuts": "exact"}, {"binarizer": Binarizer(strategy="all")})
    ]
    assert fits[0] == pytest.approx(fits[1], rel=1e-9)
    exact = streed.PolicyTree(max_depth=2, cuts="exact").fit(X, rewards=-costs)
    assert exact.result_.objective == pytest.approx(-fits[1] / 60, rel=1e-9)


def test_tasks_without_a_search_over_thresholds_take_greedy_cuts_and_say_so() -> None:
    X, y = load_iris(return_X_y=True)
    model = OptimalTreeClassifier("macro_f1", max_depth=1).fit(X, y)
    assert "quantiles and those of a greedy tree" in model.result_.note
    with pytest.warns(CutsWarning, match="more than two classes needs a front"):
        OptimalTreeClassifier("macro_f1", max_depth=1, cuts="exact").fit(X, y)


def test_a_time_limit_ends_with_a_tree_and_a_bound() -> None:
    rng = np.random.default_rng(6)
    X, y = rng.normal(size=(3000, 10)), rng.integers(0, 2, 3000)
    with pytest.warns(
        NotProvenWarning, match=r"gap \d+\.\d\d%\): the search reached time_limit=0\.3; .*raise"
    ):
        model = OptimalTreeClassifier(max_depth=5, cuts="exact", time_limit=0.3).fit(X, y)
    assert model.result_.status == "time_limit"
    assert model.result_.lower_bound <= model.result_.objective == errors(model, X, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cuts": "all"}, "cuts must be 'auto', 'exact' or 'binned', got 'all'"),
        ({"cuts": None}, "cuts must be"),
        ({"cuts": "exact", "binarizer": Binarizer()}, "no binarizer can be given"),
    ],
)
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        OptimalTreeClassifier(**options).fit([[1.5], [2.5]], [0, 1])


def stop_at_once(progress: Any) -> bool:
    return True


SETS = [
    "breast cancer",
    "wine",
    "iris",
    "avila",
    "bank",
    "bean",
    "eeg",
    "fault",
    "htru",
    "magic",
    "occupancy",
]
SETS += ["page", "rice", "segment", "wilt"]


def read(name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    own = {"breast cancer": load_breast_cancer, "wine": load_wine, "iris": load_iris}
    if name in own:
        X, y = own[name](return_X_y=True)
        return X, y
    path = DATA / "continuous" / f"{name}.csv"
    if not path.exists():
        pytest.skip(f"no data set {name} in {DATA} (set STREED_DATA)")
    rows = np.loadtxt(path)
    return rows[:, 1:], rows[:, 0].astype(int)


@pytest.mark.filterwarnings("ignore::streed.InterruptedWarning", "ignore::streed.NotProvenWarning")
@pytest.mark.parametrize("name", SETS)
def test_a_search_that_is_stopped_is_not_worse_than_a_greedy_tree(name: str) -> None:
    """Stopped at once, by a time limit or by whoever watches, over all thresholds and over chosen cuts."""
    X, y = read(name)
    for depth in (2, 4):
        greedy = errors(DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y), X, y)
        limited = OptimalTreeClassifier(max_depth=depth, time_limit=0.001, cuts="exact").fit(X, y)
        assert errors(limited, X, y) == limited.result_.objective <= greedy
        assert limited.result_.lower_bound <= limited.result_.objective
        stopped = OptimalTreeClassifier(max_depth=depth, progress=stop_at_once).fit(X, y)
        assert errors(stopped, X, y) == stopped.result_.objective <= greedy
        with pytest.MonkeyPatch.context() as patch:
            hurry(patch)
            chosen = OptimalTreeClassifier(max_depth=depth, time_limit=0.1).fit(X, y)
        assert errors(chosen, X, y) == chosen.result_.objective <= greedy


@settings(max_examples=40)
@given(tables(), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_stopped_searches_on_random_tables(
    data: tuple[NDArray[np.float64], NDArray[np.int64]], depth: int, seed: int
) -> None:
    X, y = data
    rng = np.random.default_rng(seed)
    X = X.clip(-1e30, 1e30)
    X[rng.random(X.shape) < 0.2] = np.nan
    X = np.column_stack([X, rng.integers(0, 2, len(y))])
    ties = [DecisionTreeClassifier(max_depth=depth, random_state=k).fit(X, y) for k in range(10)]
    greedy = max(errors(tree, X, y) for tree in ties)  # equally good splits go on to better and worse trees
    with one_cut(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(warnings, "warn", lambda *_, **__: None)
        model = OptimalTreeClassifier(max_depth=depth, progress=stop_at_once, cuts="exact").fit(X, y)
    assert errors(model, X, y) == model.result_.objective <= greedy


@pytest.mark.parametrize("depth", [2, 3])
def test_short_floats_are_cut_as_the_doubles_that_they_are(depth: int) -> None:
    """A cut may lie so close to a value of another node that 32 bits cannot tell the two apart."""
    X, y = load_wine(return_X_y=True)
    short = X.astype(np.float32)
    model = OptimalTreeClassifier(max_depth=depth, cuts="exact").fit(short, y)
    same = OptimalTreeClassifier(max_depth=depth, cuts="exact").fit(short.astype(np.float64), y)
    assert errors(model, short, y) == model.result_.objective == same.result_.objective


@pytest.mark.parametrize("cuts", ["auto", "exact"])
def test_rows_without_weight_do_not_hide_thresholds(cuts: str) -> None:
    """Quantiles of all rows miss the thresholds between the few rows that count."""
    X = np.concatenate([np.arange(300.0), np.tile([0.1, 0.2, 0.3, 0.4], 2)])[:, None]
    y = np.array([2] * 300 + [0, 1, 0, 1] * 2)
    model = OptimalTreeClassifier(max_depth=2, class_weight={0: 1, 1: 1, 2: 0}, cuts=cuts).fit(X, y)
    same = OptimalTreeClassifier(max_depth=2, cuts=cuts).fit(X, y, sample_weight=(y < 2).astype(float))
    assert model.result_.optimal
    assert model.result_.objective == same.result_.objective == 0
