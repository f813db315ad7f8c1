"""Small pieces of a task on which all trees can be tried: drawn at random, and made smaller.

A sample is a state of the task (some of its rows, below some tests) with a few of its features and labels: a
task of its own, small enough to look at every tree. A sample that breaks something is shrunk: rows, tests,
features, labels and levels are left out for as long as it still does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, TypeVar

import numpy as np

from streed.reference import Components
from streed.solver.general.guard import Guard
from streed.solver.general.states import keep_rows, rows_of

Found = TypeVar("Found")


@dataclass(frozen=True)
class Sample:
    """A piece of a task.

    Attributes
    ----------
    whole : Components
        The task.
    rows : tuple of int or None
        The rows that are left; None if states do not show their rows, then all are.
    path : tuple of (int, bool)
        The tests that lead to the state, as positions of features and sides.
    features, labels : tuple of int
        Positions of the features and labels that are left.
    depth : int
        Depth of the trees to look at.
    """

    whole: Components[Any, Any]
    rows: tuple[int, ...] | None
    path: tuple[tuple[int, bool], ...]
    features: tuple[int, ...]
    labels: tuple[int, ...]
    depth: int

    @cached_property
    def task(self) -> Components[Any, Any]:
        """The piece as a task of its own."""
        guard = Guard(self.whole, _no_tick)
        state = self.whole.initial_state
        if self.rows is not None:
            kept = set(self.rows)
            if kept != set(rows_of(state) or ()):
                state = keep_rows(state, kept.__contains__)
        for feature, side in self.path:
            state = guard.child(state, self.whole.features[feature], side)
        return replace(
            self.whole,
            initial_state=state,
            features=[self.whole.features[i] for i in self.features],
            labels=[self.whole.labels[i] for i in self.labels],
        )

    @cached_property
    def guard(self) -> Guard:
        """The piece, with every call checked."""
        return Guard(self.task, _no_tick)


def _no_tick() -> None:
    pass


def draw(
    task: Components[Any, Any], rows: list[int] | None, depth: int, size: int, rng: np.random.Generator
) -> Sample:
    """Draw a sample with up to `size` rows; trees of two levels and more get fewer features and labels."""
    kept = None
    if rows is not None:
        n = min(len(rows), int(rng.integers(1, size + 1)))
        kept = tuple(sorted(rng.choice(rows, n, replace=False).tolist()))
    levels = depth if rng.random() < 0.5 else int(rng.integers(0, depth + 1))
    many = (6, 4, 3, 1)[levels]
    features = _some(len(task.features), many, rng)
    labels = _some(len(task.labels), 3 if len(features) < 3 or levels < 2 else 2, rng)
    steps = int(rng.choice([0, 0, 1, 2])) if len(task.features) else 0
    path = tuple((int(rng.integers(len(task.features))), bool(rng.integers(2))) for _ in range(steps))
    return Sample(task, kept, path, features, labels, levels)


def _some(n: int, most: int, rng: np.random.Generator) -> tuple[int, ...]:
    if n == 0:
        return ()
    count = int(rng.integers(1, min(n, most) + 1))
    return tuple(sorted(rng.choice(n, count, replace=False).tolist()))


def shrink(
    sample: Sample, look: Callable[[Sample], Found | None], found: Found, rng: np.random.Generator
) -> tuple[Sample, Found]:
    """Make a sample smaller for as long as `look` still finds something in it.

    Leaving out one thing after the other ends where no single one can be spared. Fewer rows may still do if
    they are other rows, so random ones are tried as well.
    """
    while True:
        for smaller in chain(smaller_samples(sample), other_rows(sample, rng)):
            again = look(smaller)
            if again is not None:
                sample, found = smaller, again
                break
        else:
            return sample, found


def other_rows(sample: Sample, rng: np.random.Generator, tries: int = 60) -> Iterator[Sample]:
    """Draw samples with one row less: any rows, and every other time any features and labels."""
    every = rows_of(sample.whole.initial_state) or []
    if sample.rows is None or not 2 <= len(sample.rows) <= 12:
        return
    for i in range(tries):
        rows = tuple(sorted(rng.choice(every, len(sample.rows) - 1, replace=False).tolist()))
        if i % 2:
            features = _some(len(sample.whole.features), len(sample.features), rng)
            labels = _some(len(sample.whole.labels), len(sample.labels), rng)
            yield replace(sample, rows=rows, path=(), features=features, labels=labels)
        else:
            yield replace(sample, rows=rows)


def smaller_samples(sample: Sample) -> Iterator[Sample]:
    """Yield samples with something left out, most of it first."""
    if sample.depth > 0:
        yield replace(sample, depth=sample.depth - 1)
    for i in range(len(sample.path)):
        yield replace(sample, path=sample.path[:i] + sample.path[i + 1 :])
    rows = sample.rows or ()
    chunk = len(rows) // 2
    while chunk:
        for start in range(0, len(rows), chunk):
            yield replace(sample, rows=rows[:start] + rows[start + chunk :])
        chunk //= 2
    for name in ("features", "labels"):
        kept = getattr(sample, name)
        if len(kept) > 1:
            for i in range(len(kept)):
                changes: dict[str, Any] = {name: kept[:i] + kept[i + 1 :]}
                yield replace(sample, **changes)
