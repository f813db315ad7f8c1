"""Anything separable: the general search in Python, through the six components of the paper."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from streed.errors import InfeasibleError, StreedError, TaskError
from streed.options import Limits
from streed.reference import Components
from streed.solver.engines import needs_depth
from streed.solver.general.components import check_components, with_leaf_size
from streed.solver.general.search import Clock, Entry, GeneralSearch, Stop
from streed.solver.general.tree import admissible_value, flatten, simplify, with_names
from streed.solver.run import Run
from streed.tasks.forms import SixComponents
from streed.tree.result import Result, Solution, show

WHY_COMPONENTS = "it was given as its six components"


class Found(NamedTuple):
    """What the general search ended with: the nondominated trees, and how it ended."""

    entries: list[Entry]
    search: GeneralSearch
    status: str


class Natural:
    """Stands in for a task where costs are to be turned into natural units: they are in them already."""

    def report(self, cost: float) -> float:
        """Leave a value as it is."""
        return cost


def refusal(form: SixComponents, limits: Limits) -> str:
    """Take every task."""
    return needs_depth(limits)


def solve(run: Run, form: SixComponents) -> Result:
    """Solve a task that the engine cannot take, through the components it gives."""
    task = run.task
    run.keep(None)
    components = task.components(run.features, min_samples_leaf=run.limits.min_samples_leaf)
    if not isinstance(components, Components):
        raise TaskError(f"{type(task).__name__}.components() must return a Components, got {components!r}")
    components = replace(components, name=task.name)
    check_components(components)
    run.watch(Natural())
    found = search(run, components)
    check_found(run, found, task.name)
    classes = getattr(task, "classes", None)
    labels = components.labels if classes is None else classes
    return finished(run, found, front_of(run, found, labels), why=form.why, measure=task.measure)


def solve_components(
    task: Components[Any, Any],
    features: NDArray[np.uint8] | None,
    names: Sequence[str] | None,
    limits: Limits,
    progress: object,
) -> Result:
    """Solve a task that was given as its six components; `features` are the columns of X, if X was given."""
    check_components(task)
    why = needs_depth(limits)
    if why:
        raise ValueError(why)
    if features is not None and features.shape[1] != len(task.features):
        raise ValueError(
            f"X has {features.shape[1]} columns, but {task.name} has {len(task.features)} features"
        )
    if features is not None:
        limits = limits.for_rows(features.shape[0])
    elif limits.leaf_share:
        raise ValueError(f"min_samples_leaf={limits.leaf_share} is a share of the rows of X, but X is None")
    run = Run(task, features, names, limits, progress, Natural())
    found = search(run, with_leaf_size(task, features, limits.min_samples_leaf))
    check_found(run, found, task.name)
    return finished(run, found, front_of(run, found, task.labels), why=WHY_COMPONENTS)


def search(run: Run, task: Components[Any, Any]) -> Found:
    """Run the general search within the limits."""
    runner: GeneralSearch

    def poll(elapsed: float) -> bool:
        objective, bound = _numbers(runner)
        state = {"objective": objective, "lower_bound": bound, "elapsed": elapsed}
        watch = run.watcher.poll
        return watch is not None and watch(
            {**state, "root_done": runner.root_done, "memory": float(runner.memory)}
        )

    clock = Clock(run.started, run.limits.time_limit, poll if run.watcher.watched else None)
    runner = GeneralSearch(task, clock, run.limits.memory_limit)
    status = runner.run(run.limits.max_depth, run.limits.max_nodes)
    entries = list(runner.best)
    if status == "optimal":
        entries = _checked(runner, entries)
    run.status = status
    run.figures = {"solved": runner.solved, "peak_memory": runner.memory}
    if run.watcher.watched:
        run.watcher.root_done = runner.root_done
    return Found(entries, runner, status)


def _checked(runner: GeneralSearch, entries: list[Entry]) -> list[Entry]:
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


def check_found(run: Run, found: Found, name: str) -> None:
    """Raise when there is no tree to return."""
    if found.entries:
        return
    if found.status == "optimal":
        raise InfeasibleError(f"{name}: no tree within the limits is feasible")
    run.finish(gap=math.inf)
    raise StreedError(f"{name}: no feasible tree was found before the search ended ({found.status})")


def front_of(run: Run, found: Found, labels: Any) -> list[Solution]:
    """Turn the entries of a search into trees with their values, in order."""
    task, names = found.search.task, run.names
    if run.features is None:
        names = with_names(task)
    return [
        Solution(
            entry.value if isinstance(entry.value, tuple) else (entry.value,),
            flatten(task, entry.tree, labels, run.features, names),
        )
        for entry in sorted_entries(found.entries)
    ]


def finished(run: Run, found: Found, front: list[Solution], why: str, measure: str = "") -> Result:
    """End the solve of one objective, whatever its values are."""
    objective = sorted_entries(found.entries)[0].value
    optimal = found.status == "optimal"
    bound = objective if optimal else _bound(found.search, objective)
    words: dict[str, Any] = {"measure": measure, "engine": "general", "note": note(why)}
    return run.result(front[0].tree, objective, bound, optimal, front=front, **words)


def note(why: str) -> str:
    """Say in a result that the general search was used."""
    return f"solved by the general search in Python: {why}"


def sorted_entries(entries: list[Entry]) -> list[Entry]:
    """Sort a front by value, where values can be sorted."""
    try:
        return sorted(entries, key=lambda entry: entry.value)
    except Exception:  # values of any kind: no order, or one that raises
        return entries


def _bound(runner: GeneralSearch, objective: Any) -> Any:
    """Bound on the optimum after an unfinished search: what the task offers, else what is trivial."""
    if runner.bound is not None or not isinstance(objective, numbers.Real) or len(runner.best) != 1:
        return runner.bound
    return -math.inf if runner.guard.better(objective - 1, objective) else math.inf


def _numbers(runner: GeneralSearch) -> tuple[float, float]:
    """Objective and bound for those who watch: NaN where they are not numbers."""
    value = runner.best[0].value if runner.best else None
    if not isinstance(value, numbers.Real):
        return math.nan, math.nan
    bound = runner.bound if isinstance(runner.bound, numbers.Real) else math.nan
    return float(value), float(bound)
