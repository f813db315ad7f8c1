"""What is left of a study: a bar if rich is installed and somebody watches, else a line now and then."""

from __future__ import annotations

import sys
import threading
import time
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from experiments.runs import Job

SECONDS_BETWEEN_LINES = 20.0


class Progress:
    """Counts finished jobs. Quiet unless `shown`."""

    def __init__(self, title: str, *, shown: bool = True) -> None:
        self.title, self.shown = title, shown
        self.done = self.total = 0
        self.lock = threading.Lock()
        self.last_line = time.monotonic()
        self.bar: Any = None
        self.task: Any = None

    def start(self, total: int) -> None:
        """Begin to count up to `total`."""
        self.done, self.total = 0, total
        if not (self.shown and total and sys.stderr.isatty()):
            return
        try:
            rich = import_module("rich.progress")
        except ModuleNotFoundError:
            return
        self.bar = rich.Progress(
            rich.TextColumn(self.title),
            rich.BarColumn(),
            rich.MofNCompleteColumn(),
            rich.TimeElapsedColumn(),
            rich.TimeRemainingColumn(),
            rich.TextColumn("{task.description}"),
            console=import_module("rich.console").Console(stderr=True),
        )
        self.bar.start()
        self.task = self.bar.add_task("", total=total)

    def step(self, job: Job) -> None:
        """Count one job."""
        with self.lock:
            self.done += 1
            if self.bar is not None:
                self.bar.update(self.task, completed=self.done, description=f"{job.method} {job.problem}")
            elif self.shown and (
                self.done == self.total or time.monotonic() - self.last_line > SECONDS_BETWEEN_LINES
            ):
                sys.stderr.write(f"{self.title}: {self.done} of {self.total} runs\n")
                self.last_line = time.monotonic()

    def stop(self) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.stop()
            self.bar = None
