"""`solve`: from a task and binary features to a `Result`."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.errors import InterruptedWarning, NotNative, StreedError, TaskError
from streed.options import Limits, check_limits
from streed.reference import Components
from streed.solver.engine import make_tree, once_more, run
from streed.solver.general.solve import solve_components, solve_general
from streed.solver.progress import Watcher, watch
from streed.table.matrix import check_binary
from streed.tasks.base import LeafFunction, Lowered, Task, measure_of
from streed.tree.result import Progress, Result, Solution, relative_gap


def solve(
    task: Task | Components[Any, Any],
    X: ArrayLike | None = None,
    *,
    max_depth: int,
    max_nodes: int | None = None,
    min_samples_leaf: int = 1,
    time_limit: float | None = None,
    memory_limit: float | None = None,
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
    max_depth : int
        Greatest number of tests from the root to a leaf, 0 to 20.
    max_nodes : int, optional
        Greatest number of branching nodes; by default as many as the depth allows.
    min_samples_leaf : int, default=1
        Least number of rows in a leaf. Rows of weight zero do not count. (Components say themselves what a
        leaf may be; only a number above 1 adds something.)
    time_limit : float, optional
        Seconds after which the best tree so far is returned.
    memory_limit : float, optional
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
    columns = getattr(X, "columns", None)
    names = None if columns is None else [str(name) for name in columns]
    if isinstance(task, Components):
        features = None if X is None else check_binary(X)
        return solve_components(task, features, names, limits, progress)
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
    """Solve with features and limits that were checked already; the estimators come in here."""
    started = time.perf_counter()
    if features.shape[0] != task.n_rows:
        raise ValueError(f"X has {features.shape[0]} rows, but the task was made with {task.n_rows}")
    own = task.solve_with(features, limits, progress, names)
    if own is not None:
        return own
    try:
        lowered = task.lower()
    except NotNative as why:
        return solve_general(task, features, names, limits, progress, str(why))
    watcher = watch(task, progress)
    if not isinstance(lowered, Lowered):
        raise TaskError(f"{type(task).__name__}.lower() must return a Lowered, got {lowered!r}")
    rows = features if lowered.rows is None else np.ascontiguousarray(features[lowered.rows])
    limits.check_rows(rows.shape[0])
    answer = run(task.name, lowered, rows, limits, watcher.poll)
    return make_result(task, lowered, rows, names, answer, watcher, started)


def make_result(
    task: Task,
    lowered: Lowered,
    rows: NDArray[np.uint8],
    names: Sequence[str] | None,
    answer: dict[str, Any],
    watcher: Watcher,
    started: float,
) -> Result:
    """Turn an answer of the engine into a `Result`, and tell whoever watches that the search is over."""
    result = once_more(lambda found: _result(task, lowered, rows, names, found, started), answer)
    if watcher.watched:
        watcher.finish(
            Progress(
                result.seconds,
                result.objective,
                result.lower_bound,
                result.gap,
                1.0 if result.optimal else watcher.root_done,
                float(answer["statistics"].get("peak_memory", 0)),
            )
        )
    if result.status == "interrupted" and not watcher.stopped:
        warnings.warn(
            f"the search was interrupted: the tree is the best one so far, with a gap of {result.gap:.2%}",
            InterruptedWarning,
            stacklevel=4,
        )
    return result


def _result(
    task: Task,
    lowered: Lowered,
    rows: NDArray[np.uint8],
    names: Sequence[str] | None,
    answer: dict[str, Any],
    started: float,
) -> Result:
    sign = -1.0 if task.maximize else 1.0
    counted = make_tree(lowered, rows, names, answer, task.value_name, sign, task.name)
    tree, cost = counted.tree, counted.cost
    rounding = 1e-7 * (abs(cost) + float(answer["magnitude"]))
    if isinstance(lowered.leaf, LeafFunction) and lowered.leaf_loss is not None:  # what sums of rows may lose
        rounding += 1e-12 * float(np.abs(lowered.leaf.statistics).sum())
    if abs(cost - answer["objective"]) > rounding:
        if isinstance(lowered.leaf, LeafFunction):
            raise TaskError(
                f"the leaf function of the task {task.name!r} changes its answer: the tree was found with a "
                f"cost of {answer['objective']!r}, asked again the same leaves cost {cost!r}"
            )
        raise StreedError(
            f"internal error, please report it: the engine says that the tree costs {answer['objective']!r}, "
            f"counted anew it costs {cost!r}"
        )
    optimal = bool(answer["optimal"])
    objective = task.report(cost)
    bound = objective if optimal else task.report(min(float(answer["lower_bound"]), cost))
    return Result(
        objective=objective,
        lower_bound=bound,
        gap=relative_gap(objective, bound),
        optimal=optimal,
        status=str(answer["status"]),
        tree=tree,
        front=[Solution((objective,), tree)],
        seconds=time.perf_counter() - started,
        statistics=answer["statistics"] | {"engine_seconds": answer["seconds"]},
        task=task.name,
        measure=measure_of(task),
    )
