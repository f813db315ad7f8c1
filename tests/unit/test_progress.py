"""The live line: redrawn on terminals and in notebooks, written once elsewhere, silent when not asked."""

from __future__ import annotations

import io
import sys
from typing import Any

import numpy as np
import pytest

import streed
from streed.solver.progress import Bar, LiveLine, Watcher, Watchers, live_display
from streed.tasks import Accuracy

STATES = [streed.Progress(0.1, 2000, 0, 1.0, 0.0, 5e9), streed.Progress(0.2, 20, 15, 0.25, 0.5, 2e6)]
LAST = streed.Progress(0.3, 20, 20, 0.0, 1.0, 2e6)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Notebook(io.StringIO):
    """Like the stream of a notebook, which says that it is no terminal."""


Notebook.__module__ = "ipykernel.iostream"


def draw(stream: io.StringIO) -> str:
    line = LiveLine(stream)
    for state in STATES:
        line(state)
    line.finish(LAST)
    return stream.getvalue()


@pytest.mark.parametrize("stream", [Terminal, Notebook])
def test_it_is_redrawn_in_place(stream: type[io.StringIO]) -> None:
    first, *lines = draw(stream()).split("\r")
    assert first == ""
    assert [line.rstrip() for line in lines] == [
        "    0.1 s  best 2000  bound 0  gap 100.0 %  root 0 %  5000 MB",
        "    0.2 s  best 20  bound 15  gap 25.0 %  root 50 %  2 MB",
        "    0.3 s  best 20  bound 20  gap 0.0 %  root 100 %  2 MB",
    ]
    assert len(lines[1]) >= len(lines[0])  # what was longer is written over
    assert lines[-1].endswith("\n")


def test_it_does_not_wrap_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert all(len(line.rstrip("\n")) < 40 for line in draw(Terminal()).split("\r"))


def test_files_get_the_last_state_only() -> None:
    assert draw(io.StringIO()) == "    0.3 s  best 20  bound 20  gap 0.0 %  root 100 %  2 MB\n"


def test_without_a_stream_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    line = LiveLine()
    line(LAST)
    line.finish(LAST)


@pytest.mark.parametrize("progress", [False, None])
def test_nothing_is_printed_when_not_asked(progress: Any, capfd: pytest.CaptureFixture[str]) -> None:
    streed.solve(Accuracy([0, 1]), [[0], [1]], max_depth=1, progress=progress)
    assert capfd.readouterr() == ("", "")


def test_several_watchers_all_see_each_state() -> None:
    seen: list[list[streed.Progress]] = [[], []]

    def stop(progress: streed.Progress) -> bool:
        seen[0].append(progress)
        return True

    watcher = Watcher(Accuracy([0, 1]), Watchers((stop, seen[1].append, False)))
    state = {"elapsed": 1.0, "objective": 2.0, "lower_bound": 1.0, "root_done": 0.5, "memory": 0.0}
    assert watcher.poll is not None
    assert watcher.poll(state) is True
    assert watcher.stopped
    assert seen[0] == seen[1] == [streed.Progress(1.0, 2.0, 1.0, 0.5, 0.5, 0.0)]


def test_ctrl_c_while_a_watcher_runs_is_an_interruption() -> None:
    def interrupt(progress: streed.Progress) -> None:
        raise KeyboardInterrupt

    rng = np.random.default_rng(0)
    features, labels = rng.integers(0, 2, (2000, 50)).astype(bool), rng.integers(0, 2, 2000)
    with pytest.warns(streed.InterruptedWarning):
        result = streed.solve(Accuracy(labels), features, max_depth=7, time_limit=60, progress=interrupt)
    assert (result.status, result.optimal) == ("interrupted", False)


def test_a_real_search_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    rng = np.random.default_rng(0)
    features, labels = rng.integers(0, 2, (300, 20)).astype(bool), rng.integers(0, 2, 300)
    result = streed.solve(Accuracy(labels), features, max_depth=3, progress=True)
    last = terminal.getvalue().split("\r")[-1]
    assert f"best {result.objective:g}  bound {result.lower_bound:g}  gap 0.0 %  root 100 %" in last


def test_notebooks_have_a_bar_of_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tqdm")
    notebook = Notebook()
    monkeypatch.setattr(sys, "stderr", notebook)
    rng = np.random.default_rng(0)
    features, labels = rng.integers(0, 2, (300, 20)).astype(bool), rng.integers(0, 2, 300)
    result = streed.solve(Accuracy(labels), features, max_depth=3, progress=True)
    last = notebook.getvalue().split("\r")[-1]
    assert last.startswith("100%|")
    assert f"best {result.objective:g}  bound {result.lower_bound:g}  gap 0.0 %" in last
    assert last.endswith("\n")


def test_a_bar_shows_each_state() -> None:
    states: list[tuple[float, str]] = []

    class Tqdm:
        n = 0.0

        def __init__(self, **named: Any) -> None:
            assert named["total"] == 100

        def set_description_str(self, text: str) -> None:
            states.append((self.n, text))

        def close(self) -> None:
            states.append((self.n, "closed"))

    bar = Bar(Tqdm)
    bar(STATES[1])
    bar.finish(LAST)
    assert [n for n, _ in states] == [50, 100, 100]
    assert states[0][1] == "0.2 s  best 20  bound 15  gap 25.0 %  root 50 %  2 MB"
    assert states[-1][1] == "closed"


def test_a_bar_only_in_notebooks_and_with_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert isinstance(live_display(), LiveLine)
    monkeypatch.setattr(sys, "stderr", Notebook())
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert isinstance(live_display(), LiveLine)
