"""Thresholds of a root, evaluated by workers: the search itself stays with the client.

The engine takes thresholds of the root in batches whose size does not depend on who evaluates them, and
merges their outcomes in order. So workers change nothing: with three levels, where nothing is cached, the
search takes the same steps as here. A batch has up to sixteen thresholds, and no more workers have something
to do.
"""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from streed.distributed.crew import Crew, Piece
from streed.distributed.patience import Patience
from streed.solver.engines import thresholds as engine

LOOK = 0.05
"""Seconds between two looks of the engine at its clock while workers evaluate a batch."""

HEADER, WIDTH = 4, 12
"""Numbers of a batch before its thresholds, and for each of them (``core/thresholds/search/remote.hpp``)."""

HERE = np.empty(0, np.int64)
"""Tells the engine to evaluate a batch itself."""


@dataclass(frozen=True)
class RemoteThresholds:
    """What a worker needs to evaluate thresholds of the root."""

    problem: engine.ThresholdProblem
    options: dict[str, Any]
    in_turns: ClassVar[bool] = False

    def open(self, n_threads: int) -> Any:
        """Make the table of the search; one thread evaluates a threshold."""
        options = {name: value for name, value in self.options.items() if name != "poll"}
        return engine.evaluator(self.problem, options | {"n_threads": 1, "time_limit": float("inf")})


class Helper:
    """Hands batches of thresholds to a cluster once a search has gone on for a while.

    Attributes
    ----------
    error : BaseException or None
        What has gone wrong; the search then ends by its callback `poll`.
    """

    def __init__(self, problem: RemoteThresholds, client: Any, patience: Patience, stack: ExitStack) -> None:
        self.error: BaseException | None = None
        self.crew: Crew | None = None
        self._problem, self._client, self._patience, self._stack = problem, client, patience, stack
        self._poll = problem.options.get("poll")
        self._began = time.monotonic()
        self._parts: list[NDArray[np.int64] | None] = []

    def __call__(self, batch: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Answer a batch; None as long as parts of it are out, an empty array if it is to be done here."""
        if self.error is not None:
            return None
        try:
            return self._answer(batch)
        except BaseException as error:  # it must not pass through the engine
            self.error = error
            return None

    def poll(self, state: dict[str, float]) -> bool:
        """Show the progress, and end the search where the cluster has failed."""
        return self.error is not None or bool(self._poll is not None and self._poll(state))

    def _answer(self, batch: NDArray[np.int64]) -> NDArray[np.int64] | None:
        tasks = (batch.size - HEADER) // WIDTH
        if not self._parts:
            if tasks < 2 or time.monotonic() - self._began < self._patience.start:
                return HERE
            self._send(batch, tasks)
        assert self.crew is not None
        for piece, answer in self.crew.take(LOOK):
            if answer["answers"] is None:  # it was ended, and nobody has said so: another attempt
                self.crew.submit(piece)
            else:
                self._parts[piece.features[0]] = answer["answers"]
        if any(part is None for part in self._parts):
            return None
        told = np.concatenate([part for part in self._parts if part is not None])
        self._parts = []
        return told

    def _send(self, batch: NDArray[np.int64], tasks: int) -> None:
        """Send a batch out in parts, two for each thread."""
        if self.crew is None:
            self.crew = self._stack.enter_context(Crew(self._client, self._problem, self._patience))
        n_parts = min(tasks, self._patience.window * max(1, self.crew.threads))
        header, rows = batch[:HEADER], batch[HEADER:].reshape(-1, WIDTH)
        parts = [np.concatenate([header, *part]) for part in np.array_split(rows, n_parts)]
        self._parts = [None] * n_parts
        for number, part in enumerate(parts):
            self.crew.submit(Piece("thresholds", [number], float("inf"), -number, data=part))


def search(
    problem: engine.ThresholdProblem, options: dict[str, Any], client: Any, patience: Patience
) -> dict[str, Any]:
    """Search over all thresholds, with workers that evaluate those of the root."""
    with ExitStack() as stack:
        helper = Helper(RemoteThresholds(problem, options), client, patience, stack)
        answer = engine.search_here(problem, options | {"poll": helper.poll}, helper)
        if helper.error is not None and not isinstance(helper.error, KeyboardInterrupt):
            raise helper.error
        if helper.crew is not None:
            answer["statistics"] |= {**helper.crew.counts, "threads": helper.crew.threads}
    return answer
