"""The optimal tree for every number of branching nodes.

Searched from the largest size down: a tree that is optimal with at most k nodes but has only j of them is
optimal for all sizes from j to k, so that these need no search of their own.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.paths.text import aligned
from streed.solver.solve import solve
from streed.tree.result import Progress, Result

LEAST_SECONDS = 1e-3
"""What is left for a size when the time of the whole path is up: enough for a first tree."""


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
    """

    results: tuple[Result, ...]
    maximize: bool
    seconds: float
    searches: int

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
        """Give the path as text, one line per size that is worth its nodes.

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
        return aligned(["nodes", "depth", "value", "proof"], rows)

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
        return f"<SizePath: 0 to {len(self) - 1} branching nodes, {len(self.sizes)} different trees, {proof}>"


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
    min_samples_leaf: int = 1,
    time_limit: float | None = None,
    memory_limit: float | None = None,
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
    min_samples_leaf : int, default=1
        Least number of rows in a leaf.
    time_limit : float, optional
        Seconds for the whole path. Sizes that are left then get the best tree of a short search.
    memory_limit, n_jobs, progress
        As in `streed.solve`, for every search.

    Returns
    -------
    SizePath
        ``path[k]`` is the `Result` for at most k branching nodes.

    Examples
    --------
    >>> import streed
    >>> from streed.paths import size_path
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> path = size_path(streed.tasks.Accuracy([0, 1, 1, 0]), X, max_depth=2)
    >>> path.objectives
    array([2., 2., 1., 0.])
    """
    started = time.perf_counter()
    full = (
        2**max_depth - 1 if isinstance(max_depth, int) and 0 <= max_depth <= 20 else 0
    )  # else `solve` refuses it
    largest = full if max_nodes is None else min(max_nodes, full)
    found: dict[int, Result] = {}
    k, searches = largest, 0
    while k >= 0:
        left = (
            None if time_limit is None else max(LEAST_SECONDS, time_limit - (time.perf_counter() - started))
        )
        result = solve(
            task,
            X,
            max_depth=max_depth,
            max_nodes=k if max_nodes is None or k < max_nodes else max_nodes,
            min_samples_leaf=min_samples_leaf,
            time_limit=left,
            memory_limit=memory_limit,
            n_jobs=n_jobs,
            progress=progress,
        )
        if len(result.front) > 1 or not isinstance(result.objective, int | float):
            raise TypeError(f"size_path needs a task with one value per tree, got {type(task).__name__}")
        searches += 1
        least = result.tree.n_nodes if result.optimal else k
        found.update(dict.fromkeys(range(least, k + 1), result))
        k = least - 1
    maximize = bool(getattr(task, "maximize", False))
    results = tuple(_never_worse([found[size] for size in range(largest + 1)], maximize))
    return SizePath(results, maximize, time.perf_counter() - started, searches)


def _never_worse(results: list[Result], maximize: bool) -> Iterator[Result]:
    """Keep the smallest tree of equal value, and a better one that a search cut short has missed."""
    best: Result | None = None
    sign = -1.0 if maximize else 1.0
    for result in results:
        gain = 0.0 if best is None else sign * (best.objective - result.objective)
        if best is not None and (gain < 0 or (gain == 0 and result.tree.n_nodes > best.tree.n_nodes)):
            distance = abs(best.objective - result.lower_bound)
            size = max(abs(best.objective), abs(result.lower_bound))
            gap = 0.0 if distance == 0 else distance / size if math.isfinite(size) else math.inf
            kept = replace(
                best, lower_bound=result.lower_bound, gap=gap, optimal=result.optimal, status=result.status
            )
            yield kept
            continue
        best = result
        yield result
