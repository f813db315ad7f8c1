"""The root of a search by depth, shared out: the queue of its features, the proof, and the final tree."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from streed.distributed.crew import Crew, Piece
from streed.distributed.patience import Patience
from streed.distributed.problem import RootProblem
from streed.options import LEAST_SECONDS
from streed.solver.engines.by_depth import OpenRoot

LOOK = 0.1
"""Seconds between two looks at the clock, the progress callback and the crew."""

GRACE = 0.3
"""At a limit, workers have so many seconds to hand over the best tree that they have told of."""

AHEAD = 4
"""A piece has a feature for every so many that were sent out before it, so that the most promising ones,
which find better trees, go one by one."""

NODES = ("feature", "left", "right")


class SharedRoot:
    """One search by depth whose root is shared out.

    Attributes
    ----------
    value : float
        The best value that is known, in ticks.
    bounds : dict
        Of each feature, what trees that begin with it cost at least.
    """

    def __init__(self, start: dict[str, Any], opened: OpenRoot, crew: Crew) -> None:
        self.root, self.crew = opened.root, crew
        self.start = start
        self.order: list[int] = self.root.order()
        self.rank = {feature: k for k, feature in enumerate(self.order)}
        self.value = float(self.root.cost(*(start[name] for name in NODES)))
        self.bounds = dict.fromkeys(self.order, -math.inf)
        self.todo = list(self.order)
        self.slices: dict[int, float] = {}
        self.tree, self.tree_value = {name: start[name] for name in NODES}, self.value
        self.finder = ""
        self.sent = 0
        self.status = "optimal"
        crew.publish(self.value)

    # The proof.

    @property
    def open(self) -> list[int]:
        """The features that may begin a better tree, in order."""
        return [feature for feature in self.order if self.bounds[feature] < self.value]

    @property
    def lower_bound(self) -> float:
        """What any tree costs at least, in the unit of the costs."""
        known = min([self.value, *self.bounds.values()])
        bound = -math.inf if known == -math.inf else self.root.in_units(known)
        return max(float(self.start["lower_bound"]), bound)

    def state(self, elapsed: float) -> dict[str, float]:
        """Return what progress callbacks get."""
        return {
            "elapsed": elapsed,
            "objective": self.root.in_units(self.value),
            "lower_bound": self.lower_bound,
            "root_done": 1 - len(self.open) / max(1, len(self.order)),
            "memory": float(self.start["statistics"]["peak_memory"]),
        }

    def learn(self, piece: Piece, answer: dict[str, Any]) -> None:
        """Take what a piece has proven and found; what it left open is wanted again."""
        for feature, bound in zip(piece.features, answer["bounds"], strict=True):
            self.bounds[feature] = max(self.bounds[feature], float(bound))
        tree = answer["tree"]
        if tree is not None and tree["value"] < self.tree_value:
            self.tree, self.tree_value, self.finder = tree, tree["value"], answer["worker"]
        self.better(answer["ceiling"])
        if answer.get("status") == "memory_limit":
            self.status = "memory_limit"
        left = [feature for feature in piece.features if self.bounds[feature] < self.value]
        for feature in left:  # longer each time: it may have lost what it had begun
            alone = len(piece.features) <= self.crew.width
            self.slices[feature] = 2 * piece.slice if alone else piece.slice
        self.todo = sorted({*self.todo, *left}, key=self.rank.__getitem__)

    def better(self, value: float) -> None:
        """Take a better value, and tell everybody."""
        if value < self.value:
            self.value = value
            self.crew.publish(value)

    # The queue.

    def hand_out(self) -> None:
        """Send out pieces, the most promising ones first."""
        self.todo = [feature for feature in self.todo if self.bounds[feature] < self.value]
        while self.todo and self.crew.room > 0:
            again = self.todo[0] in self.slices
            share = len(self.todo) // (2 * max(1, self.crew.threads)) + 1
            size = 0 if again else min(1 + self.sent // AHEAD, share)
            size = max(size, self.crew.width)
            features, self.todo = self.todo[:size], self.todo[size:]
            self.sent += size
            seconds = self.slices.get(features[0], self.crew.patience.slice)
            self.crew.submit(Piece("roots", features, seconds, priority=-self.rank[features[0]]))

    def prove(self, ended: Callable[[], str]) -> None:
        """Share out the root until nothing is left, or until `ended` says why not."""
        while self.open and self.status == "optimal":
            self.hand_out()
            for piece, answer in self.crew.take(LOOK):
                self.learn(piece, answer)
            while self.crew.better:
                self.better(self.crew.better.pop())
            self.status = ended() if self.status == "optimal" else self.status

    # The end.

    def rebuild(self, ended: Callable[[], str]) -> dict[str, Any] | None:
        """Let a worker build the tree of the proven value by the fixed rule; None if a limit ends that.

        The worker that found it knows most of its subtrees; any other one searches for them again.
        """
        open_roots = [feature for feature in self.order if self.bounds[feature] <= self.value]
        self.crew.submit(Piece("rebuild", open_roots, math.inf, priority=1, prefer=self.finder))
        while self.crew.busy:
            for piece, answer in self.crew.take(LOOK):
                if piece.kind == "rebuild" and answer["why"] == "done":
                    built: dict[str, Any] = answer["answer"]
                    return built
            if ended() != "optimal":
                return None
        return None

    def collect(self) -> None:
        """Wait a moment for a tree that was told of but has not come yet."""
        until = time.monotonic() + GRACE
        self.crew.publish(-1e300)
        while self.tree_value > self.value and self.crew.busy and time.monotonic() < until:
            for piece, answer in self.crew.take(0.02):
                self.learn(piece, answer)

    def best(self) -> dict[str, Any]:
        """Count the best tree at hand."""
        if self.tree_value >= float(self.root.cost(*(self.start[name] for name in NODES))):
            return dict(self.start)
        return dict(self.root.finish(*(self.tree[name] for name in NODES)))


def search(
    start: dict[str, Any],
    problem: RootProblem,
    client: Any,
    options: dict[str, Any],
    patience: Patience,
    began: float,
) -> dict[str, Any]:
    """Finish a search that has begun locally, and answer as the engine does."""
    time_limit, poll = options["time_limit"], options.get("poll")
    last = began

    def ended() -> str:
        nonlocal last
        now = time.perf_counter()
        if now - began > time_limit:
            return "time_limit"
        if poll is not None and now - last >= LOOK:
            last = now
            if poll(shared.state(now - began)):
                return "interrupted"
        return "optimal"

    answer = None
    with Crew(client, problem, patience) as crew:
        shared = SharedRoot(start, problem.open(), crew)
        try:
            shared.prove(ended)
            if not shared.open:
                answer = shared.rebuild(ended)
            elif shared.tree_value > shared.value:
                shared.collect()
        except KeyboardInterrupt:
            shared.status = "interrupted"
    if answer is None:
        answer = shared.best()
        bound = min(shared.lower_bound, answer["objective"])
        proven = not shared.open and shared.tree_value <= shared.value
        answer |= {"lower_bound": answer["objective"] if proven else bound, "optimal": proven}
        answer["status"] = "optimal" if proven else shared.status
    figures = {**start["statistics"], **crew.counts, "threads": crew.threads}
    answer |= {"seconds": max(time.perf_counter() - began, LEAST_SECONDS), "statistics": figures}
    return answer
