"""`check_separable`: look for a counterexample to the separability of a task, and show the smallest one.

A task can be solved subtree by subtree if and only if its costs and transitions are Markovian, its ⊕ keeps
its order and its constraint is anti-monotonic (paper, Theorem 1). None of that can be proven by trying, but
what is broken usually breaks on a handful of rows: states of the task are drawn at random, cut down to a few
rows, features and labels, and every tree over them is tried.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from streed.errors import TaskError
from streed.options import OPTIONS
from streed.reference import Components
from streed.separable.conditions import CHECKS, Violation, brief, called
from streed.separable.native import NATIVE_CHECKS, natives
from streed.separable.samples import Sample, draw, shrink
from streed.solver.general.components import check_components
from streed.solver.general.states import keep_rows, rows_of, splits_rows
from streed.table.matrix import check_binary
from streed.tasks.base import Task
from streed.tree.result import show

__all__ = ["Counterexample", "SeparabilityReport", "check_separable"]

WHOLE = 1000
"""Tasks with more rows than this are only tried on samples."""

MEANINGS: Mapping[str, str] = {
    "contract": "the callables answer, with values that compare",
    "order relation": "better is a strict partial order",
    "markovian": "equal states have equal costs, however they were reached",
    "order preservation": "what is better on one side is not worse once it is joined",
    "anti-monotonic": "no infeasible subtree is needed; the recursion equals brute force",
    "principle of optimality": "the recursion equals brute force",
    "lower bound": "no tree is better than the bound of its state",
    "lowering": "the form for the engine has the costs of the components",
    "leaf function": "each leaf by itself; one more row adds what least_row and worst_row say",
    "optimum": "the engine and the reference solver find the same optimum",
}


@dataclass(frozen=True)
class Counterexample:
    """The smallest thing found that breaks a task.

    Attributes
    ----------
    check : str
        The condition that is broken, as in "order preservation".
    words : str
        What happens, in words.
    data : mapping
        The values, trees and states that `words` are about.
    rows : tuple of int or None
        The rows involved, where states show their rows.
    task : Components or None
        The piece of the task that breaks, as a task of its own: its initial state, features and labels.
    depth : int
        Depth of the trees that were tried.
    """

    check: str
    words: str
    data: Mapping[str, Any]
    rows: tuple[int, ...] | None = None
    task: Components[Any, Any] | None = None
    depth: int = 0

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class SeparabilityReport:
    """What `check_separable` tried and found.

    Attributes
    ----------
    name : str
        Name of the task.
    ok : bool
        Whether no counterexample was found.
    checks : mapping
        For each condition, on how many samples it was tried.
    counterexample : Counterexample or None
        The smallest counterexample.
    seconds : float
        Seconds that it took.
    """

    name: str
    ok: bool
    checks: Mapping[str, int]
    counterexample: Counterexample | None = None
    seconds: float = field(default=0.0, compare=False)

    def __str__(self) -> str:
        width = max(map(len, self.checks), default=0)
        lines = [
            f"  {name:{width}}  {count:5d} samples  {MEANINGS[name]}" for name, count in self.checks.items()
        ]
        if self.counterexample is None:
            return "\n".join([f"{self.name}: no counterexample to separability found", *lines])
        broken = self.counterexample
        head = f"{self.name}: not separable, the condition {broken.check!r} is broken"
        return "\n".join([head, *(f"  {line}" for line in broken.words.splitlines())])


def check_separable(
    task: Task | Components[Any, Any],
    X: ArrayLike | None = None,
    *,
    max_depth: int = 2,
    min_samples_leaf: int = 1,
    n_samples: int = 200,
    n_rows: int = 8,
    time_limit: float | None = None,
    random_state: int = 0,
) -> SeparabilityReport:
    """Try to break a task: look for a counterexample to separability on random pieces of it.

    Parameters
    ----------
    task : Task or Components
        The task to try, made with its data.
    X : array-like of shape (n, n_features), optional
        Binary features; not needed for components.
    max_depth : int, default=2
        Largest depth of the trees to look at, all of them.
    min_samples_leaf : int, default=1
        Least number of rows in a leaf, a constraint of the task that is tried.
    n_samples : int, default=200
        Number of random pieces to try.
    n_rows : int, default=8
        Largest number of rows of a piece, where states are collections of row numbers; other states are
        taken as they are.
    time_limit : float, optional
        Seconds after which no further piece is tried.
    random_state : int, default=0
        Seed; the same seed tries the same pieces.

    Returns
    -------
    SeparabilityReport
        `ok`, the number of samples per condition, and the smallest counterexample. ``print(report)`` says all
        of it in words. A task without a counterexample is not proven separable.

    Examples
    --------
    Accuracy passes. The mean error rate of the leaves does not: averages over different numbers of leaves do
    not keep their order.

    >>> import streed
    >>> from streed.reference import Components
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1], [1, 1], [0, 1]], [0, 1, 1, 0, 1, 1]
    >>> streed.check_separable(streed.tasks.Accuracy(y), X, n_samples=20).ok
    True
    >>> mean = Components(
    ...     cost_leaf=lambda rows, label: (sum(y[i] != label for i in rows) / max(1, len(rows)), 1),
    ...     cost_branch=lambda rows, feature: (0, 0),
    ...     transition=lambda rows, f, side: tuple(i for i in rows if X[i][f] == side),
    ...     better=lambda v, w: v[0] / v[1] < w[0] / w[1],
    ...     combine=lambda v, w: (v[0] + w[0], v[1] + w[1]),
    ...     feasible=lambda v, rows: True,
    ...     initial_state=tuple(range(6)),
    ...     labels=[0, 1],
    ...     features=[0, 1],
    ...     name="mean leaf error",
    ... )
    >>> report = streed.check_separable(mean)
    >>> report.ok, report.counterexample.check
    (False, 'order preservation')
    """
    started = time.perf_counter()
    depth = OPTIONS["max_depth"].check(max_depth)
    if not isinstance(depth, int) or depth > 3:
        raise ValueError(f"max_depth must be at most 3, since all trees are tried, got {max_depth!r}")
    for name, number in (("n_samples", n_samples), ("n_rows", n_rows)):
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise ValueError(f"{name} must be an integer >= 1, got {number!r}")
    seconds = OPTIONS["time_limit"].check(time_limit)
    components, features = _components(task, X, min_samples_leaf)
    trial = _Trial(components, features, depth, n_rows, np.random.default_rng(random_state))
    deadline = np.inf if seconds is None else started + seconds
    found = trial.run(n_samples, deadline)
    if found is None and isinstance(task, Task) and features is not None:
        found = trial.run_native(task, n_samples, deadline)
    elapsed = time.perf_counter() - started
    return SeparabilityReport(components.name, found is None, trial.counts, found, elapsed)


def _components(
    task: Task | Components[Any, Any], X: ArrayLike | None, min_samples_leaf: int
) -> tuple[Components[Any, Any], NDArray[np.uint8] | None]:
    features = None if X is None else check_binary(X)
    if isinstance(task, Components):
        check_components(task)
        return task, features
    if not isinstance(task, Task):
        raise TypeError(f"task must be a streed.tasks.Task or a streed.reference.Components, got {task!r}")
    if features is None:
        raise TypeError(f"X is needed: {type(task).__name__} does not bring its features")
    if features.shape[0] != task.n_rows:
        raise ValueError(f"X has {features.shape[0]} rows, but the task was made with {task.n_rows}")
    components = task.components(features, min_samples_leaf=min_samples_leaf)
    check_components(components)
    return replace(components, name=task.name), features


class _Trial:
    """One run over many samples, with its counts."""

    def __init__(
        self,
        task: Components[Any, Any],
        features: NDArray[np.uint8] | None,
        depth: int,
        n_rows: int,
        rng: np.random.Generator,
    ) -> None:
        self._task, self._features, self._depth, self._rng = task, features, depth, rng
        self._n_rows = n_rows
        self._rows: list[int] | None = None
        self.counts: dict[str, int] = {"contract": 0}

    def run(self, n_samples: int, deadline: float) -> Counterexample | None:
        """Try the conditions of the paper; samples grow, so that small counterexamples come first."""
        wrong = _contract(lambda: splits_rows(self._task), self._task.name)
        if isinstance(wrong, Violation):
            return Counterexample(wrong.check, "\n".join(wrong.words), wrong.data)
        self._rows = rows_of(self._task.initial_state) if wrong else None
        for i in range(n_samples):
            if time.perf_counter() > deadline:
                break
            size = 2 + (self._n_rows - 2) * i // n_samples if self._n_rows > 2 else self._n_rows
            sample = draw(self._task, self._rows, self._depth, size, self._rng)
            if i % 10 == 9 and len(self._rows or ()) <= WHOLE:  # a limit on whole trees needs them
                sample = replace(sample, path=(), rows=None if self._rows is None else tuple(self._rows))
            for name, check in CHECKS.items():
                found = self._try(name, check, sample)
                if found is not None:
                    return self._smallest(check, sample, found)
        return None

    def _try(
        self, name: str, check: Callable[[Sample], Violation | None], sample: Sample
    ) -> Violation | None:
        found = _contract(lambda: check(sample), self._task.name)
        assert found is None or isinstance(found, Violation)
        if name != "lower bound" or self._task.lower_bound is not None:
            self.counts[name] = self.counts.get(name, 0) + 1
        self.counts["contract"] += name == "order relation"
        return found

    def _smallest(
        self, check: Callable[[Sample], Violation | None], sample: Sample, found: Violation
    ) -> Counterexample:
        """Shrink a sample, looking for the same condition, and describe the rest."""

        def look(smaller: Sample) -> Violation | None:
            again = _contract(lambda: check(smaller), self._task.name)
            return again if isinstance(again, Violation) and again.check == found.check else None

        sample, found = shrink(sample, look, found, self._rng)
        words = [*self._describe(sample), *found.words] if found.check != "contract" else list(found.words)
        return Counterexample(
            found.check, "\n".join(words), found.data, sample.rows, sample.task, sample.depth
        )

    def _describe(self, sample: Sample) -> list[str]:
        """Give the data of a sample: its rows with their features, and what each costs alone."""
        task = sample.task
        rows = rows_of(task.initial_state) if self._rows is not None else None
        if rows is None:
            return [f"In the state {brief(task.initial_state)}, with the features {list(task.features)!r}:"]
        lines = [f"On {len(rows)} row{'' if len(rows) == 1 else 's'} (state {brief(task.initial_state)}):"]
        for row in rows[:12]:
            lines.append(f"  row {row}: {self._row(sample, row)}")
        return lines + [f"  and {len(rows) - 12} more"] * (len(rows) > 12)

    def _row(self, sample: Sample, row: int) -> str:
        task = sample.task
        alone = keep_rows(task.initial_state, row.__eq__)
        sides = []
        for feature in task.features:
            right = rows_of(task.transition(alone, feature, True)) or []
            sides.append(f"{called(feature)} {'yes' if row in right else 'no'}")
        try:
            costs = [f"{label!r} costs {show(task.cost_leaf(alone, label))}" for label in task.labels]
        except Exception:  # a task need not have a cost for a single row
            costs = []
        return ", ".join(sides) + ("; as a leaf " + ", ".join(costs) if costs else "")

    def run_native(self, task: Task, n_samples: int, deadline: float) -> Counterexample | None:
        """Try whether the form for the engine is the same task as the components."""
        assert self._features is not None
        for native in natives(task, self._features):
            for name, check in NATIVE_CHECKS.items():
                if name == "leaf function" and not native.lowered.leaf.is_function:
                    continue
                for _ in range(min(n_samples, 5) if name == "optimum" else n_samples):
                    if time.perf_counter() > deadline:
                        return None
                    found = _contract(lambda n=native, c=check: c(n, self._rng), native.task.name)  # type: ignore[misc]
                    self.counts[name] = self.counts.get(name, 0) + 1
                    if isinstance(found, Violation):
                        return Counterexample(found.check, "\n".join(found.words), found.data)
        return None


def _contract(look: Callable[[], Any], name: str) -> Any:
    """Call a check; a fault of the task becomes a violation of its contract."""
    try:
        return look()
    except TaskError as error:
        return Violation("contract", (str(error),), {"error": error})
    except Exception as error:
        return Violation("contract", (f"{name}: {type(error).__name__}: {error}",), {"error": error})
