"""Several searches of the engine for one answer: one clock, one progress line, one interrupt.

Ratios, hulls and trade-offs take more than one search. `Searches` hands the time that is left to each of
them, adds up their counters, and remembers the first reason to stop; after that, no search is started any
more.
"""

from __future__ import annotations

import contextlib
import math
import time
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed import _core
from streed.errors import InterruptedWarning
from streed.options import Limits
from streed.solver.progress import Watcher
from streed.tasks.base import Task
from streed.tree.result import Progress, Result, Solution, relative_gap
from streed.tree.tree import Tree

LEAST_SECONDS = 1e-3
"""What a search gets when hardly any time is left: the first one must return a tree."""


class Searches:
    """The searches of one solve.

    `objective` and `bound` are what is known so far, for whoever watches; if the owner of the searches leaves
    them alone, each search speaks for itself. `notes` are figures of the owner for the result's statistics.
    """

    def __init__(
        self, task: Task, features: NDArray[np.uint8], limits: Limits, progress: object, name: str = ""
    ) -> None:
        limits.check_rows(features.shape[0])
        self.name = name or task.name
        self.measure = task.measure or self.name
        self.features = features
        self.limits = limits
        self.started = time.perf_counter()
        self.status = "optimal"
        self.statistics: Counter[str] = Counter()
        self.notes: dict[str, float] = {}
        self.objective = math.nan
        self.bound = math.nan
        self._watcher = Watcher(task, progress)

    @property
    def elapsed(self) -> float:
        """Seconds since the first search."""
        return time.perf_counter() - self.started

    @property
    def watched(self) -> bool:
        """Whether somebody looks at `objective` and `bound` while searches run."""
        return self._watcher.poll is not None

    @property
    def stopped(self) -> bool:
        """Whether no further search may begin: the time is up, or somebody stopped one."""
        if self.status == "optimal" and self.elapsed >= self.limits.time_limit:
            self.status = "time_limit"
        return self.status != "optimal"

    @contextlib.contextmanager
    def interruptible(self) -> Iterator[None]:
        """Take Ctrl-C between two searches for what it is during one: a reason to stop."""
        try:
            yield
        except KeyboardInterrupt:
            self.status = "interrupted"

    def scalar(
        self,
        labels: NDArray[np.int32],
        weights: NDArray[np.float64],
        n_labels: int,
        max_depth: int,
        branch_cost: float = 0.0,
    ) -> dict[str, Any]:
        """Search the tree with the least weight of misclassified rows."""
        return self._note(
            _core.solve(
                self.features,
                labels,
                np.ascontiguousarray(weights, dtype=np.float64),
                n_labels,
                branch_cost=branch_cost,
                **self._options(max_depth),
            )
        )

    def front(
        self, costs: NDArray[np.float64], upper: Sequence[float], weights: Sequence[float], budget: float
    ) -> dict[str, Any]:
        """Search all nondominated points within `upper` and the budget."""
        return self._note(
            _core.front(
                self.features,
                costs,
                branch_cost=np.zeros(costs.shape[2]),
                upper=np.array(upper, dtype=np.float64),
                weights=np.array(weights, dtype=np.float64),
                budget=float(budget),
                **self._options(self.limits.max_depth),
            )
        )

    def constrained(
        self,
        costs: NDArray[np.float64],
        lower: Sequence[float],
        upper: Sequence[float],
        branch_cost: float = 0.0,
    ) -> dict[str, Any]:
        """Search the least value of the first component with the others within their limits."""
        branch = np.zeros(costs.shape[2])
        branch[0] = branch_cost
        return self._note(
            _core.constrained(
                self.features,
                costs,
                lower=np.array(lower, dtype=np.float64),
                upper=np.array(upper, dtype=np.float64),
                branch_cost=branch,
                **self._options(self.limits.max_depth),
            )
        )

    def _options(self, max_depth: int) -> dict[str, Any]:
        watcher = self._watcher
        left = replace(
            self.limits,
            max_depth=max_depth,
            max_nodes=min(self.limits.max_nodes, 2**max_depth - 1),
            time_limit=max(self.limits.time_limit - self.elapsed, LEAST_SECONDS),
        )
        return left.arguments(None if watcher.poll is None else self._poll)

    def _poll(self, state: dict[str, float]) -> bool:
        """Tell the watcher about the whole solve instead of this one search; errors are never below zero."""
        poll = self._watcher.poll
        whole = {**state, "elapsed": self.elapsed, "lower_bound": max(state["lower_bound"], 0.0)}
        if not math.isnan(self.objective):
            whole.update(objective=self.objective, lower_bound=self.bound)
        return poll is not None and poll(whole)

    def _note(self, answer: dict[str, Any]) -> dict[str, Any]:
        peak = max(self.statistics["peak_memory"], answer["statistics"].get("peak_memory", 0))
        self.statistics.update(answer["statistics"])
        self.statistics.update(searches=1, engine_seconds=answer["seconds"])
        self.statistics["peak_memory"] = peak
        if answer["status"] != "optimal" and self.status == "optimal":
            self.status = str(answer["status"])
        return answer

    def finish(self, last: Progress | None = None) -> None:
        """End the live line, and raise what the function that watched has raised."""
        known = (math.nan,) * 3
        self._watcher.finish(last or Progress(self.elapsed, *known, self._watcher.root_done, 0.0))

    def result(
        self, tree: Tree, objective: float, bound: float, optimal: bool, values: tuple[float, ...] = ()
    ) -> Result:
        """End the solve: the last progress, a warning after Ctrl-C, and the result."""
        bound = objective if optimal else bound
        gap = relative_gap(objective, bound)
        status = "optimal" if optimal else self.status
        done = 1.0 if optimal else self._watcher.root_done
        self.finish(
            Progress(self.elapsed, objective, bound, gap, done, float(self.statistics["peak_memory"]))
        )
        if status == "interrupted" and not self._watcher.stopped:
            warnings.warn(
                f"the search was interrupted: the tree is the best one so far, with a gap of {gap:.2%}",
                InterruptedWarning,
                stacklevel=5,
            )
        return Result(
            objective=objective,
            lower_bound=bound,
            gap=gap,
            optimal=optimal,
            status=status,
            tree=tree,
            front=[Solution(values or (objective,), tree)],
            seconds=self.elapsed,
            statistics={name: float(value) for name, value in self.statistics.items()} | self.notes,
            task=self.name,
            measure=self.measure,
        )


def constant_tree(label: int) -> dict[str, NDArray[np.int32]]:
    """Give the tree that is one leaf, in the form of the engine."""
    none = np.array([-1], np.int32)
    return {"feature": none, "left": none, "right": none, "label": np.array([label], np.int32)}


def predicted(answer: dict[str, Any], features: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Label of each row, as a position among the classes, by a tree in the form of the engine."""
    feature, left, right, label = (
        np.asarray(answer[name]).tolist() for name in ("feature", "left", "right", "label")
    )
    # From the leaves up: what the rows would be told if they all came to a node. Parents come first.
    says: list[Any] = [np.int16(code) for code in label]
    for node in range(len(feature) - 1, -1, -1):
        if feature[node] >= 0:
            says[node] = np.where(features[:, feature[node]], says[right[node]], says[left[node]])
    labels: NDArray[np.int64] = np.broadcast_to(says[0], features.shape[:1]).astype(np.int64)
    return labels
