"""Searches that somebody else leads: while a leader is set, it answers instead of the engine.

So every strategy can use a cluster, also those that make several searches, and none of them knows of it. A
leader belongs to one solve: a context variable is seen by nothing else that runs at the same time.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from streed.options import Limits
from streed.tasks.forms import OneValue
from streed.tree.result import Result

if TYPE_CHECKING:
    from streed.solver.engines.thresholds import ThresholdProblem


class Leader(Protocol):
    """Who answers for the engine; the arguments and answers are those of the engine's searches."""

    def whole(
        self,
        task: Any,
        rows: NDArray[np.uint8],
        names: Sequence[str] | None,
        limits: Limits,
        progress: object,
    ) -> Result | None:
        """Solve a whole task elsewhere; None if its searches are led one by one."""

    def by_depth(
        self, form: OneValue, rows: NDArray[np.uint8], name: str, options: dict[str, Any]
    ) -> dict[str, Any]:
        """Search the tree of least cost up to a depth."""

    def thresholds(self, problem: ThresholdProblem, options: dict[str, Any]) -> dict[str, Any]:
        """Search the tree of least cost over all thresholds."""

    def priced(self, form: OneValue, rows: NDArray[np.uint8], options: dict[str, Any]) -> dict[str, Any]:
        """Search the tree of least cost where branching nodes have a price."""


_LEADER: ContextVar[Leader | None] = ContextVar("streed_leader", default=None)


def leader() -> Leader | None:
    """Return who leads the searches of this solve; None: they run here."""
    return _LEADER.get()


@contextlib.contextmanager
def led_by(new: Leader | None) -> Iterator[None]:
    """Let somebody lead all searches that begin inside; None: they run here."""
    token = _LEADER.set(new)
    try:
        yield
    finally:
        _LEADER.reset(token)
