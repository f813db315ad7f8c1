"""What a fit has made of its data when the search begins: the job of `streed.estimators.fitting.plan`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from streed.options import Limits
from streed.tasks.base import Task


class Job(NamedTuple):
    """A task on a checked table, within limits; `fit` solves it for one tree, a path for every size."""

    task: Task | Callable[[NDArray[np.uint8]], Task]
    """A function of the binary features where the task depends on them."""
    table: Any
    y: Any
    sample_weight: Any
    limits: Limits
    finish: Callable[[Any], None] | None = None
    """Computes, for a fitted estimator, what depends on the tree beside the tree itself."""
    make: Callable[[float], Any] | None = None
    """Makes the task with a price per node, where that is "auto" and not known yet."""
