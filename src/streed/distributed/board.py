"""What a worker knows of the solves that it works for: their best value, and whether anybody still waits.

One loop per worker asks the scheduler for the variable of each solve; searches read plain attributes. A
search that asked the variable itself would wait 4.3 ms for each answer, this takes 0.007 ms.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import threading
import time
from collections.abc import Iterator
from typing import Any

from distributed import WorkerPlugin

STOP = -1e300
"""The value of a solve that is over."""

PERIOD = 0.1
"""Seconds between two questions; a search looks at its clock as often."""

SILENCE = 3.0
"""The scheduler has so many seconds for an answer; then it is asked again."""


class Solve:
    """One solve, as one worker knows it.

    Attributes
    ----------
    value : float
        The best value that is known.
    heard : float
        When the client was last heard of, by `time.monotonic`.
    search : object
        The search of this worker, with all that it has learnt from its pieces; None before the first one.
    idle : list
        Searches that wait for their next piece, where each piece has one of its own.
    turn : threading.Lock
        Held by the piece that searches. The others of this worker wait, and lend it their threads: so all
        threads of a machine share one cache, and each of them works for one task of Dask.
    using : int
        Number of pieces that are here, in work or waiting.
    """

    def __init__(self) -> None:
        self.value = math.inf
        self.beat: Any = None
        self.heard = time.monotonic()
        self.search: Any = None
        self.idle: list[Any] = []
        self.turn = threading.Lock()
        self.using = 0

    @property
    def over(self) -> bool:
        """Whether the client has said that nothing more is wanted."""
        return self.value <= STOP

    def hear(self, value: float, beat: int) -> None:
        """Take what the variable says; the same beat as before is no sign of life."""
        self.value = min(self.value, value)
        if beat != self.beat:
            self.beat, self.heard = beat, time.monotonic()


class Board(WorkerPlugin):  # type: ignore[misc]
    """All solves of a worker, kept up to date by one loop. Late and restarted workers get it, too."""

    name = "streed"
    idempotent = True

    def setup(self, worker: Any) -> None:
        """Begin to listen."""
        self.worker = worker
        self.lock = threading.Lock()
        self.solves: dict[str, Solve] = {}
        self.lease = 10.0
        self._loop = asyncio.get_running_loop().create_task(self._listen())

    def teardown(self, worker: Any) -> None:
        """Stop listening."""
        self._loop.cancel()

    async def _listen(self) -> None:
        while True:
            for key, solve in list(self.solves.items()):
                with contextlib.suppress(Exception):  # the scheduler may be gone: the lease runs out
                    answer = self.worker.scheduler.variable_get(name=key, client=self.name, timeout=1)
                    solve.hear(*(await asyncio.wait_for(answer, SILENCE))["value"])
                self._forget(key, solve)
            await asyncio.sleep(PERIOD)

    def _forget(self, key: str, solve: Solve) -> None:
        """Let go of the searches of a solve that is over or has no client any more."""
        if not solve.over and time.monotonic() - solve.heard < self.lease:
            return
        with self.lock:
            if not solve.using:
                self.solves.pop(key, None)

    @contextlib.contextmanager
    def taking(self, key: str) -> Iterator[Solve]:
        """Count a piece of a solve as long as it is here."""
        with self.lock:
            solve = self.solves.setdefault(key, Solve())
            solve.using += 1
        try:
            yield solve
        finally:
            with self.lock:
                solve.using -= 1


def board_of(worker: Any, seconds: float = 5.0) -> Board:
    """Return the board of a worker; one that the client could not reach in time gets it now."""
    if Board.name not in worker.plugins:
        added = asyncio.run_coroutine_threadsafe(
            worker.plugin_add(Board(), name=Board.name), worker.loop.asyncio_loop
        )
        added.result(seconds)
    board: Board = worker.plugins[Board.name]
    return board
