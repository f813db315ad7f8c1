"""The leaf program of Aghaei et al. on HiGHS, for fair trees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers import Options
from experiments.baselines import aghaei_mip
from experiments.methods.mip import fair_limits, run_program

DISTRIBUTION = "highspy"


def run(X: NDArray[np.uint8], y: NDArray[np.int32], options: Options) -> dict[str, Any]:
    """Solve under the limits of the task."""
    depth, seconds = int(options["max_depth"]), float(options["time_limit"])
    limits = fair_limits(y, options)
    return run_program(X, options, lambda: aghaei_mip.solve(X, y, depth, limits, seconds))
