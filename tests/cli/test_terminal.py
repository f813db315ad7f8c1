"""The command on a terminal: the live line, and Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from streed.model.model import Model
from tests.cli.data import rows, run_streed, write

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")


@pytest.fixture
def hard(tmp_path: Path) -> str:
    """Noise, on which a deep search takes for ever."""
    table = np.random.default_rng(0).integers(0, 2, (2000, 60)).tolist()
    return write(tmp_path / "hard.csv", table, tuple(f"c{j}" for j in range(60)))


def on_a_terminal(*arguments: str, interrupt: bool = False) -> tuple[int, str]:
    """Run the command with stderr on a pseudo-terminal; interrupt it once the live line shows a search."""
    terminal, stderr = pty.openpty()
    command = [sys.executable, "-X", "utf8", "-m", "streed", *arguments]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=stderr) as process:
        os.close(stderr)
        written = b""
        while chunk := _read(terminal):
            written += chunk
            if interrupt and written.count(b"gap") == 5:
                process.send_signal(signal.SIGINT)
                interrupt = False
    os.close(terminal)
    return process.returncode, written.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # how Linux says that the other end is closed
        return b""


def test_ctrl_c_keeps_the_best_tree_so_far(hard: str, tmp_path: Path) -> None:
    out = tmp_path / "model.json"
    arguments = ("fit", hard, "--target", "c0", "--depth", "8", "--time-limit", "120", "--out", str(out))
    code, written = on_a_terminal(*arguments, interrupt=True)
    assert code == 130
    assert "\r" in written
    assert "interrupted: this is the best tree so far" in written
    model = Model.load(out)
    assert (model.proof["status"], model.proof["optimal"]) == ("interrupted", False)
    assert model.tree.n_nodes > 0


def test_the_live_line_shows_and_quiet_hides_it(customers: str) -> None:
    code, written = on_a_terminal("fit", customers, "--target", "churn")
    assert (code, "root 100 %" in written) == (0, True)
    code, written = on_a_terminal("fit", customers, "--target", "churn", "--quiet")
    assert (code, written) == (0, "")


def test_nothing_but_the_result_without_a_terminal(customers: str) -> None:
    done = run_streed("fit", customers, "--target", "churn", "--drop", "id")
    assert (done.returncode, done.stderr) == (0, "")
    done = run_streed("fit", customers, "--target", "churn")
    assert done.stderr.startswith("streed: column 'id' is left out: it holds 200 different whole numbers")
    kept = run_streed("fit", customers, "--target", "churn", "--binarizer", "identifiers=keep")
    assert (kept.returncode, kept.stderr) == (0, "")


def test_a_time_limit_is_no_error(hard: str) -> None:
    done = run_streed("fit", hard, "--target", "c0", "--depth", "8", "--time-limit", "0.3")
    assert done.returncode == 0
    assert "time_limit" in done.stdout
    assert "gap" in done.stdout


def test_a_closed_pipe_is_no_traceback(stored: str, tmp_path: Path) -> None:
    many = write(tmp_path / "many.csv", rows() * 300)
    command = [sys.executable, "-m", "streed", "predict", stored, many, "--quiet"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"prediction\n"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1
