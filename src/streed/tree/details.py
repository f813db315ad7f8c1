"""What is known of the rows of each node beside their number: distributions of targets, or survival curves.

Plain data that the tasks make and the views show. Arrays have one entry, or one row, for each node of the
tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray


class Details:
    """Base of both kinds: arrays as JSON and back."""

    kind: ClassVar[str]
    shared: ClassVar[tuple[str, ...]]
    """Arrays that all nodes have in common, or that have an entry for each leaf."""
    optional: ClassVar[tuple[str, ...]] = ()
    """Arrays that a description leaves out where they are empty."""
    form: ClassVar[str]
    """What the arrays must be beside finite numbers, in words."""

    def to_dict(self) -> dict[str, Any]:
        """Return the arrays as lists."""
        arrays = {each.name: getattr(self, each.name).tolist() for each in fields(self)}  # type: ignore[arg-type]
        known = {name: each for name, each in arrays.items() if each or name not in self.optional}
        return {"kind": self.kind, **known}

    def check(self, n_nodes: int) -> None:
        """Refuse arrays that are not finite numbers, or not one entry for each node."""
        for each in fields(self):  # type: ignore[arg-type]
            array = getattr(self, each.name)
            if array.ndim == 0 or not np.isfinite(array).all():
                raise ValueError(f"{each.name} of the details of a tree must be finite numbers in an array")
            if each.name not in self.shared and array.shape[0] != n_nodes:
                raise ValueError(
                    f"{each.name} of the details of a tree must have an entry for each of {n_nodes} nodes, "
                    f"got shape {array.shape}"
                )
        if not self.fits():
            raise ValueError(f"the details of a tree must be {self.form}")

    def fits(self) -> bool:
        """Whether the arrays have the shapes and ranges of their kind, as `form` says them."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))  # type: ignore[arg-type]
        return all(np.array_equal(mine, theirs) for mine, theirs in pairs)

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class Numbers(Details):
    """The targets of the rows of each node.

    Attributes
    ----------
    mean, spread : array of shape (m,) or (m, n_outputs)
        Mean and standard deviation.
    edges : array of shape (bins + 1,)
        Edges of the bars of a histogram, the same for all nodes.
    counts : array of shape (m, bins)
        Weight of the rows in each bar, by the first target if there are several.
    levels : array of shape (q,)
        Levels of the quantiles; empty in files that have none, and where there are several targets.
    quantiles : array of shape (n_leaves, q)
        For each leaf, in the order of their numbers, the least target up to which at least that share of the
        weight of its rows lies, or of the rows that smoothing counts.
    """

    kind: ClassVar[str] = "numbers"
    shared: ClassVar[tuple[str, ...]] = ("edges", "levels", "quantiles")
    optional: ClassVar[tuple[str, ...]] = ("levels", "quantiles")
    form: ClassVar[str] = (
        "means and spreads of one shape, counts of shape (nodes, bars) and one edge more than there are "
        "bars; spreads and counts are not negative; quantiles of shape (leaves, levels), rising with levels "
        "between 0 and 1"
    )

    mean: NDArray[np.float64]
    spread: NDArray[np.float64]
    edges: NDArray[np.float64]
    counts: NDArray[np.float64]
    levels: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    quantiles: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Read a pickle, also one of a version that had no quantiles."""
        self.__dict__.update({"levels": np.empty(0), "quantiles": np.empty((0, 0)), **state})

    def fits(self) -> bool:
        """Whether the arrays have the shapes and ranges of their kind."""
        of_nodes = self.mean.ndim <= 2 and self.mean.shape == self.spread.shape and self.mean.size > 0
        of_bars = self.counts.ndim == 2 and self.edges.shape == (self.counts.shape[1] + 1,)
        least = _least(self.spread, self.counts) >= 0
        return of_nodes and of_bars and self.edges.size > 1 and least and self._has_quantiles()

    def _has_quantiles(self) -> bool:
        """Whether quantiles are missing altogether, or those of all leaves are there."""
        if not self.levels.size and not self.quantiles.size:
            return True
        n_leaves = (self.mean.shape[0] + 1) // 2
        if self.levels.ndim != 1 or self.quantiles.shape != (n_leaves, self.levels.size):
            return False
        rising = _least(np.diff(self.levels), np.diff(self.quantiles, axis=1)) >= 0
        return rising and _least(self.levels, 1 - self.levels) >= 0


@dataclass(frozen=True, eq=False)
class Curves(Details):
    """The survival of the rows of each node.

    Attributes
    ----------
    times : array of shape (t,)
        The times at which an event was observed in training, increasing; they are the steps of all curves.
    survival : array of shape (m, t)
        Kaplan and Meier's estimate of the probability to survive each of the times, from the rows of a node;
        with smoothing it is drawn to those of the nodes above, and so is the hazard.
    hazard : array of shape (m, t)
        Nelson and Aalen's estimate of the cumulative hazard up to each of the times.
    events : array of shape (m,)
        Weight of the rows whose event was observed.
    risk : array of shape (m,)
        The hazard of the rows, relative to that of all training rows.
    """

    kind: ClassVar[str] = "curves"
    shared: ClassVar[tuple[str, ...]] = ("times",)
    form: ClassVar[str] = (
        "increasing times, survival from 0 to 1 and hazards of shape (nodes, times), and one number of "
        "events and one risk per node; none is negative"
    )

    times: NDArray[np.float64]
    survival: NDArray[np.float64]
    hazard: NDArray[np.float64]
    events: NDArray[np.float64]
    risk: NDArray[np.float64]

    def fits(self) -> bool:
        """Whether the arrays have the shapes and ranges of their kind."""
        m = self.events.size
        at_times = self.survival.shape == self.hazard.shape == (m, self.times.size)
        of_nodes = self.times.ndim == 1 and self.events.shape == self.risk.shape == (m,)
        ranges = _least(self.times, self.survival, self.hazard, self.events, self.risk) >= 0
        return at_times and of_nodes and ranges and _least(np.diff(self.times), 1 - self.survival) >= 0


def _least(*arrays: NDArray[np.float64]) -> float:
    """Return the least number of some arrays, 0 if they are empty."""
    return min((float(array.min()) for array in arrays if array.size), default=0.0)


KINDS: Mapping[str, type[Numbers | Curves]] = {kind.kind: kind for kind in (Numbers, Curves)}


def details_from_dict(description: Mapping[str, Any]) -> Numbers | Curves:
    """Read what `Details.to_dict` wrote, and check that it is there and consists of numbers."""
    name = description.get("kind") if isinstance(description, Mapping) else None
    kind = KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise ValueError(f"details of a tree are of one of the kinds {', '.join(KINDS)}")
    known = [each.name for each in fields(kind)]
    names = [name for name in known if name in description or name not in kind.optional]
    if sorted([*names, "kind"]) != sorted(description):
        raise ValueError(
            f"details of the kind {kind.kind!r} are {', '.join(names)}, got {sorted(description)}"
        )
    try:
        return kind(**{name: np.array(description[name], dtype=np.float64) for name in names})
    except (OverflowError, TypeError, ValueError) as error:
        raise ValueError(f"details of a tree must be arrays of numbers: {error}") from error
