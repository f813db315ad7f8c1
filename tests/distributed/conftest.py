"""A cluster of processes on this machine, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.distributed.support import cluster


@pytest.fixture(scope="session")
def workers() -> Iterator[Any]:
    """Two worker processes with one thread each."""
    with cluster(2) as running:
        yield running


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
