"""The exact trade-off between error and unfairness: every tree that is not beaten in both."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from streed.fairness.groups import Rates
from streed.tree.result import Result, Solution
from streed.tree.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streed.tree.conditions import Condition


@dataclass(frozen=True, repr=False)
class FairnessPoint:
    """One tree of the trade-off.

    Attributes
    ----------
    error : float
        Weight of the misclassified rows (plus the price of the branching nodes, if they have one).
    difference : float
        Greatest rate of all groups less the least one; with several rates the worst of them.
    tree : Tree
        The tree.
    rates : mapping
        The rates of every group.
    """

    error: float
    difference: float
    tree: Tree
    rates: Rates

    def __repr__(self) -> str:
        return f"FairnessPoint(error={self.error:g}, difference={self.difference:.4g}, tree={self.tree!r})"


@dataclass(frozen=True, repr=False)
class FairnessFront(Sequence[FairnessPoint]):
    """All nondominated pairs of error and difference, from the least error to the least difference.

    Attributes
    ----------
    points : tuple of FairnessPoint
        The trees, errors rising and differences falling.
    complete : bool
        Whether it is proven that no pair is missing. The front of a search that was cut short ends early: its
        last point has the proven least error of trees with a smaller difference than the point before it,
        but other trees may have that error with a still smaller difference. If not even the first point was
        proven, the front is one point, the best tree so far, and `settled` is 0.
    constraint : str
        The notion of fairness.
    total : float
        Weight of all rows.
    status : {"optimal", "time_limit", "memory_limit", "interrupted"}
        Why the search ended.
    seconds : float
        Seconds that it took.
    measure : str
        What the errors are called: "errors", or "misclassified weight" where rows or classes have weights.
    settled : int
        Number of leading points that are known to be on the whole front, with nothing missing between them.
    """

    points: tuple[FairnessPoint, ...]
    complete: bool
    constraint: str
    total: float
    status: str
    seconds: float
    measure: str = "errors"
    settled: int = 0

    @property
    def proven(self) -> tuple[FairnessPoint, ...]:
        """The points that no tree within the limits beats: all of a complete front, else its beginning."""
        return self.points[: self.settled]

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, index: Any) -> Any:
        return self.points[index]

    def __iter__(self) -> Iterator[FairnessPoint]:
        return iter(self.points)

    @property
    def errors(self) -> NDArray[np.float64]:
        """Errors of all points."""
        return np.array([point.error for point in self.points])

    @property
    def differences(self) -> NDArray[np.float64]:
        """Differences of all points."""
        return np.array([point.difference for point in self.points])

    @property
    def objectives(self) -> tuple[str, str]:
        """What the two values of a point measure."""
        return self.measure, f"difference ({self.constraint.replace('_', ' ')})"

    def to_result(self) -> Result:
        """Return the front as a result with two objectives, for views and storage.

        Returns
        -------
        streed.Result
            Its tree is that with the least error.
        """
        solutions = [
            Solution((point.error, point.difference), point.tree, place < self.settled)
            for place, point in enumerate(self.points)
        ]
        first = solutions[0]
        return Result(
            objective=first.values,
            lower_bound=first.values if self.complete else None,
            gap=0.0 if self.complete else math.inf,
            optimal=self.complete,
            status=self.status,
            tree=first.tree,
            front=solutions,
            seconds=self.seconds,
            task=self.constraint,
            objectives=self.objectives,
            measure=", ".join(self.objectives),
        )

    def explain(self, conditions: Sequence[Condition]) -> None:
        """Tell all trees what their binary features say about columns, so that their views say it too.

        Parameters
        ----------
        conditions : sequence of Condition
            One for each binary feature, e.g. ``binarizer.conditions_``.
        """
        self.to_result().explain(conditions)

    def to_html(self, *, title: str | None = None) -> str:
        """Return a page for the browser: the trade-off as a plot, and the tree of the point chosen there.

        Parameters
        ----------
        title : str, optional
            Heading of the page; by default the notion of fairness.

        Returns
        -------
        str
            One self-contained HTML document, as `Result.to_html` returns it.

        Examples
        --------
        >>> import streed
        >>> X, y = [[0], [0], [1], [1], [0], [1]], [0, 0, 1, 1, 0, 0]
        >>> front = streed.fairness_front(X, y, ["a", "a", "a", "a", "b", "b"], max_depth=1)
        >>> "<title>Hiring</title>" in front.to_html(title="Hiring")
        True
        """
        return self.to_result().to_html(title=title)

    def table(self) -> str:
        """Give the front as text, one line per tree.

        Returns
        -------
        str
            Errors, their share of all rows, differences, and sizes of the trees.

        Examples
        --------
        >>> import streed
        >>> X, y = [[0], [0], [1], [1], [0], [1]], [0, 0, 1, 1, 0, 0]
        >>> print(streed.fairness_front(X, y, ["a", "a", "a", "a", "b", "b"], max_depth=1).table())
         error  share  difference  nodes
             1  16.7%           0      1
        """
        rows = [
            f"{f'{point.error:g}':>6} {point.error / self.total:>6.1%}"
            f" {f'{point.difference:.4g}':>11} {point.tree.n_nodes:>6}"
            for point in self.points
        ]
        return "\n".join([" error  share  difference  nodes", *rows])

    def __repr__(self) -> str:
        proof = "complete" if self.complete else f"not complete ({self.status})"
        lines = self.table().split("\n")
        if len(lines) > 13:
            lines = [*lines[:11], f"... {len(lines) - 12} more", lines[-1]]
        head = f"<FairnessFront: {len(self)} trees under {self.constraint.replace('_', ' ')}, {proof}>"
        return "\n".join([head, *lines])

    def _repr_html_(self) -> str:
        return self.to_result().in_notebook(self.table())

    def plot(self, ax: Any = None) -> Any:
        """Draw the trade-off: the least error that can be had for each limit on the difference.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default in a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            Where it was drawn. This needs matplotlib (``pip install streed[plot]``).
        """
        if ax is None:
            from matplotlib import pyplot as plt

            ax = plt.figure(layout="constrained").add_subplot()
        shares = 100 * self.errors / self.total
        ax.step(self.differences, shares, where="pre", color="#1f5a7a", alpha=0.5)
        ax.plot(self.differences, shares, "o", color="#1f5a7a", markersize=5)
        ax.set_xlim(left=-0.02 * float(self.differences.max(initial=0.0) or 1.0))
        ax.set_xlabel(f"difference between groups ({self.constraint.replace('_', ' ')})")
        ax.set_ylabel("misclassified (%)")
        ax.set_title(f"{len(self)} optimal trees" + ("" if self.complete else " (not complete)"))
        ax.grid(alpha=0.3)
        return ax
