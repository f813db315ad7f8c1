"""The packages that can be measured, one file each.

To add one:

1. Copy `pystreed.py`, the shortest. `run(X, y, options)` gets ``X`` (n x F, uint8) and ``y`` (int32, labels
   0, 1, ...) and the dictionary described below. It converts the data to what the package likes best, makes
   one tiny fit so that lazy imports are over, makes the real fit inside `benchmarks.clock.measure`, and
   returns what `measure` gave together with ``prediction`` (one value per row), ``proven`` (the package
   claims the optimum) and, where it has them, ``objective`` (its own claim) and ``statistics`` (numbers).
2. Add a line to `MODULES`.

Keys of ``options``: ``task``, ``max_depth``, ``time_limit`` (seconds), ``n_jobs``, ``simd``, ``entry``, the
settings of the problem, and every array of the problem beside ``X`` and ``y``. A package that does not know
the task raises NotImplementedError. Anything that is raised is recorded, and the study goes on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

MODULES = {
    "streed": "benchmarks.peers.streed",
    "pystreed": "benchmarks.peers.pystreed",
    "pydl8.5": "benchmarks.peers.pydl85",
    "gosdt": "benchmarks.peers.gosdt",
    "priced": "benchmarks.peers.priced",
    "pycontree": "benchmarks.peers.pycontree",
    "pytrees-rs": "benchmarks.peers.pytrees",
}

Options = dict[str, Any]

WARM_X = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1], [0, 1, 1], [1, 0, 1], [0, 0, 0], [1, 1, 0]])
WARM_Y = np.array([0, 1, 1, 0, 1, 1, 0, 0])


def require_task(options: Options, *known: str) -> None:
    """Raise NotImplementedError unless the package knows the task."""
    if options["task"] not in known:
        raise NotImplementedError(f"no {options['task']} here, only {', '.join(known)}")
