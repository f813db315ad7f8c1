"""What a worker does: one piece of a search, until it is solved or somebody says that it is not wanted."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from distributed import get_worker
from distributed.worker import thread_state

from streed.distributed.board import PERIOD, Solve, board_of
from streed.versions import current_version

GONE = ("cancelled", "forgotten", "released")
"""States of the worker's own key that say that nobody wants its result: `Future.cancel` alone does not end a
thread, which left a worker busy for 19 s."""


class Watch:
    """The callback of a running piece: looks whether it is still wanted, and exchanges better values.

    Attributes
    ----------
    why : str
        Why the piece was ended: "done", "cancelled", "stopped", "lease", or "slice".
    n_threads : int
        How many threads it has.
    """

    def __init__(self, worker: Any, solve: Solve, request: dict[str, Any]) -> None:
        self.why = "done"
        self._worker, self._solve, self._request = worker, solve, request
        self._key = thread_state.key
        self.n_threads = 1
        self._began = self._thread_began = 0.0
        self._said = math.inf
        self._next_state = 0.0

    def unwanted(self) -> bool:
        """Whether the piece is to end now."""
        state = self._worker.state.tasks.get(self._key)
        if state is None or state.state in GONE:
            self.why = "cancelled"
        elif self._solve.over:
            self.why = "stopped"
        elif time.monotonic() - self._solve.heard > self._request["lease"]:
            self.why = "lease"
        elif self._began and time.thread_time() - self._thread_began > self._request["slice"]:
            self.why = "slice"
        return self.why != "done"

    def begin(self, n_threads: int) -> None:
        """Start the clocks of a piece whose turn has come."""
        self.n_threads = n_threads
        self._began, self._thread_began = time.process_time(), time.thread_time()

    @property
    def processor_time(self) -> float:
        """Seconds of processor time since the piece began, of all its threads."""
        if self.n_threads == 1:
            return time.thread_time() - self._thread_began if self._began else 0.0
        return time.process_time() - self._began

    def tell(self, value: float) -> None:
        """Tell the client of a better value."""
        if value < min(self._said, self._solve.value):
            self._said = value
            self._worker.log_event(self._request["solve"], {"value": value})

    def relay(self, state: list[float]) -> None:
        """Show the client how far the piece is, twice a second."""
        now = time.monotonic()
        if now >= self._next_state:
            self._next_state = now + 0.5
            self._worker.log_event(self._request["solve"], {"state": state})


def run_piece(problem: Any, request: dict[str, Any]) -> dict[str, Any]:
    """Do one piece. `request` names the solve, the version of its client, what is asked, and its limits."""
    if request["version"] != current_version():
        return {"why": "version", "have": current_version()}
    worker = get_worker()
    board = board_of(worker)
    board.lease = request["lease"]
    with board.taking(request["solve"]) as solve:
        watch = Watch(worker, solve, request)
        if problem.in_turns:
            answer = _in_turn(problem, request, solve, watch, worker.state.nthreads)
        else:
            answer = _alone(problem, request, solve, watch)
    return answer | {"why": watch.why, "seconds": watch.processor_time, "worker": worker.address}


def _in_turn(
    problem: Any, request: dict[str, Any], solve: Solve, watch: Watch, n_threads: int
) -> dict[str, Any]:
    """Do a piece when no other one of this solve is in work here, with the threads of those that wait."""
    while not solve.turn.acquire(timeout=PERIOD):
        if watch.unwanted():
            return _nothing(request, math.inf)
    try:
        if solve.search is None:
            solve.search = problem.open(n_threads)
        watch.begin(min(solve.using, n_threads))
        return KINDS[request["kind"]](solve.search, request, solve, watch)
    except BaseException:
        solve.search = None  # nobody knows in which state it is
        raise
    finally:
        solve.turn.release()


def _alone(problem: Any, request: dict[str, Any], solve: Solve, watch: Watch) -> dict[str, Any]:
    """Do a piece beside the others of this solve, by a search of its own."""
    try:
        search = solve.idle.pop()
    except IndexError:
        search = problem.open(1)
    watch.begin(1)
    answer = KINDS[request["kind"]](search, request, solve, watch)
    solve.idle.append(search)
    return answer


def _nothing(request: dict[str, Any], value: float) -> dict[str, Any]:
    """Answer for a piece that was not begun."""
    return {"bounds": [-math.inf] * len(request["features"]), "ceiling": value, "tree": None}


def _roots(search: Any, request: dict[str, Any], solve: Solve, watch: Watch) -> dict[str, Any]:
    """Solve trees that begin with some features of a root."""
    root = search.root
    root.lower(request["value"])

    def poll(state: dict[str, float]) -> bool:
        root.lower(solve.value)
        watch.tell(root.ceiling)
        return watch.unwanted()

    if poll({}):
        return _nothing(request, root.ceiling)
    answer: dict[str, Any] = root.solve_roots(request["features"], poll, watch.n_threads)
    watch.tell(root.ceiling)
    return answer


def _rebuild(search: Any, request: dict[str, Any], solve: Solve, watch: Watch) -> dict[str, Any]:
    """Build the tree of a value that is proven, by the rule that every search keeps."""
    answer = search.root.rebuild(request["value"], request["features"], lambda _: watch.unwanted())
    return {"answer": answer}


def _thresholds(search: Any, request: dict[str, Any], solve: Solve, watch: Watch) -> dict[str, Any]:
    """Evaluate thresholds of a root."""
    return {"answers": search.evaluate(request["data"], lambda _: watch.unwanted())}


def _whole(search: Any, request: dict[str, Any], solve: Solve, watch: Watch) -> dict[str, Any]:
    """Do a whole search, which no other worker takes part in."""

    def poll(state: list[float]) -> bool:
        watch.relay(state)
        return watch.unwanted()

    return {"answer": search.run(poll)}


KINDS: dict[str, Callable[[Any, dict[str, Any], Solve, Watch], dict[str, Any]]] = {
    "roots": _roots,
    "rebuild": _rebuild,
    "thresholds": _thresholds,
    "whole": _whole,
}
