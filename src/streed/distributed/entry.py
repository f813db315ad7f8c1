"""`streed.distributed.solve`: as `streed.solve`, by the workers of a Dask cluster."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from numpy.typing import ArrayLike

from streed.distributed import whole
from streed.distributed.leader import ClusterLeader
from streed.distributed.patience import DEFAULT, Patience
from streed.options import check_limits
from streed.reference import Components
from streed.solver.led import led_by
from streed.solver.solve import solve as solve_here
from streed.tasks.base import Task
from streed.tree.result import Progress, Result


def checked_client(client: Any) -> Any:
    """Return the client; None: the one that was made last, as everywhere in Dask."""
    from distributed import default_client

    if client is None:
        try:
            client = default_client()
        except ValueError as error:
            raise ValueError("there is no Dask client: make one, or give client=") from error
    if getattr(client, "asynchronous", True) or not hasattr(client, "scheduler"):
        raise TypeError(f"client must be a distributed.Client that is not asynchronous, got {client!r}")
    return client


def solve(
    task: Task | Components[Any, Any],
    X: ArrayLike | None = None,
    *,
    client: Any = None,
    max_depth: int | None,
    max_nodes: int | None = None,
    min_samples_leaf: float = 1,
    time_limit: float | None = None,
    memory_limit: float | str | None = None,
    progress: bool | Callable[[Progress], object] = False,
    patience: Patience = DEFAULT,
) -> Result:
    """Find an optimal decision tree with the workers of a Dask cluster.

    The tree, its value and what is proven are those of `streed.solve`. A search that ends within a quarter
    of a second never meets the cluster. Searches for one value up to a depth are shared out by the first test
    of the tree: accuracy, costs, prices of tests, regression, policies, survival, and metrics such as F1.
    Other tasks (combinations, limits, fairness, general ones), and prices of nodes without a depth, run on
    one worker as a whole.

    Parameters
    ----------
    task : streed.tasks.Task or streed.reference.Components
        What to optimise, as in `streed.solve`. It is pickled for the workers.
    X : array-like of shape (n, n_features)
        Binary features.
    client : distributed.Client, optional
        The client of the cluster; by default the one that was made last.
    max_depth, max_nodes, min_samples_leaf : int
        As in `streed.solve`.
    time_limit : float, optional
        Seconds after which the best tree so far is returned; waiting for workers counts.
    memory_limit : float or str, optional
        Bytes that the solver's own structures may take, in each thread of each worker.
    progress : bool or callable, default=False
        As in `streed.solve`.
    patience : Patience, optional
        How long to wait for workers and for the scheduler, and how large pieces are.

    Returns
    -------
    Result
        As of `streed.solve`; its statistics have the number of ``pieces`` and their ``processor_seconds``.

    Raises
    ------
    ClusterError
        The cluster cannot go on: no workers, no scheduler, a closed client, workers with another version, or
        a task that no worker can take.
    """
    client = checked_client(client)
    limits: dict[str, Any] = {
        "max_depth": max_depth,
        "max_nodes": max_nodes,
        "min_samples_leaf": min_samples_leaf,
        "time_limit": time_limit,
        "memory_limit": memory_limit,
    }
    if isinstance(task, Components):
        return _components(task, X, client, limits, progress, patience)
    with led_by(ClusterLeader(client, patience)):
        return solve_here(task, X, **limits, progress=progress)


def _components(
    task: Components[Any, Any],
    X: Any,
    client: Any,
    limits: dict[str, Any],
    progress: Any,
    patience: Patience,
) -> Result:
    """Solve six components: they have no form, and go to one worker."""

    def begin(seconds: float) -> Result:
        return solve_here(task, X, **{**limits, "time_limit": seconds})

    def go_on(seconds: float) -> Callable[..., Result]:
        return partial(
            solve_here, task, X, **limits | {"time_limit": None if seconds == math.inf else seconds}
        )

    time_limit = check_limits(**limits).time_limit
    return whole.solve(begin, go_on, client, patience, time_limit, progress)


@contextlib.contextmanager
def on_cluster(client: Any) -> Iterator[None]:
    """Let the workers of a client make all searches inside; None: they run here."""
    if client is None:
        yield
        return
    with led_by(ClusterLeader(checked_client(client))):
        yield
