"""Which tree is optimal for which price of a branching node.

With L the value of a tree and k its branching nodes, the optimum at a price c is the least L + c k: the lower
envelope of lines, concave in c. With a depth the lines come from the size path. Without one they are found
from both ends: two neighbouring lines meet at one price; if a search at that price finds nothing below, it is
a breakpoint, else it finds a new line between them. So a path of m trees takes at most 2 m searches.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.paths.priced import Additive, additive, solve_at
from streed.paths.sizes import SizePath, axes, front_of, size_path, total_of
from streed.paths.text import aligned, shortened
from streed.table.matrix import check_binary
from streed.tolerance import slack
from streed.tree import Tree
from streed.tree.result import Result


@dataclass(frozen=True)
class Step:
    """A tree and the prices for which it is optimal.

    Attributes
    ----------
    low, high : float
        The interval of prices of a branching node, in the unit of the value. At its ends the neighbour is as
        good.
    result : Result
        The tree; its value is that of the leaves, without the price.
    """

    low: float
    high: float
    result: Result

    @property
    def tree(self) -> Tree:
        """The tree."""
        return self.result.tree

    def cost(self, price: float) -> float:
        """Value of the leaves and the price of all branching nodes (for a value that is minimised)."""
        return float(self.result.objective) + price * self.tree.n_nodes


@dataclass(frozen=True, repr=False)
class ComplexityPath(Sequence[Step]):
    """The optimal trees for all prices, those for small prices first.

    Attributes
    ----------
    steps : tuple of Step
        Their intervals follow each other without gaps.
    total : float or None
        What `cost_complexity` is a share of, in the unit of the value: the weight of all rows, for errors of
        classes; None where the task has no such unit.
    maximize : bool
        Whether larger values are better; a price then is taken off.
    optimal : bool
        Whether all trees are proven for their intervals.
    seconds : float
        Seconds that the path took.
    searches : int
        Number of searches.
    """

    steps: tuple[Step, ...]
    total: float | None
    maximize: bool
    optimal: bool
    seconds: float
    searches: int

    @overload
    def __getitem__(self, k: int) -> Step: ...
    @overload
    def __getitem__(self, k: slice) -> Sequence[Step]: ...
    def __getitem__(self, k: int | slice) -> Step | Sequence[Step]:
        return self.steps[k]

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def breakpoints(self) -> NDArray[np.float64]:
        """Prices at which the optimal tree changes."""
        return np.array([step.high for step in self.steps[:-1]])

    @property
    def cost_complexities(self) -> NDArray[np.float64]:
        """The breakpoints as shares of all weight, as `cost_complexity` counts them."""
        if self.total is None:
            raise ValueError(
                "cost_complexity is a share of the weight of all rows, which this task does not have"
            )
        return self.breakpoints / self.total

    def at(self, price: float) -> Step:
        """Give the optimal tree at a price; at a breakpoint the smaller one."""
        if not self.steps[0].low <= price:
            raise ValueError(f"the path begins at a price of {self.steps[0].low!r}, got {price!r}")
        return next(step for step in reversed(self.steps) if step.low <= price)

    def table(self) -> str:
        """Give the path as text, one line per tree."""
        rows = [
            [
                f"{s.low:.6g}",
                f"{s.high:.6g}",
                str(s.tree.n_nodes),
                str(s.tree.depth),
                f"{s.result.objective:.6g}",
            ]
            for s in self.steps
        ]
        return aligned(["price from", "to", "nodes", "depth", "value"], rows)

    def plot(self, ax: Any = None) -> Any:
        """Draw the branching nodes of the optimal tree over the price.

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
        last = self.steps[-1].low
        edges = [self.steps[0].low, *self.breakpoints, 1.2 * last if last > 0 else 1.0]
        ax.stairs([step.tree.n_nodes for step in self.steps], edges, baseline=None)
        ax.set(xlabel="price of a branching node", ylabel="branching nodes of the optimal tree")
        return ax

    def __repr__(self) -> str:
        proof = "proven optimal" if self.optimal else "not all proven"
        largest = self.steps[0].tree.n_nodes
        head = f"<ComplexityPath: {len(self)} trees of 0 to {largest} branching nodes, {proof}>"
        return f"{head}\n{shortened(self.table())}"

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
        return self._front().to_html(title=title)

    def _front(self) -> Result:
        steps = [(step.tree.n_nodes, step.result) for step in reversed(self.steps)]
        return front_of(steps, self.optimal, self.seconds)

    def _repr_html_(self) -> str:
        return self._front().in_notebook(self.table())


def complexity_path(
    task: Any,
    X: ArrayLike,
    *,
    max_depth: int | None = None,
    max_nodes: int | None = None,
    min_price: float | None = None,
    min_samples_leaf: int = 1,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    n_jobs: int | None = None,
) -> ComplexityPath:
    """Find out which tree is optimal for which price of a branching node.

    The counterpart, for optimal trees, of scikit-learn's ``cost_complexity_pruning_path``.

    Parameters
    ----------
    task : streed.tasks.Task
        What to optimise, with one value per tree and no price of its own (``cost_complexity=0``).
    X : array-like of shape (n, n_features)
        Binary features.
    max_depth : int, optional
        Greatest depth; None: no limit. Then the leaves must cost the sum of their rows.
    max_nodes : int, optional
        Greatest number of branching nodes; needs a depth.
    min_price : float, optional
        The least price, in the unit of the value; needed without a depth: trees grow as it falls.
    min_samples_leaf : int, default=1
        Least number of rows in a leaf; needs a depth.
    time_limit : float, optional
        Seconds for the whole path.
    memory_limit : float, optional
        Bytes that the solver's own structures may take.
    n_jobs : int, optional
        Threads; they are used where there is a depth.

    Returns
    -------
    ComplexityPath
        Trees and intervals of prices.

    Examples
    --------
    >>> import streed
    >>> from streed.paths import complexity_path
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]] * 2 + [[1, 1]]
    >>> path = complexity_path(streed.tasks.Accuracy([0, 1, 1, 1] * 2 + [1]), X, min_price=0.1)
    >>> print(path.table())
    price from   to  nodes  depth  value
           0.1    1      2      2      0
             1  inf      0      0      2
    """
    if max_depth is not None:
        sizes = size_path(
            task,
            X,
            max_depth=max_depth,
            max_nodes=max_nodes,
            min_samples_leaf=min_samples_leaf,
            time_limit=time_limit,
            memory_limit=memory_limit,
            n_jobs=n_jobs,
        )
        return envelope(sizes, min_price or 0.0)
    if max_nodes is not None or min_samples_leaf != 1:
        raise ValueError("max_nodes and min_samples_leaf need a max_depth")
    if min_price is None or not (math.isfinite(min_price) and min_price > 0):
        raise ValueError(f"min_price must be above zero where max_depth is None, got {min_price!r}")
    columns = getattr(X, "columns", None)
    names = None if columns is None else [str(name) for name in columns]
    return _Dichotomy(additive(task, check_binary(X), names), time_limit, memory_limit).path(min_price)


_Line: TypeAlias = tuple[int, float, Result]
"""Branching nodes, value to be minimised, tree."""


def _saving(small: _Line, large: _Line) -> float:
    """Give what each further node of the larger tree saves: the price at which both are as good."""
    return (small[1] - large[1]) / (large[0] - small[0])


def _steps(results: list[Result], maximize: bool, low: float) -> Iterator[Step]:
    """Give the lower envelope of all lines from the price `low` on, largest tree first."""
    sign = -1.0 if maximize else 1.0
    lines = sorted(((r.tree.n_nodes, sign * r.objective, r) for r in results), key=lambda line: line[:2])
    hull: list[_Line] = []
    for nodes, value, result in lines:  # smallest tree first: each next one saves less per node
        if hull and value >= hull[-1][1]:
            continue
        while len(hull) > 1 and _saving(hull[-2], hull[-1]) <= _saving(hull[-1], (nodes, value, result)):
            hull.pop()
        hull.append((nodes, value, result))
    high = math.inf
    steps = []
    for k, line in enumerate(hull):
        meets = _saving(line, hull[k + 1]) if k + 1 < len(hull) else low
        if high <= low:
            break
        steps.append(Step(max(low, meets), high, line[2]))
        high = meets
    yield from reversed(steps)


def envelope(sizes: SizePath, low: float) -> ComplexityPath:
    """Give the lower envelope of a size path from the price `low` on."""
    if not low >= 0:
        raise ValueError(f"min_price must not be negative, got {low!r}")
    steps = tuple(_steps(list(sizes), sizes.maximize, low))
    return ComplexityPath(steps, sizes.total, sizes.maximize, sizes.optimal, sizes.seconds, sizes.searches)


class _Dichotomy:
    """Breakpoints without a depth: all searches for one task."""

    def __init__(self, problem: Additive, time_limit: float | None, memory_limit: float | None) -> None:
        self.problem, self.time_limit, self.memory_limit = problem, time_limit, memory_limit
        self.started = time.perf_counter()
        self.searches, self.optimal = 0, True
        self.sign = -1.0 if problem.task.maximize else 1.0
        unit = problem.task.report(1.0) - problem.task.report(0.0)  # of a cost in engine units
        self.unit = abs(unit)

    def path(self, low: float) -> ComplexityPath:
        found = [self.solve(low), self.leaf()]
        if found[0].tree.n_nodes > 0:
            found += self.between(found[0], found[1])
        steps = tuple(_steps(found, self.sign < 0, low))
        seconds = time.perf_counter() - self.started
        return ComplexityPath(
            steps, total_of(self.problem.form), self.sign < 0, self.optimal, seconds, self.searches
        )

    def solve(self, price: float) -> Result:
        left = (
            None
            if self.time_limit is None
            else max(1e-3, self.time_limit - (time.perf_counter() - self.started))
        )
        result = solve_at(self.problem, price / self.unit, left, self.memory_limit)
        self.searches += 1
        self.optimal = self.optimal and result.optimal
        return result

    def leaf(self) -> Result:
        """Solve for the single leaf, which is optimal once a node costs more than any tree can save."""
        return self.solve((2 * self.problem.form.leaf.saving() + 1) * self.unit)

    def between(self, large: Result, small: Result) -> list[Result]:
        """Trees on the envelope between two of them; `large` has more nodes and a better value."""
        saved = self.sign * (small.objective - large.objective)
        nodes = large.tree.n_nodes - small.tree.n_nodes
        if nodes <= 1 or saved <= 0 or not self.optimal:
            return []
        price = saved / nodes
        middle = self.solve(price)
        here = self.sign * middle.objective + price * middle.tree.n_nodes
        line = self.sign * small.objective + price * small.tree.n_nodes
        if here >= line - slack(line) or not small.tree.n_nodes < middle.tree.n_nodes < large.tree.n_nodes:
            return []
        return [*self.between(large, middle), middle, *self.between(middle, small)]
