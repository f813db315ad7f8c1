"""The general search: the paper's recursion for any six components, with cache, bounds, limits and a clock.

It computes what `streed.reference.solve` computes. What is added: each state is solved once for every depth
and node budget (where states can be hashed); a split is left out when the bounds of its children, joined, are
covered by a value that is already known; depth 0, 1, 2, ... are solved in turn, so that at every moment the
best trees so far exist; and every call of the task goes through `Guard`.

Only ≻ is used to compare and only ⊕ to join, never a subtraction, so that values may be of any kind. Bounds
are sound because ⊕ preserves the order: if u covers lower(left) ⊕ lower(right) ⊕ g, it covers every tree
with that split. Weak preservation is enough for the values of the front to be right: if v ≻ v' implies only
that v ⊕ w is better than *or equal to* v' ⊕ w (as with max), no value is lost, only some of its trees.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any, NamedTuple

from streed.errors import TaskError
from streed.reference import Components, NestedTree
from streed.solver.general.guard import Guard
from streed.tree.result import show


class Entry(NamedTuple):
    """A value and the tree that has it; trees hold positions of features and labels."""

    value: Any
    tree: NestedTree


class Stop(Exception):  # noqa: N818
    """Ends the search; the argument is the status of the result."""


class Clock:
    """Stops the search at its deadline, and calls `poll` about ten times a second."""

    def __init__(self, started: float, time_limit: float, poll: Callable[[float], bool] | None) -> None:
        self.started = started
        self._deadline = started + time_limit
        self._poll = poll
        self._next = started + 0.1
        self.running = False

    def tick(self) -> None:
        """Raise `Stop` when time is up or `poll` returns True; does nothing until `running` is set."""
        if not self.running:
            return
        now = time.perf_counter()
        if now >= self._deadline:
            raise Stop("time_limit")
        if self._poll is not None and now >= self._next:
            self._next = now + 0.1
            if self._poll(now - self.started):
                raise Stop("interrupted")


class GeneralSearch:
    """One search: `best` holds the best trees so far, at every moment."""

    def __init__(self, task: Components[Any, Any], clock: Clock, memory_limit: int = 0) -> None:
        self.task = task
        self.clock = clock
        self.guard = Guard(task, clock.tick)
        self.best: list[Entry] = []
        self.root_done = 0.0
        self.bound: Any | None = None
        self.memory = 0
        self.solved = 0
        self._memory_limit = memory_limit or sys.maxsize
        self._cache: dict[Any, list[Entry]] = {}
        self._merges = 0

    def run(self, max_depth: int, max_nodes: int) -> str:
        """Search up to a depth and return the status; the clock starts after the leaves of the root."""
        root = self.task.initial_state
        try:
            self.best = list(self._leaves(root))
            self.bound = self.guard.bound(root)
            self.clock.running = True
            for depth in range(1, max_depth + 1):
                nodes = min(max_nodes, 2**depth - 1)
                if depth > nodes or self._settled(self.best, self.bound):
                    break
                for done in range(len(self.task.features)):
                    self._split(self.best, root, done, depth, nodes)
                    self.root_done = (done + 1) / len(self.task.features) if depth == max_depth else 0.0
            self.root_done = 1.0
        except Stop as stop:
            return str(stop)
        except KeyboardInterrupt:
            if not self.best:
                raise
            return "interrupted"
        finally:
            self.clock.running = False
        return "optimal"

    def _front(self, state: Any, depth: int, nodes: int) -> list[Entry]:
        """T(s, d, n) of the paper: the nondominated trees of a state within a depth and a node budget."""
        nodes = min(nodes, 2**depth - 1)
        depth = min(depth, nodes)
        key = self._key(state, depth, nodes)
        if key in self._cache:
            return self._cache[key]
        if depth == 0:
            front = self._leaves(state)
        else:
            front = list(self._front(state, 0, 0))
            if not self._settled(front, self.guard.bound(state)):
                for feature in range(len(self.task.features)):
                    self._split(front, state, feature, depth, nodes)
        self._store(key, front)
        return front

    def _leaves(self, state: Any) -> list[Entry]:
        front: list[Entry] = []
        for position, label in enumerate(self.task.labels):
            self._add(front, Entry(self.guard.leaf(state, label), position), state)
        return front

    def _split(self, front: list[Entry], state: Any, position: int, depth: int, nodes: int) -> None:
        """Add to a front all trees that branch on one feature, for every division of the node budget."""
        feature = self.task.features[position]
        branch = self.guard.branch(state, feature)
        left, right = (self.guard.child(state, feature, side) for side in (False, True))
        for left_nodes, right_nodes in divisions(depth, nodes):
            known = self._known(right, depth - 1, right_nodes)
            if self._useless(front, self._known(left, depth - 1, left_nodes), known, branch):
                continue
            lefts = self._front(left, depth - 1, left_nodes)
            if not lefts or self._useless(front, [entry.value for entry in lefts], known, branch):
                continue
            rights = self._front(right, depth - 1, right_nodes)
            self._watch_order((left, right), (lefts, rights), branch)
            for a in lefts:
                for b in rights:
                    value = self.guard.join(a.value, b.value, branch)
                    self._add(front, Entry(value, (position, a.tree, b.tree)), state)

    def _add(self, front: list[Entry], new: Entry, state: Any) -> None:
        """Keep what is feasible and not dominated, the first one of equal values."""
        guard = self.guard
        for old in front:
            if guard.equal(old.value, new.value):
                return
            if guard.better(old.value, new.value):
                return
        if guard.feasible(new.value, state):
            front[:] = [old for old in front if not guard.better(new.value, old.value)] + [new]

    def _settled(self, front: list[Entry], bound: Any | None) -> bool:
        """Whether a value is known that is as good as the bound, so that nothing better exists."""
        return bound is not None and any(self.guard.covers(entry.value, bound) for entry in front)

    def _known(self, state: Any, depth: int, nodes: int) -> list[Any] | None:
        """Values of which one covers each tree of a state: its front if that is known, else its bound."""
        nodes = min(nodes, 2**depth - 1)
        front = self._cache.get(self._key(state, min(depth, nodes), nodes))
        if front is not None:
            return [entry.value for entry in front]
        bound = self.guard.bound(state)
        return None if bound is None else [bound]

    def _useless(
        self, front: list[Entry], lefts: list[Any] | None, rights: list[Any] | None, branch: Any
    ) -> bool:
        """Whether the front covers every join of the two; more than 16 joins are not compared."""
        if lefts is None or rights is None:
            return False
        if len(lefts) * len(rights) > 16:
            return False
        joined = (self.guard.join(left, right, branch) for left in lefts for right in rights)
        return all(any(self.guard.covers(entry.value, value) for entry in front) for value in joined)

    def _watch_order(
        self, states: tuple[Any, Any], fronts: tuple[list[Entry], list[Entry]], branch: Any
    ) -> None:
        """See, at the 1st, 2nd, 4th, ... merge, that no leaf that a child has dropped would win here."""
        self._merges += 1
        if not all(fronts) or self._merges & (self._merges - 1):
            return
        guard = self.guard
        for side, label in product((0, 1), self.task.labels):
            dropped, other = guard.leaf(states[side], label), fronts[1 - side][0].value
            for kept in fronts[side]:
                if guard.better(kept.value, dropped):
                    pairs = [(v, other) if side == 0 else (other, v) for v in (kept.value, dropped)]
                    above, below = (guard.join(*pair, branch) for pair in pairs)
                    if guard.better(below, above) and not guard.close(above, below):
                        self._refuse_order((kept.value, dropped, other), (above, below))

    def _refuse_order(self, values: tuple[Any, Any, Any], joined: tuple[Any, Any]) -> None:
        kept, dropped, other = map(show, values)
        raise TaskError(
            f"{self.task.name}: combine does not preserve the order: {kept} is better than {dropped}, but "
            f"joined with {other} they become {show(joined[0])} and {show(joined[1])}, and the second is "
            "better now; see streed.check_separable"
        )

    def _key(self, state: Any, depth: int, nodes: int) -> Any:
        key = self.guard.key(state)
        return None if key is None else (key, depth, nodes)

    def _store(self, key: Any, front: list[Entry]) -> None:
        """Remember a front, as long as the (roughly counted) memory lasts."""
        self.solved += 1
        if key is None:
            return
        size = sys.getsizeof(key[0]) + 250 + 150 * len(front)
        if self.memory + size <= self._memory_limit:
            self.memory += size
            self._cache[key] = front


def divisions(depth: int, nodes: int) -> Iterator[tuple[int, int]]:
    """Yield all ways to divide a node budget between two subtrees of one level less.

    Examples
    --------
    >>> list(divisions(2, 3)), list(divisions(2, 2))
    ([(1, 1)], [(0, 1), (1, 0)])
    """
    most = 2 ** (depth - 1) - 1
    for left in range(max(0, nodes - 1 - most), min(nodes - 1, most) + 1):
        yield left, min(nodes - 1 - left, most)
