"""``cost_complexity="auto"``: the logarithm of the number of binary features, in rows, for every fit."""

from __future__ import annotations

import math
import pickle
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import streed
from streed import limits as lim
from streed.cli import main
from streed.estimators.fitting.columns import FitColumns
from streed.estimators.fitting.plan import default_binarizer
from streed.model import Model
from streed.solver import greedy, noise
from streed.solver.noise import unexplained
from streed.survival import survival_target

RNG = np.random.default_rng(8)
N = 150
BITS = RNG.integers(2, size=(N, 7))
REAL = RNG.normal(size=(N, 3))
Y = np.where(RNG.random(N) < 0.1, RNG.integers(2, size=N), BITS[:, 0] ^ (REAL[:, 0] > 0.3))
FRAME = pd.DataFrame(REAL, columns=list("abc")).assign(colour=RNG.choice(["red", "blue", "green"], N))
COUNTS = RNG.integers(0, 4, size=N)


def n_features(X: Any, y: Any = Y, **more: Any) -> int:
    return len(streed.Binarizer(missing="side").fit(X, y, **more).conditions_)


@pytest.mark.parametrize(
    ("X", "parameters", "p"),
    [
        (BITS, {}, 7),
        (BITS.astype(bool), {"cuts": "exact"}, 7),
        (BITS[:, :1], {}, 2),
        (REAL, {}, n_features(REAL)),
        (REAL, {"cuts": "exact"}, n_features(REAL)),
        (REAL, {"cuts": "binned"}, n_features(REAL)),
        (FRAME, {}, n_features(FRAME)),
        (REAL, {"binarizer": streed.Binarizer(n_thresholds=3)}, 9),
        (np.hstack([BITS, BITS[:, :2], np.zeros((N, 1), int)]), {}, 9),
        (np.hstack([BITS, BITS[:, :2], np.zeros((N, 1), int)]) > 0, {}, 9),
    ],
)
def test_a_node_must_save_the_logarithm_of_the_features(X: Any, parameters: Any, p: int) -> None:
    model = streed.OptimalTreeClassifier(max_depth=2, cost_complexity="auto", **parameters).fit(X, Y)
    assert model.result_.node_price == pytest.approx(math.log(p), abs=1e-9)
    assert (
        f"a node must save {math.log(p):.1f} rows, the logarithm of {max(2, p)} tests" in model.result_.note
    )
    assert model.result_.note in model.result_.summary()
    given = clone(model).set_params(cost_complexity=math.log(p) / N).fit(X, Y)
    assert given.result_.objective == pytest.approx(model.result_.objective)
    assert given.tree_.to_text() == model.tree_.to_text()
    assert given.result_.node_price == pytest.approx(model.result_.node_price)
    assert "a node must save" in given.result_.note
    assert "logarithm" not in given.result_.note
    errors = (model.predict(X) != Y).sum()
    assert model.result_.objective == pytest.approx(errors + model.tree_.n_nodes * model.result_.node_price)


def test_without_a_limit_of_the_depth_the_price_is_automatic() -> None:
    free = streed.OptimalTreeClassifier(max_depth=None).fit(BITS, Y)
    auto = streed.OptimalTreeClassifier(max_depth=None, cost_complexity="auto").fit(BITS, Y)
    assert free.result_.node_price == auto.result_.node_price == pytest.approx(math.log(7))
    assert free.result_.objective == auto.result_.objective
    for limited in ({"max_depth": 3}, {"max_depth": None, "max_nodes": 2}):
        assert streed.OptimalTreeClassifier(**limited).fit(BITS, Y).result_.node_price == 0
    with pytest.raises(ValueError, match="max_depth=None needs a price per branching node"):
        streed.OptimalTreeClassifier(max_depth=None, cost_complexity=0).fit(BITS, Y)


COSTS = RNG.random((N, 2))
MEAN = float(np.ptp(COSTS, axis=1).mean())
GROUPS = BITS[:, 5]
MODELS: dict[str, tuple[Any, dict[str, Any], float | None]] = {
    "balanced": (streed.OptimalTreeClassifier(class_weight="balanced"), {"y": Y}, math.log(7)),
    "weights": (
        streed.OptimalTreeClassifier(),
        {"y": Y, "sample_weight": np.where(np.arange(N) % 2, 0.5, 1.5)},
        math.log(7) * N / ((N**2) / (N * 1.25)),
    ),
    "log loss": (streed.OptimalTreeClassifier("log_loss"), {"y": Y}, math.log(7)),
    "gini": (streed.OptimalTreeClassifier("gini"), {"y": Y}, math.log(7)),
    "entropy": (streed.OptimalTreeClassifier("entropy"), {"y": Y}, math.log2(7)),
    "balanced accuracy": (
        streed.OptimalTreeClassifier("balanced_accuracy"), {"y": Y}, math.log(7) / N
    ),
    "squared error": (streed.OptimalTreeRegressor(), {"y": RNG.normal(size=N)}, None),
    "cost matrix": (
        streed.CostSensitiveTreeClassifier(misclassification_costs=[[0, 2], [2, 0]]),
        {"y": Y},
        2 * math.log(7),
    ),
    "prices of tests": (
        streed.CostSensitiveTreeClassifier(feature_costs=[0.01] * 7), {"y": Y}, math.log(7)
    ),
    "costs of rows": (
        streed.CostSensitiveTreeClassifier(),
        {"costs": COSTS},
        math.log(7) * MEAN,
    ),
    "policy": (streed.PolicyTree(), {"rewards": COSTS}, math.log(7) * MEAN / N),
    "capacity": (
        streed.PolicyTree(capacity={0: 60}),
        {"rewards": COSTS},
        math.log(7) * MEAN / N,
    ),
    "fair": (
        streed.FairTreeClassifier(max_difference=0.3),
        {"y": Y, "sensitive_features": GROUPS},
        math.log(7),
    ),
    "limits": (
        streed.OptimalTreeClassifier(constraints=[lim.recall(1) >= 0.5]), {"y": Y}, math.log(7)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_the_price_of_every_kind_of_tree(name: str) -> None:
    model, data, price = MODELS[name]
    model = clone(model).set_params(max_depth=2, cost_complexity="auto").fit(BITS, **data)
    price = model.result_.node_price if price is None else price
    assert model.result_.node_price == pytest.approx(price)
    assert Model.from_dict(Model.from_estimator(model).to_dict()).proof["node_price"] == pytest.approx(price)
    word = "gain" if name in ("policy", "capacity", "balanced accuracy") else "save"
    assert f"a node must {word} " in model.result_.note
    known = model.cost_complexity
    assert known == "auto"  # the parameter stays as it was given
    again = pickle.loads(pickle.dumps(model))
    assert again.result_.node_price == model.result_.node_price
    if name != "prices of tests":
        path = clone(model).set_params(max_depth=1).path(BITS, **data)
        assert [result.node_price for result in path.results] == [pytest.approx(price)] * len(path)


def test_whole_weights_count_rows() -> None:
    model = streed.OptimalTreeClassifier(max_depth=2, cost_complexity="auto")
    weighted = clone(model).fit(BITS, Y, sample_weight=COUNTS).result_
    repeated = clone(model).fit(BITS.repeat(COUNTS, axis=0), Y.repeat(COUNTS)).result_
    assert weighted.node_price == pytest.approx(repeated.node_price)
    assert weighted.objective == pytest.approx(repeated.objective)


def test_tools_of_scikit_learn() -> None:
    search = GridSearchCV(
        streed.OptimalTreeClassifier(max_depth=2), {"cost_complexity": [None, 0.0, "auto"]}, cv=3
    ).fit(BITS, Y)
    assert len(search.cv_results_["mean_test_score"]) == 3
    tuned = streed.OptimalTreeClassifier(max_depth=2, cost_complexity="auto", tune=3).fit(BITS, Y)
    assert tuned.result_.node_price == pytest.approx(math.log(7))
    prices = streed.tune(
        streed.OptimalTreeClassifier(max_depth=2), BITS, Y, cost_complexity=[0.1, 0.01], cv=3
    )
    assert prices.params["cost_complexity"] in (0.1, 0.01)
    numbers = streed.OptimalTreeClassifier(max_depth=2, cost_complexity="auto", tune=3).fit(REAL, Y)
    assert numbers.result_.node_price == pytest.approx(math.log(n_features(REAL)))


@pytest.mark.parametrize(
    ("price", "error"), [("much", ValueError), (-1, ValueError), (True, TypeError), ([1], TypeError)]
)
def test_other_prices_are_refused(price: Any, error: type[Exception]) -> None:
    expected = r"cost_complexity must be a number from 0 to 1e30.*got " + re.escape(repr(price))
    for model, data, _ in MODELS.values():
        with pytest.raises(error, match=expected):
            clone(model).set_params(cost_complexity=price).fit(BITS, **data)


def test_what_has_no_unit_is_refused() -> None:
    with pytest.raises(ValueError, match="a metric has no unit in which a branching node could be priced"):
        streed.OptimalTreeClassifier("f1", cost_complexity="auto").fit(BITS, Y)


def test_trade_offs_of_fairness_take_it() -> None:
    model = streed.FairTreeClassifier(max_depth=2, cost_complexity="auto", cuts="binned")
    front = model.fairness_front(BITS, Y, GROUPS)
    best = streed.OptimalTreeClassifier(max_depth=2, cost_complexity="auto").fit(BITS, Y).result_.objective
    assert min(point.error for point in front) == pytest.approx(best)


def test_model_files_and_the_command(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "table.csv"
    FRAME.assign(y=np.where(Y, "yes", "no")).to_csv(table, index=False)
    out = str(tmp_path / "model.json")
    fit = ["fit", str(table), "--target", "y", "--depth", "2", "--quiet", "--out", out]
    assert main([*fit, "--cost-complexity", "auto"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"a node must save \d\.\d rows, the logarithm of \d+ tests", shown)
    stored = Model.load(out)
    assert stored.parameters["cost_complexity"] == "auto"
    assert stored.proof["node_price"] == pytest.approx(math.log(n_features(FRAME)))
    assert main(fit) == 0
    assert Model.load(out).proof["node_price"] == 0
    assert main([*fit, "--cost-complexity", "much"]) == 2


NUMBERS = 10 * BITS[:, 0] + 5 * BITS[:, 1] + RNG.normal(size=N)


def test_squared_errors_are_in_units_of_the_noise() -> None:
    model = streed.OptimalTreeRegressor(max_depth=3, cost_complexity="auto").fit(BITS, NUMBERS)
    least = 2 * math.log(7)  # a variance of the noise of 1
    assert least < model.result_.node_price < 2 * least
    assert "a node must save" in model.result_.note
    free = streed.OptimalTreeRegressor(max_depth=3).fit(BITS, NUMBERS)
    assert 3 <= model.tree_.n_nodes < free.tree_.n_nodes
    scaled = streed.OptimalTreeRegressor(max_depth=3, cost_complexity="auto").fit(BITS, 100 * NUMBERS)
    assert scaled.result_.node_price == pytest.approx(1e4 * model.result_.node_price)
    noise = streed.OptimalTreeRegressor(max_depth=3, cost_complexity="auto").fit(BITS, RNG.normal(size=N))
    assert noise.result_.node_price == pytest.approx(2 * math.log(7), rel=0.4)
    both = streed.OptimalTreeRegressor(max_depth=2, cost_complexity="auto").fit(
        BITS, np.column_stack([NUMBERS, -NUMBERS])
    )
    assert both.result_.node_price == pytest.approx(2 * model.result_.node_price)
    constant = streed.OptimalTreeRegressor(max_depth=2, cost_complexity="auto").fit(BITS, np.ones(N))
    assert constant.tree_.n_nodes == 0
    few = streed.OptimalTreeRegressor(max_depth=1, cost_complexity="auto").fit([[0], [1], [1]], [1, 2, 3])
    assert few.tree_.n_nodes in (0, 1)
    thresholds = streed.OptimalTreeRegressor(max_depth=1, cost_complexity="auto").fit(REAL, NUMBERS)
    assert thresholds.result_.node_price > 0
    weighted = streed.OptimalTreeRegressor(max_depth=2, cost_complexity="auto")
    weighted.fit(BITS, NUMBERS, sample_weight=COUNTS)
    assert weighted.result_.node_price > least / 2


def test_half_deviances_are_log_likelihoods() -> None:
    target = survival_target(RNG.random(N) < 0.8, np.exp(BITS[:, 0] + RNG.normal(size=N)))
    model = streed.SurvivalTree(max_depth=2, cost_complexity="auto").fit(BITS, target)
    assert model.result_.node_price == pytest.approx(math.log(7))
    free = streed.SurvivalTree(max_depth=2).fit(BITS, target)
    assert model.tree_.n_nodes <= free.tree_.n_nodes


@pytest.mark.parametrize("loss", ["absolute_error", "quantile", "poisson"])
def test_losses_without_a_price_that_works_are_refused(loss: str) -> None:
    with pytest.raises(ValueError, match="no price per branching node can be chosen from the data for the"):
        streed.OptimalTreeRegressor(loss, cost_complexity="auto").fit(BITS, BITS[:, 0])
    with pytest.raises(ValueError, match="give cost_complexity as a number, and max_depth"):
        streed.OptimalTreeRegressor(loss, max_depth=None).fit(BITS, BITS[:, 0])


def test_noise_is_what_trees_leave_unexplained_on_other_rows() -> None:
    features = RNG.integers(2, size=(600, 60)).astype(np.uint8)
    pure = RNG.normal(size=(600, 1))
    for signal, low, high in ((0.0, 0.95, 1.0), (6.0, 0.1, 0.25)):  # variance of the signal: 9
        numbers = signal * features[:, :1] + pure
        target = greedy.Target("squares", None, numbers, np.ones(600), np.empty((0, 3)))
        assert low <= unexplained(features, target) <= high


CLEAN = BITS[:, 0] & BITS[:, 1]


def price_of(errors: float) -> float:
    """The price where a share of all rows is wrong, by the formula of the documentation."""
    return math.log(7) / max(1.0, math.log((1 - errors) / errors))


@pytest.mark.parametrize(("y", "nodes", "wrong"), [(BITS[:, 0], 1, 0), (CLEAN, 2, 0), (Y, 0, 75)])
def test_a_row_counts_more_where_few_are_wrong(y: Any, nodes: int, wrong: int) -> None:
    model = streed.OptimalTreeClassifier(max_depth=3, cost_complexity="auto").fit(BITS, y)
    price = price_of((wrong + nodes * math.log(7)) / N)
    assert model.result_.node_price == pytest.approx(price)
    text = f"a node must save {price:.1f} rows, the logarithm of 7 tests"
    few = f"{text} over {math.log(7) / price:.1f}, since few rows are wrong"
    assert model.result_.note.endswith(few if nodes else text)
    fair = streed.FairTreeClassifier(max_depth=2, max_difference=1.0, cost_complexity="auto")
    assert fair.fit(BITS, y, sensitive_features=GROUPS).result_.node_price == pytest.approx(price)
    limited = streed.OptimalTreeClassifier(
        max_depth=2, cost_complexity="auto", constraints=[lim.recall(1) >= 0.5]
    )
    assert limited.fit(BITS, y).result_.node_price == pytest.approx(price)


def test_the_share_of_errors_counts_weights() -> None:
    model = streed.OptimalTreeClassifier(max_depth=2, cost_complexity="auto")
    weighted = clone(model).fit(BITS, CLEAN, sample_weight=COUNTS).result_
    repeated = clone(model).fit(BITS.repeat(COUNTS, axis=0), CLEAN.repeat(COUNTS)).result_
    assert weighted.node_price < math.log(7) / 2
    assert weighted.node_price == pytest.approx(repeated.node_price)
    heavy = clone(model).fit(BITS, CLEAN, sample_weight=np.full(N, 3.0)).result_
    thrice = clone(model).fit(BITS.repeat(3, axis=0), CLEAN.repeat(3)).result_
    assert heavy.node_price == pytest.approx(thrice.node_price)
    balanced = clone(model).set_params(class_weight="balanced").fit(BITS, CLEAN).result_
    assert balanced.node_price == pytest.approx(price_of(2 * math.log(7) / N))


def test_some_of_many_rows_say_how_many_are_wrong() -> None:
    X = RNG.integers(2, size=(12_000, 7))
    model = streed.OptimalTreeClassifier(max_depth=2, cost_complexity="auto").fit(X, X[:, 0])
    assert model.result_.node_price == pytest.approx(price_of(math.log(7) / noise.ENOUGH_LABELS))
    assert noise.sample(30, 30).tolist() == list(range(30))
    some = noise.sample(1000, 30)
    assert some.size == np.unique(some).size == 30


def test_features_of_some_rows_are_rows_of_the_features() -> None:
    table = FRAME.assign(
        day=pd.date_range("2020-01-01", periods=N), gone=np.where(REAL[:, 0] > 1, np.nan, REAL[:, 1])
    )
    model = streed.OptimalTreeClassifier()
    columns = FitColumns(default_binarizer(model), table, Y, None, slice(None))
    binarizer, rows = columns.cut(), np.array([5, 1, 77, 149])
    assert np.array_equal(columns.bits(binarizer, rows), columns.bits(binarizer)[rows])


@pytest.mark.parametrize("seed", range(1, 4))
def test_without_a_depth_no_tree_of_four_levels_is_better(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(90, 2)).round(1)
    y = np.where(rng.random(90) < 0.03, 1, (X[:, 0] > 1.7) | (X[:, 1] > 0.1))
    free = streed.OptimalTreeClassifier(max_depth=None).fit(X, y).result_
    few = streed.OptimalTreeClassifier(max_depth=4, cost_complexity="auto").fit(X, y).result_
    assert free.node_price == pytest.approx(few.node_price)
    assert free.objective <= few.objective + 1e-9
    assert "those of a greedy tree and of a tree of 4 levels" in free.note
    numbers = streed.OptimalTreeRegressor(max_depth=None, cost_complexity=0.05).fit(X, X[:, 0] + y)
    few = streed.OptimalTreeRegressor(max_depth=4, cost_complexity=0.05).fit(X, X[:, 0] + y).result_
    assert numbers.result_.objective <= few.objective + 1e-9
