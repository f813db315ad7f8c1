"""`estimate`: how long a fit will take and how much memory, from a short probe.

The fit is made with two levels, three levels, and so on, and stopped when the time of the probe is used up. A
fit that ends is measured. One that was stopped is forecast from the share of the root that was done
(`streed.solver.forecast`). Where that says nothing yet, and for the levels above, the number of pair tables
grows from level to level as it did before, by a factor that falls: 24 data sets and 12 more with numbers had
0.75 t tables at level four for each of the t tables at level three, and each further level multiplied the
tables by 0.62, then 0.47 of the factor before. Default fits over all thresholds end after a fixed amount of
work, about a second: these are made to their end.
"""

from __future__ import annotations

import inspect
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import _safe_indexing

from streed.errors import silent_fits
from streed.estimators import many
from streed.options import Limits
from streed.solver.forecast import Pace
from streed.tree.durations import duration
from streed.tree.result import Result, show

SPREAD = 3.0
"""Forecasts are given as a range of this factor to either side; benchmarks/figures.md has how many hold."""
PROBE = 0.5
"""Seconds of processor time of a probe."""
LEVEL_FOUR, LATER = 0.75, (0.62, 0.47)
"""Growth of the number of tables: at level four, in units of the tables of level three; then what is left of
the growth of the level before."""
MOST_CELLS = 1_100_000
"""Of larger tables some rows are probed, and times multiplied: few, since default fits over bins are short
(a probe of this size takes up to 2.3 fits of a table that is hardly larger), but enough that it does search
bins, as from a million cells on (`streed.estimators.many`)."""
BINS = 0.5
"""A search over bins grows by this power of the rows, since part of its work is fixed: with it forecasts of
four tables of 1.5 to 20 million cells were 0.6 to 3.0 times what the fits took."""

BIN_CELLS = 300_000
"""So many cells stand for a table of which default fits search bins: a probe takes half of a fit of 1.1
million cells, where one of all these cells took 1.4 fits."""
OF_CLASSES, OF_NUMBERS = 0.6, 0.95
"""From so few rows a search over bins grows by these powers of the rows: 1.2 and 6 million mixed cells took
2.3 and 5.7 times as long as 0.3 million for labels, 2.1 and 17 times for numbers."""

LONGEST = 30.0
"""Processor seconds that a fit which ends by itself may take."""
THRESHOLDS = "columns_kept"
"""What the statistics of searches over all thresholds have, and of no other search."""


class Step(NamedTuple):
    """A fit with fewer levels than wanted, or with all of them."""

    max_depth: int | None
    seconds: float
    memory: float
    measured: bool
    """Whether the fit ended within the probe; else `seconds` is a forecast."""
    objective: float
    """The value of its tree; NaN if the fit did not end."""


@dataclass(frozen=True)
class Estimate:
    """A forecast of a fit.

    Attributes
    ----------
    seconds : float
        Time of the fit on idle cores; NaN if the probe says nothing.
    low, high : float
        The range that is claimed: a third and three times the forecast, or what was measured.
    memory : float
        Bytes in the solver's own structures; NaN if the probe says nothing.
    measured : bool
        Whether the probe was the whole fit.
    steps : tuple of Step
        Fits with fewer levels, as far as the probe came: what each of them takes, and what its tree is worth.
    probe : float
        Processor seconds that the probe took.
    rows : int
        Number of rows that were probed.
    limit : float
        The `time_limit` of the estimator, infinite without one.
    """

    seconds: float
    low: float
    high: float
    memory: float
    measured: bool
    steps: tuple[Step, ...]
    probe: float
    rows: int
    limit: float = math.inf

    @property
    def advice(self) -> str:
        """What to do, in words; empty where the fit is short."""
        if self.seconds > self.limit:
            return f"time_limit={self.limit:g} will end the search with a tree and a bound"
        if math.isnan(self.seconds):
            return "give a time_limit, which ends the search with a tree and a bound"
        if self.seconds < 60 or not self.steps:
            return ""
        short = [step for step in self.steps if step.seconds < 60 and step.max_depth is not None]
        smaller = f"max_depth={short[-1].max_depth} takes {duration(short[-1].seconds)}; " if short else ""
        return f"{smaller}a time_limit ends a longer search with a tree and a bound"

    def __str__(self) -> str:
        if math.isnan(self.seconds):
            first = f"longer than {duration(self.low)}: the probe of {duration(self.probe)} says no more"
        elif self.measured:
            first = f"{duration(self.seconds)} and {self._bytes()}, measured"
        else:
            spread = f"{duration(self.low)} to {duration(self.high)}"
            first = f"about {duration(self.seconds)} ({spread}) and {self._bytes()}"
        lines = [first]
        for step in self.steps:
            known = f", value {show(step.objective)}" if step.measured else " (forecast)"
            lines.append(f"max_depth={step.max_depth}: {duration(step.seconds)}{known}")
        return "\n".join([*lines, *filter(None, [self.advice])])

    def _bytes(self) -> str:
        return "unknown memory" if math.isnan(self.memory) else f"{max(1.0, self.memory / 1e6):,.0f} MB"


def estimate(estimator: Any, X: Any, *data: Any, probe_seconds: float = PROBE, **named: Any) -> Estimate:
    """Forecast time and memory of a fit, before it is made.

    Parameters
    ----------
    estimator : estimator of streed
        It is not changed. Its `tune` is left out: that takes about one or two fits more.
    X : array-like or frame
        The columns, as for `fit`.
    *data
        What else `fit` takes by position, as the labels.
    probe_seconds : float, default=0.5
        Processor time that the probe may take, beside the reading of the table.
    **named
        What else `fit` takes by name.

    Returns
    -------
    Estimate
        ``print`` shows it. `Estimate.seconds` are those of an idle machine, by processor time.

    Notes
    -----
    With `n_jobs` threads the forecast is that of one thread divided by their number: the least that threads
    can take, since the probe does not measure how well they share the work.

    Forecasts of memory are coarser than those of time. They are too low where the wanted depth is far above
    what the probe ended, since caches grow with what is searched last: of 51 fits 7 needed 3 to 8 times the
    forecast, most of them of depth 6 and 7, and one needed 100 times. A `memory_limit` holds anyway.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> import streed
    >>> found = streed.estimate(streed.OptimalTreeClassifier(max_depth=2), *load_iris(return_X_y=True))
    >>> found.measured, found.seconds < 1, found.steps[-1].objective
    (True, True, 6.0)
    """
    if not (isinstance(probe_seconds, int | float) and probe_seconds > 0):
        raise ValueError(f"probe_seconds must be a number above 0, got {probe_seconds!r}")
    if not hasattr(estimator, "_limits") or not hasattr(estimator, "fit"):
        raise TypeError(f"estimator must be an estimator of streed, got {estimator!r}")
    limits = estimator._limits()
    with silent_fits():
        bins = _bins_of_few_rows(estimator, limits, X, data, named, float(probe_seconds))
    if bins is not None:
        return bins.answer()
    scale, given, named = _some_rows(X, data, named)
    probe = _Probe(estimator, limits, given, named, float(probe_seconds), scale)
    with silent_fits():
        probe.run()
    return probe.answer()


def _bins_of_few_rows(
    estimator: Any, limits: Limits, X: Any, data: Sequence[Any], named: dict[str, Any], seconds: float
) -> _Probe | None:
    """Probe a default fit of a large table, which searches bins, by one fit of bins of few of its rows."""
    n_cells = math.prod(np.shape(X))
    known = is_classifier(estimator) or is_regressor(estimator)
    if not known or limits.unlimited or estimator.cuts != "auto" or not many.is_large(n_cells):
        return None
    scale, given, named = _some_rows(X, data, named, BIN_CELLS)
    model = clone(estimator).set_params(tune=None)
    job = model._prepare(**inspect.signature(model.fit).bind(*given, **named).arguments)
    if estimator.binarizer is not None or not many.suits(job.task, limits, n_cells):
        return None
    probe = _Probe(estimator, limits, given, named, seconds, scale)
    probe.power = OF_NUMBERS if is_regressor(estimator) else OF_CLASSES
    with many.from_cells(1):
        probe.fit(limits.max_depth, LONGEST)
    return probe if probe.bins else None


def _some_rows(
    X: Any, data: Sequence[Any], named: dict[str, Any], n_cells: int | None = None
) -> tuple[float, list[Any], dict[str, Any]]:
    """Take some rows of a large table: how many times more there are, and what `fit` takes of them."""
    n_rows, n_columns = np.shape(X)[:2] if len(np.shape(X)) > 1 else (len(X), 1)
    most = max(1000, (n_cells or MOST_CELLS) // max(1, n_columns))
    if n_rows <= most:
        return 1.0, [X, *data], named
    chosen = np.sort(np.random.default_rng(0).choice(n_rows, most, replace=False))

    def some(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(map(some, value))
        whole = hasattr(value, "__len__") and not isinstance(value, str | dict) and len(value) == n_rows
        return _safe_indexing(value, chosen) if whole else value

    return n_rows / most, [some(value) for value in (X, *data)], {k: some(v) for k, v in named.items()}


class _Probe:
    """Fits with rising depth, until the time of the probe is used up."""

    def __init__(
        self,
        estimator: Any,
        limits: Limits,
        data: list[Any],
        named: dict[str, Any],
        most: float,
        scale: float,
    ) -> None:
        self.estimator, self.limits, self.data, self.named = estimator, limits, data, named
        self.most, self.scale = most, scale
        self.steps: list[Step] = []
        self.tables: list[float] = []
        """Pair tables of each step that ended; 0 where the engine has none."""
        self.started = time.process_time()
        self.rows = 0
        self.power = BINS
        self.bins = False
        """Whether the last fit searched bins: it ended by itself, and the next one does."""

    @property
    def spent(self) -> float:
        """Processor seconds so far."""
        return time.process_time() - self.started

    def run(self) -> None:
        """Fit with more and more levels; a fit that does not end is the last one."""
        last = None if self.limits.unlimited else self.limits.max_depth
        depths = [last] if last is None else range(min(last, 2), last + 1)
        for depth in depths:
            if depth != last and (self.bins or (self.spent > self.most and not any(self.tables[1:]))):
                continue  # of a large table even two levels take long: the one that is wanted is next
            share = self.most / 2 if depth == last else self.most / 3
            if not self.fit(depth, max(share, self.most - self.spent)):
                break
        if last is not None and self.steps:
            self._extrapolate(last)

    def fit(self, depth: int | None, most: float) -> bool:
        """Make one fit; returns whether it ended."""
        most = max(most, LONGEST) if self.bins else most
        pace = Pace(most)
        model = clone(self.estimator).set_params(max_depth=depth, tune=None)
        model.set_params(progress=pace)
        model.fit(*self.data, **self.named)
        result: Result = model.result_
        self.rows = int(model.tree_.n_samples[0])
        self.bins = result.status == "work_limit" and THRESHOLDS not in result.statistics
        taken = time.process_time() - pace.started
        stopped = bool(pace.seen) and pace.seen[-1].seconds > most and not result.optimal
        tables = float(result.statistics.get("tables_counted", 0))
        memory = float(result.statistics.get("peak_memory", 0)) or math.nan
        if stopped and self._ends_by_itself(model, result) and most < LONGEST:
            return self.fit(depth, LONGEST)
        if stopped:
            even = THRESHOLDS in result.statistics
            seconds = pace.seconds(even=even)
            if math.isnan(seconds) and self.steps:
                seconds = max(taken, self._next(depth))
            self.steps.append(Step(depth, seconds, pace.memory(seconds), False, math.nan))
            self.tables.append(self._growth(depth) * self.tables[-1] if self.tables else 0.0)
            return False
        value = result.objective if isinstance(result.objective, int | float) else math.nan
        self.steps.append(Step(depth, taken, memory, True, float(value)))
        self.tables.append(tables)
        return True

    def _ends_by_itself(self, model: Any, result: Result) -> bool:
        """Whether a fit over all thresholds ends after a fixed amount of work, not with its proof."""
        limited = model.cuts == "auto" and model.binarizer is None and self.limits.time_limit == math.inf
        statistics = result.statistics
        return limited and (THRESHOLDS in statistics or not statistics.get("tables_counted"))

    def _growth(self, depth: int | None) -> float:
        """Return how many times more tables a level has than the one before it, by those before."""
        if depth is None or not self.tables:
            return math.nan
        if depth <= 3 or len(self.tables) < 2 or not self.tables[-2]:
            return math.nan
        if depth == 4:
            return max(1.0, LEVEL_FOUR * self.tables[-1])
        return max(1.0, LATER[depth > 5] * self.tables[-1] / self.tables[-2])

    def _next(self, depth: int | None) -> float:
        """Return the time of a level from those before it: what is fixed, and the tables."""
        fixed = self.steps[0].seconds
        search = max(self.steps[-1].seconds - fixed, 0.1 * self.steps[-1].seconds)
        return fixed + self._growth(depth) * search

    def _extrapolate(self, last: int) -> None:
        """Go on from the last level of the probe to the one that is wanted."""
        while (depth := self.steps[-1].max_depth) is not None and depth < last:
            before, growth = self.steps[-1], self._growth(depth + 1)
            seconds = self._next(depth + 1)
            memory = before.memory * math.sqrt(max(1.0, seconds / max(before.seconds, 1e-6)))
            self.steps.append(Step(depth + 1, seconds, memory, False, math.nan))
            self.tables.append(growth * self.tables[-1])

    def answer(self) -> Estimate:
        """Return the forecast for the whole table and all threads."""
        threads = max(1, self.limits.n_threads)
        factor = (self.scale**self.power if self.bins else self.scale) / threads
        whole: dict[str, Any] = (
            {} if self.scale == 1 else {"measured": False, "objective": math.nan}
        )  # some rows only
        steps = tuple(step._replace(seconds=step.seconds * factor, **whole) for step in self.steps)
        end = steps[-1]
        measured = end.measured
        low, high = (end.seconds, end.seconds) if measured else (end.seconds / SPREAD, end.seconds * SPREAD)
        if math.isnan(end.seconds):
            low, high = self.spent * factor, math.inf
        return Estimate(
            seconds=end.seconds,
            low=low,
            high=high,
            memory=end.memory * (1.0 if self.bins else max(1.0, self.scale)),  # sums by bin have no rows
            measured=measured,
            steps=steps,
            probe=self.spent,
            rows=self.rows,
            limit=self.limits.time_limit,
        )
