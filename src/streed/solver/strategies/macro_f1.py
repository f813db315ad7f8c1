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

from streed.leaves import ClassErrors
from streed.metrics import MacroF1
from streed.metrics.macro import mean_f1, mistake_costs
from streed.options import LEAST_SECONDS, Limits
from streed.solver.engines import needs_depth
from streed.solver.metrics.problem import metric_result, nothing_in_time
from streed.solver.recount import constant_tree, predicted
from streed.solver.run import Run
from streed.tasks.forms import CountsMetric
from streed.tolerance import LAST_DIGITS, TOLERANCE
from streed.tree.result import Result

SLACK = 1 + TOLERANCE
ROUNDS = 4


def refusal(form: CountsMetric, limits: Limits) -> str:
    """Take the mean F1 score only."""
    if not isinstance(form.metric, MacroF1):
        return f"{form.metric.name} is not the mean F1 score"
    return needs_depth(limits)


def solve(run: Run, form: CountsMetric) -> Result:
    """Maximise the mean F1 score of three classes."""
    problem, proven = MacroProblem(form, run), False
    with run.interruptible():
        proven = maximise_macro_f1(problem)
    if not problem.best:
        raise nothing_in_time(run)
    return metric_result(run, form, problem.best, problem.bound, proven)


class MacroProblem:
    """Rows of several classes with whole weights; the best tree so far and its value."""

    def __init__(self, form: CountsMetric, run: Run) -> None:
        run.keep(form.value.rows)
        run.least_seconds = LEAST_SECONDS
        self.form = form
        self.run = run
        self.codes = codes = form.codes
        self.units = units = form.units
        self.n_classes = n_classes = form.classes.size
        self.sizes = np.bincount(codes, weights=units, minlength=n_classes)
        self.best: dict[str, Any] = {}
        self.mistakes = np.zeros((n_classes, 2))
        self.objective = -math.inf
        self.bound = 1.0
        for label in range(n_classes):
            if all(line.lower <= line.costs[:, label].sum() <= line.upper for line in run.lines):
                self.offer(constant_tree(label))

    def offer(self, tree: dict[str, Any]) -> None:
        """Keep a tree if it is the best one so far."""
        labels = predicted(tree, self.run.rows)
        wrong = labels != self.codes
        fp = np.bincount(labels[wrong], weights=self.units[wrong], minlength=self.n_classes)
        fn = np.bincount(self.codes[wrong], weights=self.units[wrong], minlength=self.n_classes)
        value = float(mean_f1(self.sizes, fp, fn))
        if value > self.objective:
            self.best, self.objective, self.mistakes = tree, value, np.stack([fp, fn], axis=1)
            self.run.objective, self.run.bound = value, self.bound


def maximise_macro_f1(problem: MacroProblem) -> bool:
    """Improve the best tree until it is proven; returns whether it is."""
    _climb(problem)
    return problem.objective == 1.0 or (not problem.run.stopped and _search_front(problem))


def _climb(problem: MacroProblem) -> None:
    """Weighted searches, each with what a mistake on a class costs at the best tree so far."""
    slopes = 1 / problem.sizes
    for _ in range(ROUNDS):
        if problem.run.stopped:
            return
        before = problem.objective
        weights = (slopes / slopes.min())[problem.codes] * problem.units
        value = problem.form.value._replace(leaf=ClassErrors(problem.codes, weights))
        answer = problem.run.search_value(value, problem.run.rows)
        if "feature" not in answer:
            return
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
    answer = problem.run.search_front(costs, upper.ravel().tolist(), weights.tolist(), loss * SLACK)
    for row in np.asarray(answer["supports"]).reshape(-1, 2 * k + 1):
        length = float(row[:-1] @ weights) / float(weights @ weights)
        if length > 0 and np.allclose(row[:-1], length * weights, rtol=LAST_DIGITS, atol=0):
            problem.bound = min(problem.bound, 1 - float(row[-1]) / length / k)
    if answer["trees"]:  # with their mistakes as values: only the best one is counted anew
        points = np.asarray(answer["values"]).reshape(-1, k, 2)
        best = int(np.argmax(mean_f1(sizes, points[:, :, 0], points[:, :, 1])))
        problem.offer(answer["trees"][best])
    return bool(answer["complete"])
