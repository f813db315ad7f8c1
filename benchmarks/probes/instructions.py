"""Solve small made problems under callgrind: ``python -m benchmarks.probes.instructions [NAME ...]``.

Before each problem, and after the last one, the process asks for its parent's number: callgrind writes its
counters there (``--dump-before=getppid``). So each file but the first has the instructions of one problem.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import streed
from benchmarks.scale_data import make_table


def problems() -> dict[str, Callable[[], Any]]:
    """Return the problems by name; each takes about a tenth of a second without callgrind, or less."""
    rng = np.random.default_rng(0)
    bits = rng.random((500, 40)) < rng.uniform(0.1, 0.9, 40)
    labels = (bits[:, 0] ^ (bits[:, 1] & bits[:, 2]) ^ (rng.random(500) < 0.2)).astype(int)
    five = (labels + 2 * bits[:, 3] + bits[:, 4]) % 5
    numbers = labels + rng.normal(size=500)
    costs = rng.random((500, 3)) + (five[:, None] % 3 == np.arange(3))
    groups = bits[:, 5].astype(int)
    X, y = make_table(1000, 6, 2)
    target = make_table(600, 5, 0)
    large = make_table(60_000, 20, 2)
    model = streed.OptimalTreeClassifier(max_depth=3, cuts="binned").fit(X, y)
    many: NDArray[np.float64] = np.tile(X, (20, 1))

    def solve(task: Any, depth: int | None, **options: Any) -> Callable[[], Any]:
        return lambda: streed.solve(task, bits, max_depth=depth, **options)

    def fit(data: tuple[Any, Any], name: str = "OptimalTreeClassifier", **options: Any) -> Callable[[], Any]:
        return lambda: getattr(streed, name)(**{"max_depth": 3, **options}).fit(*data)

    return {
        "errors of two labels, depth 4": solve(streed.tasks.Accuracy(labels), 4),
        "errors of five labels, depth 3": solve(streed.tasks.Accuracy(five), 3),
        "errors with weights, depth 3": solve(streed.tasks.Accuracy(labels, sample_weight=costs[:, 0]), 3),
        "costs of three labels, depth 3": solve(streed.tasks.LabelCosts(costs), 3),
        "squared errors, depth 3": solve(streed.tasks.SquaredError(numbers), 3),
        "F1, depth 3": solve(streed.tasks.F1Score(labels), 3),
        "demographic parity, depth 2": solve(streed.tasks.DemographicParity(labels, groups, 0.05), 2),
        "a price per node, no depth": solve(streed.tasks.Accuracy(labels, cost_complexity=0.03), None),
        "all sizes, depth 3": lambda: streed.size_path(
            streed.tasks.Accuracy(labels), bits, max_depth=3, max_nodes=7
        ),
        "all thresholds, depth 2": fit((X, y), cuts="exact", max_depth=2),
        "all thresholds, anytime, depth 3": fit((X, y)),
        "all thresholds, squared errors, depth 2": fit(
            target, "OptimalTreeRegressor", cuts="exact", max_depth=2
        ),
        "60,000 rows in bins, depth 3": fit(large),
        "a small fit": fit((X[:100], y[:100]), max_depth=2),
        "predictions for 20,000 rows": lambda: model.predict(many),
    }


def main() -> None:
    """Solve all problems, and print their names in order."""
    warnings.simplefilter("ignore")
    known = problems()
    wanted = sys.argv[1:] or list(known)
    known["a small fit"]()  # imports and first calls
    for name in wanted:
        os.getppid()
        known[name]()
        sys.stdout.write(name + "\n")
    os.getppid()


if __name__ == "__main__":
    main()
