"""The options of a solve: each one once, with its range, default and help, and the searches that read it.

`streed.solve` and the estimators check their arguments here, so that both accept the same values and say the
same when they refuse one; the command line makes its options of the table. The engine reads the same options
by a table of its own (``bindings/options.hpp``); a test compares the two, and both with the signatures of
Python and the stub of the engine.
"""

from __future__ import annotations

import contextlib
import functools
import math
import numbers
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from streed.magnitudes import as_float

SEARCHES = ("one_value", "vector", "priced", "thresholds")
"""The searches of the engine, by what they search: see `streed.solver.engines`."""

_BY_DEPTH = ("one_value", "vector", "thresholds")
_SCALAR = ("one_value", "priced", "thresholds")


@dataclass(frozen=True, slots=True)
class Option:
    """One numeric option: what it accepts and what it means.

    `integer` options take Python and NumPy integers only. The range is `low` to `high`, where `low` itself is
    excluded if `above` is set. `default` is what an estimator uses; `optional` options take None as well.
    The engine calls it `native` (by default the same) and reads it in the searches `read_by`.
    With `share`, a number between 0 and 1 is a share of the rows; with `sizes`, a text such as "2GB" is a
    number of bytes.
    """

    name: str
    expected: str
    help: str
    default: float | int | None = None
    integer: bool = True
    low: float = -math.inf
    high: float = math.inf
    above: bool = False
    optional: bool = False
    share: bool = False
    sizes: bool = False
    native: str = ""
    read_by: tuple[str, ...] = SEARCHES

    def check(self, value: object) -> float | int | None:
        """Return `value` as a plain Python number (or None), or raise TypeError or ValueError."""
        if value is None and self.optional:
            return None
        if self.sizes and isinstance(value, str):
            value = _bytes(value)
        given = type(value)
        if self.share and given is not int and _is_share(value):
            return as_float(value)
        if given is not int and (self.integer or given is not float):
            self._check_type(value)
        number: float = int(value) if self.integer else as_float(value)  # type: ignore[call-overload]
        inside = self.low < number <= self.high if self.above else self.low <= number <= self.high
        if not inside:
            raise ValueError(f"{self.name} must be {self.expected}, got {value!r}")
        return number

    def read(self, text: str) -> float | int | None:
        """Read the option from a text, as the command line gives it; ``none`` stands for None."""
        if self.optional and text.lower() == "none":
            return None
        for kind in (int, float):
            with contextlib.suppress(ValueError):
                return self.check(kind(text))
        return self.check(text)

    def _check_type(self, value: object) -> None:
        """Refuse what is no number. Skipped for plain int and float: the check dominates a small fit."""
        kind = numbers.Integral if self.integer else numbers.Real
        if isinstance(value, bool) or not isinstance(value, kind):
            raise TypeError(f"{self.name} must be {self.expected}, got {value!r} ({type(value).__name__})")


def _bytes(text: str) -> float | str:
    """Read a number of bytes with a unit: kB, MB, GB and TB are powers of 1000, KiB and so on of 1024."""
    found = re.fullmatch(r"(\d+\.?\d*|\.\d+) *(?:([kmgt])(i?)b?|b)", text.strip().lower())
    if found is None:
        return text
    return float(found[1]) * (1024.0 if found[3] else 1000.0) ** " kmgt".index(found[2] or " ")


def _is_share(value: object) -> bool:
    whole = isinstance(value, numbers.Integral)
    return isinstance(value, numbers.Real) and not whole and 0 < as_float(value) < 1


MOST_DEPTH = 20
"""The deepest tree that a search by depth takes."""

LEAST_SECONDS = 1e-3
"""Time for a search when hardly any is left and a tree must be returned: enough for a first one."""

NO_DEPTH = 2**30
"""`Limits.max_depth` where there is no limit."""

_TABLE = (
    Option("max_depth", "an integer from 0 to 20 or None",
           "Greatest number of tests from the root to a leaf; none where nodes have a price.",
           default=3, low=0, high=MOST_DEPTH, optional=True, read_by=_BY_DEPTH),
    Option("max_nodes", "an integer >= 0 or None", "Greatest number of branching nodes; by default no limit.",
           low=0, optional=True, read_by=_BY_DEPTH),
    Option("min_samples_leaf", "an integer >= 1, or a share of the rows between 0 and 1",
           "Least number of training rows in a leaf, or their least share of all rows.",
           default=1, low=1, share=True),
    Option("cost_complexity", "a number from 0 to 1e30",
           "Price of a branching node per unit of weight, or auto: chosen from the data.",
           integer=False, low=0, high=1e30, native="branch_cost", read_by=_SCALAR),
    Option("time_limit", "a number of seconds > 0 or None", "Seconds until the best tree so far is returned.",
           integer=False, low=0, above=True, optional=True),
    Option("memory_limit", "a number of bytes > 0, a text such as '2GB', or None",
           "Bytes for the solver's own structures, or a text such as 2GB.",
           integer=False, low=0, above=True, optional=True, sizes=True),
    Option("n_jobs", "a positive integer, -1 for all cores, or None for one",
           "Number of threads; below zero, -1 means all cores, -2 all but one, and so on.",
           optional=True, native="n_threads"),
)  # fmt: skip

MOST_THREADS = 1024
"""More threads than this are no help, and the engine takes no more."""

MOST_COMPONENTS = 128
"""The engine takes no more components of a vector than this; a test compares it with the engine."""

MOST_SUMS = 4096
"""The engine takes no more sums of a leaf than this; a test compares it with the engine."""

OPTIONS: Mapping[str, Option] = {option.name: option for option in _TABLE}


CUTS = ("auto", "exact", "binned")
"""Where estimators cut numbers and dates; the first one is the default."""

MISSING_AT_PREDICT = ("warn", "route", "error")
"""What is done with missing values in columns that had none in the fit; the first one is the default."""


def check_complexity(cost_complexity: object, limits: Limits) -> float | None:
    """Return the price of a node as an estimator was given it; None stands for "auto".

    Without a price, nodes are free where a depth or a number of nodes limits the tree, else it is "auto".

    Examples
    --------
    >>> check_complexity(None, check_limits(max_depth=3))
    0.0
    >>> check_complexity(None, check_limits(max_depth=None)) is None
    True
    """
    if cost_complexity is None:
        return None if limits.unlimited else 0.0
    if isinstance(cost_complexity, str):
        if cost_complexity == "auto":
            return None
        raise ValueError(
            f'cost_complexity must be {OPTIONS["cost_complexity"].expected}, "auto" or None, '
            f"got {cost_complexity!r}"
        )
    return OPTIONS["cost_complexity"].check(cost_complexity)


_SMOOTHING = Option(
    "smoothing", '"auto", None, or a number of rows from 0 to 1e30', "Strength of hierarchical shrinkage.",
    integer=False, low=0, high=1e30, optional=True,
)  # fmt: skip

AUTO_SMOOTHING = 10.0
"""The strength of ``smoothing="auto"``, in rows. Among 5, 10 and 25 rows, m-estimates and Laplace's rule, 10
rows had the best mean rank by log loss on rows held out, for trees of accuracy and of log loss, depths 3 and
4, with and without a price (36 sets, 2 splits each). With 25 rows the log loss was the same on average, and
raw shares were better more often."""


def check_smoothing(smoothing: object) -> float:
    """Return the strength of hierarchical shrinkage in rows; 0 for the shares as they are.

    Examples
    --------
    >>> check_smoothing(None), check_smoothing(3), check_smoothing("auto")
    (0.0, 3.0, 10.0)
    """
    if isinstance(smoothing, str) and smoothing == "auto":
        return AUTO_SMOOTHING
    return _SMOOTHING.check(smoothing) or 0.0


@dataclass(frozen=True, slots=True)
class Limits:
    """The checked limits of one solve, in the form that the engine takes.

    `leaf_share` is the least share of the rows in a leaf until `for_rows` makes it a `min_samples_leaf`.
    """

    max_depth: int
    max_nodes: int
    min_samples_leaf: int
    time_limit: float
    memory_limit: int
    n_threads: int
    leaf_share: float = 0.0
    started: float = field(default=0.0, compare=False)
    """When the fit of an estimator began, by `time.perf_counter`."""

    def arguments(self, poll: Callable[[dict[str, float]], bool] | None) -> dict[str, Any]:
        """Give the limits as the keyword arguments that every search of the engine takes."""
        assert not self.leaf_share, "the number of rows is needed first"
        given: dict[str, Any] = {
            "max_depth": self.max_depth,
            "max_nodes": self.max_nodes,
            "min_samples_leaf": self.min_samples_leaf,
            "time_limit": self.time_limit,
            "memory_limit": self.memory_limit,
            "n_threads": self.n_threads,
        }
        return given if poll is None else given | {"poll": poll}

    @property
    def unlimited(self) -> bool:
        """Whether there is no limit of the depth."""
        return self.max_depth == NO_DEPTH

    def for_rows(self, n_rows: int) -> Limits:
        """Make a share of the rows a number, rounded up; refuse leaves that must hold more than all rows."""
        if self.leaf_share:
            least = math.ceil(self.leaf_share * n_rows * (1 - 1e-12))  # 0.07 * 100 is above 7
            return replace(self, min_samples_leaf=max(1, least), leaf_share=0.0)
        if self.min_samples_leaf > n_rows:
            raise ValueError(
                f"min_samples_leaf must be at most the number of rows, {n_rows}, got {self.min_samples_leaf}"
            )
        return self


def _threads(n_jobs: object) -> int:
    number = OPTIONS["n_jobs"].check(n_jobs)
    if number is None:
        return 1
    if number == 0:
        raise ValueError(f"n_jobs must be {OPTIONS['n_jobs'].expected}, got 0")
    if number > MOST_THREADS:
        raise ValueError(f"n_jobs must be at most {MOST_THREADS}, got {n_jobs!r}")
    if number > 0:
        return int(number)
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    return min(max(1, cores + 1 + int(number)), MOST_THREADS)


def check_limits(
    *,
    max_depth: object,
    max_nodes: object = None,
    min_samples_leaf: object = 1,
    time_limit: object = None,
    memory_limit: object = None,
    n_jobs: object = None,
) -> Limits:
    """Check all limits and turn them into what the engine takes.

    Examples
    --------
    >>> from streed.options import check_limits
    >>> check_limits(max_depth=2).max_nodes
    3
    >>> check_limits(max_depth=2, time_limit=0)
    Traceback (most recent call last):
    ValueError: time_limit must be a number of seconds > 0 or None, got 0
    """
    given = (max_depth, max_nodes, min_samples_leaf, time_limit, memory_limit, n_jobs)
    if _PLAIN.issuperset(map(type, given)) and (n_jobs is None or n_jobs > 0):  # type: ignore[operator]
        return _known_limits(*given)
    return _check(*given)  # the number of cores may change


_PLAIN = {int, float, type(None)}


def _check(
    max_depth: object,
    max_nodes: object,
    min_samples_leaf: object,
    time_limit: object,
    memory_limit: object,
    n_jobs: object,
) -> Limits:
    nodes = OPTIONS["max_nodes"].check(max_nodes)
    given = OPTIONS["max_depth"].check(max_depth)
    if given is None and nodes is not None and nodes <= MOST_DEPTH:
        given = nodes  # no tree is deeper than it has nodes
    depth = NO_DEPTH if given is None else int(given)
    full_tree = 2**31 - 1 if given is None else 2**depth - 1
    seconds = OPTIONS["time_limit"].check(time_limit)
    memory = OPTIONS["memory_limit"].check(memory_limit)
    least = OPTIONS["min_samples_leaf"].check(min_samples_leaf)
    assert least is not None
    return Limits(
        max_depth=depth,
        max_nodes=full_tree if nodes is None else min(int(nodes), full_tree),
        min_samples_leaf=max(1, int(least)),
        time_limit=math.inf if seconds is None else seconds,
        memory_limit=0 if memory is None or memory >= 2**63 else max(1, int(memory)),
        n_threads=_threads(n_jobs),
        leaf_share=least if least < 1 else 0.0,
    )


_known_limits = functools.lru_cache(maxsize=16, typed=True)(_check)
"""Fits are often repeated with the same limits; checking them takes a tenth of a small one."""
