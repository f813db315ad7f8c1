"""Timing of the call that counts, inside the process that makes it.

A short call is made several times, as `timeit` does: the first one after the data were loaded runs with cold
caches and would measure the memory of the machine more than the package. The limit is kept by the operating
system: an alarm signal with its default action ends the process even while native code runs that never looks
at a clock. The parent sees the signal and records a time-out.
"""

from __future__ import annotations

import gc
import resource
import signal
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

GRACE_SHARE = 0.05
GRACE_SECONDS = 1.0
SHORT_SECONDS = 0.1
SHORT_CALLS = 9


def kill_after(limit: float) -> float:
    """Seconds until the alarm: the limit and some grace for packages that keep the limit by themselves."""
    return limit * (1 + GRACE_SHARE) + GRACE_SECONDS


def peak_memory() -> int:
    """Greatest resident size of this process so far, in bytes.

    ``ru_maxrss`` also remembers the parent's size at the moment of the fork, so that Linux's own high-water
    mark is preferred.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def measure(call: Callable[[], object], limit: float) -> dict[str, Any]:
    """Make the call and return its wall time, processor time and the peak memory before and after.

    A call that takes less than `SHORT_SECONDS` is made `SHORT_CALLS` times, and the medians count; the time
    of the first one is kept beside them.
    """
    gc.collect()
    before = peak_memory()
    wall, processor = [], []
    for _ in range(SHORT_CALLS):
        seconds, used = time_once(call, limit)
        wall.append(seconds)
        processor.append(used)
        if wall[0] >= SHORT_SECONDS:
            break
    return {
        "seconds": statistics.median(wall),
        "first_seconds": wall[0],
        "cpu_seconds": statistics.median(processor),
        "memory_before": before,
        "peak_memory": peak_memory(),
    }


def processor_time(timing: dict[str, Any], *, proven: bool) -> dict[str, Any]:
    """Let the processor time count where the search has ended by itself; limits are kept in wall time."""
    return timing | {"seconds": timing["cpu_seconds"]} if proven else timing


def time_once(call: Callable[[], object], limit: float) -> tuple[float, float]:
    """Make the call once, with the alarm set; returns wall and processor time."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, kill_after(limit))
    processor = time.process_time()
    start = time.perf_counter()
    call()
    seconds = time.perf_counter() - start
    processor = time.process_time() - processor
    signal.setitimer(signal.ITIMER_REAL, 0)
    return seconds, processor
