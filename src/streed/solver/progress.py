"""Watching a running search: a live line on stderr or a bar in a notebook, functions of the user, or both."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any, Protocol, TextIO

from streed.solver.forecast import whole_seconds
from streed.tree.durations import duration
from streed.tree.result import Progress, relative_gap


class Reports(Protocol):
    """What a watcher needs of a task: `report`, which turns the engine's costs into natural units."""

    def report(self, cost: float) -> float:
        """Turn a cost in engine units into natural units."""


def live_line(progress: Progress) -> str:
    """Write the state of a search as one line.

    Examples
    --------
    >>> from streed.tree.result import Progress
    >>> live_line(Progress(1.5, 20, 15, 0.25, 0.5, 2e6))
    '    1.5 s  best 20  bound 15  gap 25.0 %  root 50 %  2 MB'
    >>> live_line(Progress(1.5, 20, 15, 0.25, 0.01, 2e6, 5400.0))
    '    1.5 s  best 20  bound 15  gap 25.0 %  root 1 %  2 MB  1.5 h in all?'
    """
    return (
        f"{progress.elapsed:7.1f} s  best {progress.objective:g}  bound {progress.lower_bound:g}  "
        f"gap {100 * progress.gap:.1f} %  root {100 * progress.root_done:.0f} %  "
        f"{progress.memory / 1e6:.0f} MB{_whole(progress)}"
    )


def _whole(progress: Progress) -> str:
    """Say how long the search takes in all, once it has run for a second and some of it is left."""
    left = progress.total - progress.elapsed
    return f"  {duration(progress.total)} in all?" if progress.elapsed >= 1 and left > 1 else ""


class LiveLine:
    """One line that is redrawn in place on a terminal or in a notebook.

    Where redrawing is impossible, in a file or a pipe, only the last state is written, so that ten lines a
    second do not fill a log.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._redraws = redraws(self._stream)
        self._width = 0

    def __call__(self, progress: Progress) -> None:
        """Show the state of the search."""
        self.draw(live_line(progress))

    def finish(self, last: Progress) -> None:
        """Show the last state, and leave it on the screen."""
        self.leave(live_line(last))

    def draw(self, line: str) -> None:
        """Show a line where it can be drawn over."""
        if self._redraws:
            self._write(line, "")

    def leave(self, line: str) -> None:
        """Show a line, and leave it on the screen; the next one begins below it."""
        if self._stream is not None:  # as under pythonw
            self._write(line, "\n")
            self._width = 0

    def _write(self, line: str, end: str) -> None:
        start = ""
        if self._redraws:  # a line that wraps round could not be drawn over
            from shutil import get_terminal_size  # it imports all of Python's compressors

            line = line[: max(20, get_terminal_size().columns - 1)]
            start = "\r"
        self._stream.write(start + line.ljust(self._width) + end)
        self._stream.flush()
        self._width = len(line)


def redraws(stream: TextIO | None) -> bool:
    """Whether a carriage return on this stream goes back to the start of the line.

    A notebook's stream says that it is no terminal, but it redraws like one.
    """
    return stream is not None and (stream.isatty() or in_notebook(stream))


def in_notebook(stream: TextIO | None) -> bool:
    """Whether a stream goes to a notebook: it is one of its kernel."""
    return type(stream).__module__.startswith("ipykernel")


class Bar:
    """The state of a search as a bar of ``tqdm.auto``: how much of the root is done, and the live line."""

    def __init__(self, tqdm: Any) -> None:
        self._bar = tqdm(total=100, bar_format="{percentage:3.0f}%|{bar}| {desc}")

    def __call__(self, progress: Progress) -> None:
        """Show the state of the search."""
        self._bar.n = round(100 * progress.root_done, 1)
        self._bar.set_description_str(live_line(progress).strip())

    def finish(self, last: Progress) -> None:
        """Show the last state, and leave it on the screen."""
        self(last)
        self._bar.close()


def live_display() -> LiveLine | Bar:
    """Return a bar in a notebook where tqdm is installed, else a line on stderr."""
    if not in_notebook(sys.stderr):
        return LiveLine()
    try:
        with warnings.catch_warnings():  # without ipywidgets the bar is text, of which tqdm warns
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm
    except ImportError:
        return LiveLine()
    return Bar(tqdm)


class Watchers(tuple[object, ...]):
    """Several values of ``progress`` at once; for callers inside streed that watch as well as the user."""

    __slots__ = ()


class Watcher:
    """Hands the state of a search to the live line and to functions of the user, about every 0.1 s.

    An error in the user's function must not pass through the engine: it stops the search and is raised
    afterwards, by `finish`. `watched` is whether there is a live line or a function, `even` whether all parts
    of the root take about the same time.
    """

    def __init__(self, task: Reports, progress: object) -> None:
        self._task = task
        self._functions: list[Callable[[Progress], object]] = []
        self._line: LiveLine | Bar | None = None
        self._error: BaseException | None = None
        self.stopped = False
        self.root_done = 0.0
        self.even = False
        for one in progress if isinstance(progress, Watchers) else (progress,):
            self._add(one)
        self.watched = self._line is not None or bool(self._functions)

    def _add(self, progress: object) -> None:
        if callable(progress):
            self._functions.append(progress)
        elif progress is True:
            self._line = live_display()
        elif progress is not None and progress is not False:
            raise TypeError(f"progress must be False, True or a function of a Progress, got {progress!r}")

    @property
    def poll(self) -> Callable[[dict[str, float]], bool] | None:
        """The function that the engine calls; None if there is no live line and no function."""
        return self._poll if self.watched else None

    def _poll(self, state: dict[str, float]) -> bool:
        try:
            return self._look(state)
        except KeyboardInterrupt:  # Ctrl-C while Python runs is the same as Ctrl-C while the engine does
            return True

    def _look(self, state: dict[str, float]) -> bool:
        objective, bound = (self._task.report(state[name]) for name in ("objective", "lower_bound"))
        gap = relative_gap(objective, bound)
        self.root_done = state["root_done"]
        elapsed, memory = state["elapsed"], state["memory"]
        total = whole_seconds(elapsed, self.root_done, even=self.even)
        progress = Progress(elapsed, objective, bound, gap, self.root_done, memory, total)
        if self._line:
            self._line(progress)
        try:
            answers = [function(progress) for function in self._functions]
            self.stopped = any(map(bool, answers))
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self._error, self.stopped = error, True
        return self.stopped

    def finish(self, last: Progress) -> None:
        """End the live line, and raise what the user's function raised."""
        if self._line:
            self._line.finish(last)
        if self._error is not None:
            raise self._error


class _Nobody:
    """Leaves costs as they are, for the watcher of searches without progress."""

    def report(self, cost: float) -> float:
        """Leave a cost as it is."""
        return cost


_NOBODY = Watcher(_Nobody(), None)


def watch(task: Reports, progress: object) -> Watcher:
    """Return a watcher for a search; without progress it is always the same one, which never changes."""
    return _NOBODY if progress is False or progress is None else Watcher(task, progress)
