"""What the tests of clusters share: problems, a cluster, and waits that end."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import streed

ARRAYS = ("feature", "left", "right", "label")
DRILL = bool(os.environ.get("STREED_DRILL"))
"""Whether the machine is idle and times count: `make drill`."""

MOST = 300.0
"""Seconds that anything here may take: a hang fails instead of waiting for ever."""


def cluster(n_workers: int, threads: int = 1, **more: Any) -> Any:
    """Start worker processes on loopback, without a dashboard."""
    from distributed import LocalCluster

    return LocalCluster(
        n_workers=n_workers,
        threads_per_worker=threads,
        processes=True,
        dashboard_address="127.0.0.1:0",
        host="127.0.0.1",
        memory_limit=0,
        silence_logs=50,
        **more,
    )


@contextlib.contextmanager
def by_hand(folder: Path) -> Iterator[tuple[Any, subprocess.Popen[bytes]]]:
    """Start a scheduler and a worker as programs of their own; gives a client and the scheduler's process."""
    from distributed import Client

    known = folder / "scheduler.json"
    common = ["--scheduler-file", str(known), "--host", "127.0.0.1"]
    lines = [
        ["dask_scheduler", *common, "--port", "0", "--no-dashboard", "--dashboard-address", "127.0.0.1:0"],
        [
            "dask_worker",
            *common,
            "--no-nanny",
            "--nthreads",
            "1",
            "--no-dashboard",
            "--local-directory",
            str(folder),
        ],
    ]
    programs = []
    try:
        for line in lines:
            command = [sys.executable, "-W", "ignore", "-m", f"distributed.cli.{line[0]}", *line[1:]]
            programs.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        began = time.monotonic()
        while not known.exists():
            assert time.monotonic() - began < MOST, "the scheduler has not begun"
            time.sleep(0.1)
        client = Client(scheduler_file=str(known), set_as_default=False, timeout=60)
        try:
            client.wait_for_workers(1, timeout=60)
            yield client, programs[0]
        finally:
            within(lambda: client.close(timeout=10), 60)
    finally:
        for program in programs:
            program.kill()
            program.wait(30)


def bits(seed: int, n: int, p: int) -> tuple[Any, Any]:
    """Return random rows with a parity of two features in the labels, and a third of them noise."""
    rng = np.random.default_rng(seed)
    X = rng.integers(2, size=(n, p)).astype(np.uint8)
    y = X[:, 0] ^ X[:, 1] ^ (rng.random(n) < 0.3)
    return X, y.astype(np.int64)


def within(call: Callable[[], Any], seconds: float = MOST) -> Any:
    """Return what a call returns, or raise what it raises; fail if it does neither in time."""
    got: list[Any] = []

    def run() -> None:
        try:
            got.append((call(), None))
        except BaseException as error:
            got.append((None, error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    assert got, f"nothing has happened for {seconds:g} s"
    value, error = got[0]
    if error is not None:
        raise error
    return value


def same_tree(one: streed.Result, other: streed.Result) -> bool:
    """Whether two results have the same tree and value."""
    trees = all(np.array_equal(getattr(one.tree, name), getattr(other.tree, name)) for name in ARRAYS)
    return trees and one.objective == other.objective


def took(what: str, seconds: float, most: float) -> None:
    """Show how long something took; only in a drill does that matter."""
    if DRILL:
        sys.stderr.write(f"\n{what}: {seconds:.2f} s (asked: {most:g} s)\n")
        assert seconds <= most, f"{what} took {seconds:.2f} s, not {most:g} s"


def at_work(client: Any) -> int:
    """Return how many tasks are in work."""
    return int(within(lambda: sum(map(len, client.run(_active, on_error="ignore").values())), 30))


def _active(dask_worker: Any) -> list[str]:
    return list(map(str, dask_worker.active_threads.values()))


def quiet_after(client: Any, seconds: float = 30.0) -> float:
    """Return after how many seconds no worker works any more."""
    began = time.monotonic()
    while time.monotonic() - began < seconds:
        if not at_work(client):
            return time.monotonic() - began
        time.sleep(0.05)
    raise AssertionError(f"workers were still at work after {seconds:g} s")


def busy(client: Any, seconds: float = 60.0) -> None:
    """Wait until a worker is at work."""
    began = time.monotonic()
    while not at_work(client):
        assert time.monotonic() - began < seconds, "no piece has begun"
        time.sleep(0.05)
