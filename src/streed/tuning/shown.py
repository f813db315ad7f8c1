"""Progress of tuning on stderr: the fold and the sizes that are searched, and what is finished."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from streed.solver.progress import LiveLine
from streed.tree.result import Progress


class Shown:
    """A live line for running folds, and a line for each that is finished; or nothing at all.

    `progress` is that of an estimator: True, False, or a function that watches every search. A function stops
    tuning by returning True, as it stops a search: then the choice is the best one so far.
    """

    def __init__(self, progress: Any, n_folds: int, *, here: bool) -> None:
        self._progress, self._n_folds, self._here = progress, n_folds, here
        self._line = LiveLine() if progress is True else None
        self.stopped = False

    def watcher(self, params: Mapping[str, Any], fold: int, tried: str) -> Any:
        """Return what the search of a fold gets as its progress; processes of their own show nothing."""
        if not self._here or self._progress is False or self._progress is None:
            return False
        if self._line is None:
            return self._stops
        line, start = self._line, self._start(params, fold, tried)
        line.draw(start)

        def draw(progress: Progress) -> bool:
            line.draw(f"{start}: {progress.elapsed:.1f} s, root {100 * progress.root_done:.0f} %")
            return False

        return draw

    @property
    def _stops(self) -> Callable[[Progress], bool]:
        """The user's function, remembering that it stopped a search."""

        def watch(progress: Progress) -> bool:  # a method would be copied with all it belongs to
            self.stopped = self.stopped or bool(self._progress(progress))
            return self.stopped

        return watch

    def finished(self, params: Mapping[str, Any], fold: int, tried: str, what: str) -> None:
        """Show a fold that is finished."""
        if self._line is not None:
            self._line.leave(f"{self._start(params, fold, tried)}: {what}")

    def chosen(self, params: Mapping[str, Any], score: str) -> None:
        """Show the choice, before the last fit."""
        if self._line is not None:
            self._line.leave(f"tune: chosen {_text(params)}, {score}; the last fit has all rows")

    def _start(self, params: Mapping[str, Any], fold: int, tried: str) -> str:
        return f"tune: {_text(params)}, fold {fold + 1} of {self._n_folds}, {tried}"


def _text(params: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in params.items())
