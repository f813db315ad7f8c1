"""Whatever happens to workers, scheduler and clients, a solve ends: with the same tree or a typed error."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import streed
from streed.distributed import (
    ClientClosedError,
    ClusterError,
    Patience,
    PieceError,
    SchedulerLostError,
    VersionError,
)
from streed.tasks.base import LeafFunction, Lowered
from tests.distributed.support import MOST, bits, busy, by_hand, cluster, quiet_after, same_tree, took, within

pytest.importorskip("distributed", reason="Dask is not installed")

QUICK = Patience(start=0.01, slice=1.0, silent=4.0, no_worker=5.0, scheduler=6.0)
IDLE_WITHIN = 1.0
"""Seconds after which no worker works any more for a client that is gone; those of a busy machine on top."""

X, Y = bits(3, 1500, 40)
DEPTH = 6
HARD, LABELS = bits(3, 3000, 70)


@pytest.fixture(scope="module")
def local() -> streed.Result:
    """The result of a local solve."""
    return streed.solve(streed.tasks.Accuracy(Y), X, max_depth=DEPTH)


def shared(client: Any, patience: Patience = QUICK, **more: Any) -> streed.Result:
    """Solve the problem of `local` on a cluster."""
    result: streed.Result = within(
        lambda: streed.distributed.solve(
            streed.tasks.Accuracy(Y), X, client=client, max_depth=DEPTH, patience=patience, **more
        )
    )
    return result


def endless(client: Any, **more: Any) -> streed.Result:
    """Begin a solve that takes hours."""
    result: streed.Result = streed.distributed.solve(
        streed.tasks.Accuracy(LABELS), HARD, client=client, max_depth=8, patience=QUICK, **more
    )
    return result


def meanwhile(client: Any, act: Callable[[], object]) -> threading.Thread:
    """Do something once a worker is at work."""

    def run() -> None:
        busy(client)
        act()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread


def processes(client: Any) -> list[int]:
    return list(client.run(os.getpid).values())


def end(number: int, how: signal.Signals = signal.SIGKILL) -> None:
    os.kill(number, how)


def test_workers_are_killed_twice(client: Any, local: streed.Result) -> None:
    first, second = processes(client)

    def kill() -> None:
        end(first)
        time.sleep(0.5)
        end(second)

    undisturbed = shared(client).seconds
    acting = meanwhile(client, kill)
    result = shared(client)
    assert same_tree(result, local)
    took("a solve with two workers killed", result.seconds, 2 * undisturbed + 5)  # and two new processes
    acting.join(30)


def test_a_worker_stops_without_a_word(client: Any, local: streed.Result) -> None:
    stopped = processes(client)[0]
    acting = meanwhile(client, lambda: end(stopped, signal.SIGSTOP))
    try:
        result = shared(client)
        assert same_tree(result, local)
        took("a solve with a stopped worker", result.seconds, QUICK.silent + 30)
    finally:
        acting.join(30)
        end(stopped, signal.SIGCONT)


def test_a_worker_is_restarted_by_its_nanny(client: Any, local: streed.Result) -> None:
    address = next(iter(client.scheduler_info()["workers"]))

    def restart() -> None:
        with contextlib.suppress(TimeoutError):  # on a busy machine a new process may be late, or never begin
            client.restart_workers([address], timeout=30)

    acting = meanwhile(client, restart)
    assert same_tree(shared(client), local)
    acting.join(60)


def test_workers_come_late_and_may_have_no_work(workers: Any, client: Any, local: streed.Result) -> None:
    acting = meanwhile(client, lambda: workers.scale(3))
    try:
        assert same_tree(shared(client), local)
        acting.join(30)
        client.wait_for_workers(3, timeout=60)
        assert same_tree(shared(client, Patience(start=0.01, window=1)), local)
    finally:
        workers.scale(2)


def test_two_solves_at_once_from_threads_and_from_clients(
    workers: Any, client: Any, local: streed.Result
) -> None:
    from distributed import Client

    with Client(workers.scheduler_address, set_as_default=False) as other:
        results: list[streed.Result] = []
        threads = [
            threading.Thread(target=lambda c=c: results.append(shared(c)), daemon=True)
            for c in (client, client, other)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(MOST)
        assert len(results) == 3
        assert all(same_tree(result, local) for result in results)


def test_a_time_limit_is_kept(client: Any) -> None:
    result = within(lambda: endless(client, time_limit=2.0))
    assert result.status == "time_limit"
    assert result.lower_bound <= result.objective
    took("a time limit of two seconds", result.seconds, 2.5)
    took("idle after a time limit", quiet_after(client), IDLE_WITHIN)


def test_a_client_is_closed(workers: Any, client: Any) -> None:
    from distributed import Client

    other = Client(workers.scheduler_address, set_as_default=False)
    acting = meanwhile(client, other.close)
    with pytest.raises(ClientClosedError):
        within(lambda: endless(other))
    took("idle after a client was closed", quiet_after(client), IDLE_WITHIN)
    acting.join(30)


PROGRAM = """
import sys
import streed
from distributed import Client
from tests.distributed.test_faults import endless
if __name__ == "__main__":
    with Client(sys.argv[1]) as client:
        result = endless(client)
        print(result.status, flush=True)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_a_client_is_ended(workers: Any, client: Any, how: signal.Signals) -> None:
    program = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, workers.scheduler_address],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        busy(client)
        time.sleep(0.5)
        program.send_signal(how)
        took("idle after a client was ended", quiet_after(client), IDLE_WITHIN)
        said, _ = program.communicate(timeout=60)
    finally:
        program.kill()
    assert said.strip() == ("interrupted" if how is signal.SIGINT else "")


def test_the_scheduler_is_gone(tmp_path: Path) -> None:
    with by_hand(tmp_path) as (own, scheduler):
        killed: list[float] = []

        def kill() -> None:
            scheduler.kill()
            killed.append(time.monotonic())

        acting = meanwhile(own, kill)
        with pytest.raises((SchedulerLostError, ClientClosedError)):
            within(lambda: endless(own))
        acting.join(30)
        took("the error after the scheduler was killed", time.monotonic() - killed[0], 5)


class Unsendable(streed.tasks.Accuracy):
    """A task with a lock: nothing that has one can be pickled."""

    def lower(self) -> Any:
        """Give a form with a function that holds the lock."""
        lock = threading.Lock()

        def cost(sums: Any) -> Any:
            with lock:
                return sums[0] * (1 - sums[0] / (sums[0] + sums[1] + 1e-9))

        counts = np.column_stack([Y == 0, Y == 1]).astype(float)
        return Lowered(LeafFunction(counts, cost, 1), np.array([0]))


def test_a_task_that_cannot_be_pickled(client: Any) -> None:
    with pytest.raises(PieceError, match="cannot be sent"):
        within(
            lambda: streed.distributed.solve(
                Unsendable(Y), X, client=client, max_depth=3, patience=Patience(start=1e-4)
            )
        )


def test_a_piece_that_ends_every_worker(
    workers: Any, client: Any, local: streed.Result, monkeypatch: Any
) -> None:
    """A typed error, and the cluster works afterwards."""
    from streed.distributed import crew

    with monkeypatch.context() as patched:
        patched.setattr(crew, "run_piece", lambda *_: os._exit(1))
        with pytest.raises(ClusterError):
            shared(client)
    workers.scale(2)  # nannies do not bring every worker back
    client.wait_for_workers(1, timeout=60)
    assert same_tree(shared(client), local)


def test_a_worker_with_another_version(client: Any, monkeypatch: Any) -> None:
    from streed.distributed import crew

    monkeypatch.setattr(crew, "current_version", lambda: "0.0.1")
    with pytest.raises(VersionError, match=r"a worker has streed .*, the client has 0\.0\.1"):
        shared(client)


def test_a_worker_without_streed(client: Any, monkeypatch: Any) -> None:
    from streed.distributed import crew

    def missing(*_: object) -> None:
        raise ModuleNotFoundError("No module named 'streed'")

    monkeypatch.setattr(crew, "run_piece", missing)
    with pytest.raises(VersionError, match="cannot import streed"):
        shared(client)


def test_there_is_no_worker(local: streed.Result) -> None:
    from distributed import Client

    running = cluster(0)
    try:
        with (
            Client(running.scheduler_address, set_as_default=False, timeout=60) as own,
            pytest.raises(streed.distributed.NoWorkersError, match="no worker for 5 s"),
        ):
            shared(own)
    finally:
        within(lambda: running.close(timeout=30), 60)
