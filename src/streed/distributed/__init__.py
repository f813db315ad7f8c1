"""One hard tree by the workers of a Dask cluster, and what can go wrong with one.

The client keeps the queue and the proof (`roots.py`), the engine's search stays on each worker from piece to
piece (``core/search/shared_root.hpp``), and `crew.py` is the protocol between them. Dask is imported on first
use: ``pip install streed[dask]``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from streed.distributed.errors import (
    ClientClosedError,
    ClusterError,
    NoWorkersError,
    PieceError,
    SchedulerLostError,
    VersionError,
)
from streed.distributed.patience import Patience

if TYPE_CHECKING:
    from streed.distributed.entry import solve

__all__ = [
    "ClientClosedError",
    "ClusterError",
    "NoWorkersError",
    "Patience",
    "PieceError",
    "SchedulerLostError",
    "VersionError",
    "solve",
]


def __getattr__(name: str) -> Any:
    if name != "solve":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        import_module("distributed")
    except ImportError as error:
        raise ImportError("streed.distributed needs Dask: pip install streed[dask]") from error
    found = import_module("streed.distributed.entry").solve
    globals()["solve"] = found
    return found
