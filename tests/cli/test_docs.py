"""The consoles in the documentation of the command run as written; ``--help`` speaks of everything."""

from __future__ import annotations

import inspect
import re
import shlex
from pathlib import Path

import pytest

import streed
from streed.cli import main
from streed.cli.parser import make_parser
from streed.cli.training import make_binarizer
from streed.estimators.fitting.plan import default_binarizer
from streed.options import CUTS, OPTIONS
from tests.support import ROOT

PAGE = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```(?P<kind>(?:csv|text) [\w.]+|console)\n(?P<text>.*?)```", re.DOTALL)
SECONDS = re.compile(r"\([\d.e-]+ s\)")


def run(line: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Run one line of a console and return all that it writes, with the exit code if that is not 0."""
    program, *arguments = shlex.split(line)
    assert program == "streed"
    code = main(arguments)
    out, err = capsys.readouterr()
    return out + err + (f"[exit code {code}]" if code else "")


def test_consoles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is printed begins with what the page shows; the page may leave out the rest."""
    monkeypatch.chdir(tmp_path)
    blocks = list(BLOCK.finditer(PAGE))
    assert [block["kind"] for block in blocks].count("console") >= 5
    for block in blocks:
        if block["kind"] != "console":
            (tmp_path / block["kind"].split()[1]).write_text(block["text"], encoding="utf-8")
            continue
        for entry in block["text"].split("$ ")[1:]:
            line, _, shown = entry.partition("\n")
            printed = SECONDS.sub("", run(line, capsys)).split()
            expected = SECONDS.sub("", shown).split()
            assert printed[: len(expected)] == expected
    assert (tmp_path / "predictions.csv").read_text().startswith("customer,prediction,probability of leaves")


@pytest.mark.parametrize("command", ["fit", "predict", "show", "front", "tasks"])
def test_help_teaches_by_examples(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    text = capsys.readouterr().out
    assert f"  streed {command} " in text or f"  streed {command}\n" in text
    assert main(["--help"]) == 0
    assert f"    {command} " in capsys.readouterr().out


def test_help_has_every_option_of_the_solver(capsys: pytest.CaptureFixture[str]) -> None:
    main(["fit", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    for option in OPTIONS.values():
        assert f"--{option.name.replace('_', '-')}" in text
        assert option.help.rstrip(".")[1:] in text
        if option.default is not None:
            assert f"(default {option.default:g})" in text


def test_the_command_has_the_defaults_of_the_estimators() -> None:
    """Options that are not given are left to the estimator; the help names its default."""
    for estimator in (streed.OptimalTreeClassifier, streed.OptimalTreeRegressor, streed.FairTreeClassifier):
        parameters = inspect.signature(estimator).parameters
        assert parameters["cuts"].default == CUTS[0]
        assert parameters["binarizer"].default is None
        for option in OPTIONS.values():
            assert parameters[option.name].default == option.default, option.name
    given = make_parser().parse_args(["fit", "a.csv", "--target", "y"])
    assert given.cuts is None
    assert given.binarizer == {}
    assert make_binarizer(given).get_params() == default_binarizer().get_params()


def test_exit_codes_are_documented(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])
    text = capsys.readouterr().out
    for code in (0, 1, 2, 3, 130):
        assert f"| {code} |" in PAGE
        assert f" {code} " in text
