"""How long a running search will take, from the share of the root that is done.

The searches over bits settle the root features that look best first, and these take longest: with a share of
f done, t / f is 2.7 times too much at the beginning, and 1.5 times where half is done. Measured in 22
searches of 0.2 to 5 s of processor time (accuracy, Gini, costs, squared errors; 12 to 445 features), t / f
exceeds the time that was taken by the factor 1 + 1.9 (1 - sqrt f), within 35 % in 19 of them. Intervals of
thresholds take equal times: there t / f is right within 50 % in 5 of 5 searches.

The memory of caches grows more slowly than time: like its root, from the second half of what was seen.
"""

from __future__ import annotations

import math
import time
from typing import NamedTuple

from streed.tree.result import Progress

EXCESS = 1.9
"""How much more than t / f the first features seem to need."""
LEAST_DONE = 0.002
"""With less of the root done nothing can be said."""


def whole_seconds(elapsed: float, root_done: float, *, even: bool) -> float:
    """Return the seconds that a search takes in all, at the pace of its beginning; NaN if that is not known.

    `even`: whether all parts of the root take about the same time.

    Examples
    --------
    >>> whole_seconds(10.0, 0.25, even=True), round(whole_seconds(10.0, 0.25, even=False), 1)
    (40.0, 20.5)
    """
    if root_done < LEAST_DONE:
        return math.nan
    excess = 1.0 if even else 1 + EXCESS * (1 - math.sqrt(root_done))
    return max(elapsed, elapsed / root_done / excess)


class Seen(NamedTuple):
    """A search at some time: processor seconds since it was first watched, and what `Progress` says."""

    seconds: float
    root_done: float
    memory: float


class Pace:
    """Watches a search, as a function for ``progress``, and says how long it will take.

    Parameters
    ----------
    most : float
        Processor seconds after which the search is stopped.

    Attributes
    ----------
    seen : list of Seen
        States of the search.
    total : float
        What `Progress.total` said at last.
    """

    def __init__(self, most: float = math.inf) -> None:
        self.started = time.process_time()
        self.most = most
        self.seen: list[Seen] = []
        self.total = math.nan

    def __call__(self, progress: Progress) -> bool:
        """Note the state of the search; True stops it."""
        seconds, self.total = time.process_time() - self.started, progress.total
        self.seen.append(Seen(seconds, progress.root_done, progress.memory))
        if len(self.seen) > 1000:  # every second one of a long search is enough
            del self.seen[1::2]
        return seconds > self.most

    def seconds(self, *, even: bool = False) -> float:
        """Return the processor seconds of the whole search, NaN if that is not known."""
        last = next((seen for seen in reversed(self.seen) if seen.root_done < 1), None)
        return math.nan if last is None else whole_seconds(last.seconds, last.root_done, even=even)

    def memory(self, whole: float) -> float:
        """Return the bytes of a search of `whole` seconds."""
        if not self.seen:
            return math.nan
        last = self.seen[-1]
        half = next((seen for seen in reversed(self.seen) if seen.seconds <= last.seconds / 2), last)
        if half is last or not whole > last.seconds:
            return last.memory
        rate = max(0.0, last.memory - half.memory) / (last.seconds - half.seconds)
        return last.memory + 2 * rate * last.seconds * (math.sqrt(whole / last.seconds) - 1)
