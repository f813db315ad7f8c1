"""PyStreeD on problems with costs and policies, each with the estimator that it has for them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.clock import measure
from benchmarks.cost_data import TEACHERS
from benchmarks.peers import WARM_X, Options

TASKS = ("cost_sensitive", "instance_costs", "policy")


def run(X: NDArray[np.uint8], y: NDArray[np.int32], options: Options) -> dict[str, Any]:
    """Fit the estimator of the task; its own objects for rows are made before the clock starts."""
    package = import_module("pystreed")
    limit = float(options["time_limit"])
    make, warm, data, rest = prepare(package, y, options)
    make().fit(WARM_X.astype(np.intc), *warm)
    model, table = make(), X.astype(np.intc)
    timing = measure(lambda: model.fit(table, data, *rest), limit)
    if options["task"] == "cost_sensitive":
        prediction = flat(model.get_tree())
    else:
        prediction = route(flat(model.get_tree()), X)
    return timing | {
        "prediction": prediction,
        "proven": bool(model.fit_result.is_optimal()),
        "statistics": {"tree_nodes": int(model.fit_result.tree_nodes())},
    }


def prepare(package: Any, y: NDArray[np.int32], options: Options) -> tuple[Any, Any, Any, Any]:
    """Return what makes the estimator, the data of a tiny fit, and the data of the real one."""
    kinds = import_module("pystreed.data")
    common = {"max_depth": int(options["max_depth"]), "time_limit": float(options["time_limit"])}
    labels = np.arange(len(WARM_X), dtype=np.int32) % 2
    if options["task"] == "cost_sensitive":
        matrix = options["matrix"].tolist()
        two = kinds.CostSpecifier(
            [[0, 1], [1, 0]], [kinds.FeatureCostSpecifier(1, 1, "x", j, j) for j in range(3)]
        )
        costs = kinds.CostSpecifier(matrix, attributes(kinds, options))
        return lambda: package.STreeDCostSensitiveClassifier(**common), (labels, two), y, (costs,)
    if options["task"] == "instance_costs":
        table = np.stack([labels, 1 - labels], axis=1).astype(float)
        rows = [kinds.CostVector(row) for row in options["costs"]]
        return lambda: package.STreeDInstanceCostSensitiveClassifier(**common), (table,), rows, ()
    teacher = TEACHERS[options["teacher"]]
    observed = options["observed"]
    few = [kinds.PPGData(int(k), 1.0, 0.5, [0.5, 0.5]) for k in labels]
    rows = [kinds.PPGData(int(row[0]), float(row[1]), float(row[2]), row[3:].tolist()) for row in observed]
    return (
        lambda: package.STreeDPrescriptivePolicyGenerator(teacher_method=teacher, **common),
        (few,),
        rows,
        (),
    )


def attributes(kinds: Any, options: Options) -> list[Any]:
    """One price per attribute, with the range of its binary columns."""
    found = []
    attribute = options["attribute"]
    for k in range(int(attribute.max()) + 1):
        own = np.flatnonzero(attribute == k)
        group = int(options["group"][own[0]])
        found.append(
            kinds.FeatureCostSpecifier(
                float(options["full"][own[0]]),
                float(options["discounted"][own[0]]),
                "x" if group < 0 else f"group{group}",
                int(own[0]),
                int(own[-1]),
            )
        )
    return found


def flat(tree: Any) -> NDArray[np.int32]:
    """Rows of feature, left, right and label, -1 for what a node has not."""
    nodes: list[list[int]] = []

    def add(node: Any) -> int:
        number = len(nodes)
        nodes.append([-1, -1, -1, -1])
        if node.is_leaf_node():
            nodes[number][3] = int(node.label)
        else:
            nodes[number] = [int(node.feature), add(node.left_child), add(node.right_child), -1]
        return number

    add(tree)
    return np.array(nodes, dtype=np.int32)


def route(tree: NDArray[np.int32], X: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Label of each row: its own predict wants what is to be predicted."""
    node = np.zeros(len(X), dtype=np.int64)
    for _ in range(len(tree)):
        feature = tree[node, 0]
        inner = feature >= 0
        right = X[np.arange(len(X)), np.maximum(feature, 0)] != 0
        node = np.where(inner, np.where(right, tree[node, 2], tree[node, 1]), node)
    labels: NDArray[np.int32] = tree[node, 3]
    return labels
