"""Bad input: one clear line on stderr, the right exit code, no traceback."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import streed
import streed.cli.tables as tables
from streed.cli import main
from tests.cli.data import COLUMNS, rows, run_streed, write


def fails(capsys: pytest.CaptureFixture[str], arguments: list[str], code: int = 1) -> str:
    """Run the command, which must fail with one line, and return that line."""
    assert main(arguments) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("streed")
    return captured.err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "bad.csv is empty"),
        (b" \n\n", "bad.csv is empty"),
        (b"\x89PNG\r\n\x1a\n", "is not a CSV file in UTF-8"),
        (b"a,y\n1,\0\n", "holds binary data"),
        (b"PAR1 but no more", "cannot be read as Parquet"),
        (b"a,y\n", "has column names but no rows"),
        (b"a,b\n1,2\n", "there is no column 'y' in"),
        (b"just some text\nin two lines\n", "there is no column 'y' in"),
        (b"a,y\n1,2,3\n", "more fields than"),
        (b"a,y\n1,2\n1,2,3\n", "cannot be read as CSV"),
        (b"a,a,y\n1,2,3\n", "column names must be distinct, got 'a' more than once"),
        (b"a,,y\n1,2,3\n", "column 2 of"),
        (b"y\n1\n2\n", "nothing to test"),
        (b"a,y\n1,no\n2,\n", "the target 'y' is missing in 1 row, the first is row 2"),
        (b"a,y\ninf,0\n2,1\n", "infinity"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_bad_files(
    content: bytes,
    message: str,
    library: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tables, "_library", lambda *names, purpose: pytest.importorskip(library))
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    assert message in fails(capsys, ["fit", str(path), "--target", "y"])


def test_missing_files(capsys: pytest.CaptureFixture[str], tmp_path: Path, customers: str) -> None:
    nowhere = str(tmp_path / "nowhere.csv")
    assert f"{nowhere}: No such file" in fails(capsys, ["fit", nowhere, "--target", "y"])
    assert f"{nowhere}: No such file" in fails(capsys, ["show", nowhere])
    assert "Is a directory" in fails(capsys, ["fit", str(tmp_path), "--target", "y"])
    out = str(tmp_path / "no" / "model.json")
    message = fails(capsys, ["fit", customers, "--target", "churn", "--out", out])
    assert "there is no folder" in message


def test_unknown_columns(capsys: pytest.CaptureFixture[str], customers: str) -> None:
    message = fails(capsys, ["fit", customers, "--target", "Churn"])
    assert "there is no column 'Churn'" in message
    assert "'plan', 'churn'" in message
    assert "no column 'w'" in fails(capsys, ["fit", customers, "--target", "churn", "--weights", "w"])
    assert "no column 'w'" in fails(capsys, ["fit", customers, "--target", "churn", "--drop", "w"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "data.csv"], "--target"),
        (["fit", "--target", "y"], "data"),
        (["fit", "data.csv", "--target", "y", "--objective", "beauty"], "'beauty'"),
        (["fit", "data.csv", "--target", "y", "--depth", "21"], "an integer from 0 to 20, got '21'"),
        (["fit", "data.csv", "--target", "y", "--depth", "two"], "an integer from 0 to 20, got 'two'"),
        (["fit", "data.csv", "--target", "y", "--time-limit", "0"], "a number of seconds > 0, got '0'"),
        (["fit", "data.csv", "--target", "y", "--class-weight", "yes"], "LABEL=NUMBER"),
        (["fit", "data.csv", "--target", "y", "--binarizer", "missing"], "NAME=VALUE"),
        (["fit", "data.csv", "--target", "y", "--drop", "a,,b"], "commas"),
        (["fit", "data.csv", "--target", "y", "--dep", "3"], "--dep"),
        (["show", "model.json", "--as", "opera"], "'opera'"),
        (["front", "data.csv", "--target", "y", "--objectives", "accuracy"], "at least two"),
        (["front", "data.csv", "--target", "y", "--objectives", "accuracy,beauty"], "'beauty'"),
        (["sing"], "'sing'"),
        ([], "COMMAND"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    line = fails(capsys, arguments, code=2)
    assert message in line
    assert "--help)" in line


def test_unknown_parameter_of_the_binarizer(capsys: pytest.CaptureFixture[str], customers: str) -> None:
    message = fails(capsys, ["fit", customers, "--target", "churn", "--binarizer", "colour=red"])
    assert "no parameter 'colour'; it has 'n_thresholds'" in message


def test_missing_values_can_be_refused(capsys: pytest.CaptureFixture[str], customers: str) -> None:
    message = fails(capsys, ["fit", customers, "--target", "churn", "--binarizer", "missing=error"])
    assert "missing values" in message


def test_a_column_that_is_missing_when_predicting(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, stored: str
) -> None:
    at = COLUMNS.index("plan")
    fewer = [[value for j, value in enumerate(row) if j != at] for row in rows()]
    path = write(tmp_path / "fewer.csv", fewer, tuple(name for name in COLUMNS if name != "plan"))
    assert "the table has no column 'plan', which the tree tests" in fails(capsys, ["predict", stored, path])


def test_a_column_that_changes_its_kind(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, stored: str
) -> None:
    at = COLUMNS.index("age")
    path = write(tmp_path / "t.csv", [[*row[:at], "old", *row[at + 1 :]] for row in rows()])
    message = fails(capsys, ["predict", stored, path])
    assert "column 'age' held numbers when fitted, now it holds strings such as 'old'" in message
    numbers = pl.read_csv(write(tmp_path / "u.csv", rows()), null_values=["NA"]).with_columns(
        plan=pl.lit(3.0)
    )
    numbers.write_parquet(tmp_path / "u.parquet")
    message = fails(capsys, ["predict", stored, str(tmp_path / "u.parquet")])
    assert "column 'plan' held strings when fitted, now it holds numbers" in message


def test_other_files_instead_of_models(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, stored: str, customers: str
) -> None:
    assert "it is not JSON" in fails(capsys, ["show", customers])
    content = json.loads(Path(stored).read_text())
    other = tmp_path / "other.json"
    other.write_text(json.dumps(content | {"version": 3}))
    assert "reads the versions 1 and 2 of streed.model, got version 3" in fails(
        capsys, ["predict", str(other), customers]
    )
    other.write_text(json.dumps(content["tree"]))
    assert "its format is 'streed.tree'" in fails(capsys, ["show", str(other)])


def test_infeasible_limits_have_a_code_of_their_own(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, customers: str
) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise streed.InfeasibleError("no tree has a difference below 0.1;\nthe least is 0.2")

    monkeypatch.setattr(streed.OptimalTreeClassifier, "fit", refuse)
    message = fails(capsys, ["fit", customers, "--target", "churn"], code=3)
    assert message == "streed fit: infeasible: no tree has a difference below 0.1; the least is 0.2\n"


def test_ctrl_c_outside_the_search(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, customers: str
) -> None:
    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("streed.cli.training.read_table", interrupt)
    assert fails(capsys, ["fit", customers, "--target", "churn"], code=130) == "streed fit: interrupted\n"


def test_unexpected_errors_are_one_line_too(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, customers: str
) -> None:
    def crash(*arguments: object, **options: object) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr("streed.cli.training.read_table", crash)
    message = fails(capsys, ["fit", customers, "--target", "churn"])
    assert message == "streed fit: unexpected RuntimeError: a bug (--debug shows where)\n"


def test_debug_shows_the_traceback() -> None:
    plain = run_streed("show", "nowhere.json")
    debug = run_streed("show", "nowhere.json", "--debug")
    assert (plain.returncode, debug.returncode) == (1, 1)
    assert "Traceback" not in plain.stderr
    assert "Traceback" in debug.stderr
    assert debug.stderr.endswith(plain.stderr)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_no_library_for_tables(
    suffix: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    customers: str,
    tmp_path: Path,
) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    path = tmp_path / f"table.{suffix}"
    frame = pl.read_csv(customers, null_values=["NA"])
    frame.write_parquet(path) if suffix == "parquet" else frame.write_csv(path)
    monkeypatch.setattr(tables, "import_module", absent)
    assert "pip install 'streed[pandas]'" in fails(capsys, ["fit", str(path), "--target", "churn"])


def test_numbers_that_are_to_be_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "numbers.csv"
    path.write_text("a,y\n1,0.5\n2,0.7\n", encoding="utf-8")
    command = ["fit", str(path), "--target", "y", "--objective", "accuracy"]
    assert "continuous" in fails(capsys, command)
