"""The warning of a fit that a limit ended before its tree was proven.

`streed.solve` returns a `Result`, whose status its caller sees. `fit` returns the estimator, and nobody who
fits a hundred of them looks at the result of each: so it warns, once per fit. A path and tuning make many
fits and report all of them together, so that these fits are silent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from streed.errors import NotProvenWarning, fits_are_silent, warn_caller
from streed.options import Limits
from streed.tree.result import Result, show

ENDED = ("time_limit", "memory_limit", "depth_limit")
"""How a limit ends a search. A stop by hand is not among them: Ctrl-C has a warning of its own."""


def warn_unproven(result: Result, limits: Limits) -> None:
    """Warn that a limit ended a fit before its tree was proven, with the gap and what to do about it."""
    if result.optimal or result.status not in ENDED or fits_are_silent():
        return
    warn_caller(f"{_what(result, limits)}; {result.advice}", NotProvenWarning)


def warn_unproven_sizes(model: Any, results: Sequence[Result], limits: Limits) -> None:
    """Warn once for a whole path of which some sizes are not proven."""
    open_sizes = [k for k, result in enumerate(results) if not result.optimal and result.status in ENDED]
    if not open_sizes or fits_are_silent():
        return
    status = results[open_sizes[-1]].status
    sizes = f"{len(open_sizes)} of {len(results)} sizes ({open_sizes[0]} to {open_sizes[-1]} nodes)"
    warn_caller(
        f"{sizes} are not proven optimal, see table() of the path: {_reason(status, limits)}; "
        f"{advice_of_limit(model, status, limits)}",
        NotProvenWarning,
    )


def _what(result: Result, limits: Limits) -> str:
    known = "" if result.lower_bound is None else f", bound {show(result.lower_bound)}, gap {result.gap:.2%}"
    value = f"{result.measure or result.task} {show(result.objective)}{known}"
    return f"the tree is not proven optimal ({value}): {_reason(result.status, limits)}"


def _reason(status: str, limits: Limits) -> str:
    if status == "depth_limit":
        return "it is the best one of 20 levels, but deeper ones could be better"
    if status == "memory_limit":
        return f"the search reached memory_limit={limits.memory_limit}"
    return f"the search reached time_limit={limits.time_limit:g}"


def advice_of_limit(model: Any, status: str, limits: Limits) -> str:
    """Say what to change after a limit ended a search."""
    if status == "depth_limit":
        return "raise cost_complexity, or give a max_depth"
    smaller = ["max_nodes"]
    if not limits.unlimited and limits.max_depth > 1:
        smaller.insert(0, f"max_depth={limits.max_depth - 1}")
    if limits.unlimited:
        smaller.append("a larger cost_complexity")
    if model.cuts != "binned" and model.binarizer is None:
        smaller.append("cuts='binned'")
    threads = ", or use n_jobs=-1" if limits.n_threads == 1 and status == "time_limit" else ""
    return f"raise {status}, make the search smaller ({', '.join(smaller)}){threads}"
