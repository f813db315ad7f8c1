"""One search for one value as plain bytes, and back on a worker."""

from __future__ import annotations

from dataclasses import dataclass, is_dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from streed.distributed.errors import PieceError
from streed.solver.engines import by_depth
from streed.tasks.forms import OneValue


@dataclass(frozen=True)
class RootProblem:
    """What every worker needs of a search by depth.

    Attributes
    ----------
    form : OneValue
        Leaves and prices; what only the finished tree needs is left out.
    bits : uint8 array
        The rows, eight features in a byte.
    shape : tuple of int
        Rows and features.
    name : str
        What errors call the task.
    options : dict
        Limits of the search.
    """

    form: OneValue
    bits: NDArray[np.uint8]
    shape: tuple[int, int]
    name: str
    options: dict[str, Any]
    in_turns: ClassVar[bool] = True
    """Pieces of a worker use one search, with the threads of all of them."""

    @classmethod
    def make(cls, form: OneValue, rows: NDArray[np.uint8], name: str, options: dict[str, Any]) -> RootProblem:
        """Keep what a worker needs, which has no limit of time."""
        leaf: Any = form.leaf
        if is_dataclass(leaf) and not isinstance(leaf, type):
            leaf = replace(leaf, losses=None)  # of the rows themselves: the finished tree is counted by it
        lean = OneValue(
            leaf, form.classes, form.branch_cost, prices=form.prices, combination=form.combination
        )
        own = {key: value for key, value in options.items() if key != "poll"}
        own["time_limit"] = float("inf")
        return cls(lean, np.packbits(rows), (rows.shape[0], rows.shape[1]), name, own)

    def open(self, n_threads: int = 1) -> by_depth.OpenRoot:
        """Reduce the problem, ready for pieces by so many threads."""
        n_rows, n_features = self.shape
        rows = np.unpackbits(self.bits, count=n_rows * n_features).reshape(n_rows, n_features)
        return by_depth.share(self.form, rows, self.name, self.options | {"n_threads": n_threads})


def pack(problem: Any) -> bytes:
    """Make a problem bytes; a task that cannot be sent to a worker is refused here."""
    import cloudpickle

    try:
        sent: bytes = cloudpickle.dumps(problem)
    except Exception as error:  # whatever the objects of users raise when they are pickled
        raise PieceError(f"the task cannot be sent to workers: {type(error).__name__}: {error}") from error
    return sent


def unpack(sent: bytes) -> Any:
    """Make the problem again: the one task that all pieces need, which any worker can do anew."""
    import cloudpickle

    return cloudpickle.loads(sent)
