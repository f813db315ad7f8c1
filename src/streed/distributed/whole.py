"""What is not made of pieces: a whole search, or a whole solve, on one worker."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from streed.distributed.board import STOP
from streed.distributed.crew import Crew, Piece
from streed.distributed.patience import Patience
from streed.errors import InterruptedWarning, warn_caller
from streed.solver.engines import priced
from streed.solver.progress import live_display
from streed.tasks.forms import OneValue
from streed.tree.result import Progress, Result, relative_gap

LOOK, GRACE = 0.1, 0.4
"""Seconds between two looks, and for the worker to hand over its best tree when a limit has ended it."""

STATE = ("elapsed", "objective", "lower_bound", "root_done", "memory")

Told = Callable[[list[float]], bool]


@dataclass(frozen=True)
class PricedSearch:
    """A search without a depth, as `streed.solver.engines.priced` makes it."""

    form: OneValue
    rows: NDArray[np.uint8]
    options: dict[str, Any]
    in_turns: ClassVar[bool] = False

    def open(self, n_threads: int) -> PricedSearch:
        """Return itself: nothing stays from piece to piece, and it has one thread."""
        return self

    def run(self, told: Told) -> dict[str, Any]:
        """Search on a worker."""
        options = {**self.options, "poll": lambda state: told([state[name] for name in STATE])}
        return priced.search_here(self.form, self.rows, options)


@dataclass(frozen=True)
class WholeSolve:
    """A solve: `call` makes it, within limits of its own, and takes a progress callback."""

    call: Callable[..., Result]
    in_turns: ClassVar[bool] = False

    def open(self, n_threads: int) -> WholeSolve:
        """Return itself: nothing stays from piece to piece, and it has one thread."""
        return self

    def run(self, told: Told) -> Result:
        """Solve on a worker."""

        def watch(now: Progress) -> bool:
            return told([now.elapsed, _number(now.objective), now.lower_bound, now.root_done, now.memory])

        return self.call(progress=watch)


def _number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else math.nan


def run(
    problem: Any, client: Any, patience: Patience, seconds: float, poll: Callable[[list[float]], bool]
) -> tuple[Any, str]:
    """Let one worker do it; returns its answer, or None, and why the wait has ended.

    `seconds` are those that are left. At a limit, on Ctrl-C, and where `poll` returns True, the worker is
    asked for its best tree, and has a moment for that.
    """
    began, why = time.monotonic(), "optimal"
    with Crew(client, problem, patience) as crew:
        crew.submit(Piece("whole", [], math.inf))
        try:
            while why == "optimal":
                for _, answer in crew.take(LOOK):
                    return answer["answer"], why
                if crew.state is not None and poll(crew.state):
                    why = "interrupted"
                if time.monotonic() - began > seconds:
                    why = "time_limit"
        except KeyboardInterrupt:
            why = "interrupted"
        crew.publish(STOP)
        until = time.monotonic() + GRACE
        while time.monotonic() < until:
            for _, answer in crew.take(0.02):
                return answer["answer"], why
    return None, why


def solve(
    begin: Callable[[float], Result],
    go_on: Callable[[float], Callable[..., Result]],
    client: Any,
    patience: Patience,
    time_limit: float,
    progress: Any,
) -> Result:
    """Begin a solve here, and let one worker do it all if that takes long.

    ``begin(seconds)`` solves here within a time limit, ``go_on(seconds)`` is the call for the worker.
    """
    began = time.perf_counter()
    start = begin(min(patience.start, time_limit))
    left = time_limit - (time.perf_counter() - began)
    if start.status != "time_limit" or left <= 0:
        return start
    show = live_display() if progress is True else progress

    def told(state: list[float]) -> bool:
        if not callable(show):
            return False
        elapsed, objective, bound, done, memory = state
        return bool(show(Progress(elapsed, objective, bound, relative_gap(objective, bound), done, memory)))

    result, why = run(WholeSolve(go_on(left)), client, patience, left, told)
    result = start if result is None else result
    if not result.optimal and why != "optimal":
        result = replace(result, status=why)
    if result.status == "interrupted":
        warn_caller("the search was interrupted: the tree is the best one so far", InterruptedWarning)
    return replace(result, seconds=time.perf_counter() - began)
