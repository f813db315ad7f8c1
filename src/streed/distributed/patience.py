"""How long a solve waits for a cluster, and how large the pieces are that it hands out: each number once."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Patience:
    """Times in seconds, and numbers of attempts.

    Attributes
    ----------
    start : float
        A search that ends locally within this time never meets the cluster.
    slice : float
        Processor time after which a piece comes back with what it has proven. A slice of a wall clock would
        end every piece on a busy machine.
    window : int
        Pieces per thread of the cluster that are out at a time: one in work, one that waits.
    no_worker : float
        Without any worker for so long, the solve ends with `NoWorkersError`.
    scheduler : float
        The scheduler must answer within this time.
    silent : float
        A worker that the scheduler has not heard of for so long is passed over: its pieces go to others.
    lease : float
        A search on a worker ends when its client has not been heard of for so long.
    tries : int
        Attempts of a piece that fails for a reason that may pass.
    """

    start: float = 0.25
    slice: float = 5.0
    window: int = 2
    no_worker: float = 30.0
    scheduler: float = 15.0
    silent: float = 15.0
    lease: float = 10.0
    tries: int = 4


DEFAULT = Patience()
