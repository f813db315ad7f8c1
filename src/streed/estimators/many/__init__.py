"""A default fit of many rows: a good tree over bins, its cuts made exact, and the best tree over these tests.

Ranks of all columns, and rows in the order of each, take as long as the searches over them from about
50,000 rows on, and ten times the memory of the table; no bound that is worth much ends in that time. So
columns become bins of one byte (`columns`), and the engine finds a tree over these. Each cut then moves to
the best place among the values beside it, all else fixed (`moves`). The tree is the best one over the tests
that are left, by the search over binary features, which keeps to all limits. Among these tests are those of
a greedy tree, whose cuts move to where CART has them: so no tree is worse than CART's.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streed.binarize.binarizer import Binarizer
from streed.errors import InterruptedWarning, warn_caller
from streed.estimators.many.columns import BinColumns, BinTest
from streed.estimators.many.costs import RowCosts
from streed.estimators.many.moves import Branch, Mover, divide
from streed.options import LEAST_SECONDS, Limits
from streed.solver.engines import bins as engine
from streed.solver.one_value import bound_of_rows
from streed.solver.solve import solve_checked
from streed.tasks.base import Task, form_of
from streed.tasks.forms import OneValue
from streed.tree.result import Result, relative_gap, with_features

MANY_CELLS = 1_000_000
"""Rows times columns from which on bins are searched. Noisy tables of this size were not proven at depth 3
within the work of a default fit, and took 3 to 10 times as long (100,000 to a million rows, 20 columns)."""

_LEAST: ContextVar[int | None] = ContextVar("least cells of tables whose bins are searched", default=None)


@contextlib.contextmanager
def from_cells(n_cells: int) -> Iterator[None]:
    """Let fits within search bins of tables from so many cells on: a few rows stand for a large table."""
    token = _LEAST.set(n_cells)
    try:
        yield
    finally:
        _LEAST.reset(token)


def is_large(n_cells: int) -> bool:
    """Whether bins of a table of so many cells are searched."""
    least = _LEAST.get()
    return n_cells >= (MANY_CELLS if least is None else least)


SECONDS_PER_CELL = 1e-6
"""A time limit below this for each cell is too short for a search over all thresholds: with a million rows
and 20 columns it took 10 s to its first tree."""

LEAST_DEPTH = 3
"""Trees of fewer levels are searched over all thresholds whatever the number of rows."""

ROUNDS = 5
"""How often all cuts are moved, one after the other, at most."""

ENDING = 3.0
"""After the search over bins cuts are moved, and a tree over their tests is searched and counted, which takes
up to so many times as long as what was before it: with a million rows and 20 mixed columns 0.5 s were before,
and 1.4 s after a search for labels, 1.6 s for numbers. So much of a time limit is kept for it."""

PROVEN_DEPTH, TIMES_AS_LONG, LEAST_LAST = 4, 4.0, 2.0
"""Without a time limit the search over tests of so many levels ends by itself; of more levels it may take so
many times as long as all before it, and so many seconds in any case: with 100,000 rows and 20 columns two
seconds gave 23,857 errors at depth 5 and 22,037 at depth 6, six seconds 1 % fewer; the latter search had not
ended after 110 s."""

MOST_KEPT = 0.6
"""But no more than this share of what is left: with a half a regression ended .37 s after a limit of 3 s."""

LAST_STEPS = 2.5
"""The steps that no limit cuts short take up to so many times as long as what was before the search: no cuts
are moved when no more than that is left. With a million rows and 20 mixed columns .45 s were before it; the
last move, the search over tests and the record took 1.1 s."""


def is_short(limits: Limits, n_cells: int) -> bool:
    """Whether a time limit is too short for a search over all thresholds of so many cells."""
    return is_large(n_cells) and limits.time_limit <= SECONDS_PER_CELL * n_cells


def suits(task: Any, limits: Limits, n_cells: int, *, exact: bool = False) -> bool:
    """Whether a fit of a table of so many cells begins with bins; an exact one does if its time is short."""
    if not is_large(n_cells) or limits.unlimited or limits.max_depth < LEAST_DEPTH:
        return False
    timed = exact or limits.time_limit < math.inf
    if (timed and not is_short(limits, n_cells)) or not isinstance(task, Task):
        return False
    return not engine.refusal(form_of(task), limits)


def search(
    task: Task, table: BinColumns, limits: Limits, progress: Any, *, exact: bool = False
) -> tuple[Binarizer, Result]:
    """Search a tree over bins, in place of a default search or of an exact one."""
    form = form_of(task)
    assert isinstance(form, OneValue)
    started = time.perf_counter()
    tests, status = _tests(form, table, limits)
    binarizer, features, rows = table.adopt(tests)
    result = solve_checked(task, rows, None, _last(limits), progress)
    result = replace(result, seconds=time.perf_counter() - started)
    if result.status == "time_limit" and limits.time_limit == math.inf:
        result = replace(result, status="work_limit")
    (result,) = with_features([result], features, len(binarizer.conditions_), binarizer.names())
    if status == "interrupted":
        warn_caller("the search was interrupted: the tree is the best one so far", InterruptedWarning)
    if status == "optimal" and exact:
        status = "time_limit"
    n_cells = table.columns.n_rows * len({known.source for known in table.columns.known})
    return binarizer, _unproven(result, task, form, status, _advice(limits, n_cells))


def _advice(limits: Limits, n_cells: int) -> str:
    """Say which time limit lets all thresholds be searched."""
    longer = f"a time_limit above {SECONDS_PER_CELL * n_cells:.3g} s"
    exact = "" if limits.time_limit < math.inf else " or cuts='exact'"
    return f"{longer}{exact} lets the search go on over all of them"


def _tests(form: OneValue, table: BinColumns, limits: Limits) -> tuple[list[BinTest], str]:
    """Return the tests of the best tree over bins and of a greedy one, and how the search over bins ended."""
    codes = table.codes()
    clock = Clock(limits)
    found = engine.search(form, codes, clock.search(limits.for_rows(codes.shape[1])).arguments(None))
    del codes
    mover = Mover(table, RowCosts.of_form(form))
    tests: dict[BinTest, None] = {}
    status = str(found["status"])
    best, greedy = _tree_of(found, table), _tree_of(found["greedy"], table)
    mover.grow(greedy)
    everywhere = np.ones(mover.costs.n_rows, np.bool_)
    for tree in (greedy, best):
        tests |= dict.fromkeys(_short(tree, everywhere, table))
        moved = False
        for _ in range(ROUNDS):
            if clock.ends:
                status = "time_limit" if status == "optimal" else status
                break
            if not mover.move(tree):
                break
            moved = True
        if moved:
            tests |= dict.fromkeys(_short(tree, everywhere, table))
    return list(tests), status


class Clock:
    """The time limit of a fit, begun when its columns are bins."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._before = time.perf_counter() - limits.started

    def search(self, limits: Limits) -> Limits:
        """Return limits with the time for a search, less what is kept for the end."""
        left = _seconds_left(limits)
        return _with_seconds(limits, left - min(ENDING * self._before, MOST_KEPT * left))

    @property
    def ends(self) -> bool:
        """Whether only the last steps fit into the time that is left."""
        return _seconds_left(self._limits) <= LAST_STEPS * self._before


def _last(limits: Limits) -> Limits:
    """Return the limits of the search over tests.

    From five levels on that search may take very long, and the clock ends it: the tree of another run may be
    another one then.
    """
    if limits.time_limit < math.inf:
        return _left(limits)
    if limits.max_depth <= PROVEN_DEPTH:
        return limits
    before = time.perf_counter() - limits.started
    return replace(limits, time_limit=max(TIMES_AS_LONG * before, LEAST_LAST))


def _seconds_left(limits: Limits) -> float:
    return limits.time_limit - (time.perf_counter() - limits.started)


def _with_seconds(limits: Limits, seconds: float) -> Limits:
    if limits.time_limit == math.inf:
        return limits
    return replace(limits, time_limit=max(seconds, LEAST_SECONDS))


def _left(limits: Limits) -> Limits:
    """Return the limits with the time that is left since the fit began."""
    return _with_seconds(limits, _seconds_left(limits))


def _unproven(result: Result, task: Task, form: OneValue, status: str, advice: str) -> Result:
    """Return the result as that of a search over all thresholds: its bound is that of each row alone."""
    bound = bound_of_rows(task, form)
    if result.objective == bound:
        return result
    note = (
        "cuts at 250 quantiles of each column were searched, and all thresholds beside those of the tree; "
        f"{advice}"
    )
    gap = relative_gap(float(result.objective), bound)
    if status == "optimal":  # no limit has ended the search over bins
        status = "work_limit" if result.optimal else result.status
    return replace(result, optimal=False, status=status, lower_bound=bound, gap=gap, note=note)


def _tree_of(found: dict[str, Any], table: BinColumns) -> Branch:
    column, code = found["column"].tolist(), found["bin"].tolist()
    lower, upper = found["lower"].tolist(), found["upper"].tolist()

    def make(node: int) -> Branch:
        if column[node] < 0:
            return Branch()
        return Branch(table.test(column[node], code[node]), (make(lower[node]), make(upper[node])))

    return make(0)


def _short(node: Branch, inside: NDArray[np.bool_], table: BinColumns) -> Iterator[BinTest]:
    """Give the tests of a tree, with short cuts between the values of the rows of their nodes."""
    if node.sides is None or node.test is None:
        return
    yield node.test if node.test.cut is None else table.between(node.test, inside)
    for side, rows in zip(node.sides, divide(table, node.test, inside), strict=True):
        yield from _short(side, rows, table)
