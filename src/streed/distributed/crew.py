"""The client's side of one solve: pieces go out, answers come back, and nothing waits without a time-out.

A coroutine on the client's own loop publishes the best value and a sign of life every second, and asks the
scheduler which workers it has heard of. All else reads what that has brought. Futures are released rather
than cancelled: that needs no answer of the scheduler.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import math
import queue
import time
import uuid
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any

from streed.distributed.board import STOP, Board
from streed.distributed.errors import (
    ClientClosedError,
    ClusterError,
    NoWorkersError,
    PieceError,
    SchedulerLostError,
    VersionError,
)
from streed.distributed.patience import Patience
from streed.distributed.pieces import run_piece
from streed.distributed.problem import pack, unpack
from streed.errors import StreedError
from streed.versions import current_version

BEAT = 1.0
"""Seconds between two signs of life."""

FINAL = (ImportError, AttributeError, TypeError)
"""What a worker without streed, or one that cannot read the task, raises: another attempt is no help."""


@dataclass
class Piece:
    """A part of a search that one worker is asked for."""

    kind: str
    features: list[int]
    slice: float
    priority: int = 0
    prefer: str = ""
    tries: int = 0
    data: Any = field(default=None, repr=False)
    future: Any = field(default=None, repr=False)


class Crew:
    """The pieces of one solve that are out, and what is known of the cluster.

    Attributes
    ----------
    threads : int
        Threads of all workers that the scheduler has heard of lately.
    width : int
        Threads of the worker that has most of them: a piece of so many features can use all of them.
    value : float
        The best value, as workers are told it.
    better : list of float
        Values that workers have told and nobody has read yet.
    state : list or None
        The last progress that a whole solve has told.
    """

    def __init__(self, client: Any, problem: Any, patience: Patience) -> None:
        self.client, self.patience = client, patience
        self.name = f"streed-{uuid.uuid4().hex}"
        self.value = math.inf
        self.threads = self.width = 1
        self.better: list[float] = []
        self.state: list[float] | None = None
        self.counts = {"pieces": 0, "repeated": 0, "processor_seconds": 0.0}
        self._problem = problem
        self._out: dict[str, Piece] = {}
        self._queue: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._numbers = itertools.count()
        self._beats = itertools.count(1)
        self._heard = self._workers_seen = time.monotonic()
        self._next_beat = 0.0
        self._silent: set[str] = set()
        self._allowed: frozenset[str] | None = None  # workers that get tasks; None: all
        self._answering: list[str] = []
        self._known = Event()  # the scheduler has answered once

    # The life of a crew.

    def __enter__(self) -> Crew:
        self.check()
        self._sent = pack(self._problem)
        self._register()
        self.client.subscribe_topic(self.name, lambda event: self._queue.put(("told", event[1])))
        self._data = self._send_data()
        self._beat()
        self._known.wait(BEAT)
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of everything; workers see that within a moment."""
        self.value = STOP
        with contextlib.suppress(Exception):  # the client may be closed, the scheduler gone
            self._beat()
            for piece in self._out.values():
                piece.future.release()
            self._data.release()
            self.client.unsubscribe_topic(self.name)
            self.client.loop.add_callback(self._delete_later)
        self._out.clear()

    def _send_data(self) -> Any:
        """Send the problem to the cluster, as a task that any worker can do again."""
        key = f"{self.name}-data-{next(self._numbers)}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of large tasks: the data must go there once
            return self.client.submit(unpack, self._sent, key=key, pure=False, **self._where_to(""))

    def _where_to(self, prefer: str) -> dict[str, Any]:
        """Return where a task is to run: by preference on one worker; if one is silent, only on the others.

        Dask would let a silent worker, which seems to be idle, steal tasks that may run anywhere.
        """
        if self._silent:
            return {"workers": self._answering} if self._answering else {}
        return {"workers": [prefer], "allow_other_workers": True} if prefer else {}

    def _register(self) -> None:
        """Give all workers a board. One that does not answer gets it with its first piece."""
        failed: list[BaseException] = []

        def register() -> None:
            try:
                self.client.register_plugin(Board())
            except BaseException as error:
                failed.append(error)

        thread = Thread(target=register, daemon=True)
        thread.start()
        thread.join(self.patience.scheduler / 3)
        if failed and isinstance(failed[0], FINAL):
            raise VersionError(f"a worker cannot import streed {current_version()}: {failed[0]}") from failed[
                0
            ]
        if failed:
            self.check()

    async def _delete_later(self) -> None:
        """Remove the variable once every worker has read that the solve is over."""
        await asyncio.sleep(self.patience.lease)
        with contextlib.suppress(Exception):
            self.client._send_to_scheduler({"op": "variable_delete", "name": self.name})

    # What the cluster is doing.

    def check(self) -> None:
        """Raise what is wrong with the client, the scheduler or the workers."""
        now, status = time.monotonic(), self.client.status
        if status == "connecting":
            raise SchedulerLostError("the connection to the scheduler is lost")
        if status != "running":
            raise ClientClosedError(f"the client is {status}")
        if now - self._heard > self.patience.scheduler:
            raise SchedulerLostError(f"the scheduler has not answered for {self.patience.scheduler:g} s")
        if self.threads:
            self._workers_seen = now
        elif now - self._workers_seen > self.patience.no_worker:
            raise NoWorkersError(f"there was no worker for {self.patience.no_worker:g} s")
        if now >= self._next_beat:
            self._beat()

    def publish(self, value: float) -> None:
        """Tell all workers of a better value."""
        if value < self.value:
            self.value = value
            self._beat()

    def _beat(self) -> None:
        self._next_beat = time.monotonic() + BEAT
        self.client.loop.add_callback(self._speak, self.value, next(self._beats))

    async def _speak(self, value: float, beat: int) -> None:
        scheduler, seconds = self.client.scheduler, self.patience.scheduler / 3
        with contextlib.suppress(Exception):  # `check` sees that nothing was heard
            await asyncio.wait_for(
                scheduler.variable_set(name=self.name, data=[value, beat], timeout=seconds), seconds
            )
            known = await asyncio.wait_for(scheduler.identity(), seconds)
            self._see(known["workers"])
            self._heard = time.monotonic()
            self._known.set()

    def _see(self, workers: dict[str, Any]) -> None:
        """Note which workers there are, and which of them have not been heard of."""
        latest = max((worker["last_seen"] for worker in workers.values()), default=0.0)
        latest = max(latest, time.time() if self._same_clock(latest) else 0.0)
        self._silent = {
            address
            for address, worker in workers.items()
            if latest - worker["last_seen"] > self.patience.silent
        }
        self._answering = [address for address in workers if address not in self._silent]
        own = [workers[address]["nthreads"] for address in self._answering]
        self.threads, self.width = sum(own), max(own, default=1)

    def _same_clock(self, latest: float) -> bool:
        """Whether the scheduler's clock agrees with ours: times of another machine may be apart."""
        return abs(time.time() - latest) < 4 * self.patience.silent

    # Pieces.

    @property
    def room(self) -> int:
        """How many more pieces may be out."""
        return max(1, self.threads) * self.patience.window - len(self._out)

    @property
    def busy(self) -> bool:
        """Whether a piece is out."""
        return bool(self._out)

    def submit(self, piece: Piece) -> None:
        """Send a piece out; its key is new, whatever was sent before."""
        key = f"{self.name}-{next(self._numbers)}"
        request = {
            "solve": self.name,
            "version": current_version(),
            "kind": piece.kind,
            "features": piece.features,
            "data": piece.data,
            "value": self.value,
            "slice": piece.slice,
            "lease": self.patience.lease,
        }
        where = self._where_to(piece.prefer)
        future = self.client.submit(
            run_piece, self._data, request, key=key, pure=False, retries=0, priority=piece.priority, **where
        )
        piece.future = future
        self._out[key] = piece
        self.counts["pieces"] += 1
        future.add_done_callback(lambda done: self._queue.put(("done", done.key)))

    def take(self, seconds: float) -> Iterator[tuple[Piece, dict[str, Any]]]:
        """Wait for answers, no longer than so many seconds for the first; failed pieces go out again."""
        self.check()
        self._pass_over_silent()
        wait = seconds
        while True:
            with contextlib.suppress(queue.Empty):
                what, told = self._queue.get(timeout=wait) if wait else self._queue.get_nowait()
                wait = 0.0
                if what == "told":
                    self._hear(told)
                elif told in self._out:
                    piece = self._out.pop(told)
                    answer = self._answer_of(piece)
                    if answer is not None:
                        yield piece, answer
                continue
            return

    def _hear(self, told: dict[str, Any]) -> None:
        if "value" in told:
            self.better.append(told["value"])
        else:
            self.state = told["state"]

    def _answer_of(self, piece: Piece) -> dict[str, Any] | None:
        """Return what a piece has brought; None if it failed and goes out again."""
        future, error = piece.future, None
        try:
            if future.status == "finished":
                answer: dict[str, Any] = future.result(timeout=10)
                if answer["why"] == "version":
                    raise VersionError(
                        f"a worker has streed {answer['have']}, the client has {current_version()}"
                    )
                self.counts["processor_seconds"] += answer["seconds"]
                return answer
            error = future.exception(timeout=5) if future.status == "error" else None
        except ClusterError:
            raise
        except Exception as lost:  # the answer was on a worker that is gone
            error = lost
        finally:
            future.release()
        self.check()
        self._again(piece, error)
        return None

    def _again(self, piece: Piece, error: BaseException | None) -> None:
        """Send a failed piece out again, unless there is no sense in it."""
        if isinstance(error, StreedError):
            raise error
        deaths = error.allowed_failures + 1 if type(error).__name__ == "KilledWorker" else 1  # type: ignore[union-attr]
        piece.tries += deaths
        said = f"{type(error).__name__}: {error}" if error is not None else "it was cancelled"
        if isinstance(error, ImportError):
            raise VersionError(f"a worker cannot import streed {current_version()}: {error}") from error
        if piece.tries >= self.patience.tries or isinstance(error, FINAL):
            raise PieceError(f"a piece of the search has failed {piece.tries} times; {said}") from error
        self.counts["repeated"] += 1
        piece.prefer = ""
        self.submit(piece)

    def _pass_over_silent(self) -> None:
        """Send all pieces out again, to those that answer, once that is not everybody, and once it is again.

        Also the pieces of others: they may wait for the problem, which only a silent worker had.
        """
        allowed = frozenset(self._answering) if self._silent else None
        if allowed == self._allowed or not self.threads:
            return
        self._allowed = allowed
        self._data = self._send_data()
        for key, piece in list(self._out.items()):
            del self._out[key]
            piece.future.release()
            piece.prefer = ""
            self.counts["repeated"] += 1
            self.submit(piece)
