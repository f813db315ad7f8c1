"""``cost_complexity="auto"``: the price of a branching node that the data and the number of tests suggest.

A test that says nothing of the target still seems to gain something on the training rows: half a chi-square
with one degree of freedom in units of log-likelihood, and the best of p such tests about ln(p). A node of an
optimal tree is the best of very many, so it must save more than that to be believed. For errors of classes
a row is such a unit, and more than one where few are wrong: an error less gains ln((1 - e) / e) if a share e
of the rows is wrong (`streed.tasks.base.worth_of_an_error`, at least 1). A node must save ln(p) over that
many rows, as a share of all n rows. e is what a greedy tree costs that pays ln(p) rows per node
(`streed.solver.noise`). Half deviances of survival are log-likelihoods themselves, and squared errors are in
units of twice the variance of the noise (`Task.share_of_gain`).

p is the number of binary features that the binarizer of the estimator makes and that vary, equal ones
included, and at least 2. Where every threshold is searched it is the number that the default binarizer would
make, since thresholds between two of its quantiles are nearly the same test. n is what the weights stand for
(`streed.table.labels.counted_rows`); class weights change what a row counts for, not how many rows there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from streed.options import Limits, check_complexity
from streed.tasks.base import Task, form_of, unpriced
from streed.tasks.constrained import Constrained
from streed.tasks.forms import Sums
from streed.tolerance import TOLERANCE
from streed.tree.result import show

Make: TypeAlias = Callable[[float], Any]
"""Makes a task with a price per node, as a share of what all rows cost at most."""

STAND_IN = 1e-3
"""Price of a task until the number of features is known; until then it only matters that there is one."""


def begin(model: Any, limits: Limits, make: Make) -> tuple[Any, Make | None]:
    """Return the task of a fit, and what makes it again once its price is known, if that is "auto"."""
    complexity = check_complexity(model.cost_complexity, limits)
    return (make(STAND_IN), make) if complexity is None else (make(complexity), None)


def gain_of_chance(n_features: int) -> float:
    """Return what a node must save: what the best of so many useless tests seems to save.

    Examples
    --------
    >>> round(gain_of_chance(61), 2)
    4.11
    """
    return math.log(least_tests(n_features))


def varying(features: NDArray[np.uint8]) -> int:
    """Return how many binary features are not the same for all rows."""
    if not features.size:
        return 0
    return int(np.count_nonzero(features.min(axis=0) != features.max(axis=0)))


def least_tests(n_features: int) -> int:
    """Return the number of tests that a price is chosen for: a single one would make nodes free."""
    return max(2, n_features)


def free_of_limits(task: Any) -> Any:
    """Return what a task optimises, without limits on other quantities."""
    return task.task if isinstance(task, Constrained) else task


def in_units(task: Task) -> float:
    """Return what each branching node costs, in natural units; 0 where nodes have no price of their own."""
    task = free_of_limits(task)
    form = form_of(task)
    branch_cost = getattr(form.value if isinstance(form, Sums) else form, "branch_cost", None)
    if not isinstance(branch_cost, float | int) or not branch_cost:
        return 0.0
    return abs(float(task.report(float(branch_cost))) - float(task.report(0.0)))


def in_words(task: Task, units: float, n_tests: int) -> str:
    """Say what a node must save.

    Examples
    --------
    >>> import streed
    >>> in_words(streed.tasks.Accuracy([0, 1], cost_complexity=0.1), 4.111, 61)
    'a node must save 4.1 rows, the logarithm of 61 tests'
    >>> in_words(streed.tasks.Accuracy([0, 1], cost_complexity=0.1), 1.37, 61)
    'a node must save 1.4 rows, the logarithm of 61 tests over 3.0, since few rows are wrong'
    """
    task = free_of_limits(task)
    measure = unpriced(task.measure or task.name)
    saved = f"{units:.1f} rows" if measure == "errors" else f"{show(float(f'{units:.3g}'))} of {measure}"
    why = ""
    if n_tests and measure == "errors":
        worth = math.log(n_tests) / units
        few = f" over {worth:.1f}, since few rows are wrong" if worth > 1 + TOLERANCE else ""
        why = f", the logarithm of {n_tests} tests{few}"
    chosen = f", chosen for {n_tests} tests" if n_tests and not why else ""
    return f"a node must {'gain' if task.maximize else 'save'} {saved}{why}{chosen}"
