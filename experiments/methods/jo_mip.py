"""The flow program of Jo et al. on HiGHS, for policies and for fair trees."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers import Options
from experiments.baselines import flow_mip
from experiments.methods.mip import fair_limits, run_program

DISTRIBUTION = "highspy"


def run(X: NDArray[np.uint8], y: NDArray[np.int32], options: Options) -> dict[str, Any]:
    """Solve; rewards are those of the teacher, or one for a right label."""
    policy = options["task"] == "policy"
    rewards = options["rewards"] if policy else (y[:, None] == np.arange(2)).astype(np.float64)
    limits = [] if policy else fair_limits(y, options)
    depth, seconds = int(options["max_depth"]), float(options["time_limit"])
    return run_program(X, options, lambda: flow_mip.solve(X, rewards, depth, limits, seconds))
