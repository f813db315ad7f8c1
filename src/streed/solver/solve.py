"""`solve`: from a task and binary features to a `Result`, by the strategy for the form of the task."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.options import Limits, check_limits
from streed.reference import Components
from streed.solver import led
from streed.solver.run import Run
from streed.solver.strategies import choose, choose_sizes, strategy
from streed.table.encoded import EncodedRows
from streed.table.matrix import check_binary
from streed.tasks.base import Task, form_of
from streed.tree.result import Progress, Result


def solve(
    task: Task | Components[Any, Any],
    X: ArrayLike | None = None,
    *,
    max_depth: int | None,
    max_nodes: int | None = None,
    min_samples_leaf: float = 1,
    time_limit: float | None = None,
    memory_limit: float | str | None = None,
    n_jobs: int | None = None,
    progress: bool | Callable[[Progress], object] = False,
) -> Result:
    """Find an optimal decision tree for a task on binary features.

    Parameters
    ----------
    task : streed.tasks.Task or streed.reference.Components
        What to optimise, made with its data, e.g. ``streed.tasks.Accuracy(y)``. A task that the engine cannot
        take, or any task given as its six components, is solved by a general search in Python;
        `Result.engine` and `Result.note` say so.
    X : array-like of shape (n, n_features)
        Binary features: Boolean, or numbers that are 0 or 1. A frame's column names become the feature names.
        It may be left out only for components, which bring their features; if it is given, its columns are
        their features in the same order, and rows are counted by it.
    max_depth : int or None
        Greatest number of tests from the root to a leaf, 0 to 20. None: no limit, for one value with a price
        per branching node.
    max_nodes : int, optional
        Greatest number of branching nodes; by default as many as the depth allows.
    min_samples_leaf : int or float, default=1
        Least number of rows in a leaf. Rows of weight zero do not count. (Components say themselves what a
        leaf may be; only a number above 1 adds something.)
    time_limit : float, optional
        Seconds after which the best tree so far is returned.
    memory_limit : float or str, optional
        Bytes that the solver's own structures may take (a rough count in the general search). Caches stop
        growing there; a search for a front or under limits ends when its points would take a tenth more.
    n_jobs : int, optional
        Number of threads; None means one, -1 all cores. The general search has one thread.
    progress : bool or callable, default=False
        True shows a live line on stderr. A function gets a `Progress` about ten times a second and stops the
        search by returning True.

    Returns
    -------
    Result
        The tree, its value, and what was proven. After a time limit or Ctrl-C (with a warning) it holds the
        best tree so far.

    Examples
    --------
    >>> import streed
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> result = streed.solve(streed.tasks.Accuracy([0, 1, 1, 0]), X, max_depth=2)
    >>> result.objective, result.optimal, result.tree.n_nodes
    (0.0, True, 3)
    """
    limits = check_limits(
        max_depth=max_depth,
        max_nodes=max_nodes,
        min_samples_leaf=min_samples_leaf,
        time_limit=time_limit,
        memory_limit=memory_limit,
        n_jobs=n_jobs,
    )
    if isinstance(X, EncodedRows):
        X.check_leaves(limits.min_samples_leaf)
    columns = getattr(X, "columns", None)
    names = None if columns is None else [str(name) for name in columns]
    if isinstance(task, Components):
        features = None if X is None else check_binary(X)
        result: Result = strategy("general").solve_components(task, features, names, limits, progress)
        return result
    if not isinstance(task, Task):
        raise TypeError(
            "task must be a streed.tasks.Task such as streed.tasks.Accuracy(y), or a "
            f"streed.reference.Components, got {task!r}"
        )
    if X is None:
        raise TypeError(f"X is needed: {type(task).__name__} does not bring its features")
    return solve_checked(task, check_binary(X), names, limits, progress)


def solve_checked(
    task: Task, features: NDArray[np.uint8], names: Sequence[str] | None, limits: Limits, progress: object
) -> Result:
    """Solve with features and limits that were checked already; entry of the estimators."""
    run = _run(task, features, names, limits, progress)
    if (leader := led.leader()) is not None:
        result = leader.whole(task, features, names, limits, progress)
        if result is not None:
            return result
    form = form_of(task)
    return choose(run, form)(run, form)


def solve_sizes(
    task: Task, features: NDArray[np.uint8], names: Sequence[str] | None, limits: Limits, progress: object
) -> list[Result] | None:
    """Solve for all numbers of branching nodes up to `limits.max_nodes` at once; None where no search can."""
    run = _run(task, features, names, limits, progress)
    form = form_of(task)
    solve_all = choose_sizes(run, form)
    return None if solve_all is None else solve_all(run, form)


def _run(
    task: Task, features: NDArray[np.uint8], names: Sequence[str] | None, limits: Limits, progress: object
) -> Run:
    run = Run(task, features, names, limits, progress)
    if features.shape[0] != task.n_rows:
        raise ValueError(f"X has {features.shape[0]} rows, but the task was made with {task.n_rows}")
    return run
