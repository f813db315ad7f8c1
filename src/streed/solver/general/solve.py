"""Solving a task by its six components: limits and features in, the general search, a `Result` out."""

from __future__ import annotations

import math
import numbers
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.errors import InfeasibleError, InterruptedWarning, StreedError, TaskError
from streed.options import Limits
from streed.reference import Components
from streed.solver.general.search import Clock, Entry, Search, Stop
from streed.solver.general.states import rows_of, splits_rows
from streed.solver.general.tree import admissible_value, flatten, simplify, with_names
from streed.solver.progress import Watcher
from streed.tasks.base import Task
from streed.tree.result import Progress, Result, Solution, relative_gap, show

WHY_COMPONENTS = "it was given as its six components"


@dataclass(frozen=True)
class Outcome:
    """What a search ended with: the nondominated trees, and how it ended."""

    entries: list[Entry]
    search: Search
    status: str
    watcher: Watcher
    started: float


class _Natural:
    """Stands in for a task where a `Watcher` wants one: values are in natural units already."""

    def report(self, cost: float) -> float:
        return cost


def solve_components(
    task: Components[Any, Any],
    features: NDArray[np.uint8] | None,
    names: Sequence[str] | None,
    limits: Limits,
    progress: object,
) -> Result:
    """Solve a task that was given as its six components; `features` are the columns of X, if X was given."""
    check_components(task)
    if features is not None and features.shape[1] != len(task.features):
        raise ValueError(
            f"X has {features.shape[1]} columns, but {task.name} has {len(task.features)} features"
        )
    sized = with_leaf_size(task, features, limits.min_samples_leaf)
    found = search(sized, limits, progress)
    refuse_nothing(found, task.name)
    result = make_result(found, task.name, task.labels, features, names, WHY_COMPONENTS)
    return finish(found, result)


def solve_general(
    task: Task,
    features: NDArray[np.uint8],
    names: Sequence[str] | None,
    limits: Limits,
    progress: object,
    why: str,
) -> Result:
    """Solve a task that the engine cannot take, through the components it gives."""
    components = task.components(features, min_samples_leaf=limits.min_samples_leaf)
    if not isinstance(components, Components):
        raise TaskError(f"{type(task).__name__}.components() must return a Components, got {components!r}")
    components = replace(components, name=task.name)
    check_components(components)
    found = search(components, limits, progress)
    refuse_nothing(found, task.name)
    classes = getattr(task, "classes", None)
    labels = components.labels if classes is None else classes
    result = make_result(found, task.name, labels, features, names, why)
    return finish(found, replace(result, measure=task.measure))


def search(task: Components[Any, Any], limits: Limits, progress: object) -> Outcome:
    """Run the general search within limits, watched by whoever asked for it."""
    started = time.perf_counter()
    watcher = Watcher(_Natural(), progress)
    runner: Search

    def poll(elapsed: float) -> bool:
        objective, bound = _numbers(runner)
        state = {"objective": objective, "lower_bound": bound, "elapsed": elapsed}
        watch = watcher.poll
        return watch is not None and watch(
            {**state, "root_done": runner.root_done, "memory": float(runner.memory)}
        )

    clock = Clock(started, limits.time_limit, poll if watcher.poll else None)
    runner = Search(task, clock, limits.memory_limit)
    status = runner.run(limits.max_depth, limits.max_nodes)
    entries = list(runner.best)
    if status == "optimal":
        entries = _checked(runner, entries)
    return Outcome(entries, runner, status, watcher, started)


def _checked(runner: Search, entries: list[Entry]) -> list[Entry]:
    """Count the final trees anew and take useless splits out of them, while there is time."""
    done = list(entries)
    runner.clock.running = True
    try:
        for i, entry in enumerate(entries):
            again = admissible_value(runner.guard, entry.tree)
            if again is None or not runner.guard.close(again[0], entry.value):
                now = "infeasible" if again is None else show(again[0])
                raise TaskError(
                    f"{runner.task.name}: the task changes its answer: a tree that had the value "
                    f"{show(entry.value)} in the search is {now} now"
                )
            done[i] = Entry(entry.value, simplify(runner.guard, entry.tree, again[0]))
    except (Stop, KeyboardInterrupt):
        pass
    finally:
        runner.clock.running = False
    return done


def check_components(task: Components[Any, Any]) -> None:
    """Refuse components that cannot be searched, with what was expected."""
    for name in ("labels", "features"):
        given = getattr(task, name)
        if not hasattr(given, "__len__") or not hasattr(given, "__getitem__"):
            raise TaskError(f"{task.name}: {name} must be a sequence, got {given!r}")
    if not len(task.labels):
        raise TaskError(f"{task.name}: labels is empty: a leaf needs at least one")
    if any(isinstance(label, tuple) for label in task.labels):
        raise TaskError(f"{task.name}: a label must not be a tuple, tuples are trees")
    for name in ("cost_leaf", "cost_branch", "transition", "better", "combine", "feasible"):
        if not callable(getattr(task, name)):
            raise TaskError(f"{task.name}: {name} must be callable, got {getattr(task, name)!r}")


def with_leaf_size(
    task: Components[Any, Any], features: NDArray[np.uint8] | None, least: int
) -> Components[Any, Any]:
    """Add the constraint that a leaf has at least so many rows; 1 adds nothing.

    The number of rows comes from the task's `size`, else from states that are collections of row numbers,
    else from X: a set of rows (the bits of an integer) then goes along with every state.
    """
    if least <= 1:
        return task
    feasible, size = task.feasible, task.size
    if size is None and splits_rows(task):

        def size(state: Any) -> int:
            return len(rows_of(state) or ())

    if size is not None:
        count = size
        return replace(task, feasible=lambda v, state: count(state) >= least and feasible(v, state))
    if features is None:
        raise ValueError(
            f"min_samples_leaf={least} needs the number of rows of a state: give {task.name} a size, or X"
        )
    return _with_rows(task, features, least)


def _with_rows(task: Components[Any, Any], features: NDArray[np.uint8], least: int) -> Components[Any, Any]:
    columns = [int.from_bytes(np.packbits(c, bitorder="little").tobytes(), "little") for c in features.T]
    has = dict(zip(task.features, columns, strict=True))
    everything, key, bound = (1 << features.shape[0]) - 1, task.key, task.lower_bound
    return replace(
        task,
        cost_leaf=lambda s, label: task.cost_leaf(s[0], label),
        cost_branch=lambda s, feature: task.cost_branch(s[0], feature),
        transition=lambda s, f, side: (
            task.transition(s[0], f, side),
            s[1] & (has[f] if side else ~has[f] & everything),
        ),
        feasible=lambda v, s: s[1].bit_count() >= least and task.feasible(v, s[0]),
        initial_state=(task.initial_state, everything),
        key=None if key is None else lambda s: (key(s[0]), s[1]),
        lower_bound=None if bound is None else lambda s: bound(s[0]),
        size=lambda s: s[1].bit_count(),
    )


def refuse_nothing(found: Outcome, name: str) -> None:
    """Raise when there is no tree to return."""
    if found.entries:
        return
    if found.status == "optimal":
        raise InfeasibleError(f"{name}: no tree within the limits is feasible")
    found.watcher.finish(
        Progress(time.perf_counter() - found.started, math.nan, math.nan, math.inf, 0.0, 0.0)
    )
    raise StreedError(f"{name}: no feasible tree was found before the search ended ({found.status})")


def make_result(
    found: Outcome,
    name: str,
    labels: Any,
    features: NDArray[np.uint8] | None,
    names: Sequence[str] | None,
    why: str,
) -> Result:
    """Turn the entries of a search into trees, values and bounds."""
    entries = in_order(found.entries)
    task = found.search.task
    names = names if features is not None else with_names(task)
    solutions = [
        Solution(
            entry.value if isinstance(entry.value, tuple) else (entry.value,),
            flatten(found.search.task, entry.tree, labels, features, names),
        )
        for entry in entries
    ]
    optimal = found.status == "optimal"
    objective = entries[0].value
    bound = objective if optimal else _bound(found.search, objective)
    measured = isinstance(bound, numbers.Real) and isinstance(objective, numbers.Real)
    gap = relative_gap(float(objective), float(bound)) if measured else math.inf
    return Result(
        objective=objective,
        lower_bound=bound,
        gap=0.0 if optimal else gap,
        optimal=optimal,
        status=found.status,
        tree=solutions[0].tree,
        front=solutions,
        seconds=time.perf_counter() - found.started,
        statistics={"solved": found.search.solved, "peak_memory": found.search.memory},
        task=name,
        engine="general",
        note=f"solved by the general search in Python: {why}",
    )


def finish(found: Outcome, result: Result) -> Result:
    """Tell whoever watches that it is over, and warn after Ctrl-C."""
    objective, bound = _numbers(found.search)
    done = 1.0 if result.optimal else found.search.root_done
    found.watcher.finish(
        Progress(result.seconds, objective, bound, result.gap, done, float(found.search.memory))
    )
    if result.status == "interrupted" and not found.watcher.stopped:
        warnings.warn(
            "the search was interrupted: the tree is the best one so far", InterruptedWarning, stacklevel=4
        )
    return result


def in_order(entries: list[Entry]) -> list[Entry]:
    """Sort a front by value, where values can be sorted."""
    try:
        return sorted(entries, key=lambda entry: entry.value)
    except Exception:  # values of any kind: no order, or one that raises
        return entries


def _bound(runner: Search, objective: Any) -> Any:
    """Bound on the optimum after an unfinished search: what the task offers, else what is trivial."""
    if runner.bound is not None or not isinstance(objective, numbers.Real) or len(runner.best) != 1:
        return runner.bound
    return -math.inf if runner.guard.better(objective - 1, objective) else math.inf


def _numbers(runner: Search) -> tuple[float, float]:
    """Objective and bound for those who watch: NaN where they are not numbers."""
    value = runner.best[0].value if runner.best else None
    if not isinstance(value, numbers.Real):
        return math.nan, math.nan
    bound = runner.bound if isinstance(runner.bound, numbers.Real) else math.nan
    return float(value), float(bound)
