"""What the integer programs have in common: limits of fairness, the clock, and the answer of a run."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock import measure
from benchmarks.peers import Options
from experiments.baselines.flow_mip import Limit
from experiments.baselines.highs import Solved
from experiments.held_out import route

Answer = tuple[Solved, NDArray[np.int64] | None]


def fair_limits(y: NDArray[np.int32], options: Options) -> list[Limit]:
    """Limit the difference of the groups' rates, in whole numbers, in both directions.

    With n rows of a group predicted positive among N that the notion is about, the rates differ by at most
    p / q if |q (n_a N_b - n_b N_a)| is at most p N_a N_b.
    """
    about = y == 1 if options["task"] == "equal_opportunity" else np.ones(len(y), dtype=bool)
    in_a = options["group"] == 1
    sizes = int(np.count_nonzero(about & in_a)), int(np.count_nonzero(about & ~in_a))
    top, bottom = (int(part) for part in options["limit"])
    weights = np.zeros((len(y), 2))
    weights[:, 1] = np.where(about, np.where(in_a, sizes[1], -sizes[0]), 0)
    bound = top * sizes[0] * sizes[1] // bottom
    return [Limit(weights, bound), Limit(-weights, bound)]


def run_program(X: NDArray[np.uint8], options: Options, solve: Callable[[], Answer]) -> dict[str, Any]:
    """Time a program; without any tree until the limit there is no value, only the bound."""
    import_module("highspy")
    found: list[Answer] = []

    def call() -> None:
        found[:] = [solve()]

    timing = measure(call, float(options["time_limit"]))
    solved, tree = found[0]
    answer: dict[str, Any] = timing | {"proven": solved.optimal, "lower_bound": finite(solved.bound)}
    answer["figures"] = {"gap": solved.gap} if np.isfinite(solved.gap) else {}
    if tree is not None:
        answer |= {"prediction": route(tree, X), "tree": tree}
    return answer


def finite(value: float) -> float | None:
    """Turn an infinite bound into none: JSON has no infinity."""
    return value if np.isfinite(value) else None
