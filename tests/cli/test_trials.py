"""Which kind of tree a target calls for, tuning, and scores on other rows, at the command line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

import streed
from streed.cli import main, trials
from streed.survival import concordance_index

RNG = np.random.default_rng(0)
N = 160
FRAME = pd.DataFrame(
    {
        "age": RNG.integers(20, 70, N),
        "plan": RNG.choice(["basic", "plus"], N),
        "price": RNG.normal(100, 20, N).round(1),
        "visits": RNG.integers(0, 200, N),
        "stars": RNG.integers(1, 6, N),
        "code": RNG.integers(0, 2, N),
        "event": RNG.random(N) < 0.7,
        "days": RNG.integers(1, 300, N),
    }
)
FRAME["churn"] = np.where((FRAME["age"] > 40) ^ (RNG.random(N) < 0.15), "stays", "leaves")
COLUMNS = ["age", "plan"]


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    paths = tmp_path / "a.csv", tmp_path / "b.csv"
    for path, rows in zip(paths, (FRAME[:120], FRAME[120:]), strict=True):
        rows.to_csv(path, index=False)
    return str(paths[0]), str(paths[1])


def fit(capsys: pytest.CaptureFixture[str], path: str, target: str, *options: str) -> tuple[str, str]:
    """Fit trees of depth 2 that test two columns; returns what is printed and noted."""
    roles = {*COLUMNS, target, *options}
    drop = ",".join(name for name in FRAME.columns if name not in roles)
    command = ["fit", path, "--target", target, "--drop", drop, "--depth", "2", *options]
    assert main(command) == 0, capsys.readouterr().err
    out, err = capsys.readouterr()
    return out, err


@pytest.mark.parametrize(
    ("target", "options", "measure", "said"),
    [
        ("price", [], "squared error", "different numbers: they are predicted as numbers (a regression tree"),
        ("visits", [], "squared error", "different whole numbers: they are predicted as numbers"),
        ("stars", [], "errors", "'stars' holds 5 different whole numbers: they are taken for labels"),
        ("code", [], "errors", ""),
        ("churn", [], "errors", ""),
        ("visits", ["--objective", "accuracy"], "errors", ""),
        ("visits", ["--class-weight", "balanced"], "misclassified weight", ""),
        ("stars", ["--objective", "squared_error"], "squared error", ""),
        ("price", ["--leaf-model", "simple_linear", "--leaf-columns", "age"], "penalised squared error", ""),
        ("days", ["--event", "event"], "half the deviance", ""),
        ("code", ["--sensitive", "plan", "--max-difference", "1"], "errors under demographic parity", ""),
    ],
)
def test_the_kind_of_tree_and_why(
    target: str, options: list[str], measure: str, said: str, files: tuple[str, str],
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    out, err = fit(capsys, files[0], target, *options)
    assert out.startswith(f"{measure}: ")
    assert said in err
    assert ("add --objective" in err) == bool(said)
    quiet = fit(capsys, files[0], target, "--quiet", *options)
    assert "add --objective" not in quiet[1]


def test_rows_that_are_held_out(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = fit(capsys, files[0], "churn", "--holdout", "0.25")
    X, y = FRAME[:120][COLUMNS], FRAME[:120]["churn"].to_numpy()
    train, test = next(StratifiedShuffleSplit(1, test_size=0.25, random_state=0).split(X, y))
    model = streed.OptimalTreeClassifier(max_depth=2).fit(X.iloc[train], y[train])
    right = int((model.predict(X.iloc[test]) == y[test]).sum())
    assert f"held out: {right} of 30 rows right ({right / 30:.1%}".replace("%", " %") in out
    assert model.tree_.to_text() in out


def test_cross_validation(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = fit(capsys, files[0], "churn", "--cv", "3")
    X, y = FRAME[:120][COLUMNS], FRAME[:120]["churn"].to_numpy()
    model = streed.OptimalTreeClassifier(max_depth=2)
    right = 0
    for train, test in StratifiedKFold(3, shuffle=True, random_state=0).split(X, y):
        right += int((model.fit(X.iloc[train], y[train]).predict(X.iloc[test]) == y[test]).sum())
    assert f"cross-validation in 3 parts: {right} of 120 rows right" in out
    assert model.fit(X, y).tree_.to_text() in out


def test_another_file(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    X, other = FRAME[:120][COLUMNS], FRAME[120:]
    out, _ = fit(capsys, files[0], "churn", "--test", files[1])
    labels = streed.OptimalTreeClassifier(max_depth=2).fit(X, FRAME["churn"][:120])
    right = int((labels.predict(other[COLUMNS]) == other["churn"]).sum())
    most = int((other["churn"] == "stays").sum()) / 40
    expected = (
        f"{files[1]}: {right} of 40 rows right ({right / 40:.1%}), where always stays would be {most:.1%}"
    )
    assert expected.replace("%", " %") in out
    out, _ = fit(capsys, files[0], "price", "--test", files[1])
    numbers = streed.OptimalTreeRegressor(max_depth=2).fit(X, FRAME["price"][:120])
    assert f"R2 {numbers.score(other[COLUMNS], other['price']):.3f}, mean absolute error" in out
    out, _ = fit(capsys, files[0], "days", "--event", "event", "--test", files[1], "--cv", "2")
    times = streed.SurvivalTree(max_depth=2).fit(X, FRAME[["event", "days"]][:120])
    index = concordance_index(other["event"], other["days"], times.predict(other[COLUMNS]))
    assert f"{files[1]}: concordance {index:.3f} (40 rows)" in out
    assert "cross-validation in 2 parts: concordance 0." in out


@pytest.mark.parametrize("how", ["3", "holdout"])
def test_tuning(how: str, files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    out, _ = fit(capsys, files[0], "churn", "--tune", how)
    cv: Any = int(how) if how.isdecimal() else how
    model = streed.OptimalTreeClassifier(max_depth=2, tune=cv).fit(FRAME[:120][COLUMNS], FRAME["churn"][:120])
    assert f"max_nodes {model.tuned_.params['max_nodes']}; mean " in out
    assert f"{model.tuned_.score:.4g} on rows held out ({model.tuned_.folds})" in out
    assert model.tree_.to_text() in out


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--holdout", "2"], 2, "share of the rows between 0 and 1, got '2'"),
        (["--holdout", "half"], 2, "share of the rows between 0 and 1, got 'half'"),
        (["--tune", "yes"], 2, "holdout or a number of folds >= 2, got 'yes'"),
        (["--holdout", "0.2", "--cv", "3"], 2, "not allowed with argument"),
        (["--cv", "1"], 1, "cv must be from 2 to the number of rows"),
        (["--test", "nowhere.csv"], 1, "--test: there is no file nowhere.csv"),
    ],
)
def test_wrong_usage(
    options: list[str], code: int, message: str, files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", files[0], "--target", "churn", *options]) == code
    assert message in capsys.readouterr().err


def test_another_file_without_the_target(
    files: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "c.csv"
    FRAME[COLUMNS].to_csv(path, index=False)
    assert main(["fit", files[0], "--target", "churn", "--depth", "1", "--test", str(path)]) == 1
    assert re.search("there is no column 'churn' in .*c.csv; it has 'age', 'plan'", capsys.readouterr().err)


def test_an_interrupted_cross_validation_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    model = streed.OptimalTreeClassifier(max_depth=1)
    data = {"X": FRAME[COLUMNS], "y": FRAME["churn"].to_numpy()}

    class Stopped:
        status = "interrupted"

    monkeypatch.setattr(streed.OptimalTreeClassifier, "result_", Stopped)
    monkeypatch.setattr(streed.OptimalTreeClassifier, "fit", lambda self, **given: self)
    assert list(trials.cross_validated(model, data, 2)) == ["cross-validation was interrupted"]
