"""The mean F1 score of three classes, through a front in the false positives and negatives of every class.

F1 of class k is 1 - loss, with loss = (fp + fn) / (2 P + fp - fn) and P the weight of the class. It never
rises when fp or fn of a class rises, so the best tree is among the nondominated ones in the 2K values. A few
weighted searches give a good tree first. A better one has a sum of losses below some s, hence

    fn < 2 P s / (1 + s)   and, if s < 1,   fp < 2 P s / (1 - s)       for each class,

and with fp at most U the loss is at least (fp + fn) / (2 P + U): a linear function, which gives the front
search its budget. With more classes the front has eight or more objectives and is as large as the set of all
trees; that is why more than three are refused.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.solver.searches import Searches, constant_tree, predicted

SLACK = 1 + 1e-9
ROUNDS = 4


class MacroProblem:
    """Rows of several classes with whole weights; the best tree so far and its value."""

    def __init__(
        self, codes: NDArray[np.int32], units: NDArray[np.int64], n_classes: int, searches: Searches
    ) -> None:
        self.codes = codes
        self.units = units
        self.n_classes = n_classes
        self.searches = searches
        self.sizes = np.bincount(codes, weights=units, minlength=n_classes)
        self.best: dict[str, Any] = {}
        self.mistakes = np.zeros((n_classes, 2))
        self.objective = -math.inf
        self.bound = 1.0
        for label in range(n_classes):
            self.offer(constant_tree(label))

    def offer(self, tree: dict[str, Any]) -> None:
        """Keep a tree if it is the best one so far."""
        says = predicted(tree, self.searches.features)
        wrong = says != self.codes
        fp = np.bincount(says[wrong], weights=self.units[wrong], minlength=self.n_classes)
        fn = np.bincount(self.codes[wrong], weights=self.units[wrong], minlength=self.n_classes)
        value = float(mean_f1(self.sizes, fp, fn))
        if value > self.objective:
            self.best, self.objective, self.mistakes = tree, value, np.stack([fp, fn], axis=1)
            self.searches.objective, self.searches.bound = value, self.bound


def mean_f1(sizes: NDArray[Any], fp: NDArray[Any], fn: NDArray[Any]) -> Any:
    """Mean over the classes, on the last axis, of 2 tp / (2 tp + fp + fn).

    Examples
    --------
    >>> float(mean_f1(np.array([2.0, 2.0]), np.array([1.0, 0.0]), np.array([0.0, 1.0])))
    0.7333333333333334
    """
    below = np.asarray(2 * sizes + fp - fn, dtype=np.float64)
    return np.mean(np.divide(2 * (sizes - fn), below, out=np.zeros_like(below), where=below > 0), axis=-1)


def maximise_macro_f1(problem: MacroProblem) -> bool:
    """Improve the best tree until it is proven; returns whether it is."""
    _climb(problem)
    return problem.objective == 1.0 or (not problem.searches.stopped and _search_front(problem))


def _climb(problem: MacroProblem) -> None:
    """Weighted searches, each with what a mistake on a class costs at the best tree so far."""
    slopes = 1 / problem.sizes
    for _ in range(ROUNDS):
        if problem.searches.stopped:
            return
        before = problem.objective
        weights = (slopes / slopes.min())[problem.codes] * problem.units
        answer = problem.searches.scalar(
            problem.codes, weights, problem.n_classes, problem.searches.limits.max_depth
        )
        problem.offer(answer)
        if problem.objective <= before:
            return
        fp, fn = problem.mistakes.T
        below = (2 * problem.sizes + fp - fn) ** 2
        by_fn, by_fp = 2 * (problem.sizes + fp) / below, 2 * (problem.sizes - fn) / below
        slopes = by_fn + (by_fp.sum() - by_fp) / (problem.n_classes - 1)


def _search_front(problem: MacroProblem) -> bool:
    """List all trees that may be better than the best one; returns whether the list is complete."""
    k, sizes = problem.n_classes, problem.sizes
    loss = k * (1 - problem.objective)
    upper = np.empty((k, 2))
    others = sizes.sum() - sizes
    upper[:, 0] = np.minimum(others, 2 * sizes * loss / (1 - loss)) if loss < 1 else others
    upper[:, 1] = np.minimum(sizes, 2 * sizes * loss / (1 + loss))
    upper = np.floor(upper * SLACK)
    weights = np.repeat(1 / (2 * sizes + upper[:, 0]), 2)
    costs = mistake_costs(problem.codes, problem.units, k)
    answer = problem.searches.front(costs, upper.ravel().tolist(), weights.tolist(), loss * SLACK)
    for row in np.asarray(answer["supports"]).reshape(-1, 2 * k + 1):
        length = float(row[:-1] @ weights) / float(weights @ weights)
        if length > 0 and np.allclose(row[:-1], length * weights, rtol=1e-12, atol=0):
            problem.bound = min(problem.bound, 1 - float(row[-1]) / length / k)
    if answer["trees"]:  # the engine says what mistakes they make: only the best one is looked at
        points = np.asarray(answer["values"]).reshape(-1, k, 2)
        best = int(np.argmax(mean_f1(sizes, points[:, :, 0], points[:, :, 1])))
        problem.offer(answer["trees"][best])
    return bool(answer["complete"])


def mistake_costs(codes: NDArray[np.int32], units: NDArray[np.int64], n_classes: int) -> NDArray[np.float64]:
    """costs[row, label] = (fp of class 0, fn of class 0, fp of class 1, ...)."""
    costs = np.zeros((codes.size, n_classes, 2 * n_classes))
    for label in range(n_classes):
        wrong = np.flatnonzero(codes != label)
        costs[wrong, label, 2 * label] = units[wrong]
        costs[wrong, label, 2 * codes[wrong] + 1] = units[wrong]
    return costs
