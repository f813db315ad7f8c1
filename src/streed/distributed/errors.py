"""What can go wrong with a cluster; everything else raises what a local solve does."""

from __future__ import annotations

from streed.errors import StreedError


class ClusterError(StreedError):
    """A solve on a cluster cannot go on. The cluster can be used afterwards, as far as it is there."""


class NoWorkersError(ClusterError):
    """No worker was there for a while."""


class SchedulerLostError(ClusterError):
    """The scheduler is gone, or has not answered for a while."""


class ClientClosedError(ClusterError):
    """The client was closed while its solve was under way."""


class PieceError(ClusterError):
    """A piece of the search cannot be sent, fails on every worker, or ends every worker that takes it."""


class VersionError(ClusterError):
    """A worker has another version of streed than the client, or none."""
