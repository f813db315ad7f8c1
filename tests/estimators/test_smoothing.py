"""Probabilities of the classifiers: the label that `predict` says, and the same in what is stored."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import log_loss

import streed
from streed.cli import main
from streed.model import Model
from streed.table.labels import counted_rows

RNG = np.random.default_rng(5)
N = 160
BITS = RNG.integers(2, size=(N, 6))
REAL = RNG.normal(size=(N, 3))
Y = np.where(RNG.random(N) < 0.25, RNG.integers(3, size=N), BITS[:, 0] + BITS[:, 1] * BITS[:, 2])
TWO = (Y > 0).astype(int)
COUNTS = RNG.integers(0, 4, size=N)

MODELS: dict[str, tuple[Any, dict[str, Any]]] = {
    "accuracy": (streed.OptimalTreeClassifier(), {"y": Y}),
    "balanced": (streed.OptimalTreeClassifier(class_weight="balanced"), {"y": Y}),
    "class weights": (streed.OptimalTreeClassifier(class_weight={0: 5, 2: 0.5}), {"y": Y}),
    "weights": (streed.OptimalTreeClassifier(max_depth=4), {"y": Y, "sample_weight": RNG.random(N)}),
    "balanced accuracy": (streed.OptimalTreeClassifier("balanced_accuracy"), {"y": Y}),
    "log loss": (streed.OptimalTreeClassifier("log_loss"), {"y": Y}),
    "gini": (streed.OptimalTreeClassifier("gini"), {"y": Y}),
    "price": (streed.OptimalTreeClassifier(max_depth=4, cost_complexity=0.02), {"y": Y}),
    "tuned": (streed.OptimalTreeClassifier(tune=3), {"y": Y}),
    "fair": (
        streed.FairTreeClassifier(max_difference=0.2, max_depth=2),
        {"y": TWO, "sensitive_features": BITS[:, 3]},
    ),
    "costs": (streed.CostSensitiveTreeClassifier(), {"y": Y}),
}
LIKELIEST = [name for name in MODELS if name != "fair"]  # a fair leaf may say what is not the likeliest


@pytest.mark.parametrize("X", [BITS, REAL], ids=["bits", "numbers"])
@pytest.mark.parametrize("name", LIKELIEST)
def test_predictions_are_the_most_probable_classes(name: str, X: Any) -> None:
    model, data = MODELS[name]
    for smoothing in ("auto", None, 3, 1e30):
        fitted = clone(model).set_params(smoothing=smoothing).fit(X, **data)
        found = fitted.predict_proba(X)
        assert (fitted.classes_[found.argmax(axis=1)] == fitted.predict(X)).all()
        assert np.allclose(found.sum(axis=1), 1)
        with np.errstate(divide="ignore"):
            assert np.array_equal(fitted.predict_log_proba(X), np.log(found))


@pytest.mark.parametrize("name", MODELS)
def test_smoothing_changes_probabilities_and_nothing_else(name: str) -> None:
    model, data = MODELS[name]
    smooth = clone(model).fit(BITS, **data)
    raw = clone(model).set_params(smoothing=None).fit(BITS, **data)
    assert smooth.tree_.to_text() == raw.tree_.to_text()
    assert np.array_equal(smooth.tree_.class_weights, raw.tree_.class_weights)
    assert np.array_equal(smooth.predict(BITS), raw.predict(BITS))
    assert smooth.predict_proba(BITS).min() > 0
    if name == "fair":
        assert smooth.group_rates_ == raw.group_rates_
        assert smooth.difference_ == raw.difference_
    shares = raw.tree_.class_weights / raw.tree_.class_weights.sum(axis=1, keepdims=True)
    if name != "log loss":  # which adds one row to each class itself
        assert np.array_equal(raw.predict_proba(BITS), shares[raw.apply(BITS)])


def test_the_unit_is_the_weight_of_a_row() -> None:
    plain = streed.OptimalTreeClassifier().fit(BITS, Y, sample_weight=np.where(np.arange(N) % 3, 0.5, 1.5))
    scaled = streed.OptimalTreeClassifier().fit(BITS, Y, sample_weight=np.where(np.arange(N) % 3, 50, 150.5))
    assert plain.tree_.shrinkage != 10
    times = streed.OptimalTreeClassifier().fit(BITS, Y, sample_weight=np.where(np.arange(N) % 3, 8.5, 25.5))
    assert np.allclose(plain.predict_proba(BITS), times.predict_proba(BITS), rtol=1e-12)
    assert not np.allclose(plain.predict_proba(BITS), scaled.predict_proba(BITS), rtol=1e-12)


@pytest.mark.parametrize("name", ["accuracy", "balanced", "gini", "costs"])
def test_whole_weights_count_rows(name: str) -> None:
    model, data = MODELS[name]
    weighted = clone(model).fit(BITS, **data, sample_weight=COUNTS)
    repeated = clone(model).fit(BITS.repeat(COUNTS, axis=0), data["y"].repeat(COUNTS))
    assert np.allclose(weighted.predict_proba(BITS), repeated.predict_proba(BITS), rtol=1e-12)
    assert weighted.tree_.shrinkage == repeated.tree_.shrinkage == 10


@pytest.mark.parametrize(
    ("weights", "rows"),
    [(None, 3), ([2, 0, 5], 7), ([1.5, 1.5, 1.5], 3), ([0.5, 0.5, 0], 2), ([1e-200, 3e-200, 1e-300], 1.6)],
)
def test_rows_that_weights_stand_for(weights: Any, rows: float) -> None:
    assert counted_rows(weights, 3) == pytest.approx(rows)


def test_paths_and_files_are_smoothed_alike(tmp_path: Any) -> None:
    model = streed.OptimalTreeClassifier(max_depth=3).fit(REAL, Y)
    found = model.predict_proba(REAL)
    Model.from_estimator(model).save(tmp_path / "model.json")
    stored = Model.load(tmp_path / "model.json")
    assert np.array_equal(stored.predict_proba(REAL), found)
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict_proba(REAL), found)
    assert np.array_equal(
        streed.Tree.from_dict(model.tree_.to_dict()).probabilities(), model.tree_.probabilities()
    )
    path = streed.OptimalTreeClassifier(max_depth=2).path(BITS, Y)
    for size in range(len(path)):
        again = streed.OptimalTreeClassifier(max_depth=2, max_nodes=size).fit(BITS, Y)
        assert path.estimator(size).tree_.shrinkage == again.tree_.shrinkage == 10


def test_files_from_before_have_their_shares(tmp_path: Any) -> None:
    model = streed.OptimalTreeClassifier(max_depth=2).fit(BITS, Y)
    described = Model.from_estimator(model).to_dict()
    for name in ("smoothing", "shrinkage"):
        del described["tree"][name]
    file = tmp_path / "old.json"
    file.write_text(json.dumps(described))
    raw = streed.OptimalTreeClassifier(max_depth=2, smoothing=None).fit(BITS, Y)
    assert np.array_equal(Model.load(file).predict_proba(BITS), raw.predict_proba(BITS))


def test_default_probabilities_lose_less_than_shares() -> None:
    """Not a figure, only its sign, where it cannot be otherwise: pure leaves that new rows contradict."""
    train, test = slice(0, 80), slice(80, N)
    fits = [
        streed.OptimalTreeClassifier(max_depth=4, smoothing=smoothing).fit(BITS[train], Y[train])
        for smoothing in ("auto", None)
    ]
    losses = [log_loss(Y[test], fit.predict_proba(BITS[test])) for fit in fits]
    assert losses[0] < losses[1]


@pytest.mark.parametrize(
    ("smoothing", "error", "words"),
    [
        ("laplace", TypeError, "\"auto\", None, or a number of rows from 0 to 1e30, got 'laplace'"),
        (-1, ValueError, "got -1"),
        (np.nan, ValueError, "got nan"),
        (True, TypeError, "got True"),
        ([1], TypeError, r"got \[1\]"),
    ],
)
def test_other_values_are_refused(smoothing: Any, error: type[Exception], words: str) -> None:
    for model, data in (MODELS["accuracy"], MODELS["costs"], MODELS["fair"]):
        with pytest.raises(error, match=f"smoothing must be .*{words}"):
            clone(model).set_params(smoothing=smoothing).fit(BITS, **data)


def test_the_command(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "table.csv"
    rows = [[*row, label] for row, label in zip(BITS.tolist(), Y.tolist(), strict=True)]
    table.write_text("a,b,c,d,e,f,y\n" + "\n".join(",".join(map(str, row)) for row in rows))
    for given, strength in (("auto", 10.0), ("none", 0.0), ("2.5", 2.5)):
        out = str(tmp_path / "model.json")
        fit = ["fit", str(table), "--target", "y", "--quiet", "--objective", "accuracy"]
        assert main([*fit, "--smoothing", given, "--out", out]) == 0
        assert Model.load(out).tree.shrinkage == strength
    assert main([*fit, "--smoothing", "much"]) == 2
    assert "it must be auto, none or a number of rows, got 'much'" in capsys.readouterr().err
    squares = ["fit", str(table), "--target", "y", "--objective", "squared_error", "--smoothing", "auto"]
    assert main(squares) == 1
    assert "--smoothing is for labels" in capsys.readouterr().err
