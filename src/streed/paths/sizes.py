"""The optimal tree for every number of branching nodes.

One search of the engine gives all sizes where the value is a sum over leaves and nodes. Other tasks are
searched from the largest size down: a tree that is optimal with at most k nodes but has only j of them is
optimal for all sizes from j to k, so that these need no search of their own.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.options import LEAST_SECONDS, Limits, check_limits
from streed.paths.interrupted import unsearched
from streed.paths.text import aligned, shortened
from streed.solver.solve import solve_checked, solve_sizes
from streed.table.matrix import check_binary
from streed.tasks.base import Task, form_of
from streed.tasks.forms import OneValue
from streed.tree.result import Progress, Result, Solution

if TYPE_CHECKING:
    from streed.paths.complexity import ComplexityPath


@dataclass(frozen=True, repr=False)
class SizePath(Sequence[Result]):
    """The best tree with at most k branching nodes, for every k from 0 on.

    Attributes
    ----------
    results : tuple of Result
        ``results[k]``, also ``path[k]``, for at most k branching nodes. Sizes that are not worth their nodes
        share the result of a smaller one.
    maximize : bool
        Whether larger values are better.
    seconds : float
        Seconds that the whole path took.
    searches : int
        Number of searches.
    total : float or None
        What `cost_complexity` is a share of, in the unit of the value: the weight of all rows, for errors of
        classes; None where the task has no such unit.
    """

    results: tuple[Result, ...]
    maximize: bool
    seconds: float
    searches: int
    total: float | None = None

    @overload
    def __getitem__(self, k: int) -> Result: ...
    @overload
    def __getitem__(self, k: slice) -> Sequence[Result]: ...
    def __getitem__(self, k: int | slice) -> Result | Sequence[Result]:
        return self.results[k]

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    @property
    def objectives(self) -> NDArray[np.float64]:
        """Value of the tree of each size."""
        return np.array([result.objective for result in self.results], dtype=float)

    @property
    def optimal(self) -> bool:
        """Whether all trees are proven optimal."""
        return all(result.optimal for result in self.results)

    @property
    def sizes(self) -> list[int]:
        """The sizes with a better value than all smaller ones, smallest first."""
        return [k for k, result in enumerate(self.results) if k == 0 or result.tree.n_nodes == k]

    def table(self) -> str:
        """Give the path as text: a line per size that is worth its nodes, and what was searched.

        The latter only if it was not the same for all sizes.

        Examples
        --------
        >>> import streed
        >>> from streed.paths import size_path
        >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
        >>> print(size_path(streed.tasks.Accuracy([0, 1, 1, 0]), X, max_depth=2).table())
        nodes  depth  value   proof
            0      0      2  proven
            2      2      1  proven
            3      2      0  proven
        """
        rows = []
        for k in self.sizes:
            result = self.results[k]
            proof = "proven" if result.optimal else f"gap {result.gap:.2%}"
            rows.append([str(k), str(result.tree.depth), f"{result.objective:.6g}", proof])
        return "\n".join([aligned(["nodes", "depth", "value", "proof"], rows), *self._notes()])

    def _notes(self) -> Iterator[str]:
        """Say what was searched for which sizes, if it is not the same for all."""
        runs = [list(run) for _, run in itertools.groupby(range(len(self)), lambda k: self.results[k].note)]
        if len(runs) > 1:
            for run in runs:
                yield f"{run[0]} to {run[-1]} nodes: {self.results[run[0]].note}"

    def complexity(self, min_price: float = 0.0) -> ComplexityPath:
        """Tell which of these trees is optimal for which price of a branching node.

        Parameters
        ----------
        min_price : float, default=0.0
            The least price, in the unit of the value.

        Returns
        -------
        ComplexityPath
            The trees on the lower envelope, with their intervals of prices.

        Examples
        --------
        >>> import streed
        >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
        >>> path = streed.size_path(streed.tasks.Accuracy([0, 1, 1, 0]), X, max_depth=2)
        >>> path.complexity().breakpoints
        array([0.66666667])
        """
        from streed.paths.complexity import envelope

        return envelope(self, min_price)

    def to_result(self) -> Result:
        """Return the path as a result with two objectives, branching nodes and value, for views and storage.

        Returns
        -------
        streed.Result
            Its front has one entry for each size that is worth its nodes; its tree is the largest one.
        """
        return front_of([(k, self.results[k]) for k in self.sizes], self.optimal, self.seconds)

    def to_html(self, *, title: str | None = None) -> str:
        """Return a page for the browser: value over size as a plot, and the tree of the size chosen there.

        Parameters
        ----------
        title : str, optional
            Heading of the page; by default the name of the task.

        Returns
        -------
        str
            One self-contained HTML document.
        """
        return self.to_result().to_html(title=title)

    def plot(self, ax: Any = None) -> Any:
        """Draw the value over the number of branching nodes; bounds of unproven sizes as a band.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.
        """
        ax = axes(ax)
        nodes = np.arange(len(self))
        ax.step(nodes, self.objectives, where="post", marker="o", markersize=3, label="best tree")
        if not self.optimal:
            bounds = np.array([result.lower_bound for result in self.results], dtype=float)
            ax.fill_between(nodes, bounds, self.objectives, step="post", alpha=0.2, label="not proven")
            ax.legend()
        ax.set(xlabel="branching nodes (at most)", ylabel=self.results[0].measure or self.results[0].task)
        return ax

    def __repr__(self) -> str:
        proof = "proven optimal" if self.optimal else "not all proven"
        head = f"<SizePath: 0 to {len(self) - 1} branching nodes, {len(self.sizes)} different trees, {proof}>"
        return f"{head}\n{shortened(self.table())}"

    def _repr_html_(self) -> str:
        return self.to_result().in_notebook(self.table())


def front_of(found: Sequence[tuple[int, Result]], optimal: bool, seconds: float) -> Result:
    """Return results of several sizes as one with two objectives, branching nodes and value."""
    last = found[-1][1]
    names = ("branching nodes", last.measure or last.task)
    front = [Solution((float(k), result.objective), result.tree) for k, result in found]
    return Result(
        objective=front[-1].values,
        lower_bound=front[-1].values if optimal else None,
        gap=0.0 if optimal else math.inf,
        optimal=optimal,
        status=next((result.status for _, result in found if not result.optimal), "optimal"),
        tree=front[-1].tree,
        front=front,
        seconds=seconds,
        task=last.task,
        objectives=names,
        measure=", ".join(names),
    )


def axes(ax: Any) -> Any:
    """Give the axes, or new ones."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError("plots of paths need matplotlib: pip install 'streed[plot]'") from error
    return plt.figure().add_subplot()


def size_path(
    task: Any,
    X: ArrayLike,
    *,
    max_depth: int,
    max_nodes: int | None = None,
    min_samples_leaf: float = 1,
    time_limit: float | None = None,
    memory_limit: float | str | None = None,
    n_jobs: int | None = None,
    progress: bool | Callable[[Progress], object] = False,
) -> SizePath:
    """Find the optimal tree for every number of branching nodes.

    Parameters
    ----------
    task : streed.tasks.Task
        What to optimise, with one value per tree.
    X : array-like of shape (n, n_features)
        Binary features, as in `streed.solve`.
    max_depth : int
        Greatest number of tests from the root to a leaf.
    max_nodes : int, optional
        The largest size; by default that of the full tree.
    min_samples_leaf : int or float, default=1
        Least number of rows in a leaf.
    time_limit : float, optional
        Seconds for the whole path; sizes that are not proven then have their best trees so far.
    memory_limit, n_jobs, progress
        As in `streed.solve`.

    Returns
    -------
    SizePath
        ``path[k]`` is the `Result` for at most k branching nodes. After Ctrl-C, sizes that were not searched
        have the single leaf.

    Examples
    --------
    >>> import streed
    >>> from streed.paths import size_path
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> path = size_path(streed.tasks.Accuracy([0, 1, 1, 0]), X, max_depth=2)
    >>> path.objectives
    array([2., 2., 1., 0.])
    """
    limits = check_limits(
        max_depth=max_depth,
        max_nodes=max_nodes,
        min_samples_leaf=min_samples_leaf,
        time_limit=time_limit,
        memory_limit=memory_limit,
        n_jobs=n_jobs,
    )
    if not isinstance(task, Task):
        raise TypeError(f"task must be a streed.tasks.Task such as streed.tasks.Accuracy(y), got {task!r}")
    columns = getattr(X, "columns", None)
    names = None if columns is None else [str(name) for name in columns]
    return path_checked(task, check_binary(X), names, limits, progress)


def path_checked(
    task: Task, features: NDArray[np.uint8], names: Sequence[str] | None, limits: Limits, progress: object
) -> SizePath:
    """Find the path with features and limits that were checked already; entry of the estimators."""
    started = time.perf_counter()
    if limits.unlimited:
        raise ValueError("a size path needs max_depth, or a max_nodes of at most 20: got max_depth=None")
    together = solve_sizes(task, features, names, limits, progress)
    if together is not None:
        seconds = time.perf_counter() - started
        return SizePath(tuple(together), bool(task.maximize), seconds, 1, total_of(form_of(task)))
    return _one_by_one(task, features, names, limits, progress, started)


def _one_by_one(
    task: Task,
    features: NDArray[np.uint8],
    names: Sequence[str] | None,
    limits: Limits,
    progress: object,
    started: float,
) -> SizePath:
    """Search from the largest size down, where one search does not give all sizes."""
    found: dict[int, Result] = {}
    k, searches = limits.max_nodes, 0
    while k >= 0:
        left = max(LEAST_SECONDS, limits.time_limit - (time.perf_counter() - started))
        result = solve_checked(task, features, names, replace(limits, max_nodes=k, time_limit=left), progress)
        if len(result.front) > 1 or not isinstance(result.objective, int | float):
            raise TypeError(f"a size path needs a task with one value per tree, got {type(task).__name__}")
        searches += 1
        least = result.tree.n_nodes if result.optimal else k
        found.update(dict.fromkeys(range(least, k + 1), result))
        k = least - 1
        if result.status == "interrupted" and k >= 0:
            leaf = solve_checked(task, features, names, replace(limits, max_depth=0, max_nodes=0), False)
            found.update({size: leaf if size == 0 else unsearched(leaf, result) for size in range(k + 1)})
            break
    maximize = bool(task.maximize)
    results = tuple(never_worse([found[size] for size in range(limits.max_nodes + 1)], maximize))
    return SizePath(results, maximize, time.perf_counter() - started, searches, total_of(form_of(task)))


def total_of(form: object) -> float | None:
    """Give the weight of all rows, in the unit of the value, where errors of classes are counted."""
    if not isinstance(form, OneValue):
        return None
    weights = getattr(form.leaf, "weights", None)
    return None if weights is None else float(np.sum(weights)) * float(form.scale)


def never_worse(results: list[Result], maximize: bool) -> Iterator[Result]:
    """Keep the smallest tree of equal value, and a better one that a search cut short has missed."""
    best: Result | None = None
    sign = -1.0 if maximize else 1.0
    for result in results:
        gain = 0.0 if best is None else sign * (best.objective - result.objective)
        if best is not None and (gain < 0 or (gain == 0 and result.tree.n_nodes > best.tree.n_nodes)):
            distance = abs(best.objective - result.lower_bound)
            size = max(abs(best.objective), abs(result.lower_bound))
            gap = 0.0 if distance == 0 else distance / size if math.isfinite(size) else math.inf
            yield replace(
                best,
                lower_bound=result.lower_bound,
                gap=gap,
                optimal=result.optimal,
                status=result.status,
                note=result.note,
            )
            continue
        best = result
        yield result
