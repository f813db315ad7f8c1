"""The native engine. Its only caller is `streed.solve`; tests use the switches."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

def solve(
    features: npt.NDArray[np.uint8],
    labels: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float64],
    n_labels: int,
    *,
    max_depth: int,
    max_nodes: int,
    min_samples_leaf: int,
    branch_cost: float,
    time_limit: float,
    memory_limit: int,
    n_threads: int,
    switches: dict[str, bool] | None = None,
    simd: str = "auto",
    poll: Callable[[dict[str, float]], bool] | None = None,
) -> dict[str, Any]: ...
def simd_levels() -> list[str]: ...
def switch_names() -> list[str]: ...
