"""One time limit for the whole of tuning: so much for all folds, the rest for the last fit."""

from __future__ import annotations

import math
import time
from typing import NamedTuple

SHARE_OF_FOLDS = 0.5
"""Folds may take this share of the time limit. What they leave is for the last fit, which has to be proven on
all rows."""

SECONDS_PER_CELL, LEAST_SHARE = 1e-7, 0.1
"""The last fit takes so many seconds for each cell of a large table besides its search: 1.6 s for a million
rows and 20 mixed columns. The folds leave it these, but keep a share of the time limit."""

LEAST_SECONDS = 1e-3
"""The first fold and the last fit are made in any case: this is enough for a greedy tree of a small table."""


class Clock(NamedTuple):
    """Ends of the folds and of all, on the clock that all processes of a machine share."""

    folds: float
    everything: float
    n_jobs: int
    """Number of fits on folds."""
    at_once: int
    """Fits on folds at the same time."""

    @classmethod
    def start(cls, time_limit: float | None, n_jobs: int, at_once: int, n_cells: int = 0) -> Clock:
        """Begin to count, for a table of so many cells."""
        limit = math.inf if time_limit is None else time_limit
        now = time.monotonic()
        folds = min(SHARE_OF_FOLDS * limit, max(limit - SECONDS_PER_CELL * n_cells, LEAST_SHARE * limit))
        return cls(now + folds, now + limit, n_jobs, at_once)

    def seconds(self, job: int) -> float | None:
        """Return the seconds for a fit on a fold, an equal share of what is left; None if the time is up.

        Examples
        --------
        >>> Clock.start(None, 10, 1).seconds(3)
        inf
        >>> ends = time.monotonic()
        >>> Clock(ends, ends, 10, 1).seconds(3), Clock(ends, ends, 10, 1).seconds(0)
        (None, 0.001)
        """
        left = self.folds - time.monotonic()
        if left <= 0:
            return LEAST_SECONDS if job == 0 else None
        return left / math.ceil((self.n_jobs - job) / self.at_once)

    def rest(self) -> float | None:
        """Return the seconds for the last fit; None: no limit."""
        left = max(self.everything - time.monotonic(), LEAST_SECONDS)
        return None if left == math.inf else left
