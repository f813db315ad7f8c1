"""The registry of strategies: which ones solve which form of a task, in the order in which they are asked.

To add a strategy:

1. Write a file in this folder with two functions: ``refusal(form)`` says why it cannot solve a form (empty if
   it can), ``solve(run, form)`` solves it. Searches are run and the result is made by `run`
   (`streed.solver.run.Run`).
2. Add its name to `STRATEGIES` below, before those that are slower or more general.

To add a form, write it in ``streed/tasks/forms.py`` and give it an entry below. Strategies are imported when
they are needed, so that ``import streed`` stays fast.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from streed.errors import TaskError
from streed.solver.priced_nodes import refuse_no_depth
from streed.solver.run import Run
from streed.tasks.forms import (
    CountsMetric,
    GroupRates,
    LimitedValue,
    OneValue,
    SixComponents,
    Vector,
)
from streed.tree.result import Result

STRATEGIES: Mapping[type, tuple[str, ...]] = {
    OneValue: ("one_search",),
    LimitedValue: ("limited_value",),
    CountsMetric: ("dinkelbach", "hull", "macro_f1"),
    GroupRates: ("group_rates",),
    Vector: ("constrained", "front", "mixed", "product"),
    SixComponents: ("general",),
}

WITHOUT_DEPTH = ("one_search", "limited_value", "group_rates", "constrained")
"""Strategies that take `max_depth=None` where branching nodes have a price."""


@functools.cache
def strategy(name: str) -> Any:
    """Return the module of a strategy."""
    return import_module(f"{__name__}.{name}")


def choose(run: Run, form: Any) -> Callable[[Run, Any], Result]:
    """Return ``solve(run, form)`` of the first strategy that takes a form."""
    for name in STRATEGIES.get(type(form), ()):
        chosen = strategy(name)
        why = chosen.refusal(form)
        if not why:
            if name not in WITHOUT_DEPTH:
                refuse_no_depth(run.limits)
            solve: Callable[[Run, Any], Result] = chosen.solve
            return solve
        run.refusals = (*run.refusals, why)
    raise TaskError(_no_strategy(run, form))


def _no_strategy(run: Run, form: Any) -> str:
    """Say why no strategy takes a task, for the error."""
    task = type(run.task).__name__
    if type(form) not in STRATEGIES:
        known = ", ".join(f"a {kind.__name__}" for kind in STRATEGIES)
        return f"{task}.lower() must return a Lowered (or another form: {known}), got {form!r}"
    return f"{run.task.name}: no strategy solves a {type(form).__name__}: {'; '.join(run.refusals)}"
