"""A new user's path: a file goes in, a readable tree comes out, and the stored model predicts the same."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import streed
from streed.cli import main
from streed.cli.tasks import objectives
from streed.model.model import Model
from tests.cli.data import COLUMNS, rows, run_streed, write


def labels(text: str, column: str = "prediction") -> list[str]:
    return [row[column] for row in csv.DictReader(io.StringIO(text))]


def test_from_a_file_to_predictions_in_other_processes(customers: str, tmp_path: Path) -> None:
    model = str(tmp_path / "model.json")
    fitted = run_streed("fit", customers, "--target", "churn", "--drop", "id", "--depth", "3", "--out", model)
    assert (fitted.returncode, fitted.stderr) == (0, "")
    assert fitted.stdout.startswith("errors: ")
    assert "proven optimal" in fitted.stdout
    assert "plan = basic?" in fitted.stdout
    assert "leaves" in fitted.stdout

    frame = pd.read_csv(customers)
    columns = [name for name in COLUMNS if name not in ("id", "churn")]
    estimator = streed.OptimalTreeClassifier(max_depth=3)
    estimator.fit(frame[columns], frame["churn"])
    assert estimator.tree_.to_text() in fitted.stdout

    new = write(tmp_path / "new.csv", rows(300, seed=9))
    expected = estimator.predict(pd.read_csv(new)[columns])
    predicted = run_streed("predict", model, new, "--proba", "--keep", "id")
    assert predicted.returncode == 0
    assert labels(predicted.stdout) == expected.tolist()
    assert labels(predicted.stdout, "id") == [str(number) for number in range(300)]
    shares = np.array(
        [labels(predicted.stdout, f"probability of {name}") for name in ("leaves", "stays")], float
    )
    assert np.array_equal(shares.T, estimator.predict_proba(pd.read_csv(new)[columns]))
    right = int(np.sum(expected == pd.read_csv(new)["churn"].to_numpy()))
    assert f"{right} of 300 labels in 'churn' predicted right" in predicted.stderr

    shown = run_streed("show", model)
    assert estimator.tree_.to_text() in shown.stdout
    assert "predicts 'churn' from " in shown.stdout


def test_unseen_categories_and_gaps_follow_the_binarizer(customers: str, tmp_path: Path, stored: str) -> None:
    table = pd.DataFrame({"age": [np.nan, 20, 70], "income": [np.nan] * 3, "signed": ["2031-01-01"] * 3})
    table = table.assign(member=[True, False, None], plan=["golden", None, "basic"])
    frame = pd.read_csv(customers)
    estimator = streed.OptimalTreeClassifier(max_depth=2)
    estimator.fit(frame[list(table.columns)], frame["churn"])
    assert Model.load(stored).predict(table).tolist() == estimator.predict(table).tolist()


def test_columns_in_another_order_and_further_columns(
    customers: str, tmp_path: Path, stored: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["predict", stored, customers]) == 0
    expected = capsys.readouterr().out
    turned = write(
        tmp_path / "turned.csv", [[*row[::-1], "more"] for row in rows()], (*COLUMNS[::-1], "more")
    )
    assert main(["predict", stored, turned]) == 0
    assert capsys.readouterr().out == expected


def test_only_tested_columns_are_needed(
    customers: str, tmp_path: Path, stored: str, capsys: pytest.CaptureFixture[str]
) -> None:
    tested = Model.load(stored).tested_columns
    assert set(tested) < set(COLUMNS)
    main(["predict", stored, customers])
    expected = capsys.readouterr().out
    positions = [COLUMNS.index(name) for name in tested]
    few = write(tmp_path / "few.csv", [[row[j] for j in positions] for row in rows()], tuple(tested))
    assert main(["predict", stored, few]) == 0
    assert capsys.readouterr().out == expected


def test_predictions_into_a_file(customers: str, tmp_path: Path, stored: str) -> None:
    out = tmp_path / "predictions.csv"
    assert main(["predict", stored, customers, "--out", str(out), "--quiet"]) == 0
    assert len(labels(out.read_text())) == len(rows())


def test_rows_from_stdin(customers: str, stored: str) -> None:
    from_file = run_streed("predict", stored, customers)
    from_stdin = run_streed("predict", stored, "-", input=Path(customers).read_text())
    assert (from_stdin.returncode, from_stdin.stdout) == (0, from_file.stdout)


def test_numbers_as_labels_keep_their_type(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = write(tmp_path / "t.csv", [[i % 2, i % 2] for i in range(10)], ("x", "y"))
    model = tmp_path / "m.json"
    assert main(["fit", table, "--target", "y", "--out", str(model)]) == 0
    assert Model.load(model).tree.classes.dtype.kind == "i"
    capsys.readouterr()
    main(["predict", str(model), table])
    assert labels(capsys.readouterr().out) == ["0", "1"] * 5


def test_weights_class_weights_and_binarizer_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = write(tmp_path / "t.csv", [["a", 1, 5], ["a", 0, 1], ["b", 0, 1]], ("x", "y", "w"))
    assert main(["fit", table, "--target", "y", "--weights", "w"]) == 0
    assert "misclassified weight: 1, proven optimal" in capsys.readouterr().out
    assert main(["fit", table, "--target", "y", "--weights", "w", "--class-weight", "0=20,1=1"]) == 0
    assert "misclassified weight: 5, proven optimal" in capsys.readouterr().out
    assert main(["fit", table, "--target", "y", "--drop", "x", "--binarizer", "n_thresholds=1"]) == 0
    assert "w <= " in capsys.readouterr().out


def test_text_option_keeps_numbers_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = write(tmp_path / "t.csv", [[7, "no"], [8, "yes"], [9, "no"]] * 3, ("code", "y"))
    assert main(["fit", table, "--target", "y", "--depth", "1", "--text", "code"]) == 0
    assert "code = 8?" in capsys.readouterr().out


@pytest.mark.parametrize(
    "objective",
    [name for name in objectives() if streed.tasks.REGISTRY[name].estimator == "OptimalTreeClassifier"],
)
def test_objectives_come_from_the_registry(
    customers: str, objective: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fit", customers, "--target", "churn", "--objective", objective, "--depth", "1"]) == 0
    assert capsys.readouterr().out.startswith(f"{streed.tasks.REGISTRY[objective].measure or 'errors'}")


def test_names_of_metrics_are_objectives() -> None:
    assert {"accuracy", "balanced_accuracy", "f1", "mcc", "macro_f1"} <= set(objectives())


def test_tasks_lists_the_registry(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tasks"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(streed.tasks.REGISTRY)
    assert all(task.summary in line for line, task in zip(lines, streed.tasks.REGISTRY.values(), strict=True))


def test_the_file_is_plain_json(stored: str) -> None:
    content = json.loads(Path(stored).read_text(encoding="utf-8"))
    assert (content["format"], content["version"]) == ("streed.model", 2)
    assert content["proof"]["optimal"] is True
    assert content["parameters"]["max_depth"] == 2
    assert content["columns"] == [name for name in COLUMNS if name not in ("id", "churn")]


def test_identifiers_and_parts_of_dates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    days = np.arange("2024-01-01", "2024-09-01", dtype="datetime64[D]")
    late = (days.astype(int) + 3) % 7 > 4
    path = tmp_path / "days.csv"
    lines = [f"{number},{day},{label}" for number, (day, label) in enumerate(zip(days, late, strict=True))]
    path.write_text("number,day,late\n" + "\n".join(lines), encoding="utf-8")
    for cuts in ("auto", "binned"):
        given = ["fit", str(path), "--target", "late", "--depth", "1", "--cuts", cuts]
        assert main([*given, "--dates", "weekday,month"]) == 0
        shown = capsys.readouterr()
        assert "errors: 0, proven optimal" in shown.out
        assert "weekday of day <= Friday?" in shown.out
        assert "column 'number' is left out" in shown.err
        assert main([*given, "--identifiers", "keep"]) == 0
        assert "is left out" not in capsys.readouterr().err
    assert main([*given, "--dates", "year"]) == 1
    assert "got ['year']" in capsys.readouterr().err
