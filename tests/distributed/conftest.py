"""A cluster of processes on this machine, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.distributed.support import cluster, within


class Kept:
    """The cluster of tests that follow one another: a new one where a test has left it short of workers.

    Dask's nannies do not bring every worker back that was killed while it began.
    """

    def __init__(self) -> None:
        self._running: Any = None

    def cluster(self) -> Any:
        """Return a cluster with two workers of one thread each."""
        if self._running is not None and not self._complete():
            self.close()
        if self._running is None:
            self._running = cluster(2)
        return self._running

    def close(self) -> None:
        """End the cluster, if there is one."""
        running, self._running = self._running, None
        if running is not None:
            within(lambda: running.close(timeout=20), 60)

    def _complete(self) -> bool:
        from distributed import Client

        try:
            with Client(self._running.scheduler_address, set_as_default=False, timeout=10) as client:
                client.wait_for_workers(2, timeout=10)
        except (OSError, TimeoutError):
            return False
        return True


@pytest.fixture(scope="session")
def kept() -> Iterator[Kept]:
    """Keep one cluster from test to test."""
    one = Kept()
    yield one
    one.close()


@pytest.fixture
def workers(kept: Kept) -> Any:
    """Two worker processes with one thread each."""
    return kept.cluster()


@pytest.fixture
def client(workers: Any) -> Iterator[Any]:
    """A client of its own for each test; the workers are there, also after a test that ended some."""
    from distributed import Client

    with Client(workers.scheduler_address, set_as_default=False, timeout=60) as connected:
        connected.wait_for_workers(2, timeout=60)
        yield connected


@pytest.fixture
def local_threads() -> Iterator[Any]:
    """A client of one worker process with three threads."""
    from distributed import Client

    with (
        cluster(1, threads=3) as running,
        Client(running.scheduler_address, set_as_default=False, timeout=60) as connected,
    ):
        connected.wait_for_workers(1, timeout=60)
        yield connected
