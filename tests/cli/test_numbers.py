"""Numbers and times to events at the command line: fitted, shown, stored and predicted."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import streed
from streed.cli import main
from streed.survival import survival_target


@pytest.fixture
def houses(tmp_path: Path) -> str:
    rng = np.random.default_rng(0)
    size, old = rng.integers(40, 200, 90), rng.random(90) < 0.5
    price = np.rint(2 * size - 60 * old + rng.normal(size=90))
    days = 1 + rng.integers(0, 50, 90) + 80 * old
    frame = pd.DataFrame(
        {"size": size, "old": old, "price": price, "days": days, "sold": rng.random(90) < 0.7}
    )
    path = tmp_path / "houses.csv"
    frame.to_csv(path, index=False)
    return str(path)


def predicted(text: str) -> list[float]:
    return [float(row["prediction"]) for row in csv.DictReader(io.StringIO(text))]


@pytest.mark.parametrize(
    ("options", "estimator"),
    [
        (["--objective", "squared_error"], streed.OptimalTreeRegressor(max_depth=2)),
        (["--objective", "absolute_error"], streed.OptimalTreeRegressor("absolute_error", max_depth=2)),
        (
            ["--objective", "quantile", "--quantile", "0.9"],
            streed.OptimalTreeRegressor("quantile", quantile=0.9, max_depth=2),
        ),
        (["--objective", "poisson"], streed.OptimalTreeRegressor("poisson", max_depth=2)),
        (
            ["--leaf-model", "linear", "--leaf-columns", "size", "--ridge", "2"],
            streed.OptimalTreeRegressor(leaf_model="linear", leaf_columns=["size"], ridge=2.0, max_depth=2),
        ),
    ],
)
def test_numbers(
    options: list[str], estimator: streed.OptimalTreeRegressor, houses: str, tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    model, plot, page = (str(tmp_path / name) for name in ("model.json", "tree.png", "tree.html"))
    common = ["--target", "price", "--drop", "days,sold", "--depth", "2"]
    files = ["--out", model, "--plot", plot, "--html", page]
    assert main(["fit", houses, *common, *options, *files]) == 0
    frame = pd.read_csv(houses)
    estimator.fit(frame[["size", "old"]], frame["price"])
    assert estimator.tree_.to_text() in capsys.readouterr().out
    assert Path(plot).stat().st_size > 1000
    assert "shape" in Path(page).read_text(encoding="utf-8")
    assert main(["predict", model, houses]) == 0
    shown = capsys.readouterr()
    assert predicted(shown.out) == pytest.approx(estimator.predict(frame[["size", "old"]]).tolist())
    assert "90 values in 'price' compared, mean absolute error" in shown.err
    for view in ("text", "rules", "dot", "python", "sql", "json", "html"):
        assert main(["show", model, "--as", view]) == 0
        assert capsys.readouterr().out


def test_times_to_events(houses: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(tmp_path / "model.json")
    common = ["--target", "days", "--event", "sold", "--drop", "price", "--depth", "2"]
    assert main(["fit", houses, *common, "--out", model]) == 0
    frame = pd.read_csv(houses)
    estimator = streed.SurvivalTree(max_depth=2)
    estimator.fit(frame[["size", "old"]], survival_target(frame["sold"], frame["days"]))
    shown = capsys.readouterr().out
    assert shown.startswith("half the deviance: ")
    assert estimator.tree_.to_text() in shown
    assert main(["predict", model, houses]) == 0
    told = capsys.readouterr()
    assert predicted(told.out) == pytest.approx(estimator.predict(frame[["size", "old"]]).tolist())
    assert told.err == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--event", "sold", "--objective", "gini"], "has an objective of its own"),
        (["--quantile", "0.3"], "--quantile needs a number to predict"),
        (["--objective", "quantile", "--quantile", "2"], "quantile must be a number between 0 and 1"),
        (["--objective", "squared_error", "--class-weight", "balanced"], "--class-weight is for labels"),
        (["--leaf-model", "linear", "--leaf-columns", "colour"], "leaf_columns must be names"),
    ],
)
def test_wrong_choices(
    options: list[str], message: str, houses: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", houses, "--target", "days", *options]) == 1
    assert message in capsys.readouterr().err


def test_probabilities_need_labels(houses: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = str(tmp_path / "model.json")
    assert main(["fit", houses, "--target", "price", "--objective", "squared_error", "--out", model]) == 0
    assert main(["predict", model, houses, "--proba"]) == 1
    assert "--proba needs a model of labels" in capsys.readouterr().err


@pytest.mark.parametrize("cuts", ["exact", "auto"])
def test_every_threshold_and_a_side_for_gaps(
    cuts: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, model = tmp_path / "numbers.csv", tmp_path / "model.json"
    lines = [f"{'' if k % 7 == 0 else k},{'no' if 0 < k <= 31 and k % 7 else 'yes'}" for k in range(60)]
    path.write_text("\n".join(["a,y", *lines]))
    arguments = ["fit", str(path), "--target", "y", "--depth", "1", "--cuts", cuts, "--out", str(model)]
    assert main(arguments) == 0
    assert "every threshold was considered" in capsys.readouterr().out
    assert main(["predict", str(model), str(path)]) == 0
    assert "60 of 60 labels in 'y' predicted right" in capsys.readouterr().err
    assert main([*arguments, "--binarizer", "n_thresholds=3"]) != 0
    assert f"--cuts {cuts} chooses cuts itself" in capsys.readouterr().err
