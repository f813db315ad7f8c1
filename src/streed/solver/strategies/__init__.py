"""The registry of strategies: which ones solve which form of a task, in the order in which they are asked.

To add a strategy:

1. Write a file in this folder with two functions: ``refusal(form, limits)`` says why it cannot solve a form
   within limits (empty if it can), ``solve(run, form)`` solves it. Searches are run and the result is made by
   `run` (`streed.solver.run.Run`); what the engine can search is said in `streed.solver.engines`.
2. Add its name to `STRATEGIES` below, before those that are slower or more general. A strategy that returns
   a result for every number of branching nodes goes to `STRATEGIES_OF_SIZES`.

To add a form or an objective, write it in ``streed/tasks/forms.py`` and give it an entry below. Strategies
are imported when they are needed, so that ``import streed`` stays fast.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from streed.errors import TaskError
from streed.options import Limits
from streed.solver.engines import NEEDS_DEPTH
from streed.solver.run import Run
from streed.tasks.forms import (
    CountsMetric,
    MeanParity,
    OneValue,
    SixComponents,
    Sums,
    Vector,
)
from streed.tree.result import Result

STRATEGIES: Mapping[type, tuple[str, ...]] = {
    OneValue: ("one_search",),
    Sums: ("limited",),
    CountsMetric: ("dinkelbach", "hull", "macro_f1"),
    MeanParity: ("shifted",),
    Vector: ("constrained", "front", "mixed", "product"),
    SixComponents: ("relaxed", "general"),
}

STRATEGIES_OF_SIZES: Mapping[type, tuple[str, ...]] = {OneValue: ("all_sizes",)}
"""Strategies that find the best tree for every number of branching nodes in one search."""


@functools.cache
def strategy(name: str) -> Any:
    """Return the module of a strategy."""
    return import_module(f"{__name__}.{name}")


def choose(run: Run, form: Any) -> Callable[[Run, Any], Result]:
    """Return ``solve(run, form)`` of the first strategy that takes a form."""
    solve = _first(STRATEGIES, run, form)
    if solve is not None:
        return solve
    if any(NEEDS_DEPTH in why for why in run.refusals):
        raise ValueError(NEEDS_DEPTH)
    raise TaskError(_no_strategy(run, form))


def refusals(form: Any, limits: Limits) -> str:
    """Say why no strategy takes a form; empty if one does."""
    said = [strategy(name).refusal(form, limits) for name in STRATEGIES[type(form)]]
    return "" if not all(said) else "; ".join(said)


def choose_sizes(run: Run, form: Any) -> Callable[[Run, Any], list[Result]] | None:
    """Return ``solve(run, form)`` of the first strategy that finds all sizes of a form, None if none does."""
    return _first(STRATEGIES_OF_SIZES, run, form)


def _first(strategies: Mapping[type, tuple[str, ...]], run: Run, form: Any) -> Callable[..., Any] | None:
    for name in strategies.get(type(form), ()):
        chosen = strategy(name)
        why = chosen.refusal(form, run.limits)
        if not why:
            solve: Callable[..., Any] = chosen.solve
            return solve
        run.refusals = (*run.refusals, why)
    return None


def _no_strategy(run: Run, form: Any) -> str:
    """Say why no strategy takes a task, for the error."""
    task = type(run.task).__name__
    if type(form) not in STRATEGIES:
        known = ", ".join(f"a {kind.__name__}" for kind in STRATEGIES)
        return f"{task}.lower() must return a Lowered (or another form: {known}), got {form!r}"
    if len(run.refusals) == 1:
        return f"{run.task.name}: {run.refusals[0]}"
    return f"{run.task.name}: no strategy solves a {type(form).__name__}: {'; '.join(run.refusals)}"
