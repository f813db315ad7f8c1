"""Watching a running search: a live line on stderr, or a function of the user."""

from __future__ import annotations

import sys
from collections.abc import Callable

from streed.result import Progress, relative_gap
from streed.tasks.base import Task


def live_line(progress: Progress) -> str:
    """Write the state of a search as one line.

    Examples
    --------
    >>> from streed.result import Progress
    >>> live_line(Progress(1.5, 20, 15, 0.25, 0.5, 2e6))
    '    1.5 s  best 20  bound 15  gap 25.0 %  root 50 %  2 MB'
    """
    return (
        f"{progress.elapsed:7.1f} s  best {progress.objective:g}  bound {progress.lower_bound:g}  "
        f"gap {100 * progress.gap:.1f} %  root {100 * progress.root_done:.0f} %  "
        f"{progress.memory / 1e6:.0f} MB"
    )


class Watcher:
    """Stands between the engine and whoever watches; the engine calls it about every 0.1 s.

    An error in the user's function must not pass through the engine: it stops the search and is raised
    afterwards, by `finish`.
    """

    def __init__(self, task: Task, progress: object) -> None:
        if progress is not None and not isinstance(progress, bool) and not callable(progress):
            raise TypeError(f"progress must be False, True or a function of a Progress, got {progress!r}")
        self._task = task
        self._user: Callable[[Progress], object] | None = progress if callable(progress) else None
        self._line = progress is True
        self._width = 0
        self._error: BaseException | None = None
        self.stopped = False
        self.root_done = 0.0

    @property
    def poll(self) -> Callable[[dict[str, float]], bool] | None:
        """What the engine is to call; None if nobody watches."""
        return self._poll if self._line or self._user else None

    def _poll(self, state: dict[str, float]) -> bool:
        objective, bound = (self._task.report(state[name]) for name in ("objective", "lower_bound"))
        gap = relative_gap(objective, bound)
        self.root_done = state["root_done"]
        progress = Progress(state["elapsed"], objective, bound, gap, self.root_done, state["memory"])
        if self._line:
            self._show(live_line(progress))
        if self._user:
            try:
                self.stopped = bool(self._user(progress))
            except BaseException as error:
                self._error, self.stopped = error, True
        return self.stopped

    def _show(self, line: str) -> None:
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)

    def finish(self, last: Progress) -> None:
        """End the live line, and raise what the user's function raised."""
        if self._line:
            self._show(live_line(last))
            sys.stderr.write("\n")
        if self._error is not None:
            raise self._error
