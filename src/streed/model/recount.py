"""What a model file says, counted anew from what is in its leaves; contradictions are refused.

A file may have been edited. Numbers of rows, weights of classes and moments of targets add up from the leaves
to the root, and many objectives follow from them: errors, metrics, impurities, squared errors. What does not
follow, such as that no better tree exists, is recorded and stays unverified; `Model.check` needs the data.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from streed.tree.details import Curves, Numbers
from streed.tree.tree import Tree

if TYPE_CHECKING:
    from streed.model.model import Model

TOLERANCE = 1e-6
"""Relative difference up to which two sums of the same numbers are equal."""


def recount(model: Model) -> tuple[str, ...]:
    """Return what of the proof was counted anew; raise ValueError where a file contradicts itself."""
    _check_proof(model.proof)
    tree = model.tree
    _check_sums("n_samples", tree, tree.n_samples.astype(np.float64), tolerance=0.0)
    if tree.class_weights is not None:
        _check_sums("class_weights", tree, tree.class_weights)
    if tree.class_counts is not None:
        _check_sums("class_counts", tree, tree.class_counts.astype(np.float64), tolerance=0.0)
    if isinstance(tree.details, Numbers):
        _check_sums("counts of the details", tree, tree.details.counts)
    if isinstance(tree.details, Curves):
        _check_sums("events of the details", tree, tree.details.events)
    found = objectives_of(model)
    recorded = model.proof.get("objective")
    if not found or not _is_finite(recorded):
        return ()
    allowed = TOLERANCE * _scale(tree)
    if not any(math.isclose(each, recorded, rel_tol=TOLERANCE, abs_tol=allowed) for each in found):
        raise ValueError(
            f"the model contradicts itself: the objective is recorded as {float(recorded):.10g}, but the "
            f"leaves add up to {found[0]:.10g}"
        )
    return ("objective",)


def _is_finite(value: object) -> TypeGuard[float]:
    try:
        return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def _scale(tree: Tree) -> float:
    """Return the weight of all rows if classes are weighed, else 0: no absolute tolerance is known."""
    return 0.0 if tree.class_weights is None else min(1.0, float(tree.class_weights[0].sum()))


def _check_proof(proof: Mapping[str, Any]) -> None:
    """Refuse a proof whose parts do not go together."""
    if proof.get("optimal") is not True:
        return
    status, value, bound = (proof.get(name) for name in ("status", "objective", "lower_bound"))
    if status not in (None, "optimal"):
        raise ValueError(
            f"the model contradicts itself: it is recorded as optimal, with status {status!r}"[:300]
        )
    if _is_finite(value) and _is_finite(bound) and not math.isclose(value, bound, rel_tol=TOLERANCE):
        raise ValueError(
            f"the model contradicts itself: it is recorded as optimal, with the objective {value!r} and the "
            f"bound {bound!r}"
        )


def _check_sums(name: str, tree: Tree, values: NDArray[Any], tolerance: float = TOLERANCE) -> None:
    """Refuse numbers of which a branching node has others than its children together."""
    nodes = np.flatnonzero(tree.feature >= 0)
    if not nodes.size:
        return
    with np.errstate(over="ignore", invalid="ignore"):
        below = values[tree.left[nodes]] + values[tree.right[nodes]]
        allowed = tolerance * np.maximum(np.abs(values[nodes]), np.abs(below))
        wrong = ~(np.abs(values[nodes] - below) <= allowed)
    if wrong.any():
        node = int(nodes[int(np.argwhere(wrong)[0][0])])
        raise ValueError(
            f"the model contradicts itself: {name} of node {node} is not what its children have together"
        )


def objectives_of(model: Model) -> list[float]:
    """Return what the tree may be worth by what is in its leaves; nothing if its value does not follow."""
    complexity = model.parameters.get("cost_complexity") or 0.0
    price = model.proof.get("node_price")
    if _is_finite(price):  # the parameter may be "auto", and files from before have no price
        complexity = 0.0
    if not _is_finite(complexity):
        return []
    paid = model.tree.n_nodes * float(price) if _is_finite(price) else 0.0
    paid = -paid if model.objective in MAXIMIZED else paid
    values = []
    for count in OBJECTIVES.get(model.objective, ()):
        try:
            with np.errstate(all="ignore"):
                value = count(model.tree, float(complexity))
        except (ArithmeticError, IndexError, TypeError, ValueError):
            return []
        values += [] if value is None else [value + paid]
    return values if all(map(math.isfinite, values)) else []


Count = Callable[[Tree, float], float | None]


def _leaves(tree: Tree) -> NDArray[np.intp]:
    return np.flatnonzero(tree.feature < 0)


def _confusion(tree: Tree) -> NDArray[np.float64] | None:
    """Return the weights of true classes (rows) under predicted ones (columns)."""
    if tree.class_weights is None:
        return None
    found = np.zeros((tree.classes.size, tree.classes.size))
    for node in _leaves(tree).tolist():
        found[:, tree.label[node]] += tree.class_weights[node]
    return found


def _errors(tree: Tree, complexity: float) -> float | None:
    found = _confusion(tree)
    if found is None:
        return None
    weight = float(found.sum())
    return weight - float(found.trace()) + complexity * weight * tree.n_nodes


def _balanced_accuracy(tree: Tree, complexity: float) -> float | None:
    errors = _errors(tree, complexity)
    return None if errors is None else 1 - errors / float(tree.class_weights[0].sum())


def _of_two(metric: Callable[[float, float, float, float], float]) -> Count:
    """Return the value of a metric of true and false positives and negatives."""

    def count(tree: Tree, complexity: float) -> float | None:
        found = _confusion(tree)
        if found is None or found.shape != (2, 2) or complexity:
            return None
        (tn, fp), (fn, tp) = found.tolist()
        return metric(tp, fp, fn, tn)

    return count


def _macro_f1(tree: Tree, complexity: float) -> float | None:
    found = _confusion(tree)
    if found is None or complexity:
        return None
    both = found.sum(axis=0) + found.sum(axis=1)
    return float(np.mean(2 * np.diag(found) / both))


def _of_shares(cost: Callable[[NDArray[np.float64], float], NDArray[np.float64]]) -> Count:
    """Return the value of an impurity: a function of the weights of a leaf, and what is added to them."""

    def count(tree: Tree, complexity: float) -> float | None:
        if tree.class_weights is None:
            return None
        leaves = _leaves(tree)
        costs = cost(tree.class_weights[leaves], tree.smoothing)
        return float(costs.sum()) + complexity * float(tree.class_weights[0].sum()) * tree.n_nodes

    return count


def _gini(weights: NDArray[np.float64], added: float) -> NDArray[np.float64]:
    total = weights.sum(axis=1)
    return np.asarray(total - (weights**2).sum(axis=1) / np.where(total > 0, total, 1.0))


def _log_loss(weights: NDArray[np.float64], added: float) -> NDArray[np.float64]:
    """Return the log loss of leaves whose shares have a weight added to every class."""
    more = weights + added
    total = more.sum(axis=1, keepdims=True)
    shares = more / np.where(total > 0, total, 1.0)
    return np.asarray(-(weights * np.log(np.where(weights > 0, shares, 1.0))).sum(axis=1))


def _log_loss_of_shares(weights: NDArray[np.float64], added: float) -> NDArray[np.float64]:
    return _log_loss(weights, 0.0)


def _entropy(weights: NDArray[np.float64], added: float) -> NDArray[np.float64]:
    return _log_loss(weights, 0.0) / math.log(2)


def _squared_error(tree: Tree, complexity: float) -> float | None:
    if not isinstance(tree.details, Numbers):
        return None
    spread = tree.details.spread.reshape(tree.node_count, -1)
    squares = tree.details.counts.sum(axis=1) * (spread**2).sum(axis=1)
    return float(squares[_leaves(tree)].sum()) + complexity * float(squares[0] or 1.0) * tree.n_nodes


def _of_values(tree: Tree, complexity: float) -> float | None:
    """Return the sum over the leaves of their mean values; the price of a node is not known from them."""
    if tree.values is None or complexity or tree.prices is not None:
        return None
    leaves = _leaves(tree)
    return float(tree.values[leaves] @ tree.n_samples[leaves])


def _mean_of_values(tree: Tree, complexity: float) -> float | None:
    total = _of_values(tree, complexity)
    return None if total is None else total / max(1, int(tree.n_samples[0]))


MAXIMIZED = ("balanced_accuracy", "policy_reward")
"""Tasks whose nodes may have a price, which is taken from the value."""

OBJECTIVES: Mapping[str, tuple[Count, ...]] = {
    "accuracy": (_errors,),
    "balanced_accuracy": (_balanced_accuracy,),
    "demographic_parity": (_errors,),
    "equal_opportunity": (_errors,),
    "predictive_equality": (_errors,),
    "equalized_odds": (_errors,),
    "accuracy_parity": (_errors,),
    "f1": (_of_two(lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fp + fn)),),
    "jaccard": (_of_two(lambda tp, fp, fn, tn: tp / (tp + fp + fn)),),
    "g_mean": (_of_two(lambda tp, fp, fn, tn: math.sqrt(tp / (tp + fn) * (tn / (tn + fp)))),),
    "min_recall": (_of_two(lambda tp, fp, fn, tn: min(tp / (tp + fn), tn / (tn + fp))),),
    "macro_f1": (_macro_f1,),
    "gini": (_of_shares(_gini),),
    "entropy": (_of_shares(_entropy),),
    "log_loss": (_of_shares(_log_loss), _of_shares(_log_loss_of_shares)),
    "squared_error": (_squared_error,),
    "absolute_error": (_of_values,),
    "quantile": (_of_values,),
    "poisson": (_of_values,),
    "gamma": (_of_values,),
    "tweedie": (_of_values,),
    "policy_reward": (_mean_of_values,),
}
"""How the value of each task follows from the leaves; tasks that are not here have values that
do not. The log loss may have been counted without anything added."""
