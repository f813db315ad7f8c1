"""PyStreeD on regression and survival; on current NumPy it needs the events of survival as integers."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock import measure
from benchmarks.peers import WARM_X, Options

TASKS = ("regression", "survival")


def run(X: NDArray[np.uint8], y: NDArray[np.int32], options: Options) -> dict[str, Any]:
    """Fit the estimator of the task with its default settings."""
    package = import_module("pystreed")
    depth, limit = int(options["max_depth"]), float(options["time_limit"])
    rows = np.arange(8.0)
    if options["task"] == "survival":
        small, outcome = structured(np.ones(8), 1 + rows), structured(options["event"], options["time"])

        kind = with_integers(package.STreeDSurvivalAnalysis)

        def make() -> Any:
            return kind(max_depth=depth, time_limit=limit)
    else:
        small, outcome = rows, options["target"]
        price = float(options["price"])
        priced = {"cost_complexity": price} if price > 0 else {}
        name = "cost-complex-regression" if price > 0 else "regression"

        def make() -> Any:
            return package.STreeDRegressor(name, max_depth=depth, time_limit=limit, **priced)

    make().fit(WARM_X.astype(np.intc), small)
    model, table = make(), X.astype(np.intc)
    timing = measure(lambda: model.fit(table, outcome), limit)
    tree = flat(model.get_tree())
    return timing | {
        "prediction": np.append(leaves(tree, X), np.count_nonzero(tree[:, 0] >= 0)),
        "proven": bool(model.fit_result.is_optimal()),
        "statistics": {"tree_nodes": int(model.fit_result.tree_nodes())},
    }


def with_integers(kind: Any) -> Any:
    """Let it see integers where it has NumPy's Booleans, at which it fails."""

    class WithIntegers(kind):  # type: ignore[misc]
        def _compute_baseline_cumulative_hazard_function(self, events: Any, times: Any) -> Any:
            return super()._compute_baseline_cumulative_hazard_function([int(e) for e in events], times)

        def _process_extra_data(self, X: Any, events: Any) -> Any:
            return super()._process_extra_data(X, None if events is None else [int(e) for e in events])

    return WithIntegers


def structured(event: Any, time: Any) -> NDArray[Any]:
    """Make the array of events and times."""
    outcome = np.empty(len(time), dtype=[("event", np.bool_), ("time", np.float64)])
    outcome["event"], outcome["time"] = event, time
    return outcome


def flat(tree: Any) -> NDArray[np.int32]:
    """Rows of feature, left and right, -1 at leaves."""
    nodes: list[list[int]] = []

    def add(node: Any) -> int:
        number = len(nodes)
        nodes.append([-1, -1, -1])
        if not node.is_leaf_node():
            nodes[number] = [int(node.feature), add(node.left_child), add(node.right_child)]
        return number

    add(tree)
    return np.array(nodes, dtype=np.int32)


def leaves(tree: NDArray[np.int32], X: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the leaf of each row."""
    node = np.zeros(len(X), dtype=np.int64)
    for _ in range(len(tree)):
        feature = tree[node, 0]
        right = X[np.arange(len(X)), np.maximum(feature, 0)] != 0
        node = np.where(feature >= 0, np.where(right, tree[node, 2], tree[node, 1]), node)
    return node
