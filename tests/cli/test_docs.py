"""The consoles in the documentation of the command run as written; ``--help`` speaks of everything."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from streed.cli import main
from streed.options import OPTIONS
from tests.support import ROOT

PAGE = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```(?P<kind>csv \S+|console)\n(?P<text>.*?)```", re.DOTALL)
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


def test_exit_codes_are_documented(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--help"])
    text = capsys.readouterr().out
    for code in (0, 1, 2, 3, 130):
        assert f"| {code} |" in PAGE
        assert f" {code} " in text
