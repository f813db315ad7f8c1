"""What a worker does: one piece of a search, until it is solved or somebody says that it is not wanted."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from distributed import get_worker
from distributed.worker import thread_state

from streed.distributed.board import Solve, board_of
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
    """

    def __init__(self, worker: Any, solve: Solve, request: dict[str, Any]) -> None:
        self.why = "done"
        self._worker, self._solve, self._request = worker, solve, request
        self._key = thread_state.key
        self._began = time.thread_time()
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
        elif self.processor_time > self._request["slice"]:
            self.why = "slice"
        return self.why != "done"

    @property
    def processor_time(self) -> float:
        """Seconds of processor time since the piece began."""
        return time.thread_time() - self._began

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
    with board.taking(request["solve"], problem.open) as (solve, search):
        watch = Watch(worker, solve, request)
        answer = KINDS[request["kind"]](search, request, solve, watch)
    return answer | {"why": watch.why, "seconds": watch.processor_time, "worker": worker.address}


def _roots(search: Any, request: dict[str, Any], solve: Solve, watch: Watch) -> dict[str, Any]:
    """Solve trees that begin with some features of a root."""
    root = search.root
    root.lower(request["value"])

    def poll(state: dict[str, float]) -> bool:
        root.lower(solve.value)
        watch.tell(root.ceiling)
        return watch.unwanted()

    if not poll({}):
        answer: dict[str, Any] = root.solve_roots(request["features"], poll)
        watch.tell(root.ceiling)
        return answer
    return {"bounds": [-math.inf] * len(request["features"]), "ceiling": root.ceiling, "tree": None}


def _rebuild(search: Any, request: dict[str, Any], solve: Solve, watch: Watch) -> dict[str, Any]:
    """Build the tree of a value that is proven, by the rule that every search keeps."""
    answer = search.root.rebuild(request["value"], request["features"], lambda _: watch.unwanted())
    return {"answer": answer}


def _whole(search: Any, request: dict[str, Any], solve: Solve, watch: Watch) -> dict[str, Any]:
    """Do a whole search, which no other worker takes part in."""

    def poll(state: list[float]) -> bool:
        watch.relay(state)
        return watch.unwanted()

    return {"answer": search.run(poll)}


KINDS: dict[str, Callable[[Any, dict[str, Any], Solve, Watch], dict[str, Any]]] = {
    "roots": _roots,
    "rebuild": _rebuild,
    "whole": _whole,
}
